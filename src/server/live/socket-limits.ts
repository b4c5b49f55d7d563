import { type Actor, grantKinds } from '../core/actor.ts'
import { Refusal } from '../core/errors.ts'

/**
 * How many sockets may be open. Guests' and staff's are counted apart: a whole restaurant sits behind one address,
 * and no number of guests there keeps a signed-in screen out.
 */
const maxSockets = { guest: 8, guestsOfAddress: 200, session: 50, restaurant: 500 }

/** In seconds. A guest's page asks by HTTP meanwhile. */
const retryAfterSeconds = 30

type SocketQuota = { key: string; max: number }

/** Counts sockets from before they are opened until they are gone, so that many at one moment are no more. */
export function createSocketLimiter() {
  const openSockets = new Map<string, number>()

  /** Takes a place, to be given back when the socket is gone, or refuses. */
  return (actor: Actor): (() => void) => {
    const places = quotasOf(actor)
    const isFull = ({ key, max: most }: SocketQuota) => (openSockets.get(key) ?? 0) >= most
    if (places.some(isFull))
      throw new Refusal(
        'rate_limited',
        `Too many connections. Please try again in ${retryAfterSeconds} seconds.`,
        {
          retryAfter: retryAfterSeconds,
        },
      )
    for (const { key } of places) openSockets.set(key, (openSockets.get(key) ?? 0) + 1)
    return () => {
      for (const { key } of places) {
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
