import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs, minuteMs } from '#contract/durations.ts'
import { addDays } from '../src/client/lib/time/dates.ts'
import { localDay } from '../src/server/core/dates.ts'
import { removeExpiredData } from '../src/server/core/retention/retention.ts'
import { write } from '../src/server/core/transaction.ts'
import { password, setUpApp, type TestBrowser } from './support/app.ts'
import { connectScreen } from './support/pages/crew-view.ts'
import { currentCode } from './support/restaurants/authenticator.ts'
import {
  assignmentsOf,
  assignTables,
  busyRestaurant,
  type BusyRestaurant,
  type Restaurant,
  tableNumbers,
} from './support/restaurants/busy-restaurant.ts'
import { subscribeInSandbox } from './support/stripe/sandbox-subscription.ts'

const app = setUpApp()

const today = localDay(app.now(), 'UTC')
const [yesterday, tomorrow] = [addDays(today, -1), addDays(today, 1)]
const taken = (code: string, message: string) => ({ status: 409, body: { code, message } })

async function tableId({ owner }: Pick<Restaurant, 'owner'>, tableNumber: string): Promise<string> {
  const tables = await owner.ok(api.floor.tables, {})
  return tables.find((table) => table.tableNumber === tableNumber)?.id ?? ''
}

async function removeTable({ owner }: Pick<Restaurant, 'owner'>, id: string): Promise<void> {
  await owner.ok(api.floor.removeTable, { params: { id }, query: { confirm: 'true' } })
}

const restoreTable = ({ owner }: Pick<Restaurant, 'owner'>, id: string, tableNumber?: string) =>
  owner.call(api.floor.restoreTable, { params: { id }, body: { ...(tableNumber && { tableNumber }) } })

const signInAgain = ({ owner, name: username }: Restaurant) =>
  owner.ok(api.accounts.ownerLogin, { body: { username, password } })

const removeMember = ({ owner, ids }: BusyRestaurant, name: string): Promise<void> =>
  owner.ok(api.crew.remove, { params: { id: ids[name] ?? '' } })

const restoreMember = (
  { owner, ids }: BusyRestaurant,
  member: string,
  body: { name?: string; username?: string } = {},
) => owner.call(api.crew.restore, { params: { id: ids[member] ?? '' }, body })

