import { describe, expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { targetResponseMs } from '#contract/requests/requests.ts'
import { setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { connectScreen } from '../../../../../test/support/pages/crew-view.ts'
import { eventsOf as requestEvents } from '../../../../../test/support/request-events.ts'
import { escalateDueRequests } from './escalation.ts'

const app = setUpApp()

async function openRestaurant() {
  const restaurant = await app.restaurant({ tables: ['7', '8'] })
  const maya = await restaurant.owner.ok(api.crew.add, { body: { name: 'Maya Chen', role: 'Server' } })
  const screen = async (member: string | null) => {
    const socket = await restaurant.device.connect()
    if (member !== null) await socket.request({ type: 'set-crew-member-context', crewMemberId: member })
    await socket.request({ type: 'get-pending-requests' })
    return socket
  }
  return { ...restaurant, maya, screen }
}

const ask = async (guest: TestBrowser, { name }: { name: string }, tableNumber = '7') =>
  (await guest.ok(api.requests.send, { body: { restaurantId: name, tableNumber, serviceType: 'check' } }))
    .request

/** Maya has accepted a guest's request, which another screen shows too. */
async function openWithMayaOnTheWay() {
  const restaurant = await openRestaurant()
  const [guest, maya, other] = [
    app.browser(),
    await restaurant.screen(restaurant.maya.id),
    await restaurant.screen(null),
  ]
  const { id } = await ask(guest, restaurant)
  await maya.request({ type: 'accept-request', id })
  return { restaurant, guest, maya, other, id }
}

/** Everybody's in this file. */
const addressesOfTests = ['127.0.0.1', '0:0:0:0::/64']

const remind = (guest: TestBrowser, id: string) => guest.ok(api.requests.stillWaiting, { params: { id } })

const eventsOf = async (id: string, kind: 'still_waiting' | 'released') =>
  (await requestEvents(app, id)).filter((event) => event.startsWith(`${kind} by`))

describe('"Still waiting"', () => {
  it('raises the level that the crew sees', async () => {
    const restaurant = await openRestaurant()
    const [guest, crew] = [app.browser(), await restaurant.screen(null)]
    const { id } = await ask(guest, restaurant)
    app.advance(50_000)
    expect(await remind(guest, id)).toMatchObject({ told: true, request: { level: 1, stillWaiting: 1 } })
    expect(await crew.next('request-updated')).toMatchObject({
      request: { id, level: 1, stillWaiting: 1, stillWaitingAt: expect.any(Number) },
    })
  })

  it('may be said though the clock of the server was set back since the request', async () => {
    const restaurant = await openRestaurant()
    const guest = app.browser()
    const { id } = await ask(guest, restaurant)
    app.advance(50_000 - 3_600_000)
    expect(await remind(guest, id)).toMatchObject({ told: true, request: { stillWaiting: 1 } })
    const later = await ask(guest, restaurant, '8')
    const tooSoon = await guest.call(api.requests.stillWaiting, { params: { id: later.id } })
    expect(tooSoon).toMatchObject({ status: 409, body: { code: 'conflict' } })
  })

  it('may be said again though the clock of the server was set back since it was said', async () => {
    const restaurant = await openRestaurant()
    const guest = app.browser()
    const { id } = await ask(guest, restaurant)
    app.advance(50_000)
    await remind(guest, id)
    app.advance(61_000 - 3_600_000)
    expect(await remind(guest, id)).toMatchObject({ told: true, request: { stillWaiting: 2 } })
    expect(await remind(guest, id)).toMatchObject({ told: false, request: { stillWaiting: 2 } })
  })

  it('counts once a minute, and the answer says whether it did', async () => {
    const restaurant = await openRestaurant()
    const guest = app.browser()
    const { id } = await ask(guest, restaurant)
    for (const times of [1, 2, 3]) {
      app.advance(61_000)
      const answers = await Promise.all([1, 2, 3, 4].map(() => remind(guest, id)))
      expect(answers.map(({ told }) => told).filter(Boolean)).toEqual([true])
      expect(answers.map(({ request }) => request.stillWaiting)).toEqual([times, times, times, times])
    }
    expect(await eventsOf(id, 'still_waiting')).toEqual(Array(3).fill('still_waiting by guest'))
    const crew = await restaurant.screen(null)
    expect((await crew.next('pending-requests')).requests).toMatchObject([
      { id, level: 2, stillWaiting: 3, stillWaitingAt: expect.any(Number) },
    ])
  })

  it('is not used up for the guests of an address by calls that were refused', async () => {
    const restaurant = await openRestaurant()
    const guest = app.browser()
    const { id } = await ask(guest, restaurant)
    app.advance(50_000)
    const left = 5
    const forget = async () => {
      for (const address of addressesOfTests)
        await app.ctx.limits.clear('guest-still-waiting-address', address)
    }
    await forget()
    onTestFinished(forget)
    for (const address of addressesOfTests) {
      for (let used = left; used < 3_000; used++)
        await app.ctx.limits.take('guest-still-waiting-address', address)
    }
    for (const unknown of [id, app.ctx.newId()])
      for (let count = 0; count < left; count++) {
        const { status } = await app.browser().call(api.requests.stillWaiting, { params: { id: unknown } })
        expect(status).toBe(unknown === id ? 403 : 404)
      }
    expect(await remind(guest, id)).toMatchObject({ told: true })
  })

  it('reminds whoever is on the way, and the acceptance stays', async () => {
    const { restaurant, guest, maya, other, id } = await openWithMayaOnTheWay()
    app.advance(50_000)
    await maya.request({ type: 'ping' })
    expect(await remind(guest, id)).toMatchObject({ told: true, request: { acceptedBy: { name: 'Maya' } } })
    await other.next('request-updated')
    expect(await other.next('request-updated')).toMatchObject({
      request: { id, state: 'accepted', acceptedBy: { id: restaurant.maya.id }, stillWaiting: 1 },
    })
    expect(await eventsOf(id, 'released')).toEqual([])
  })

  it('calls everybody if whoever is on the way cannot be reached', async () => {
    const { restaurant, guest, maya, other, id } = await openWithMayaOnTheWay()
    maya.close()
    const restaurantId = await app.idOf(restaurant)
    await expect.poll(() => app.ctx.presence(restaurantId).listeners.size).toBe(0)
    app.advance(50_000)
    expect(await remind(guest, id)).toMatchObject({ told: true, request: { state: 'waiting', level: 1 } })
    await other.next('request-updated')
    expect(await other.next('request-updated')).toMatchObject({
      request: { id, state: 'waiting', acceptedBy: null, stillWaiting: 1 },
    })
    expect(await eventsOf(id, 'released')).toEqual(['released by system'])
  })

  it('is answered by an acceptance, and survives an undo', async () => {
    const restaurant = await openRestaurant()
    const [guest, maya] = [app.browser(), await restaurant.screen(restaurant.maya.id)]
    const { id } = await ask(guest, restaurant)
    app.advance(50_000)
    await remind(guest, id)
    app.advance(1)
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

  it('raises the level up to the manager, and is refused once the request is complete', async () => {
    const restaurant = await app.restaurant()
    const guest = app.browser()
    const { id } = await ask(guest, restaurant)
    for (const level of [1, 2, 2]) {
      app.advance(60_000)
      const { body } = await guest.call(api.requests.stillWaiting, { params: { id } })
      expect(body.request.level).toBe(level)
    }
    await (await connectScreen(restaurant.device)).request({ type: 'complete-request', id })
    expect(await guest.call(api.requests.stillWaiting, { params: { id } })).toMatchObject({ status: 409 })
  })

  it('is refused before the target time, and nothing is written', async () => {
    const restaurant = await app.restaurant()
    const guest = app.browser()
    const { id } = await ask(guest, restaurant)
    app.advance(targetResponseMs.check / 2)
    expect(await guest.call(api.requests.stillWaiting, { params: { id } })).toMatchObject({
      status: 409,
      body: { code: 'conflict', message: expect.stringMatching(/again in \d+ s\.$/) },
    })
    expect(await eventsOf(id, 'still_waiting')).toEqual([])
  })

  it('may come at the same moment as the request escalates', async () => {
    const restaurant = await app.restaurant()
    const guest = app.browser()
    const tables = Array.from({ length: 12 }, (_, index) => `${index + 1}`)
    const ids: string[] = []
    for (const table of tables) ids.push((await ask(guest, restaurant, table)).id)
    app.advance(targetResponseMs.check)
    const sayStillWaiting = (id: string) => guest.ok(api.requests.stillWaiting, { params: { id } })
    await Promise.all([escalateDueRequests(app.ctx), ...ids.map(sayStillWaiting)])
    for (const id of ids) expect(await eventsOf(id, 'still_waiting')).toEqual(['still_waiting by guest'])
  })

  it('does not bring back a request that is completed at the same moment', async () => {
    const restaurant = await app.restaurant()
    const [guest, crew] = [app.browser(), await connectScreen(restaurant.device)]
    const tables = Array.from({ length: 12 }, (_, index) => `${index + 1}`)
    const ids: string[] = []
    for (const table of tables) ids.push((await ask(guest, restaurant, table)).id)
    app.advance(targetResponseMs.check)
    const sayStillWaiting = (id: string) => guest.call(api.requests.stillWaiting, { params: { id } })
    for (const id of [...ids, ...ids]) await sayStillWaiting(id)
    await Promise.all(
      ids.flatMap((id) => [sayStillWaiting(id), crew.request({ type: 'complete-request', id })]),
    )
    // This request arrives after every earlier message.
    await ask(app.browser(), restaurant, 'last')
    while ((await crew.next('new-request')).request.tableNumber !== 'last');
    for (const id of ids) {
      const messages = crew.received.filter(
        (message) =>
          (message.type === 'request-updated' && message.request.id === id) ||
          (message.type === 'request-completed' && message.id === id),
      )
      expect(messages.at(-1)?.type).toBe('request-completed')
    }
  })
})
