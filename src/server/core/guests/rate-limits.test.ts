import { describe, expect, it } from 'vitest'
import { api, type CallInput } from '#contract/api.ts'
import { serviceTypes } from '#contract/requests/requests.ts'
import { setUpApp, type TestBrowser } from '../../../../test/support/app.ts'
import type { Restaurant } from '../../../../test/support/restaurants/busy-restaurant.ts'
import { openWithNeeds, rail, send } from '../../../../test/support/restaurants/own-needs.ts'
import { requireByName } from '../accounts/restaurants/restaurants.ts'
import { createProof } from '../floor/qr-links.ts'

const app = setUpApp()

const minutes = 60_000
const tables = Array.from({ length: 30 }, (_, index) => `${index + 1}`)

/** Advances the clock, so that each test starts with unused budgets. */
async function open(names = tables): Promise<Restaurant> {
  app.advance(15 * minutes)
  return app.restaurant({ tables: names })
}

const codeOf = async ({ name }: Restaurant): Promise<string> =>
  createProof(app.ctx, await requireByName(app.ctx, app.ctx.db.reader, name), null)

const ask = (
  guest: TestBrowser,
  { name }: Restaurant,
  more: Partial<CallInput<typeof api.requests.send>['body']>,
) =>
  guest.call(api.requests.send, {
    body: { restaurantId: name, tableNumber: '1', serviceType: 'check', ...more },
  })

const events = async (restaurant: Restaurant) => {
  const { n } = await app.ctx.db.reader
    .selectFrom('requestEvent')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('restaurantId', '=', await app.idOf(restaurant))
    .executeTakeFirstOrThrow()
  return n
}

const visits = async (restaurant: Restaurant) =>
  app.ctx.db.reader
    .selectFrom('guestVisit')
    .select(['tableKey', 'startedAt'])
    .where('restaurantId', '=', await app.idOf(restaurant))
    .orderBy('tableKey')
    .execute()

/** A new device each time, like a browser without cookies. */
const stranger = () => app.browser()