describe('a deleted table', () => {
  it('takes no requests, and its printed card works again once it is restored', async () => {
    const restaurant = await app.restaurant({ tables: ['1', '2'] })
    const { owner, name } = restaurant
    await subscribeInSandbox(app, owner)
    const id = await tableId(restaurant, '2')
    const { cards } = await owner.ok(api.qr.sheet, {})
    const { searchParams } = new URL(cards[1]?.link ?? '')
    const scan = (serviceType: 'food' | 'drinks' | 'check') =>
      app.browser().call(api.requests.send, {
        body: { restaurantId: name, tableNumber: '2', serviceType, k: searchParams.get('k') ?? '' },
      })
    const { token } = await owner.ok(api.tableButtons.add, { body: { tableId: id, serviceType: 'other' } })
    const press = () => app.browser().send('POST', '/api/buttons/press', { token })
    const section = await owner.ok(api.sections.add, { body: { name: 'Terrace' } })
    const arranged = { tableId: id, sectionId: section.id, place: { x: 3, y: 4 } }
    await owner.ok(api.sections.arrange, { body: { tables: [arranged] } })

    await removeTable(restaurant, id)
    expect(await tableNumbers(restaurant)).toEqual(['1'])
    expect((await scan('food')).status).toBe(404)
    expect((await press()).status).toBe(404)
    expect(await owner.ok(api.tableButtons.list, {})).toEqual([])
    expect((await owner.ok(api.qr.sheet, {})).cards).toHaveLength(1)
    const deleted = [{ id, name: '2', deletedAt: expect.any(Number) }]
    expect(await owner.ok(api.floor.deletedTables, {})).toEqual(deleted)

    expect(await restoreTable(restaurant, id)).toMatchObject({
      status: 200,
      body: { id, tableNumber: '2', category: 'table' },
    })
    expect(await scan('drinks')).toMatchObject({ status: 201, body: { request: { verified: true } } })
    expect((await press()).status).toBe(201)
    const { tables } = await owner.ok(api.tables.plan, {})
    expect(tables.find((table) => table.id === id)).toMatchObject({
      sectionId: section.id,
      place: { x: 3, y: 4 },
    })
    expect(await owner.ok(api.floor.deletedTables, {})).toEqual([])
    const again = await restoreTable(restaurant, id)
    expect(again).toMatchObject(taken('already_restored', 'This has been restored already'))
    expect((await restoreTable(restaurant, app.ctx.newId())).status).toBe(404)
  })

  it('has its assignments again, except on the days that it was gone', async () => {
    const restaurant = await busyRestaurant(app)
    const days = [yesterday, today, tomorrow, addDays(today, 5)]
    for (const day of days) await assignTables(restaurant, day, { 3: 'Maya Chen', 4: 'Tom Novak' })
    const id = await tableId(restaurant, '3')
    await removeTable(restaurant, id)
    expect(await assignmentsOf(restaurant, tomorrow)).toEqual({ 4: 'Tom Novak' })
    app.advance(3 * dayMs)
    await signInAgain(restaurant)
    expect((await restoreTable(restaurant, id)).status).toBe(200)
    const found = await Promise.all(days.map((day) => assignmentsOf(restaurant, day)))
    expect(found.map((day) => day['3'])).toEqual(['Maya Chen', undefined, undefined, 'Maya Chen'])
    app.advance(-3 * dayMs)
  })

  it('leaves its number free, and comes back under another one', async () => {
    const restaurant = await app.restaurant({ tables: ['1', '2'] })
    const { owner } = restaurant
    const id = await tableId(restaurant, '2')
    await removeTable(restaurant, id)
    await owner.ok(api.floor.addTable, { body: { tableNumber: '2' } })
    const isTaken = taken('name_taken', 'This table already exists')
    expect(await restoreTable(restaurant, id)).toMatchObject(isTaken)
    expect(await restoreTable(restaurant, id, '1')).toMatchObject(isTaken)
    expect(await restoreTable(restaurant, id, '2b')).toMatchObject({ status: 200, body: { id } })
    expect(await tableNumbers(restaurant)).toEqual(['1', '2', '2b'])
  })

  it('counts towards no limit until it is back, and stands beside what took its place', async () => {
    const restaurant = await app.restaurant()
    const { owner } = restaurant
    await owner.ok(api.floor.setUp, { body: { setupType: 'count', tableCount: 500 } })
    const [id, other] = [await tableId(restaurant, '500'), await tableId(restaurant, '1')]
    const section = await owner.ok(api.sections.add, { body: { name: 'Terrace' } })
    const place = { x: 3, y: 4 }
    await owner.ok(api.sections.arrange, {
      body: { tables: [{ tableId: id, sectionId: section.id, place }] },
    })
    await removeTable(restaurant, id)
    const { id: added } = await owner.ok(api.floor.addTable, { body: { tableNumber: 'Bar' } })
    const full = taken('conflict', 'A restaurant has at most 500 tables')
    expect(await restoreTable(restaurant, id)).toMatchObject(full)
    await removeTable(restaurant, added)
    await owner.ok(api.sections.remove, { params: { id: section.id } })
    await owner.ok(api.sections.arrange, { body: { tables: [{ tableId: other, place }] } })
    expect((await restoreTable(restaurant, id)).status).toBe(200)
    const { tables } = await owner.ok(api.tables.plan, {})
    expect(tables.find((table) => table.id === id)).toMatchObject({ sectionId: null, place: null })
  })

  it('is asked about while guests wait there', async () => {
    const restaurant = await app.restaurant({ tables: ['1', '2'] })
    const { owner, name } = restaurant
    const id = await tableId(restaurant, '2')
    const ask = (serviceType: 'food' | 'drinks') =>
      app.browser().ok(api.requests.send, { body: { restaurantId: name, tableNumber: '2', serviceType } })
    const remove = () => owner.call(api.floor.removeTable, { params: { id } })
    await ask('food')
    const one = '1 request is waiting at this table. Delete it anyway?'
    expect(await remove()).toMatchObject(taken('conflict', one))
    await ask('drinks')
    const two = '2 requests are waiting at this table. Delete it anyway?'
    expect(await remove()).toMatchObject(taken('conflict', two))
    await removeTable(restaurant, id)
    expect(await tableNumbers(restaurant)).toEqual(['1'])
  })
})

