import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp, type TestBrowser } from '../../../../test/support/app.ts'
import { connectScreen, pendingRequests } from '../../../../test/support/pages/crew-view.ts'
import { eventsOf } from '../../../../test/support/request-events.ts'
import type { Restaurant } from '../../../../test/support/restaurants/busy-restaurant.ts'
import * as requests from '../../storage/requests/requests.ts'
import { requireByName } from '../accounts/restaurants/restaurants.ts'
import { createProof } from '../floor/qr-links.ts'

const app = setUpApp()

const ask = (guest: TestBrowser, { name }: Restaurant, more: object = {}) =>
  guest.call(api.requests.send, {
    body: { restaurantId: name, tableNumber: '7', serviceType: 'check', ...more },
  })

/** Maya's and Jonas's. */
async function openScreens(restaurant: Restaurant) {
  const open = async (name: string) => {
    const { id } = await restaurant.owner.ok(api.crew.add, { body: { name, role: 'Server' } })
    return connectScreen(restaurant.device, id)
  }
  return { maya: await open('Maya'), jonas: await open('Jonas') }
}

describe('a service request', () => {
  it('reaches the crew of its restaurant and nobody else', async () => {
    const [restaurant, other] = [await app.restaurant(), await app.restaurant()]
    const [crew, otherCrew] = [await connectScreen(restaurant.device), await connectScreen(other.device)]
    const { status, body } = await ask(app.browser(), restaurant)

    expect(status).toBe(201)
    expect(body.request).toEqual({
      id: body.request.id,
      tableNumber: '7',
      serviceType: 'check',
      timestamp: body.request.timestamp,
      state: 'waiting',
      asks: 1,
      acceptedBy: null,
      seen: 0,
      crew: [],
      level: 0,
      verified: false,
    })
    expect(await crew.next('new-request')).toEqual({ type: 'new-request', request: body.request, seq: 1 })
    expect((await otherCrew.request({ type: 'ping' })).type).toBe('ack')
    expect(otherCrew.ofType('new-request')).toEqual([])
  })

  it('is stored once however often the same tap is sent', async () => {
    const restaurant = await app.restaurant()
    const guest = app.browser()
    const id = '01890a5d-ac96-774b-bcce-b302099a8057'
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => ask(guest, restaurant, { id })))
    const again = await ask(guest, restaurant, { id })

    expect([...answers, again].map(({ status }) => status).filter((status) => status === 201)).toEqual([201])
    expect(again.body.request).toMatchObject({ id, asks: 1 })
    expect((await pendingRequests(restaurant.device)).requests).toHaveLength(1)
    expect(await eventsOf(app, id)).toEqual(['created by guest'])
  })

  it('tells whose tap comes again how its request has ended, unless it is open again', async () => {
    const restaurant = await app.restaurant()
    const [crew, phone, other] = [await connectScreen(restaurant.device), app.browser(), app.browser()]
    const [first, second, third] = ['tap-first', 'tap-second', 'tap-third']
    const { id } = (await ask(phone, restaurant, { id: first })).body.request
    await ask(other, restaurant, { id: second })
    const socket = await phone.connect()
    const sendAgain = async (tap: string, more = {}) => {
      const { status, body } = await ask(phone, restaurant, { id: tap, ...more })
      const message = { restaurantId: restaurant.name, tableNumber: '7', serviceType: 'check' as const }
      const live = await socket.request({ type: 'service-request', id: tap, ...message, ...more })
      expect(live).toMatchObject({ request: { id: body.request.id } })
      return [status, body.closed, 'closed' in live ? live.closed : undefined]
    }
    const isOpen = [200, undefined, undefined]
    expect(await sendAgain(first)).toEqual(isOpen)
    await crew.request({ type: 'complete-request', id })
    for (const tap of [first, second]) expect(await sendAgain(tap)).toEqual([200, 'completed', 'completed'])
    await crew.request({ type: 'reopen-request', id })
    expect(await sendAgain(second)).toEqual(isOpen)

    const drinks = { serviceType: 'drinks' as const }
    await ask(phone, restaurant, { id: third, ...drinks })
    await phone.ok(api.requests.cancel, { params: { id: third } })
    expect(await sendAgain(third, drinks)).toEqual([200, 'cancelled', 'cancelled'])
  })

  it('is the same request when the table asks again while it is open, and a new one afterwards', async () => {
    const restaurant = await app.restaurant()
    const [crew, phone, other] = [await connectScreen(restaurant.device), app.browser(), app.browser()]
    const first = await ask(phone, restaurant)
    const second = await ask(other, restaurant)
    expect(second.status).toBe(200)
    expect(second.body.request).toEqual({ ...first.body.request, asks: 2 })
    expect(await crew.next('request-updated')).toMatchObject({ request: { asks: 2 }, seq: 2 })

    const { id } = first.body.request
    await crew.request({ type: 'complete-request', id })
    const third = await ask(phone, restaurant)
    expect(third.status).toBe(201)
    expect(third.body.request.id).not.toBe(id)
    expect(await eventsOf(app, id)).toEqual(['created by guest', 'asked by guest', 'completed by Crew'])
  })

  it('falls back to a plain call when its type is unknown', async () => {
    const restaurant = await app.restaurant()
    const { body } = await ask(app.browser(), restaurant, { serviceType: 'champagne' })
    expect(body.request.serviceType).toBe('general')
  })

  it('finds its table by any spelling, and is refused for one that does not exist', async () => {
    const restaurant = await app.restaurant({ tables: ['Patio 3', '12'] })
    const { body } = await ask(app.browser(), restaurant, { tableNumber: '  PATIO   3 ' })
    expect(body.request.tableNumber).toBe('Patio 3')
    expect(await ask(app.browser(), restaurant, { tableNumber: '13' })).toMatchObject({
      status: 404,
      body: {
        code: 'not_found',
        message: "We couldn't find table 13. Please check the number on your table.",
      },
    })
    expect(await ask(app.browser(), restaurant, { tableNumber: 'Host Stand' })).toMatchObject({ status: 404 })
    expect((await pendingRequests(restaurant.device)).requests).toHaveLength(1)
  })

  it('is marked verified when the code is valid for its table or the restaurant', async () => {
    const restaurant = await app.restaurant({ tables: ['7'] })
    const record = await requireByName(app.ctx, app.ctx.db.reader, restaurant.name)
    const [table] = await restaurant.owner.ok(api.floor.tables, {})
    const send = async (k: string, serviceType: string) =>
      (await ask(app.browser(), restaurant, { k, serviceType })).body.request.verified
    expect(await send(createProof(app.ctx, record, null), 'drinks')).toBe(true)
    expect(await send(createProof(app.ctx, record, table?.id ?? ''), 'food')).toBe(true)
    expect(await send(createProof(app.ctx, record, 'another-table'), 'check')).toBe(false)
    expect(await send(createProof(app.ctx, { ...record, codeGeneration: 2 }, null), 'other')).toBe(false)
  })
})

