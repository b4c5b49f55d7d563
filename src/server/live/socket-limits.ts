import { type Actor, grantKinds } from '../core/actor.ts'
import { Refusal } from '../core/errors.ts'

/**
 * How many sockets may be open. Guests and staff are counted separately: a whole restaurant shares one address, and no
 * number of guests there may keep a signed-in screen out.
 */
const maxSockets = { guest: 8, guestsOfAddress: 200, session: 50, restaurant: 500 }

/** Guests' pages poll over HTTP meanwhile. */
const retryAfterSeconds = 30

type SocketQuota = { key: string; max: number }

/** Counts sockets from before the upgrade until they are gone, so that opening many at once does not help. */
export function createSocketLimiter() {
  const openSockets = new Map<string, number>()

  /** Reserves a socket, or refuses. Returns how to release it when the socket is gone. */
  return (actor: Actor): (() => void) => {
    const quotas = quotasOf(actor)
    if (quotas.some(({ key, max }) => (openSockets.get(key) ?? 0) >= max)) {
      const text = `Too many connections. Please try again in ${retryAfterSeconds} seconds.`
      throw new Refusal('rate_limited', text, { retryAfter: retryAfterSeconds })
    }
    for (const { key } of quotas) openSockets.set(key, (openSockets.get(key) ?? 0) + 1)
    return () => {
      for (const { key } of quotas) {
        const left = (openSockets.get(key) ?? 1) - 1
        if (left > 0) openSockets.set(key, left)
        else openSockets.delete(key)
      }
    }
  }
}

function quotasOf(actor: Actor): SocketQuota[] {
  const { sessionId, restaurantId, guestId, address } = actor
  if (grantKinds(actor).length > 0) {
    const session = { key: `session ${sessionId}`, max: maxSockets.session }
    return restaurantId === null
      ? [session]
      : [session, { key: `restaurant ${restaurantId}`, max: maxSockets.restaurant }]
  }
  const guests = { key: `address ${address}`, max: maxSockets.guestsOfAddress }
  return guestId === null ? [guests] : [guests, { key: `guest ${guestId}`, max: maxSockets.guest }]
}