describe('a deleted crew member', () => {
  it('comes back with the login, the PIN and the assignments to come', async () => {
    const restaurant = await busyRestaurant(app)
    const { owner, device, ids } = restaurant
    const params = { id: ids['Maya Chen'] ?? '' }
    const username = `maya ${app.ctx.newId()}`
    await owner.ok(api.crew.change, { params, body: { username, password, pin: '4711' } })
    const signIn = async (browser: TestBrowser = app.browser()) =>
      (await browser.call(api.accounts.crewLogin, { body: { username, password } })).status
    const phone = app.browser()
    expect(await signIn(phone)).toBe(200)
    const host = ids['Ana Ruiz'] ?? ''
    await owner.ok(api.floor.assignHostStand, { body: { date: tomorrow, crewIds: [host] } })
    for (const day of [yesterday, today, tomorrow])
      await assignTables(restaurant, day, { 1: 'Maya Chen', 2: 'Maya Chen' })

    const screen = await connectScreen(device)
    await removeMember(restaurant, 'Maya Chen')
    await screen.next('crew-changed')
    screen.close()
    await removeMember(restaurant, 'Ana Ruiz')
    expect(await signIn()).toBe(401)
    await assignTables(restaurant, tomorrow, { 2: 'Tom Novak' })
    expect(await assignmentsOf(restaurant, tomorrow)).toEqual({ 2: 'Tom Novak' })
    expect((await owner.ok(api.crew.deleted, {})).map(({ name }) => name)).toEqual(['Ana Ruiz', 'Maya Chen'])

    const back = { status: 200, body: { id: params.id, name: 'Maya Chen', role: 'Server' } }
    expect(await restoreMember(restaurant, 'Maya Chen')).toMatchObject(back)
    expect((await restoreMember(restaurant, 'Ana Ruiz')).status).toBe(200)
    expect(await assignmentsOf(restaurant, today)).toEqual({ 1: 'Maya Chen', 2: 'Maya Chen' })
    expect(await assignmentsOf(restaurant, tomorrow)).toEqual({
      1: 'Maya Chen',
      2: 'Tom Novak',
      'Host Stand': 'Ana Ruiz',
    })
    expect(await signIn()).toBe(200)
    expect(await owner.ok(api.crew.details, { params })).toMatchObject({ username, hasPin: true })
    expect(
      (await phone.call(api.crew.byRestaurant, { query: { restaurantId: restaurant.name } })).status,
    ).toBe(401)
  })

  it('is restored with a table in any order', async () => {
    for (const first of ['table', 'member'] as const) {
      const restaurant = await busyRestaurant(app)
      await assignTables(restaurant, tomorrow, { 5: 'Tom Novak' })
      const id = await tableId(restaurant, '5')
      await removeTable(restaurant, id)
      await removeMember(restaurant, 'Tom Novak')
      const steps = [() => restoreTable(restaurant, id), () => restoreMember(restaurant, 'Tom Novak')]
      for (const step of first === 'table' ? steps : steps.toReversed())
        expect((await step()).status).toBe(200)
      expect(await assignmentsOf(restaurant, tomorrow)).toEqual({ 5: 'Tom Novak' })
    }
  })

  it('is asked for another name or username if somebody has it meanwhile', async () => {
    const restaurant = await busyRestaurant(app)
    const { owner, ids } = restaurant
    const username = `tom ${app.ctx.newId()}`
    const login = { username, password }
    await owner.ok(api.crew.change, { params: { id: ids['Tom Novak'] ?? '' }, body: login })
    await removeMember(restaurant, 'Tom Novak')
    const { id } = await owner.ok(api.crew.add, { body: { name: 'tom novak', role: 'Busser' } })
    await owner.ok(api.crew.change, { params: { id }, body: login })
    const nameTaken = taken('name_taken', 'A crew member has this name already')
    const usernameTaken = taken('username_taken', 'This username is not available')
    expect(await restoreMember(restaurant, 'Tom Novak')).toMatchObject(nameTaken)
    expect(await restoreMember(restaurant, 'Tom Novak', { name: 'Tom N.' })).toMatchObject(usernameTaken)
    expect(
      await restoreMember(restaurant, 'Tom Novak', { name: 'Tom N.', username: `${username} 2` }),
    ).toMatchObject({ status: 200, body: { id: ids['Tom Novak'], name: 'Tom N.' } })
  })

  it('brings a login back only shortly after the owner signed in', async () => {
    const restaurant = await busyRestaurant(app)
    const { owner, ids } = restaurant
    await owner.ok(api.crew.change, { params: { id: ids['Tom Novak'] ?? '' }, body: { pin: '4711' } })
    await removeMember(restaurant, 'Tom Novak')
    await removeMember(restaurant, 'Maya Chen')
    app.advance(16 * 60_000)
    expect(await restoreMember(restaurant, 'Tom Novak')).toMatchObject({
      status: 403,
      body: { code: 'recent_sign_in_required' },
    })
    expect((await restoreMember(restaurant, 'Maya Chen')).status).toBe(200)
  })
})