describe('the limit of requests', () => {
  it('is separate for guests without a code: a phone and a table are refused, but not with a code', async () => {
    const restaurant = await open()
    const k = await codeOf(restaurant)
    const prankster = app.browser()
    const pranks = []
    for (const tableNumber of tables) pranks.push(await ask(prankster, restaurant, { tableNumber }))
    expect(pranks.map(({ status }) => status)).toEqual(tables.map((_, index) => (index < 12 ? 201 : 429)))
    // The same phone has a separate budget for requests with a code.
    expect((await ask(prankster, restaurant, { tableNumber: '20', k })).status).toBe(201)

    for (let turn = 0; turn < 20; turn++) {
      const { id } = (await ask(stranger(), restaurant, { tableNumber: '13' })).body.request
      await restaurant.device.connect().then((crew) => crew.request({ type: 'complete-request', id }))
    }
    expect(await ask(stranger(), restaurant, { tableNumber: '13' })).toMatchObject({ status: 429 })
    expect((await ask(stranger(), restaurant, { tableNumber: '13', k })).status).toBe(201)
  })

  it('is separate for a whole restaurant too', async () => {
    const many = Array.from({ length: 49 }, (_, index) => `${index + 1}`)
    const restaurant = await open(many)
    const statuses = []
    for (const serviceType of serviceTypes.slice(1))
      for (const tableNumber of many)
        statuses.push((await ask(stranger(), restaurant, { tableNumber, serviceType })).status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(240)
    const need = { serviceType: 'general' } as const
    expect(await ask(stranger(), restaurant, need)).toMatchObject({ status: 429 })
    expect((await ask(stranger(), restaurant, { ...need, k: await codeOf(restaurant) })).status).toBe(201)
  })

  it('is not given back by cancelling', async () => {
    const restaurant = await open()
    const guest = app.browser()
    for (let turn = 0; turn < 12; turn++) {
      const { id } = (await ask(guest, restaurant, {})).body.request
      await guest.ok(api.requests.cancel, { params: { id } })
    }
    const refused = await ask(guest, restaurant, {})
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('does not refuse repeats of an open request, but stops recording them', async () => {
    const restaurant = await open()
    const [guest, crew] = [app.browser(), await restaurant.device.connect()]
    crew.send({ type: 'get-pending-requests' })
    await crew.next('pending-requests')
    const first = await ask(guest, restaurant, { id: 'tap-1' })
    const repeats = []
    for (let turn = 0; turn < 40; turn++) repeats.push(await ask(guest, restaurant, {}))
    expect(repeats.map(({ status }) => status)).toEqual(repeats.map(() => 200))
    const { asks } = repeats.at(-1)?.body.request ?? { asks: 0 }
    expect(asks).toBe(13)
    expect(await events(restaurant)).toBe(13)
    expect((await crew.request({ type: 'ping' })).type).toBe('ack')
    expect(crew.ofType('request-updated')).toHaveLength(12)

    // The same tap again, as after a lost answer.
    expect(await ask(guest, restaurant, { id: 'tap-1' })).toMatchObject({
      status: 200,
      body: { request: { id: first.body.request.id } },
    })
    // With a code it counts, and the crew learns that somebody is at the table.
    const proven = await ask(guest, restaurant, { k: await codeOf(restaurant) })
    expect(proven).toMatchObject({ status: 200, body: { request: { asks: 14, verified: true } } })
  })

  it('refuses any note, or another choice, that comes with a repeat that is not recorded', async () => {
    app.advance(15 * minutes)
    const restaurant = await openWithNeeds(app)
    const [gluten, stillWater] = [
      { need: 'allergy', note: 'gluten' },
      { need: 'water', choice: 'still' },
    ]
    const first = { ...gluten, id: app.ctx.newId() }
    for (const tap of [first, stillWater]) await send(stranger(), restaurant, tap)
    for (let turn = 0; turn < 21; turn++) await send(stranger(), restaurant, { serviceType: 'food' })
    const guest = app.browser()
    // Whether the crew has that note already is not told: it could be guessed.
    for (const tap of [{ need: 'allergy', note: 'nuts' }, gluten, { need: 'water', choice: 'sparkling' }])
      expect(await send(guest, restaurant, tap)).toMatchObject({
        status: 429,
        body: { code: 'rate_limited', message: expect.stringContaining('asked many times') },
      })
    for (const tap of [first, stillWater, { need: 'allergy' }])
      expect((await send(guest, restaurant, tap)).status).toBe(200)
    expect(await rail(restaurant)).toEqual([
      'food ×21',
      'other:allergy "gluten" ×1',
      'other:water (still) ×1',
    ])
  })

  it('counts no repeats from a guest who has used up the limit of new requests', async () => {
    const restaurant = await open()
    const guest = app.browser()
    for (const tableNumber of tables.slice(0, 12)) await ask(guest, restaurant, { tableNumber })
    const before = await events(restaurant)
    expect(await ask(guest, restaurant, {})).toMatchObject({ status: 200, body: { request: { asks: 1 } } })
    expect(await events(restaurant)).toBe(before)
  })

  it('holds for taps at the same moment', async () => {
    const restaurant = await open()
    const guest = await app.phone()
    const answers = await Promise.all(tables.map((tableNumber) => ask(guest, restaurant, { tableNumber })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(12)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(18)
    expect(await events(restaurant)).toBe(12)
  })
})

describe('opening the page', () => {
  const look = (guest: TestBrowser, { name }: Restaurant, tableNumber: string, k?: string) =>
    guest.call(api.requests.mine, { query: { restaurantId: name, tableNumber, ...(k && { k }) } })

  it('writes nothing, but the visit begins with it', async () => {
    const restaurant = await open()
    const guest = app.browser()
    const begun = app.now()
    await guest.fetch(`/customer?${new URLSearchParams({ r: restaurant.name, t: '1' })}`)
    const table2 = { restaurantId: restaurant.name, tableNumber: '2' }
    const screen = await guest.connect()
    await screen.request({ type: 'set-restaurant-context', ...table2 })
    expect(await visits(restaurant)).toEqual([])

    app.advance(20_000)
    expect((await ask(guest, restaurant, {})).status).toBe(201)
    // The socket remembers its own visit.
    expect((await screen.request({ type: 'service-request', ...table2 })).type).toBe('ack')
    expect(await visits(restaurant)).toEqual([
      { tableKey: '1', startedAt: begun },
      { tableKey: '2', startedAt: begun },
    ])
    app.advance(180 * minutes - 19_999)
    expect(await ask(guest, restaurant, { serviceType: 'food' })).toMatchObject({ status: 410 })
    expect((await ask(guest, restaurant, { tableNumber: '3' })).status).toBe(201)
  })

  it('trusts only what the server signed for the same device', async () => {
    const restaurant = await open()
    const [guest, thief] = [await app.phone(), await app.phone()]
    await look(guest, restaurant, '1')
    await look(thief, restaurant, '9')
    const cookie = guest.cookies.get('tsr_v') ?? ''
    expect(cookie).toMatch(/^[\da-z]+\.[\w-]{22}$/)
    app.advance(181 * minutes)
    expect(await ask(guest, restaurant, {})).toMatchObject({ status: 410 })

    // Neither another device's cookie nor a changed one is valid.
    thief.cookies.set('tsr_v', cookie)
    expect((await ask(thief, restaurant, {})).status).toBe(201)
    const newer = `${app.now().toString(36)}${cookie.slice(cookie.indexOf('.'))}`
    guest.cookies.set('tsr_v', newer)
    const page = await guest.fetch(`/customer?${new URLSearchParams({ r: restaurant.name, t: '1' })}`)
    expect(await page.text()).toContain('What do you need?')
    for (const odd of ['~~~', 'x'.repeat(4000), '%00', '-1.abc', 'NaN.NaN']) {
      guest.cookies.set('tsr_v', odd)
      expect((await look(guest, restaurant, '2')).status).toBe(200)
    }
  })

  it('is remembered only for the last few tables', async () => {
    const restaurant = await open()
    const guest = await app.phone()
    for (const tableNumber of tables) await look(guest, restaurant, tableNumber)
    expect(guest.cookies.get('tsr_v')?.split('~')).toHaveLength(8)
    expect(guest.cookies.get('tsr_v')?.length).toBeLessThan(300)
    const before = guest.cookies.get('tsr_v')
    await look(guest, restaurant, '30')
    expect(guest.cookies.get('tsr_v')).toBe(before)
  })

  it('starts a new visit when the guest resets it', async () => {
    const restaurant = await open()
    const [guest, asker] = [await app.phone(), app.browser()]
    await look(guest, restaurant, '1')
    await ask(asker, restaurant, {})
    app.advance(181 * minutes)
    const reset = (browser: TestBrowser, t: string) =>
      browser.fetch('/customer', {
        method: 'POST',
        body: new URLSearchParams({ action: 'reset', r: restaurant.name, t }),
      })
    for (const browser of [guest, asker]) {
      expect(await ask(browser, restaurant, { serviceType: 'drinks' })).toMatchObject({ status: 410 })
      expect((await reset(browser, '1')).status).toBe(303)
      expect((await ask(browser, restaurant, { serviceType: 'drinks' })).status).toBeLessThan(300)
    }
    const rows = (await visits(restaurant)).length
    expect((await reset(guest, '5')).status).toBe(303)
    expect((await reset(guest, 'not there')).status).toBe(404)
    expect(await visits(restaurant)).toHaveLength(rows)
  })

  it('is refused to a device after 20 tables that do not exist, but not at its own table', async () => {
    const restaurant = await open()
    const [guest, neighbour] = [await app.phone(), await app.phone()]
    await look(guest, restaurant, '1')
    const statuses = []
    for (let turn = 0; turn < 22; turn++) statuses.push((await look(guest, restaurant, `x${turn}`)).status)
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 404), 429, 429])
    const refused = await look(guest, restaurant, '2')
    expect(refused).toMatchObject({ status: 429, body: { message: expect.stringContaining('10 minutes') } })
    expect(refused.headers.get('retry-after')).not.toBeNull()
    expect((await ask(guest, restaurant, { tableNumber: '2' })).status).toBe(429)
    const screen = await guest.connect()
    const heard = { type: 'set-restaurant-context', restaurantId: restaurant.name, tableNumber: '2' } as const
    expect(await screen.request(heard)).toMatchObject({ type: 'error', code: 'rate_limited' })
    const page = await guest.fetch(`/customer?${new URLSearchParams({ r: restaurant.name, t: '2' })}`)
    expect(await page.text()).toContain('Too many tables were not found.')

    expect((await look(guest, restaurant, '1')).status).toBe(200)
    expect((await look(neighbour, restaurant, '2')).status).toBe(200)
    expect((await ask(guest, restaurant, {})).status).toBe(201)
  })

  it('is refused to an address after 400, but not with a valid code', async () => {
    const restaurant = await open()
    for (let turn = 0; turn < 400; turn++) await look(stranger(), restaurant, `x${turn}`)
    expect((await look(stranger(), restaurant, '2')).status).toBe(429)
    expect((await look(stranger(), restaurant, '2', await codeOf(restaurant))).status).toBe(200)
    expect(
      (await ask(stranger(), restaurant, { tableNumber: '2', k: await codeOf(restaurant) })).status,
    ).toBe(201)
  })
})

it('accepts "still waiting" 60 times in 10 minutes from a device', async () => {
  const restaurant = await open()
  const guest = app.browser()
  const { id } = (await ask(guest, restaurant, {})).body.request
  app.advance(1 * minutes)
  const statuses = []
  for (let turn = 0; turn < 61; turn++)
    statuses.push((await guest.call(api.requests.stillWaiting, { params: { id } })).status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
})
