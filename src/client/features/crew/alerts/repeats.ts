import { type ClosedRequest, repeatWindowMs, type ServiceRequest } from '#contract/requests/requests.ts'
import { askedKey } from '../../../lib/texts/asked-text.ts'
import { t } from '../../../lib/texts/translate.ts'

/**
 * How many requests for the same the table has made in the ten minutes before this one, this one included. Repeats
 * that were added to an open request are its `asks`.
 */
export function countRepeats(
  asked: ServiceRequest,
  recentOfTable: ReadonlyMap<string, readonly ClosedRequest[]>,
): number {
  const { id, tableNumber, timestamp } = asked
  const earlier = (recentOfTable.get(tableNumber) ?? []).filter(
    ({ request }) =>
      request.id !== id &&
      askedKey(request) === askedKey(asked) &&
      request.timestamp <= timestamp &&
      request.timestamp > timestamp - repeatWindowMs,
  )
  return earlier.length + 1
}

/** "3× in 10 min"; null for a first time. */
export const repeatText = (count: number): string | null =>
  count < 2 ? null : t('{count}× in {minutes} min', { count, minutes: repeatWindowMs / 60_000 })
