import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { hourMs } from '#contract/durations.ts'
import { setUpApp, type TestBrowser } from '../../../../test/support/app.ts'
import { onPostgres } from '../../../../test/support/notes-schema.ts'
import { connectScreen, pendingRequests } from '../../../../test/support/pages/crew-view.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as seatings from '../../storage/requests/table-seating.ts'

const app = setUpApp({ guestLimits: false })

async function restaurantWithSeating({ on = true, tables = ['4', '7'] } = {}) {
  const restaurant = await app.restaurant({ tables })
  if (on) await restaurant.owner.ok(api.restaurant.change, { body: { seating: true } })
  return restaurant
}

type Restaurant = Awaited<ReturnType<typeof restaurantWithSeating>>

const seven = { body: { tableNumber: '7' } }
const ask = (guest: TestBrowser, { name }: Restaurant, more: object = {}) =>
  guest.call(api.requests.send, {
    body: { restaurantId: name, tableNumber: '7', serviceType: 'drinks', ...more },
  })
const pageOf = (guest: TestBrowser, { name }: Restaurant, tableNumber = '7') =>
  guest.ok(api.requests.mine, { query: { restaurantId: name, tableNumber } })
const tableOf = async ({ device }: Restaurant, tableNumber = '7') =>
  (await device.ok(api.seating.list, {})).tables.find((table) => table.tableNumber === tableNumber)
const resetVisit = (guest: TestBrowser, { name }: Restaurant) =>
  guest.fetch('/customer', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ action: 'reset', r: name, t: '7' }).toString(),
  })
/** A moment later: visits and closings have times. */
const wait = (): void => app.advance(1_000)

/** The channel of a guest's page that was away while the crew closed the table; `follow` asks what it is told there. */
async function connectAfterClosing(guest: TestBrowser, restaurant: Restaurant) {
  const { device, name } = restaurant
  await device.ok(api.seating.open, seven)
  await ask(guest, restaurant)
  wait()
  await device.ok(api.seating.close, { body: { tableNumber: '7', anyway: true } })
  const socket = await guest.connect()
  const follow = () =>
    socket.request({ type: 'set-restaurant-context', restaurantId: name, tableNumber: '7' })
  expect(await follow()).toMatchObject({ barrier: 'visit_expired', requests: [] })
  return { socket, follow }
}

