import { visitDurationMs } from '#contract/requests/requests.ts'
import { removeVisitStart, getVisitStart, setVisitStart } from '../../lib/browser/browser-storage.ts'
import type { Place, VisitStatus } from './guest-flow.ts'

export const visitExpiredText = 'Your session has expired after 3 hours.'

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

/**
 * Starts a new visit, on the server first: while the old one is over there, it refuses every tap. It posts the same
 * as the plain form of the button. False: the server was not reached.
 */
export async function resetVisit(table: Table): Promise<boolean> {
  const { restaurantId, tableNumber } = table
  const response = await fetch('/customer', {
    method: 'POST',
    credentials: 'include',
    redirect: 'manual',
    body: new URLSearchParams({ action: 'reset', r: restaurantId, t: tableNumber }),
  }).catch(() => null)
  const done = response !== null && (response.ok || response.type === 'opaqueredirect')
  if (done) restartVisit(table, Date.now())
  return done
}
