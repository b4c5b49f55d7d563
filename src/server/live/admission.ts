import { type Actor, grantKinds } from '../core/actor.ts'
import { Refusal } from '../core/errors.ts'

/**
 * How many sockets may be open. Guests' and staff's are counted apart: a whole restaurant sits behind one address,
 * and no number of guests there keeps a signed-in screen out.
 */
const most = { guest: 8, guestsOfAddress: 200, session: 50, restaurant: 500 }

/** In seconds. A guest's page asks by HTTP meanwhile. */
const retryAfter = 30

type Place = { key: string; most: number }

/** Counts sockets from before they are opened until they are gone, so that many at one moment are no more. */
export function socketPlaces() {
  const taken = new Map<string, number>()

  /** Takes a place, to be given back when the socket is gone, or refuses. */
  return (actor: Actor): (() => void) => {
    const places = placesOf(actor)
    const isFull = ({ key, most }: Place) => (taken.get(key) ?? 0) >= most
    if (places.some(isFull))
      throw new Refusal('rate_limited', `Too many connections. Please try again in ${retryAfter} seconds.`, {
        retryAfter,
      })
    for (const { key } of places) taken.set(key, (taken.get(key) ?? 0) + 1)
    return () => {
      for (const { key } of places) {
        const left = (taken.get(key) ?? 1) - 1
        if (left > 0) taken.set(key, left)
        else taken.delete(key)
      }
    }
  }
}

function placesOf(actor: Actor): Place[] {
  const { sessionId, restaurantId, guestId, address } = actor
  if (grantKinds(actor).length > 0) {
    const session = { key: `session ${sessionId}`, most: most.session }
    return restaurantId === null
      ? [session]
      : [session, { key: `restaurant ${restaurantId}`, most: most.restaurant }]
  }
  const guests = { key: `address ${address}`, most: most.guestsOfAddress }
  return guestId === null ? [guests] : [guests, { key: `guest ${guestId}`, most: most.guest }]
}