describe('a table that the crew opens and closes', () => {
  it('is off until the owner switches it on', async () => {
    const restaurant = await restaurantWithSeating({ on: false })
    expect(await restaurant.device.ok(api.seating.list, {})).toEqual({ on: false, tables: [] })
    expect((await ask(app.browser(), restaurant)).status).toBe(201)
  })

  it('refuses guests in words until it is open, over every way', async () => {
    const restaurant = await restaurantWithSeating()
    const guest = app.browser()
    const message = 'This table is not open. Please ask your waiter to open it.'
    expect(await ask(guest, restaurant)).toMatchObject({
      status: 409,
      body: { code: 'table_closed', message },
    })
    expect(await pageOf(guest, restaurant)).toMatchObject({ barrier: 'table_closed', requests: [] })
    const socket = await guest.connect()
    const at = { restaurantId: restaurant.name, tableNumber: '7' }
    expect(await socket.request({ type: 'service-request', ...at, serviceType: 'food' })).toMatchObject({
      code: 'table_closed',
    })
    expect(await socket.request({ type: 'set-restaurant-context', ...at })).toMatchObject({
      barrier: 'table_closed',
    })
    const screen = await connectScreen(restaurant.device)
    await restaurant.device.ok(api.seating.open, seven)
    await Promise.all([screen.next('seating-changed'), socket.next('table-changed')])
    expect(await pageOf(guest, restaurant)).toMatchObject({ barrier: null })
    expect((await ask(guest, restaurant)).status).toBe(201)
    expect(await tableOf(restaurant)).toMatchObject({ seatedAt: app.now(), requests: 1 })
  })

  it('is opened once by two hosts at the same moment', async () => {
    const restaurant = await restaurantWithSeating()
    const at = app.now()
    await Promise.all([1, 2, 3].map(() => restaurant.device.ok(api.seating.open, seven)))
    wait()
    await restaurant.device.ok(api.seating.open, seven)
    expect(await tableOf(restaurant)).toMatchObject({ seatedAt: at })
  })

  it('ends the visit of its phones when it is closed, also after it is opened for the next party', async () => {
    const restaurant = await restaurantWithSeating()
    const { device } = restaurant
    const [guest, next] = [app.browser(), app.browser()]
    await device.ok(api.seating.open, seven)
    expect((await ask(guest, restaurant, { id: 'tap-1' })).status).toBe(201)
    const socket = await guest.connect()
    await socket.request({ type: 'set-restaurant-context', restaurantId: restaurant.name, tableNumber: '7' })
    wait()
    expect(await device.ok(api.seating.close, seven)).toEqual({ closed: false, requests: 1 })
    expect((await pendingRequests(device)).requests).toHaveLength(1)
    const anyway = { body: { tableNumber: '7', anyway: true } }
    expect(await device.ok(api.seating.close, anyway)).toEqual({ closed: true, requests: 1 })
    await socket.next('table-changed')
    expect((await pendingRequests(device)).requests).toEqual([])
    expect(await pageOf(guest, restaurant)).toMatchObject({ barrier: 'visit_expired', requests: [] })
    // A tap that waited on the phone is refused in words; one that was stored is answered as ever.
    expect(await ask(guest, restaurant, { id: 'tap-2' })).toMatchObject({ status: 410 })
    expect((await ask(guest, restaurant, { id: 'tap-1' })).status).toBe(200)
    wait()
    // Whoever begins anew has no open table either.
    await resetVisit(guest, restaurant)
    expect(await ask(guest, restaurant)).toMatchObject({ body: { code: 'table_closed' } })

    wait()
    const old = app.browser()
    await device.ok(api.seating.open, seven)
    await ask(old, restaurant)
    wait()
    await device.ok(api.seating.close, anyway)
    wait()
    await device.ok(api.seating.open, seven)
    expect((await ask(next, restaurant)).status).toBe(201)
    expect(await pageOf(old, restaurant)).toMatchObject({ barrier: 'visit_expired', requests: [] })
    expect(await ask(old, restaurant)).toMatchObject({ status: 410, body: { code: 'visit_expired' } })
    const page = await old.fetch(
      `/customer?${new URLSearchParams({ r: restaurant.name, t: '7' }).toString()}`,
    )
    expect(await page.text()).toContain('Your visit at this table is over.')
    await resetVisit(old, restaurant)
    expect((await ask(old, restaurant)).status).toBe(200)
  })

  it('says what became of what was open: done if somebody was on the way, otherwise taken back', async () => {
    const restaurant = await restaurantWithSeating()
    const { device, owner } = restaurant
    const guest = app.browser()
    const maya = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    await device.ok(api.seating.open, seven)
    const { body } = await ask(guest, restaurant)
    await ask(guest, restaurant, { serviceType: 'check' })
    const screen = await connectScreen(device, maya.id)
    await screen.request({ type: 'accept-request', id: body.request.id })
    await device.ok(api.seating.close, { body: { tableNumber: '7', anyway: true } })
    const closed = [await screen.next('request-completed'), await screen.next('request-completed')]
    expect(closed.filter(({ cancelled }) => cancelled)).toHaveLength(1)
    expect(closed.find(({ id }) => id === body.request.id)?.cancelled).toBeUndefined()
  })

  it('is open again within 10 seconds if that was a mistake, with its visits', async () => {
    const restaurant = await restaurantWithSeating()
    const { device } = restaurant
    const guest = app.browser()
    await device.ok(api.seating.open, seven)
    await ask(guest, restaurant)
    const { seatedAt } = (await tableOf(restaurant)) ?? {}
    wait()
    await device.ok(api.seating.close, { body: { tableNumber: '7', anyway: true } })
    app.advance(9_000)
    await device.ok(api.seating.undoClose, seven)
    await device.ok(api.seating.undoClose, seven)
    expect(await tableOf(restaurant)).toMatchObject({ seatedAt })
    expect(await pageOf(guest, restaurant)).toMatchObject({ barrier: null })
    expect((await ask(guest, restaurant)).status).toBe(201)
    await device.ok(api.seating.close, { body: { tableNumber: '7', anyway: true } })
    app.advance(10_001)
    expect((await device.call(api.seating.undoClose, seven)).status).toBe(409)
  })

  it('is told to phones that came back while it was closed, who hear nothing of the next party', async () => {
    const restaurant = await restaurantWithSeating()
    const { device } = restaurant
    const [guest, next] = [app.browser(), app.browser()]
    const { socket, follow } = await connectAfterClosing(guest, restaurant)
    await device.ok(api.seating.undoClose, seven)
    await socket.next('table-changed')
    expect(await follow()).toMatchObject({ barrier: null })
    await ask(guest, restaurant)
    await socket.next('request-updated')

    wait()
    await device.ok(api.seating.close, { body: { tableNumber: '7', anyway: true } })
    await socket.next('table-changed')
    expect(await follow()).toMatchObject({ barrier: 'visit_expired' })
    wait()
    await device.ok(api.seating.open, seven)
    const before = socket.ofType('request-updated').length
    expect((await ask(next, restaurant)).status).toBe(201)
    await follow()
    expect(socket.ofType('request-updated')).toHaveLength(before)
  })

  it('is told to phones whose visit it ended when tables are no longer opened and closed', async () => {
    const restaurant = await restaurantWithSeating()
    const { owner } = restaurant
    const guest = app.browser()
    const { socket, follow } = await connectAfterClosing(guest, restaurant)
    await owner.ok(api.restaurant.change, { body: { seating: false } })
    await socket.next('table-changed')
    expect(await follow()).toMatchObject({ barrier: null })
  })

  it('moves with its party, and comes back when that is undone', async () => {
    const restaurant = await restaurantWithSeating()
    const { device } = restaurant
    const guest = app.browser()
    await device.ok(api.seating.open, { body: { tableNumber: '4' } })
    wait()
    await device.ok(api.seating.close, { body: { tableNumber: '4' } })
    await device.ok(api.seating.open, seven)
    await ask(guest, restaurant)
    wait()
    // The other table was closed after this visit began.
    const screen = await connectScreen(device)
    const waiting = await app.browser().connect()
    const at = { restaurantId: restaurant.name, tableNumber: '4' }
    expect(await waiting.request({ type: 'set-restaurant-context', ...at })).toMatchObject({
      barrier: 'table_closed',
    })
    await screen.request({ type: 'move-party', id: 'move-1', from: '7', to: '4' })
    await waiting.next('table-changed')
    wait()
    expect(await pageOf(guest, restaurant)).toMatchObject({ barrier: null, movedTo: '4' })
    expect((await ask(guest, restaurant, { serviceType: 'food' })).status).toBe(201)
    expect(await ask(app.browser(), restaurant)).toMatchObject({ body: { code: 'table_closed' } })
    expect([await tableOf(restaurant), await tableOf(restaurant, '4')]).toMatchObject([
      { seatedAt: null },
      { seatedAt: expect.any(Number) },
    ])
    await screen.request({ type: 'undo-party-move', id: 'move-1' })
    wait()
    expect(await pageOf(guest, restaurant)).toMatchObject({ barrier: null })
    expect((await ask(guest, restaurant, { serviceType: 'check' })).status).toBe(201)
    expect(await tableOf(restaurant, '4')).toMatchObject({ seatedAt: null })
  })

  it('tells the crew, and rings for nobody, when its code is scanned while it is closed', async () => {
    const restaurant = await restaurantWithSeating()
    const { device, owner } = restaurant
    const { guestLink } = await owner.ok(api.restaurant.settings, {})
    const k = new URL(guestLink).searchParams.get('k') ?? ''
    const open = (more: Record<string, string>) =>
      app
        .browser()
        .fetch(`/customer?${new URLSearchParams({ r: restaurant.name, t: '7', ...more }).toString()}`)
    await open({})
    await app.whenIdle()
    expect(await tableOf(restaurant)).toMatchObject({ wantedAt: null })
    const screen = await connectScreen(device)
    for (let times = 0; times < 3; times++) await open({ k })
    await screen.next('seating-changed')
    await app.whenIdle()
    await screen.request({ type: 'ping' })
    expect(await tableOf(restaurant)).toMatchObject({ seatedAt: null, wantedAt: app.now() })
    expect(screen.ofType('seating-changed')).toHaveLength(1)
    await device.ok(api.seating.open, seven)
    expect(await tableOf(restaurant)).toMatchObject({ seatedAt: app.now(), wantedAt: null })
  })

  it('tells the crew, too, when a page that was kept on the phone asks for its table', async () => {
    const restaurant = await restaurantWithSeating()
    const { guestLink } = await restaurant.owner.ok(api.restaurant.settings, {})
    const k = new URL(guestLink).searchParams.get('k') ?? ''
    await pageOf(app.browser(), restaurant)
    await app.whenIdle()
    expect(await tableOf(restaurant)).toMatchObject({ wantedAt: null })
    const screen = await connectScreen(restaurant.device)
    const query = { restaurantId: restaurant.name, tableNumber: '7', k }
    await app.browser().ok(api.requests.mine, { query })
    await screen.next('seating-changed')
    expect(await tableOf(restaurant)).toMatchObject({ seatedAt: null, wantedAt: app.now() })
  })

  it('is closed when the owner switches this on again, or makes the table again', async () => {
    const restaurant = await restaurantWithSeating()
    const { owner, device } = restaurant
    await device.ok(api.seating.open, seven)
    await owner.ok(api.restaurant.change, { body: { seating: true } })
    expect(await tableOf(restaurant)).toMatchObject({ seatedAt: app.now() })
    for (const seating of [false, true]) await owner.ok(api.restaurant.change, { body: { seating } })
    expect(await tableOf(restaurant)).toMatchObject({ seatedAt: null })

    await device.ok(api.seating.open, seven)
    const tables = await owner.ok(api.floor.tables, {})
    const id = tables.find(({ tableNumber }) => tableNumber === '7')?.id ?? ''
    await owner.ok(api.floor.removeTable, { params: { id }, query: { confirm: 'true' } })
    await owner.ok(api.floor.addTable, { body: { tableNumber: '7' } })
    expect(await tableOf(restaurant)).toMatchObject({ seatedAt: null })
    expect(await ask(app.browser(), restaurant)).toMatchObject({ body: { code: 'table_closed' } })
  })

  it('is closed 12 hours after it was opened, if nobody closed it', async () => {
    const restaurant = await restaurantWithSeating()
    const { device } = restaurant
    await device.ok(api.seating.open, seven)
    app.advance(12 * 60 * 60_000 - 1)
    expect((await ask(app.browser(), restaurant)).status).toBe(201)
    app.advance(1)
    expect(await ask(app.browser(), restaurant)).toMatchObject({ body: { code: 'table_closed' } })
    expect(await pageOf(app.browser(), restaurant)).toMatchObject({ barrier: 'table_closed' })
    expect(await tableOf(restaurant)).toMatchObject({ seatedAt: null })
    await device.ok(api.seating.open, seven)
    expect(await tableOf(restaurant)).toMatchObject({ seatedAt: app.now() })
    expect((await ask(app.browser(), restaurant)).status).toBe(200)
  })

  it('cannot be opened or closed by guests or other restaurants', async () => {
    const [restaurant, rival] = [
      await restaurantWithSeating(),
      await restaurantWithSeating({ tables: ['9'] }),
    ]
    expect((await app.browser().call(api.seating.open, seven)).status).toBe(401)
    expect((await rival.device.call(api.seating.open, seven)).status).toBe(404)
    expect((await rival.device.call(api.seating.close, seven)).status).toBe(404)
    expect(await tableOf(restaurant)).toMatchObject({ seatedAt: null })
  })

  it('stores no tap that arrives while it is being closed', async () => {
    const restaurant = await restaurantWithSeating()
    const { device } = restaurant
    for (let times = 0; times < 5; times++) {
      wait()
      await device.ok(api.seating.open, seven)
      wait()
      const guests = Array.from({ length: 4 }, () => app.browser())
      const taps = guests.map((guest) => ask(guest, restaurant))
      const closing = device.ok(api.seating.close, { body: { tableNumber: '7', anyway: true } })
      const answers = await Promise.all(taps)
      expect((await closing).closed).toBe(true)
      expect(answers.every(({ status }) => [200, 201, 409, 410].includes(status))).toBe(true)
      expect((await pendingRequests(device)).requests).toEqual([])
    }
  })
})

