import { api } from '#contract/api.ts'
import type { ServiceType } from '#contract/requests/requests.ts'
import { requireByName } from '../../../src/server/core/accounts/restaurants/restaurants.ts'
import { createProof } from '../../../src/server/core/floor/qr-links.ts'
import type { TestApp, TestBrowser } from '../app.ts'
import { connectScreen, pendingRequests } from '../pages/crew-view.ts'
import { addCrew } from './busy-restaurant.ts'

/** Tables 4, 5 and 12, whose parties ask, move and are followed by their phones. */
export async function openPartyRestaurant(app: TestApp) {
  const restaurant = await app.restaurant({ tables: ['4', '5', '12'] })
  const { name, device, owner } = restaurant
  const maya = await addCrew(owner, 'Maya Lind')
  const screen = await connectScreen(device, maya.id)
  let acting = screen
  /** By more than a silent screen is kept for: the screen goes first, and another one comes. */
  const advance = async (ms: number) => {
    acting.close()
    app.advance(ms)
    return (acting = await connectScreen(device, maya.id))
  }
  const at = (tableNumber: string) => ({ restaurantId: name, tableNumber })
  const ask = async (
    guest: TestBrowser,
    tableNumber: string,
    serviceType: ServiceType,
    more: { id?: string; k?: string } = {},
  ) => (await guest.ok(api.requests.send, { body: { ...at(tableNumber), serviceType, ...more } })).request
  const look = (guest: TestBrowser, tableNumber: string, k?: string) =>
    guest.ok(api.requests.mine, { query: { ...at(tableNumber), ...(k !== undefined && { k }) } })
  const move = (from: string, to: string, id = app.ctx.newId()) =>
    acting.request({ type: 'move-party', id, from, to })
  const undo = (id: string) => acting.request({ type: 'undo-party-move', id })
  /** The open requests as the crew sees them, as `table: service ×asks`. */
  const rail = async () =>
    (await pendingRequests(device)).requests
      .map(({ tableNumber, serviceType, asks }) => `${tableNumber}: ${serviceType} ×${asks}`)
      .toSorted()
  const proofOf = async (tableNumber: string | null) => {
    const stored = await requireByName(app.ctx, app.ctx.db.reader, name)
    const table = (await owner.ok(api.floor.tables, {})).find((each) => each.tableNumber === tableNumber)
    return createProof(app.ctx, stored, table?.id ?? null)
  }
  /** A phone whose page follows a table. */
  const follow = async (guest: TestBrowser, tableNumber: string) => {
    const socket = await guest.connect()
    await socket.request({ type: 'set-restaurant-context', ...at(tableNumber) })
    return socket
  }
  const rowOf = (id: string) =>
    app.ctx.db.reader.selectFrom('serviceRequest').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  return { ...restaurant, maya, screen, advance, at, ask, look, move, undo, rail, proofOf, follow, rowOf }
}
