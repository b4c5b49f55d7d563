import { formatTimeAgo } from '../../lib/dates.ts'

/** The last use is recorded only every five minutes. */
const inUseMs = 6 * 60_000

export const lastUsedText = (at: number, now: number): string =>
  now - at < inUseMs ? 'in use now' : `used ${formatTimeAgo(now - at)}`
