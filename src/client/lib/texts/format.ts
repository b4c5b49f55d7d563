import { pageLocale, unbroken } from '../time/dates.ts'
import { t } from './translate.ts'

/** Digits are those on the tables. */
export const formatNumber = (value: number, options: Intl.NumberFormatOptions = {}): string =>
  new Intl.NumberFormat(pageLocale(), { numberingSystem: 'latn', ...options }).format(value)

/** As a field shows a number that `parseNumber` reads. */
export const formatTypedNumber = (value: number): string =>
  formatNumber(value, { maximumFractionDigits: 3, useGrouping: false })

/** '45s', '2m 30s', '1h 5m': the two largest units, without zeros. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const parts: [number, string][] =
    seconds < 3600
      ? [
          [Math.floor(seconds / 60), '{count}m'],
          [seconds % 60, '{count}s'],
        ]
      : [
          [Math.floor(seconds / 3600), '{count}h'],
          [Math.floor((seconds % 3600) / 60), '{count}m'],
        ]
  const shown = parts.filter(([count]) => count > 0)
  return (
    shown.map(([count, text]) => unbroken(t(text, { count }))).join(' ') ||
    unbroken(t('{count}s', { count: 0 }))
  )
}

export const formatDurationOr = (ms: number | null | undefined, fallback = '–'): string =>
  ms === null || ms === undefined ? fallback : formatDuration(ms)

/** Whole percent; 0% and 100% mean exactly none and all. */
export function formatShare(part: number, total: number): string {
  if (total === 0) return '–'
  const percent = Math.round((part / total) * 100)
  if (percent === 0 && part > 0) return `<${formatPercent(1)}`
  if (percent === 100 && part < total) return `>${formatPercent(99)}`
  return formatPercent(percent)
}

export const formatPercent = (percent: number): string => formatNumber(percent / 100, { style: 'percent' })

/** Lower case and without accents: 'Rene' finds 'René'. */
export const normalizeForSearch = (text: string): string =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
