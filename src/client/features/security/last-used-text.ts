import { t } from '../../lib/texts/translate.ts'
import { formatTimeAgo } from '../../lib/time/dates.ts'

/** The last use is recorded only every five minutes. */
const inUseMs = 6 * 60_000

export const lastUsedText = (at: number, now: number): string =>
  now - at < inUseMs ? t('in use now') : t('used {time}', { time: formatTimeAgo(now - at) })