describe('a table that is opened and closed after the clock was set back', () => {
  const anyway = (tableNumber: string) => ({ body: { tableNumber, anyway: true } })
  const statusesOf = async (guests: readonly TestBrowser[], restaurant: Restaurant, tableNumber = '7') => {
    const statuses: number[] = []
    for (const guest of guests) statuses.push((await ask(guest, restaurant, { tableNumber })).status)
    return statuses
  }

  it('is open for its next party for as long as that stays, and for no phone of the one before', async () => {
    const restaurant = await restaurantWithSeating()
    const { device } = restaurant
    const [former, next, reader] = [app.browser(), app.browser(), await app.phone()]
    await device.ok(api.seating.open, seven)
    await ask(former, restaurant)
    wait()
    await device.ok(api.seating.close, anyway('7'))
    app.advance(-hourMs)
    await device.ok(api.seating.open, seven)
    expect(await statusesOf([next, next], restaurant)).toEqual([201, 200])
    for (let times = 0; times < 2; times++)
      expect(await pageOf(reader, restaurant)).toMatchObject({ barrier: null, requests: [{ asks: 2 }] })
    expect(await statusesOf([reader, reader], restaurant)).toEqual([200, 200])
    expect(await pageOf(former, restaurant)).toMatchObject({ barrier: 'visit_expired', requests: [] })
    expect(await statusesOf([former], restaurant)).toEqual([410])
    await resetVisit(former, restaurant)
    expect(await statusesOf([former, former], restaurant)).toEqual([200, 200])

    wait()
    await device.ok(api.seating.close, anyway('7'))
    wait()
    await device.ok(api.seating.open, seven)
    expect(await statusesOf([next, reader, former], restaurant)).toEqual([410, 410, 410])
    const third = app.browser()
    expect(await statusesOf([third, third], restaurant)).toEqual([201, 200])
  })

  it('is over for the phones of its party also where that began with the clock of before', async () => {
    const restaurant = await restaurantWithSeating()
    const { device } = restaurant
    const [former, next] = [app.browser(), app.browser()]
    await device.ok(api.seating.open, seven)
    await ask(former, restaurant)
    app.advance(-hourMs)
    await device.ok(api.seating.close, anyway('7'))
    wait()
    await device.ok(api.seating.open, seven)
    expect(await statusesOf([former, next, next], restaurant)).toEqual([410, 201, 200])
  })

  it('takes in a party from another such table, and ends its visits with its own', async () => {
    const restaurant = await restaurantWithSeating()
    const { device } = restaurant
    const guest = app.browser()
    for (const tableNumber of ['4', '7']) {
      await device.ok(api.seating.open, { body: { tableNumber } })
      wait()
      await device.ok(api.seating.close, { body: { tableNumber } })
    }
    app.advance(-hourMs)
    await device.ok(api.seating.open, seven)
    await ask(guest, restaurant)
    wait()
    const screen = await connectScreen(device)
    await screen.request({ type: 'move-party', id: 'move-1', from: '7', to: '4' })
    expect(await pageOf(guest, restaurant)).toMatchObject({ barrier: null, movedTo: '4' })
    expect(await statusesOf([guest, guest], restaurant)).toEqual([200, 200])
    wait()
    await device.ok(api.seating.close, anyway('4'))
    wait()
    await device.ok(api.seating.open, { body: { tableNumber: '4' } })
    expect(await statusesOf([guest], restaurant)).toEqual([410])
    expect(await statusesOf([app.browser()], restaurant, '4')).toEqual([201])
  })
})

