import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp, type TestBrowser } from '../../../../test/support/app.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'

const app = setUpApp({ guestLimits: false, scheduler: 'manual' })

type Named = { name: string }

const openRestaurant = () => app.restaurant({ tables: ['7'] })

const ask = async (guest: TestBrowser, { name }: Named, id?: string) =>
  (
    await guest.ok(api.requests.send, {
      body: { restaurantId: name, tableNumber: '7', serviceType: 'drinks', ...(id && { id }) },
    })
  ).request.id

const waiting = async ({ name }: Named) =>
  (await app.browser().ok(api.requests.mine, { query: { restaurantId: name, tableNumber: '7' } })).requests

/**
 * A stranger sends the id of a guest's request, which the crew is working on, to six restaurants that are older than the guest's,
 * and a newer one.
 */
async function borrowId() {
  const older = []
  for (let count = 0; count < 6; count++) older.push(await openRestaurant())
  const restaurant = await openRestaurant()
  const others = [...older, await openRestaurant()]
  const [guest, stranger] = [app.browser(), app.browser()]
  const id = await ask(guest, restaurant)
  for (const other of others) expect(await ask(stranger, other, id)).toBe(id)
  // A row that has changed is found last on PostgreSQL.
  const screen = await connectScreen(restaurant.device)
  await screen.request({ type: 'accept-request', id })
  await screen.request({ type: 'release-request', id })
  return { restaurant, others, guest, stranger, id }
}

describe('a guest whose request has an id that others use in other restaurants', () => {
  it('takes it back, and the others stay', async () => {
    const { restaurant, others, guest, id } = await borrowId()
    expect(await guest.ok(api.requests.cancel, { params: { id } })).toEqual({ id })
    expect(await waiting(restaurant)).toEqual([])
    for (const other of others) expect(await waiting(other)).toMatchObject([{ id }])
  })

  it('says that they are still waiting for it', async () => {
    const { restaurant, others, guest, id } = await borrowId()
    app.advance(120_000)
    expect(await guest.ok(api.requests.stillWaiting, { params: { id } })).toMatchObject({ told: true })
    expect(await waiting(restaurant)).toMatchObject([{ id, stillWaiting: 1 }])
    for (const other of others) expect(await waiting(other)).not.toHaveProperty('0.stillWaiting')
  })

  it('is not taken back by those who use its id', async () => {
    const { restaurant, guest, stranger, id } = await borrowId()
    await stranger.ok(api.requests.cancel, { params: { id } })
    expect(await waiting(restaurant)).toMatchObject([{ id }])
    expect((await app.browser().call(api.requests.cancel, { params: { id } })).status).toBe(403)
    const unknown = { params: { id: crypto.randomUUID() } }
    expect((await guest.call(api.requests.cancel, unknown)).status).toBe(404)
  })
})