describe('a deleted manager', () => {
  it('comes back with the password and the authenticator app, but signed out', async () => {
    const { name, owner } = await app.restaurant()
    const login = { username: 'sam', password: 'lantern-7' }
    await owner.ok(api.managers.setCredentials, { body: login })
    const sam = app.browser()
    const signIn = (browser: TestBrowser, more: object = {}) =>
      browser.call(api.managers.login, { body: { restaurantName: name, ...login, ...more } })
    expect((await signIn(sam)).status).toBe(200)
    const { secret } = await sam.ok(api.secondFactors.beginAuthenticator, {})
    const code = () => currentCode(secret, app.now())
    await sam.ok(api.secondFactors.turnAuthenticatorOn, { body: { code: code() } })
    await sam.ok(api.recovery.renewCodes, {})
    const { managers: [before] = [] } = await owner.ok(api.managers.currentUser, {})
    const params = { id: before?.id ?? '' }
    await owner.ok(api.managers.remove, { params })
    expect(await signIn(app.browser())).toMatchObject({
      status: 401,
      body: { message: 'Invalid credentials' },
    })
    expect(await owner.ok(api.managers.deleted, {})).toMatchObject([{ id: params.id, name: 'sam' }])

    await owner.ok(api.managers.setCredentials, { body: login })
    const restore = (body: object) => owner.call(api.managers.restore, { params, body })
    expect(await restore({})).toMatchObject(taken('username_taken', 'This manager already exists'))
    expect(await restore({ username: 'Samira' })).toMatchObject({ status: 204 })
    const { managers } = await owner.ok(api.managers.currentUser, {})
    expect(managers).toContainEqual({ id: params.id, username: 'Samira' })
    expect((await sam.call(api.managers.currentUser, {})).status).toBe(401)
    app.advance(30_000)
    const samira = app.browser()
    expect(await signIn(samira, { username: 'Samira' })).toMatchObject({
      body: { code: 'second_factor_required' },
    })
    expect((await signIn(samira, { username: 'Samira', code: code() })).status).toBe(200)
    expect(await samira.ok(api.recovery.codes, {})).toMatchObject({ left: 10 })
  })
})

