import { formatTimeAgo } from '../../lib/dates.ts'

/** When something was used last is known to five minutes. */
const inUseMs = 6 * 60_000

export const lastUsedText = (at: number, now: number): string =>
  now - at < inUseMs ? 'in use now' : `used ${formatTimeAgo(now - at)}`