describe.each(onPostgres ? ['PostgreSQL'] : [])('tables that are locked on %s', () => {
  const findWaiting = () =>
    sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(app.ctx.db.reader)
  const whenWaiting = async () => {
    while ((await findWaiting()).rows.length === 0);
  }

  it('come before their requests, for a tap as for a party that moves', async () => {
    const restaurant = await restaurantWithSeating()
    await restaurant.device.ok(api.seating.open, seven)
    const { body } = await ask(app.browser(), restaurant)
    const screen = await connectScreen(restaurant.device)
    const table = { restaurantId: await app.idOf(restaurant), tableKey: '7' }
    const { move } = await app.ctx.db.transact(async (db) => {
      expect(await seatings.lockSeated(db, table, app.now())).toBe(true)
      const move = screen.request({ type: 'move-party', id: 'move-1', from: '7', to: '4' })
      await whenWaiting()
      await sql`select 1 from service_request where id = ${body.request.id} for update nowait`.execute(db)
      return { move }
    })
    expect(await move).toMatchObject({ type: 'ack' })
  })

  it('are locked in the same order, whatever comes first', async () => {
    const restaurant = await restaurantWithSeating()
    for (const tableNumber of ['4', '7'])
      await restaurant.device.ok(api.seating.open, { body: { tableNumber } })
    const restaurantId = await app.idOf(restaurant)
    const lockSeated = (db: Db, tableKey: string) =>
      seatings.lockSeated(db, { restaurantId, tableKey }, app.now())
    const { taps } = await app.ctx.db.transact(async (db) => {
      await lockSeated(db, '4')
      const taps = app.ctx.db.transact((db) => Promise.all([lockSeated(db, '7'), lockSeated(db, '4')]))
      await whenWaiting()
      await sql`select 1 from table_seating
        where restaurant_id = ${restaurantId} and table_key = '7' for update nowait`.execute(db)
      return { taps }
    })
    expect(await taps).toEqual([true, true])
  })
})