describe('the crew', () => {
  it('completes a request once, however many crew members tap', async () => {
    const restaurant = await app.restaurant()
    const [crew, colleague] = [await connectScreen(restaurant.device), await connectScreen(restaurant.device)]
    const { id } = (await ask(app.browser(), restaurant)).body.request
    const answers = await Promise.all(
      [crew, colleague, crew, colleague].map((screen) => screen.request({ type: 'complete-request', id })),
    )
    expect(answers.map(({ type }) => type)).toEqual(['ack', 'ack', 'ack', 'ack'])
    expect(await colleague.next('request-completed')).toMatchObject({ id, by: { id: null, name: 'Crew' } })
    expect(colleague.ofType('request-completed')).toHaveLength(1)
    expect(await eventsOf(app, id)).toEqual(['created by guest', 'completed by Crew'])
    const { requests: open, recent } = await pendingRequests(restaurant.device)
    expect(open).toEqual([])
    expect(recent).toMatchObject([{ request: { id }, by: { name: 'Crew' } }])
  })

  it('accepts by name: the first tap wins, and the second one learns who was first', async () => {
    const restaurant = await app.restaurant()
    const maya = await restaurant.owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    const jonas = await restaurant.owner.ok(api.crew.add, { body: { name: 'Jonas', role: 'Server' } })
    const [first, second] = [await connectScreen(restaurant.device), await connectScreen(restaurant.device)]
    await first.request({ type: 'set-crew-member-context', crewMemberId: maya.id })
    await second.request({ type: 'set-crew-member-context', crewMemberId: jonas.id })
    const { id } = (await ask(app.browser(), restaurant)).body.request

    const accepted = { state: 'accepted', acceptedBy: { id: maya.id, name: 'Maya' } }
    expect(await first.request({ type: 'accept-request', id })).toMatchObject({
      type: 'ack',
      request: accepted,
    })
    expect(await second.request({ type: 'accept-request', id })).toMatchObject({
      type: 'ack',
      request: accepted,
    })
    expect(await second.next('request-updated')).toMatchObject({ request: accepted })
    expect(await second.request({ type: 'release-request', id })).toMatchObject({
      request: { state: 'waiting', acceptedBy: null },
    })
    await second.request({ type: 'accept-request', id })
    await first.request({ type: 'complete-request', id })
    expect(await eventsOf(app, id)).toEqual([
      'created by guest',
      'accepted by Maya',
      'released by Jonas',
      'accepted by Jonas',
      'completed by Maya',
    ])
  })

  it('can undo a completion within 10 seconds and not later', async () => {
    const restaurant = await app.restaurant()
    const crew = await connectScreen(restaurant.device)
    const { id } = (await ask(app.browser(), restaurant)).body.request
    await crew.request({ type: 'complete-request', id })
    expect(await crew.request({ type: 'reopen-request', id })).toMatchObject({
      request: { id, state: 'waiting' },
    })
    expect((await pendingRequests(restaurant.device)).requests).toMatchObject([{ id }])

    await crew.request({ type: 'complete-request', id })
    app.advance(10_001)
    expect(await crew.request({ type: 'reopen-request', id })).toMatchObject({
      type: 'error',
      code: 'conflict',
      message: 'This can no longer be undone',
    })
    expect((await pendingRequests(restaurant.device)).requests).toEqual([])
  })

  it('cannot undo a completion when the table has asked again', async () => {
    const restaurant = await app.restaurant()
    const crew = await connectScreen(restaurant.device)
    const { id } = (await ask(app.browser(), restaurant)).body.request
    await crew.request({ type: 'complete-request', id })
    await ask(app.browser(), restaurant)
    expect(await crew.request({ type: 'reopen-request', id })).toMatchObject({
      type: 'error',
      code: 'conflict',
    })
    expect((await pendingRequests(restaurant.device)).requests).toHaveLength(1)
  })

  it.each([
    ['complete-request', 'reopen-request'],
    ['accept-request', 'release-request'],
  ] as const)('with a %s that was sent late does not undo the %s of a colleague', async (type, takeBack) => {
    const restaurant = await app.restaurant()
    const [crew, colleague] = [await connectScreen(restaurant.device), await connectScreen(restaurant.device)]
    const { id } = (await ask(app.browser(), restaurant)).body.request
    await colleague.request({ type, id })
    app.advance(3_000)
    await colleague.request({ type: takeBack, id })
    app.advance(3_000)
    expect(await crew.request({ type, id, ageMs: 5_000 })).toMatchObject({
      type: 'error',
      code: 'conflict',
      message: 'Too late: Waiting again',
    })
    expect((await pendingRequests(restaurant.device)).requests).toMatchObject([{ id, state: 'waiting' }])
    // It was tapped after that.
    expect(await crew.request({ type, id, ageMs: 1_000 })).toMatchObject({ type: 'ack' })
    // What is done already stays done, and pages that say no age go on as before.
    expect(await crew.request({ type, id, ageMs: 6_000 })).toMatchObject({ type: 'ack' })
    await colleague.request({ type: takeBack, id })
    expect(await crew.request({ type, id })).toMatchObject({ type: 'ack' })
    const { requests: open } = await pendingRequests(restaurant.device)
    expect(open).toMatchObject(type === 'accept-request' ? [{ id, state: 'accepted' }] : [])
  })

  it.each([
    ['release-request', 'accept-request', 'Too late: Jonas is on the way'],
    ['reopen-request', 'complete-request', 'Too late: Done'],
  ] as const)(
    'with a %s that was sent late does not take back the %s of a colleague',
    async (takeBack, type, message) => {
      const restaurant = await app.restaurant()
      const { maya, jonas } = await openScreens(restaurant)
      const { id } = (await ask(app.browser(), restaurant)).body.request
      await maya.request({ type, id })
      app.advance(3_000)
      // Stored, but its answer is lost.
      await maya.request({ type: takeBack, id })
      app.advance(1_000)
      await jonas.request({ type, id })
      app.advance(3_000)
      const late = { type: takeBack, id, ageMs: 4_000 } as const
      expect(await maya.request(late)).toMatchObject({ type: 'error', code: 'conflict', message })
      const { requests: open } = await pendingRequests(restaurant.device)
      expect(open).toMatchObject(type === 'accept-request' ? [{ id, acceptedBy: { name: 'Jonas' } }] : [])
      // It was tapped after that, and anybody may take it back.
      expect(await maya.request({ type: takeBack, id, ageMs: 1_000 })).toMatchObject({
        request: { id, state: 'waiting' },
      })
      expect(await maya.request(late)).toMatchObject({ request: { id, state: 'waiting' } })
    },
  )

  it.each([
    ['release-request', 'accept-request'],
    ['reopen-request', 'complete-request'],
  ] as const)(
    'with a late %s takes back what the same person did, which came late too',
    async (takeBack, type) => {
      const restaurant = await app.restaurant()
      const { maya } = await openScreens(restaurant)
      const { id } = (await ask(app.browser(), restaurant)).body.request
      app.advance(5_000)
      expect(await maya.request({ type, id, ageMs: 5_000 })).toMatchObject({ type: 'ack' })
      expect(await maya.request({ type: takeBack, id, ageMs: 4_000 })).toMatchObject({
        request: { id, state: 'waiting' },
      })
    },
  )

  it('with a "Mark Complete" that was sent late does not close what the guest asked for since', async () => {
    const restaurant = await app.restaurant()
    const [crew, guest] = [await connectScreen(restaurant.device), app.browser()]
    const { id } = (await ask(guest, restaurant)).body.request
    // As old as the tap says, and not asked again since.
    const other = (await ask(guest, restaurant, { serviceType: 'drinks' })).body.request
    app.advance(10_000)
    await ask(app.browser(), restaurant)
    app.advance(1_000)
    const refused = { type: 'error', code: 'conflict', message: 'Too late: Asked again' }
    expect(await crew.request({ type: 'complete-request', id, ageMs: 8_000 })).toMatchObject(refused)
    expect(await crew.request({ type: 'complete-request', id: other.id, ageMs: 10_500 })).toMatchObject({
      type: 'ack',
    })
    expect((await pendingRequests(restaurant.device)).requests).toMatchObject([{ id, asks: 2 }])
    app.advance(60_000)
    await guest.ok(api.requests.stillWaiting, { params: { id } })
    app.advance(5_000)
    expect(await crew.request({ type: 'complete-request', id, ageMs: 10_000 })).toMatchObject({
      ...refused,
      message: 'Too late: Still waiting',
    })
    // It was tapped after that.
    expect(await crew.request({ type: 'complete-request', id, ageMs: 4_000 })).toMatchObject({ type: 'ack' })
    expect((await pendingRequests(restaurant.device)).requests).toEqual([])
  })

  it('nor what another table asked for since, with which it was merged', async () => {
    const restaurant = await app.restaurant({ tables: ['4', '12'] })
    const { maya, jonas } = await openScreens(restaurant)
    const { id } = (await ask(app.browser(), restaurant, { tableNumber: '4' })).body.request
    app.advance(60_000)
    const theirs = (await ask(app.browser(), restaurant, { tableNumber: '12' })).body.request
    await jonas.request({ type: 'accept-request', id: theirs.id })
    await jonas.request({ type: 'move-party', id: 'move-1', from: '4', to: '12' })
    app.advance(5_000)
    expect(await maya.request({ type: 'complete-request', id, ageMs: 30_000 })).toMatchObject({
      type: 'error',
      code: 'conflict',
      message: 'Too late: Asked again',
    })
    expect((await pendingRequests(restaurant.device)).requests).toMatchObject([{ tableNumber: '12' }])
    expect(await maya.request({ type: 'complete-request', id, ageMs: 4_000 })).toMatchObject({ type: 'ack' })
    expect((await pendingRequests(restaurant.device)).requests).toEqual([])
  })

  it.each([-1, 0.5, 86_400_001])('cannot tap %s milliseconds ago', async (ageMs) => {
    const restaurant = await app.restaurant()
    const crew = await connectScreen(restaurant.device)
    const { id } = (await ask(app.browser(), restaurant)).body.request
    expect(await crew.request({ type: 'complete-request', id, ageMs })).toMatchObject({ code: 'invalid' })
    expect((await pendingRequests(restaurant.device)).requests).toMatchObject([{ id, state: 'waiting' }])
  })

  it('is counted as having seen a request once for each browser', async () => {
    const restaurant = await app.restaurant()
    const second = app.browser()
    await second.ok(api.accounts.restaurantLogin, {
      body: { restaurantName: restaurant.name, password: 'copper-lantern-42' },
    })
    const { id } = (await ask(app.browser(), restaurant)).body.request
    const crew = await connectScreen(restaurant.device)
    await crew.request({ type: 'requests-seen', ids: [id, id, 'not-there'] })
    await crew.request({ type: 'requests-seen', ids: [id] })
    expect((await pendingRequests(restaurant.device)).requests).toMatchObject([{ seen: 1 }])
    await (await second.connect()).request({ type: 'requests-seen', ids: [id] })
    expect((await pendingRequests(restaurant.device)).requests).toMatchObject([{ seen: 2 }])
  })

  it("cannot touch another restaurant's request", async () => {
    const [restaurant, other] = [await app.restaurant(), await app.restaurant()]
    const { id } = (await ask(app.browser(), restaurant)).body.request
    const otherCrew = await connectScreen(other.device)
    for (const type of ['accept-request', 'release-request', 'complete-request', 'reopen-request'] as const) {
      expect(await otherCrew.request({ type, id })).toMatchObject({ type: 'error', code: 'not_found' })
    }
    await otherCrew.request({ type: 'requests-seen', ids: [id] })
    expect((await pendingRequests(restaurant.device)).requests).toMatchObject([
      { id, state: 'waiting', seen: 0 },
    ])
  })
})

