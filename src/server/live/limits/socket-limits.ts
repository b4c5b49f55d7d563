import { accessId, type Actor, isStaff } from '../../core/actor.ts'
import { Refusal } from '../../core/errors.ts'

/**
 * How many sockets may be open. Guests and staff are counted separately: a whole restaurant shares one address, and no
 * number of guests there may keep a signed-in screen out.
 */
const maxSockets = { guest: 8, guestsOfAddress: 200, session: 50, restaurant: 500 }

/** Guests' pages poll over HTTP meanwhile. */
const retryAfterSeconds = 30

export type SocketQuota = { key: string; max: number }

/** Returns how to release the reservation, or refuses. */
export type ReserveSocket = (quotas: readonly SocketQuota[]) => Promise<() => void>

/** The other servers of an installation. */
type Elsewhere = {
  socketsElsewhere: (key: string) => number
  setSockets: (key: string, open: number) => void
}

const nowhere: Elsewhere = { socketsElsewhere: () => 0, setSockets: () => {} }

/** Counts sockets from before the upgrade until they are gone, so that opening many at once does not help. */
export function createSocketCounter({ socketsElsewhere, setSockets }: Elsewhere = nowhere): ReserveSocket {
  const openSockets = new Map<string, number>()
  function change(key: string, by: number): void {
    const open = (openSockets.get(key) ?? 0) + by
    if (open > 0) openSockets.set(key, open)
    else openSockets.delete(key)
    setSockets(key, open)
  }
  return async (quotas) => {
    if (quotas.some(({ key, max }) => (openSockets.get(key) ?? 0) + socketsElsewhere(key) >= max)) {
      const text = `Too many connections. Please try again in ${retryAfterSeconds} seconds.`
      throw new Refusal('rate_limited', text, { retryAfter: retryAfterSeconds })
    }
    for (const { key } of quotas) change(key, 1)
    return () => {
      for (const { key } of quotas) change(key, -1)
    }
  }
}

/** What a socket of this client counts for. */
export function socketQuotasOf(actor: Actor): SocketQuota[] {
  const { restaurantId, guestId, address } = actor
  if (isStaff(actor)) {
    const session = { key: `session ${accessId(actor)}`, max: maxSockets.session }
    return restaurantId === null
      ? [session]
      : [session, { key: `restaurant ${restaurantId}`, max: maxSockets.restaurant }]
  }
  const guests = { key: `address ${address}`, max: maxSockets.guestsOfAddress }
  return guestId === null ? [guests] : [guests, { key: `guest ${guestId}`, max: maxSockets.guest }]
}
