import { visitMs } from '#contract/requests.ts'
import { forgetVisit, recallVisit, rememberVisit } from '../../lib/browser-storage.ts'
import type { Place, Visit } from './guest-flow.ts'

type Table = Pick<Place, 'restaurantId' | 'tableNumber'>

/** Without a stored start, the visit starts now. */
export function visitAt({ restaurantId, tableNumber }: Table, now: number): Visit {
  const start = recallVisit(restaurantId, tableNumber)
  if (start === null) rememberVisit(restaurantId, tableNumber, now)
  return start !== null && now - start > visitMs ? 'expired' : 'fresh'
}

export function restartVisit({ restaurantId, tableNumber }: Table, now: number): void {
  forgetVisit(restaurantId, tableNumber)
  rememberVisit(restaurantId, tableNumber, now)
}