describe('a deleted section', () => {
  async function openRestaurant() {
    const restaurant = await busyRestaurant(app)
    const { owner, ids } = restaurant
    const [terrace, bar] = [
      await owner.ok(api.sections.add, { body: { name: 'Terrace' } }),
      await owner.ok(api.sections.add, { body: { name: 'Bar' } }),
    ]
    const tables = await Promise.all(['1', '2', '3'].map((number) => tableId(restaurant, number)))
    const arrange = (sectionId: string, ...chosen: (string | undefined)[]) =>
      owner.ok(api.sections.arrange, {
        body: { tables: chosen.map((id = '') => ({ tableId: id, sectionId })) },
      })
    await arrange(terrace.id, ...tables)
    await owner.ok(api.crew.change, {
      params: { id: ids['Maya Chen'] ?? '' },
      body: { sectionId: terrace.id },
    })
    const restore = (name?: string) =>
      owner.call(api.sections.restore, { params: { id: terrace.id }, body: { ...(name && { name }) } })
    return { ...restaurant, terrace, bar, tables, arrange, restore }
  }

  it('comes back in its place, with its crew, and with its tables that are in no other section', async () => {
    const { owner, ids, terrace, bar, tables, arrange, restore } = await openRestaurant()
    await owner.ok(api.sections.remove, { params: { id: terrace.id } })
    expect((await owner.ok(api.tables.plan, {})).sections).toEqual([bar])
    expect(await owner.ok(api.sections.deleted, {})).toEqual([{ ...terrace, deletedAt: expect.any(Number) }])
    await arrange(bar.id, tables[2])
    expect(await restore()).toMatchObject({ status: 200, body: terrace })
    const plan = await owner.ok(api.tables.plan, {})
    expect(plan.sections).toEqual([terrace, bar])
    const sectionOf = new Map(plan.tables.map(({ id, sectionId }) => [id, sectionId]))
    expect(tables.map((id) => sectionOf.get(id))).toEqual([terrace.id, terrace.id, bar.id])
    expect(plan.members).toEqual([{ crewMemberId: ids['Maya Chen'], sectionId: terrace.id }])
    expect(await owner.ok(api.sections.deleted, {})).toEqual([])
    const again = taken('already_restored', 'This has been restored already')
    expect(await restore()).toMatchObject(again)
  })

  it('comes back under another name where its own is taken, and as one of at most 20', async () => {
    const { owner, terrace, restore } = await openRestaurant()
    await owner.ok(api.sections.remove, { params: { id: terrace.id } })
    const { id } = await owner.ok(api.sections.add, { body: { name: 'terrace' } })
    expect(await restore()).toMatchObject(taken('name_taken', 'This section already exists'))
    for (let more = 3; more <= 20; more++)
      await owner.ok(api.sections.add, { body: { name: `Section ${more}` } })
    const full = taken('conflict', 'A restaurant has at most 20 sections')
    expect(await restore('Old terrace')).toMatchObject(full)
    await owner.ok(api.sections.remove, { params: { id } })
    expect(await restore('Old terrace')).toMatchObject({
      status: 200,
      body: { id: terrace.id, name: 'Old terrace' },
    })
  })
})

it('what was deleted is removed for good after 30 days', async () => {
  const restaurant = await busyRestaurant(app)
  const { owner } = restaurant
  await assignTables(restaurant, addDays(today, 90), { 1: 'Maya Chen' })
  const id = await tableId(restaurant, '1')
  await removeTable(restaurant, id)
  app.advance(30 * dayMs - minuteMs)
  await removeExpiredData(app.ctx)
  await signInAgain(restaurant)
  expect(await owner.ok(api.floor.deletedTables, {})).toHaveLength(1)
  app.advance(minuteMs)
  expect(await owner.ok(api.floor.deletedTables, {})).toEqual([])
  expect((await restoreTable(restaurant, id)).status).toBe(404)
  await removeExpiredData(app.ctx)
  expect(await countKept(restaurant)).toEqual([0, 0])
})

it('a deleted table keeps all that refers to it: its assignments and its buttons', () => {
  const folder = 'src/server/storage/migrations'
  const referring = readdirSync(folder).flatMap((file) => {
    const code = readFileSync(`${folder}/${file}`, 'utf8')
    return [...code.matchAll(/'(\w+)',\s*\['restaurant_id', 'table_id'\],\s*'floor_table'/gu)].map(
      ([, name]) => name,
    )
  })
  expect(referring).toEqual(['table_assignment_table', 'table_button_table'])
})

it('what was deleted goes with its restaurant', async () => {
  const restaurant = await busyRestaurant(app)
  await assignTables(restaurant, tomorrow, { 1: 'Maya Chen' })
  await removeTable(restaurant, await tableId(restaurant, '1'))
  expect(await countKept(restaurant)).toEqual([1, 1])
  await write(app.ctx, ({ db }) => db.deleteFrom('restaurant').where('name', '=', restaurant.name).execute())
  expect(await countKept(restaurant)).toEqual([0, 0])
})

async function countKept({ name }: Restaurant): Promise<number[]> {
  const id = restaurantIds.get(name) ?? (await app.idOf({ name }))
  restaurantIds.set(name, id)
  const of = (table: 'deletedItem' | 'deletedAssignment') =>
    app.ctx.db.reader.selectFrom(table).select('deletedAt').where('restaurantId', '=', id).execute()
  return [(await of('deletedItem')).length, (await of('deletedAssignment')).length]
}
const restaurantIds = new Map<string, string>()
