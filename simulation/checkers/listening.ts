import type { Checker } from './evidence.ts'

/** A screen that falls silent is noticed within 7.5 seconds; who only reloads has two more. */
const noticedMs = 10_000

/**
 * Each open request has somebody who listens, or its guest is told that nobody does: presence is what the screens are,
 * and a guest's page shows what presence is.
 */
export const listening: Checker = ({ restaurant, now }) => {
  const { world, phones, id } = restaurant
  const { someone, since } = restaurant.listeners
  if (now - Math.max(since, world.server.countsAt) < noticedMs) return []
  const breaches = world.server.apps.flatMap(({ ctx }) => {
    const { listening } = ctx.presence(id)
    if (listening === someone) return []
    return [{ about: 'presence', problem: `presence says ${listening}, the screens ${someone}` }]
  })
  phones.forEach((phone, index) => {
    if (
      phone.isWhole &&
      !phone.isFrozen &&
      now - phone.reachableSince > noticedMs &&
      phone.shown.listening !== someone
    )
      breaches.push({
        about: `phone ${index}`,
        problem: `phone ${index} says that ${phone.shown.listening ? 'somebody' : 'nobody'} listens`,
      })
  })
  return breaches
}
