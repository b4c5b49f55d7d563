import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { startTestApp, type TestApp, type TestBrowser } from '../../../../test/support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

async function openRestaurant() {
  const restaurant = await app.restaurant({ tables: ['7'] })
  const maya = await restaurant.owner.ok(api.crew.add, { body: { name: 'Maya Chen', role: 'Server' } })
  const screen = async (member: string | null) => {
    const socket = await restaurant.device.connect()
    if (member !== null) await socket.request({ type: 'set-crew-member-context', crewMemberId: member })
    await socket.request({ type: 'get-pending-requests' })
    return socket
  }
  return { ...restaurant, maya, screen }
}

const ask = async (guest: TestBrowser, { name }: { name: string }) =>
  (
    await guest.ok(api.requests.send, {
      body: { restaurantId: name, tableNumber: '7', serviceType: 'check' },
    })
  ).request

const urge = (guest: TestBrowser, id: string) => guest.ok(api.requests.stillWaiting, { params: { id } })

const eventsOf = async (id: string, kind: 'still_waiting' | 'released') =>
  (
    await app.ctx.db.reader
      .selectFrom('requestEvent')
      .select('actorKind')
      .where('requestId', '=', id)
      .where('kind', '=', kind)
      .execute()
  ).map(({ actorKind }) => actorKind)

describe('"Still waiting"', () => {
  it('raises the level that the crew sees', async () => {
    const restaurant = await openRestaurant()
    const [guest, crew] = [app.browser(), await restaurant.screen(null)]
    const { id } = await ask(guest, restaurant)
    app.advance(50_000)
    expect(await urge(guest, id)).toMatchObject({ told: true, request: { level: 1, stillWaiting: 1 } })
    expect(await crew.next('request-updated')).toMatchObject({
      request: { id, level: 1, stillWaiting: 1, stillWaitingAt: expect.any(Number) },
    })
  })

  it('counts once a minute, and the answer says whether it did', async () => {
    const restaurant = await openRestaurant()
    const guest = app.browser()
    const { id } = await ask(guest, restaurant)
    for (const times of [1, 2, 3]) {
      app.advance(61_000)
      const answers = await Promise.all([1, 2, 3, 4].map(() => urge(guest, id)))
      expect(answers.map(({ told }) => told).filter(Boolean)).toEqual([true])
      expect(answers.map(({ request }) => request.stillWaiting)).toEqual([times, times, times, times])
    }
    expect(await eventsOf(id, 'still_waiting')).toEqual(['guest', 'guest', 'guest'])
    const crew = await restaurant.screen(null)
    expect((await crew.next('pending-requests')).requests).toMatchObject([
      { id, level: 2, stillWaiting: 3, stillWaitingAt: expect.any(Number) },
    ])
  })

  it('reminds whoever is on the way, and the acceptance stays', async () => {
    const restaurant = await openRestaurant()
    const [guest, maya, other] = [
      app.browser(),
      await restaurant.screen(restaurant.maya.id),
      await restaurant.screen(null),
    ]
    const { id } = await ask(guest, restaurant)
    await maya.request({ type: 'accept-request', id })
    app.advance(50_000)
    await maya.request({ type: 'ping' })
    expect(await urge(guest, id)).toMatchObject({ told: true, request: { acceptedBy: { name: 'Maya' } } })
    await other.next('request-updated')
    expect(await other.next('request-updated')).toMatchObject({
      request: { id, state: 'accepted', acceptedBy: { id: restaurant.maya.id }, stillWaiting: 1 },
    })
    expect(await eventsOf(id, 'released')).toEqual([])
  })

  it('calls everybody if whoever is on the way cannot be reached', async () => {
    const restaurant = await openRestaurant()
    const [guest, maya, other] = [
      app.browser(),
      await restaurant.screen(restaurant.maya.id),
      await restaurant.screen(null),
    ]
    const { id } = await ask(guest, restaurant)
    await maya.request({ type: 'accept-request', id })
    maya.close()
    app.advance(50_000)
    const restaurantId = await app.idOf(restaurant)
    await expect.poll(() => app.ctx.presence(restaurantId).listeners.size).toBe(0)
    expect(await urge(guest, id)).toMatchObject({ told: true, request: { state: 'waiting', level: 1 } })
    await other.next('request-updated')
    expect(await other.next('request-updated')).toMatchObject({
      request: { id, state: 'waiting', acceptedBy: null, stillWaiting: 1 },
    })
    expect(await eventsOf(id, 'released')).toEqual(['system'])
  })

  it('is answered by an acceptance, and survives an undo', async () => {
    const restaurant = await openRestaurant()
    const [guest, maya] = [app.browser(), await restaurant.screen(restaurant.maya.id)]
    const { id } = await ask(guest, restaurant)
    app.advance(50_000)
    await urge(guest, id)
    expect(await maya.request({ type: 'accept-request', id })).toMatchObject({
      request: { stillWaiting: 1, stillWaitingAt: null },
    })
    await maya.request({ type: 'complete-request', id })
    expect(await maya.request({ type: 'reopen-request', id })).toMatchObject({
      request: { stillWaiting: 1 },
    })
    await maya.request({ type: 'complete-request', id })
    expect(await ask(guest, restaurant)).not.toHaveProperty('stillWaiting')
  })
})
