import { visitDurationMs } from '#contract/requests/requests.ts'
import type { Place, VisitStatus } from './guest-flow.ts'
import { deviceHeader, guestStorage } from './taps/guest-storage.ts'

export const visitExpiredText = 'Your session has expired after 3 hours.'

type Table = Pick<Place, 'restaurantId' | 'tableNumber'>

const startKey = ({ restaurantId, tableNumber }: Table) => `session_${restaurantId}_${tableNumber}` as const

/** Without a stored start, or with one that is not a number, the visit starts now. */
export function checkVisit(table: Table, now: number): VisitStatus {
  const start = guestStorage.get(startKey(table))
  if (start === null || !/^\d+$/.test(start)) restartVisit(table, now)
  else if (now - Number(start) > visitDurationMs) return 'expired'
  return 'fresh'
}

export function restartVisit(table: Table, now: number): void {
  guestStorage.set(startKey(table), String(now))
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
    headers: deviceHeader(),
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
    body: new URLSearchParams({ action: 'reset', r: restaurantId, t: tableNumber }),
  }).catch(() => null)
  const done = response !== null && (response.ok || response.type === 'opaqueredirect')
  if (done) restartVisit(table, Date.now())
  return done
}
