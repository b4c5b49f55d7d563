import { write } from '../../src/server/core/transaction.ts'
import { settled } from '../event-loop.ts'
import { connectScreen, noteListeners, type Screen, screensOf } from '../restaurant.ts'
import type { Evening } from './evening.ts'

/** One guest reads that somebody is on the way who is not, until the page is loaded again. False if no guest waits. */
export async function tellLie(evening: Evening): Promise<boolean> {
  for (const { phone } of evening.guests) {
    const request = phone.shown.open.find(({ state }) => state === 'waiting')
    if (!phone.isWhole || phone.isFrozen || !request) continue
    evening.log.add('break', `Table ${phone.tableNumber}’s phone is told a lie: somebody is on the way`)
    phone.deceive({
      type: 'request-updated',
      request: { ...request, state: 'accepted', acceptedBy: { id: null, name: 'Nobody' } },
    })
    await phone.reload()
    await evening.check()
    return true
  }
  return false
}

/** One acknowledged request disappears from the tables, and every screen loads what is left. False if there is none. */
export async function deleteRequest(evening: Evening): Promise<boolean> {
  await evening.check()
  const { world, restaurant } = evening
  const acknowledged = new Set(restaurant.phones.flatMap((phone) => phone.acknowledged))
  const row = evening.evidence
    .flatMap(({ requests }) => requests)
    .find(
      ({ id, closedAt, acceptedAt, level }) =>
        (closedAt ?? acceptedAt) === null && level === 0 && acknowledged.has(id),
    )
  if (!row) return false
  evening.log.add('break', `Table ${row.tableNumber}’s request is deleted from the database`)
  await write(world.server.app.ctx, async ({ db }) => {
    const { restaurantId } = row
    await db
      .deleteFrom('requestEvent')
      .where('restaurantId', '=', restaurantId)
      .where('requestId', '=', row.id)
      .execute()
    await db
      .deleteFrom('serviceRequest')
      .where('restaurantId', '=', restaurantId)
      .where('id', '=', row.id)
      .execute()
  })
  const away = new Set<Screen>(
    [...evening.links.values()].filter(({ isGone }) => isGone).map(({ screen }) => screen),
  )
  for (const screen of screensOf(world)) {
    if (!screen.isConnected || away.has(screen)) continue
    screen.cut()
    await connectScreen(world, screen)
  }
  await settled(() => world.server.whenIdle())
  noteListeners(restaurant)
  await evening.check()
  return true
}
