import { formatNumber } from '../../lib/texts/format.ts'
import { t } from '../../lib/texts/translate.ts'

/** In seconds up to a minute, then in minutes as '2.5m'. */
export function formatShortDuration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return t('{count}s', { count: seconds })
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 }
  return t('{count}m', { count: formatNumber(ms / 60_000, digits) })
}

/** '+12%', '-8%', '0%'. */
export const formatSignedPercent = (percent: number): string =>
  formatNumber(percent / 100, { style: 'percent', signDisplay: 'exceptZero' })
