import { visitDurationMs } from '#contract/requests.ts'
import { removeVisitStart, getVisitStart, setVisitStart } from '../../lib/browser-storage.ts'
import type { Place, VisitStatus } from './guest-flow.ts'

type Table = Pick<Place, 'restaurantId' | 'tableNumber'>

/** Without a stored start, the visit starts now. */
export function checkVisit({ restaurantId, tableNumber }: Table, now: number): VisitStatus {
  const start = getVisitStart(restaurantId, tableNumber)
  if (start === null) setVisitStart(restaurantId, tableNumber, now)
  return start !== null && now - start > visitDurationMs ? 'expired' : 'fresh'
}

export function restartVisit({ restaurantId, tableNumber }: Table, now: number): void {
  removeVisitStart(restaurantId, tableNumber)
  setVisitStart(restaurantId, tableNumber, now)
}