describe('the guest', () => {
  const table = ({ name }: Restaurant) => ({ restaurantId: name, tableNumber: '7' })

  it('sees every step of the requests at the table on every phone there, and none of other tables', async () => {
    const restaurant = await app.restaurant()
    const [phone, other, neighbour] = [app.browser(), app.browser(), app.browser()]
    const crew = await connectScreen(restaurant.device)
    const [screen, second, third] = [await phone.connect(), await other.connect(), await neighbour.connect()]
    for (const socket of [screen, second]) {
      expect(await socket.request({ type: 'set-restaurant-context', ...table(restaurant) })).toMatchObject({
        type: 'ack',
        requests: [],
        listening: true,
      })
    }
    await third.request({ type: 'set-restaurant-context', ...table(restaurant), tableNumber: '8' })
    const { id } = (await ask(phone, restaurant)).body.request
    await crew.request({ type: 'requests-seen', ids: [id] })
    await crew.request({ type: 'accept-request', id })
    await crew.request({ type: 'complete-request', id })

    for (const socket of [screen, second]) {
      await socket.next('request-completed')
      expect(socket.ofType('request-updated').map(({ request }) => [request.state, request.seen])).toEqual([
        ['waiting', 0],
        ['waiting', 1],
        ['accepted', 1],
      ])
    }
    await third.request({ type: 'ping' })
    expect([...third.ofType('request-updated'), ...third.ofType('request-completed')]).toEqual([])
  })

  it('sees what is open at the table, and that nobody is listening', async () => {
    const restaurant = await app.restaurant()
    const guest = app.browser()
    const { request, listening } = (await ask(guest, restaurant)).body
    expect(listening).toBe(false)
    expect(await guest.ok(api.requests.mine, { query: table(restaurant) })).toMatchObject({
      requests: [{ id: request.id }],
      listening: false,
    })
    await connectScreen(restaurant.device)
    expect(await guest.ok(api.requests.mine, { query: table(restaurant) })).toMatchObject({ listening: true })
    expect((await ask(guest, restaurant)).body.listening).toBe(true)
  })

  it('can take back only what the same device asked for', async () => {
    const restaurant = await app.restaurant()
    const [guest, stranger, crew] = [app.browser(), app.browser(), await connectScreen(restaurant.device)]
    const { id } = (await ask(guest, restaurant)).body.request
    expect(await stranger.call(api.requests.cancel, { params: { id } })).toMatchObject({ status: 403 })
    await ask(stranger, restaurant)
    expect(await guest.ok(api.requests.cancel, { params: { id } })).toMatchObject({
      id,
      request: { asks: 1 },
    })
    app.advance(1)
    expect(await stranger.ok(api.requests.cancel, { params: { id } })).toEqual({ id })
    expect(await crew.next('request-completed')).toMatchObject({ id, by: null, cancelled: true })
    expect(await guest.call(api.requests.cancel, { params: { id: 'not-there' } })).toMatchObject({
      status: 404,
    })
    expect(await eventsOf(app, id)).toEqual([
      'created by guest',
      'asked by guest',
      'taken_back by guest',
      'cancelled by guest',
    ])
  })

  it('is refused once the visit of 3 hours is over', async () => {
    const restaurant = await app.restaurant()
    const guest = app.browser()
    await ask(guest, restaurant, { serviceType: 'drinks' })
    app.advance(10_800_001)
    const refused = await ask(guest, restaurant)
    expect(refused).toMatchObject({ status: 410, body: { code: 'visit_expired' } })
    expect((await pendingRequests(restaurant.device)).requests).toHaveLength(1)
  })

  it('is told that the visit is over, also on a page that stayed open, until a new one has begun', async () => {
    const { name } = await app.restaurant()
    const guest = app.browser()
    const table = { restaurantId: name, tableNumber: '7' }
    await guest.ok(api.requests.send, { body: { ...table, serviceType: 'drinks' } })
    const socket = await guest.connect()
    const tellBothWays = async () => [
      await guest.ok(api.requests.mine, { query: table }),
      await socket.request({ type: 'set-restaurant-context', ...table }),
    ]
    for (const told of await tellBothWays()) expect(told).not.toHaveProperty('expired')
    app.advance(10_800_001)
    for (const told of await tellBothWays()) expect(told).toMatchObject({ expired: true, barrier: null })
    await guest.fetch('/customer', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ action: 'reset', r: name, t: '7' }).toString(),
    })
    for (const told of await tellBothWays()) expect(told).not.toHaveProperty('expired')
  })

  it('may also ask over the live channel, and gets the answer once the request is stored', async () => {
    const restaurant = await app.restaurant()
    const screen = await app.browser().connect()
    const need = {
      restaurantId: restaurant.name,
      tableNumber: '7',
      serviceType: 'food',
      id: 'tap-1',
    } as const
    const answer = await screen.request({ type: 'service-request', ...need })
    expect(answer).toMatchObject({ type: 'ack', request: { id: 'tap-1', serviceType: 'food' } })
    const row = await app.ctx.db.reader
      .selectFrom('serviceRequest')
      .selectAll()
      .where('id', '=', 'tap-1')
      .executeTakeFirstOrThrow()
    expect(requests.toRequest(row)).toMatchObject({ tableNumber: '7' })
    screen.send({ type: 'service-request', ...need, id: 'tap-2', serviceType: 'other' })
    expect(await screen.next('ack')).toMatchObject({ request: { id: 'tap-1' } })
    expect(await screen.next('ack')).toMatchObject({ request: { id: 'tap-2' } })
  })
})
