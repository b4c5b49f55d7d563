import type { Place } from './guest-flow.ts'
import { restartVisit } from './visit.ts'

/**
 * Starts the visit anew, on the server first: while that holds the old one to be over, it refuses every tap.
 * It posts what the plain form of the same button posts. False: the server was not reached.
 */
export async function resetVisit({ restaurantId, tableNumber }: Place): Promise<boolean> {
  const response = await fetch('/customer', {
    method: 'POST',
    credentials: 'include',
    redirect: 'manual',
    body: new URLSearchParams({ action: 'reset', r: restaurantId, t: tableNumber }),
  }).catch(() => null)
  const done = response !== null && (response.ok || response.type === 'opaqueredirect')
  if (done) restartVisit({ restaurantId, tableNumber }, Date.now())
  return done
}
