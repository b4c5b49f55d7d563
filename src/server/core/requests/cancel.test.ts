import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp, type TestBrowser } from '../../../../test/support/app.ts'
import { connectScreen, pendingRequests, requestAsCrew } from '../../../../test/support/pages/crew-view.ts'

const app = setUpApp({ guestLimits: false })

async function openRestaurant() {
  const restaurant = await app.restaurant({ tables: ['7'] })
  const maya = await restaurant.owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  const crew = await connectScreen(restaurant.device, maya.id)
  return { ...restaurant, maya, crew }
}

const ask = async (guest: TestBrowser, { name }: { name: string }) =>
  (
    await guest.ok(api.requests.send, {
      body: { restaurantId: name, tableNumber: '7', serviceType: 'drinks' },
    })
  ).request.id

const cancel = (guest: TestBrowser, id: string) => guest.ok(api.requests.cancel, { params: { id } })

async function stored(id: string) {
  const db = app.ctx.db.reader
  const { asks, closedAs } = await db
    .selectFrom('serviceRequest')
    .select(['asks', 'closedAs'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const events = await db.selectFrom('requestEvent').select('kind').where('requestId', '=', id).execute()
  const count = (...kinds: string[]) => events.filter(({ kind }) => kinds.includes(kind)).length
  return { asks, closedAs, computed: count('created', 'asked') - count('taken_back') }
}

describe('a guest who cancels', () => {
  it('takes back the asks of the same phone only, and the crew sees that the others stay', async () => {
    const restaurant = await openRestaurant()
    const [mine, theirs] = [app.browser(), app.browser()]
    const id = await ask(mine, restaurant)
    for (const phone of [mine, theirs, mine]) await ask(phone, restaurant)
    expect(await cancel(mine, id)).toMatchObject({ id, request: { id, asks: 1 } })
    expect(await requestAsCrew(restaurant.device, id)).toMatchObject({ asks: 1 })
    await expect
      .poll(() => restaurant.crew.ofType('request-updated').at(-1))
      .toMatchObject({ request: { id, asks: 1 } })
    expect(await stored(id)).toEqual({ asks: 1, closedAs: null, computed: 1 })

    // Sent again, as after a lost answer.
    expect(await cancel(mine, id)).toMatchObject({ request: { asks: 1 } })
    expect((await mine.call(api.requests.stillWaiting, { params: { id } })).status).toBe(403)
    expect(await cancel(theirs, id)).toEqual({ id })
    expect(await stored(id)).toEqual({ asks: 1, closedAs: 'cancelled', computed: 1 })
  })

  it('may ask again after that, and cancel again', async () => {
    const restaurant = await openRestaurant()
    const [mine, theirs] = [app.browser(), app.browser()]
    const id = await ask(mine, restaurant)
    await ask(theirs, restaurant)
    await cancel(mine, id)
    expect(await ask(mine, restaurant)).toBe(id)
    await cancel(theirs, id)
    expect(await stored(id)).toMatchObject({ asks: 1, closedAs: null })
    expect(await cancel(mine, id)).toEqual({ id })
  })

  it('cancels the request after asking three times alone', async () => {
    const restaurant = await openRestaurant()
    const guest = app.browser()
    const id = await ask(guest, restaurant)
    for (const _ of [2, 3]) await ask(guest, restaurant)
    expect(await cancel(guest, id)).toEqual({ id })
    expect(await stored(id)).toEqual({ asks: 3, closedAs: 'cancelled', computed: 3 })
  })

  it('does not take back the asks of others, however many taps come at once', async () => {
    const restaurant = await openRestaurant()
    for (let round = 0; round < 6; round++) {
      const [mine, theirs] = [app.browser(), app.browser()]
      const id = await ask(mine, restaurant)
      await Promise.all([cancel(mine, id), cancel(mine, id), ask(theirs, restaurant), cancel(mine, id)])
      const open = (
        await theirs.ok(api.requests.mine, { query: { restaurantId: restaurant.name, tableNumber: '7' } })
      ).requests
      expect(open).toMatchObject([{ asks: 1 }])
      const [last] = open
      expect(await stored(last?.id ?? '')).toMatchObject({ asks: 1, closedAs: null, computed: 1 })
      await cancel(theirs, last?.id ?? '')
    }
  })

  it('cannot without cookies, and what such a guest asked for stays', async () => {
    const restaurant = await openRestaurant()
    const [guest, nobody] = [app.browser(), app.browser()]
    const id = await ask(guest, restaurant)
    await ask(nobody, restaurant)
    nobody.cookies.clear()
    expect((await nobody.call(api.requests.cancel, { params: { id } })).status).toBe(403)
    expect(await cancel(guest, id)).toMatchObject({ request: { asks: 1 } })
  })

  it('is listed under recent requests if somebody was on the way already, and nobody can undo it', async () => {
    const restaurant = await openRestaurant()
    const guest = app.browser()
    const early = await ask(guest, restaurant)
    await cancel(guest, early)
    const id = await ask(guest, restaurant)
    await restaurant.crew.request({ type: 'accept-request', id })
    await cancel(guest, id)
    await restaurant.crew.next('request-completed')
    expect(await restaurant.crew.next('request-completed')).toMatchObject({ id, by: null, cancelled: true })
    const { recent } = await pendingRequests(restaurant.device)
    expect(recent).toMatchObject([
      { request: { id, acceptedBy: { id: restaurant.maya.id } }, by: null, cancelled: true },
    ])
    expect(await restaurant.crew.request({ type: 'reopen-request', id })).toMatchObject({ code: 'conflict' })
  })
})
