import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { CrewChange, CrewMember, CrewRole } from '#contract/crew/crew.ts'
import { password, setUpApp, type TestBrowser } from '../../../../test/support/app.ts'
import type { Restaurant } from '../../../../test/support/restaurants/busy-restaurant.ts'
import * as rows from '../../storage/crew/crew.ts'
import { localDay } from '../dates.ts'
import { write } from '../transaction.ts'

const minutes = 60_000
const hours = 60 * minutes

const app = setUpApp()

const add = ({ owner }: Restaurant, name: string, role: CrewRole = 'Server') =>
  owner.ok(api.crew.add, { body: { name, role } })

const change = (browser: TestBrowser, { id }: CrewMember, body: CrewChange) =>
  browser.call(api.crew.change, { params: { id }, body })

const login = (username: string, word = password, browser = app.browser()) =>
  browser.call(api.accounts.crewLogin, { body: { username, password: word } })

/** Chooses the name on a new screen of this browser. */
async function choose(browser: TestBrowser, { id }: CrewMember, pin?: string) {
  const screen = await browser.connect()
  return screen.request({
    type: 'set-crew-member-context',
    crewMemberId: id,
    ...(pin !== undefined && { pin }),
  })
}

let logins = 0
const newUsername = (): string => `waiter.${++logins}`

describe('the crew', () => {
  it('is listed by name, spelled as the owner entered it', async () => {
    const restaurant = await app.restaurant()
    const tom = await add(restaurant, '  Tom   Okafor ', 'Host')
    const ana = await add(restaurant, 'ana', 'Busser')
    expect(tom).toEqual({ id: tom.id, name: 'Tom Okafor', role: 'Host' })
    expect(await restaurant.owner.ok(api.crew.list, {})).toEqual([ana, tom])
    expect(
      await restaurant.device.ok(api.crew.byRestaurant, { query: { restaurantId: restaurant.name } }),
    ).toEqual([ana, tom])
    expect((await change(restaurant.owner, tom, { name: 'Abe', role: 'Server' })).body).toEqual({
      id: tom.id,
      name: 'Abe',
      role: 'Server',
    })
    expect(await restaurant.owner.ok(api.crew.list, {})).toEqual([
      { ...tom, name: 'Abe', role: 'Server' },
      ana,
    ])
  })

  it('has names and roles', async () => {
    const { owner } = await app.restaurant()
    for (const [body, message] of [
      [{ name: '  ', role: 'Server' }, 'Please enter a crew member name'],
      [{ role: 'Server' }, 'Please enter a crew member name'],
      [{ name: 'x'.repeat(81), role: 'Server' }, 'Please use at most 80 characters'],
      [{ name: 'A\u202eb', role: 'Server' }, 'Please use only visible characters'],
      [{ name: 'Maya', role: 'Chef' }, 'Please choose a role'],
      [{ name: 'Maya' }, 'Please choose a role'],
    ] as const) {
      expect(await owner.send('POST', '/api/crew', body)).toMatchObject({ status: 400, body: { message } })
    }
    expect(await owner.ok(api.crew.list, {})).toEqual([])
  })

  it('has at most 300 members', async () => {
    const restaurant = await app.restaurant()
    const restaurantId = await app.idOf(restaurant)
    await write(app.ctx, async ({ db }) => {
      for (let n = 0; n < 299; n++) {
        const member = { id: app.ctx.newId(), name: `Crew ${n}`, role: 'Server' as const }
        await rows.insert(db, restaurantId, { ...member, createdAt: app.now() })
      }
    })
    const last = await add(restaurant, 'The Last')
    const body = { name: 'One More', role: 'Server' } as const
    expect(await restaurant.owner.call(api.crew.add, { body })).toMatchObject({
      status: 409,
      body: { message: 'A restaurant has at most 300 crew members' },
    })
    await restaurant.owner.ok(api.crew.remove, { params: { id: last.id } })
    expect((await restaurant.owner.call(api.crew.add, { body })).status).toBe(201)
  })
})

it('tells open screens when somebody is added, removed, or has another name or role', async () => {
  const restaurant = await app.restaurant()
  const screen = await restaurant.device.connect()
  screen.send({ type: 'get-pending-requests' })
  await screen.next('pending-requests')
  const ana = await add(restaurant, 'Ana')
  await screen.next('crew-changed')
  await change(restaurant.owner, ana, { name: 'Anna' })
  await screen.next('crew-changed')
  await change(restaurant.owner, ana, { role: 'Host' })
  await screen.next('crew-changed')
  await change(restaurant.owner, ana, { name: 'Anna', pin: '2468' })
  await restaurant.owner.ok(api.crew.remove, { params: { id: ana.id } })
  await screen.next('crew-changed')
  expect(screen.ofType('crew-changed')).toHaveLength(4)
})

describe('a PIN', () => {
  it('is asked for when the name is chosen, and remembered in that browser for 12 hours', async () => {
    const restaurant = await app.restaurant()
    const maya = await add(restaurant, 'Maya')
    expect(await choose(restaurant.device, maya)).toMatchObject({ type: 'ack' })
    await change(restaurant.owner, maya, { pin: '4711' })
    expect(await choose(restaurant.device, maya)).toMatchObject({
      code: 'pin_required',
      message: 'Please enter your PIN',
    })
    expect(await choose(restaurant.device, maya, '4712')).toMatchObject({
      code: 'pin_required',
      message: 'Wrong PIN',
    })
    expect(await choose(restaurant.device, maya, '4711')).toMatchObject({ type: 'ack' })
    expect(await choose(restaurant.device, maya)).toMatchObject({ type: 'ack' })

    const other = app.browser()
    await other.ok(api.accounts.restaurantLogin, { body: { restaurantName: restaurant.name, password } })
    expect(await choose(other, maya)).toMatchObject({ code: 'pin_required' })
    app.advance(12 * hours - minutes)
    expect(await choose(restaurant.device, maya)).toMatchObject({ type: 'ack' })
    app.advance(minutes)
    expect(await choose(restaurant.device, maya)).toMatchObject({ code: 'pin_required' })
  })

  it('is asked for again after a change, and no longer after its removal', async () => {
    const restaurant = await app.restaurant()
    const maya = await add(restaurant, 'Maya')
    await change(restaurant.owner, maya, { pin: '4711' })
    await choose(restaurant.device, maya, '4711')
    await change(restaurant.owner, maya, { pin: '12345678' })
    expect(await choose(restaurant.device, maya)).toMatchObject({ code: 'pin_required' })
    expect(await choose(restaurant.device, maya, '4711')).toMatchObject({ code: 'pin_required' })
    await change(restaurant.owner, maya, { pin: null })
    expect(await choose(restaurant.device, maya)).toMatchObject({ type: 'ack' })
  })

  it('is asked for again where somebody who was removed is back', async () => {
    const restaurant = await app.restaurant()
    const { owner, device } = restaurant
    const maya = await add(restaurant, 'Maya')
    await change(owner, maya, { pin: '4711' })
    expect(await choose(device, maya, '4711')).toMatchObject({ type: 'ack' })
    await owner.ok(api.crew.remove, { params: { id: maya.id } })
    await owner.ok(api.crew.restore, { params: { id: maya.id }, body: {} })
    expect(await choose(device, maya)).toMatchObject({ code: 'pin_required' })
    expect(await choose(device, maya, '4711')).toMatchObject({ type: 'ack' })
  })

  it('may be entered wrong five times in 15 minutes, until the owner sets a new one', async () => {
    const restaurant = await app.restaurant()
    const maya = await add(restaurant, 'Maya')
    await change(restaurant.owner, maya, { pin: '4711' })
    const enterWrongPins = async () => {
      for (let tries = 0; tries < 5; tries++) {
        expect(await choose(restaurant.device, maya, '0000')).toMatchObject({ code: 'pin_required' })
      }
    }
    await enterWrongPins()
    expect(await choose(restaurant.device, maya, '4711')).toMatchObject({
      code: 'rate_limited',
      message: 'Too many attempts. Please try again in 15 minutes.',
    })
    app.advance(15 * minutes)
    expect(await choose(restaurant.device, maya, '4711')).toMatchObject({ type: 'ack' })
    app.advance(12 * hours)
    await enterWrongPins()
    expect(await choose(restaurant.device, maya, '4711')).toMatchObject({ code: 'rate_limited' })
    const owner = app.browser()
    await owner.ok(api.accounts.ownerLogin, { body: { username: restaurant.name, password } })
    await change(owner, maya, { pin: '1234' })
    expect(await choose(restaurant.device, maya, '1234')).toMatchObject({ type: 'ack' })
  })

  it('guessed in one browser does not lock out the others', async () => {
    const restaurant = await app.restaurant()
    const maya = await add(restaurant, 'Maya')
    await change(restaurant.owner, maya, { pin: '4711' })
    const signIn = async () => {
      const browser = app.browser()
      await browser.ok(api.accounts.restaurantLogin, { body: { restaurantName: restaurant.name, password } })
      return browser
    }
    const [known, other] = [await signIn(), await signIn()]
    expect(await choose(known, maya, '4711')).toMatchObject({ type: 'ack' })
    for (let tries = 0; tries < 10; tries++) {
      expect(await choose(restaurant.device, maya, '0000')).toMatchObject({ code: 'pin_required' })
      if (tries % 5 === 4) app.advance(15 * minutes)
    }
    expect(await choose(restaurant.device, maya, '4711')).toMatchObject({
      code: 'rate_limited',
      message: 'Too many attempts. Please try again in 24 hours.',
    })
    expect(await choose(other, maya, '4711')).toMatchObject({ type: 'ack' })
    // New sessions for every few guesses are stopped too, and still lock out nobody who got in before.
    for (let guesses = 0; guesses < 8; guesses++) {
      const guessing = await signIn()
      for (let tries = 0; tries < 5; tries++) await choose(guessing, maya, '0000')
    }
    expect(await choose(await signIn(), maya, '4711')).toMatchObject({ code: 'rate_limited' })
    app.advance(12 * hours)
    expect(await choose(known, maya)).toMatchObject({ code: 'pin_required' })
    expect(await choose(known, maya, '4711')).toMatchObject({ type: 'ack' })
  })

  it('has 4 to 8 digits and is kept as a hash', async () => {
    const restaurant = await app.restaurant()
    const maya = await add(restaurant, 'Maya')
    for (const pin of ['123', '123456789', '12a4', '१२३४', ' 1234', '']) {
      expect(await change(restaurant.owner, maya, { pin })).toMatchObject({
        status: 400,
        body: { message: 'A PIN has 4 to 8 digits' },
      })
    }
    await change(restaurant.owner, maya, { pin: '90210' })
    const stored = await app.ctx.db.reader
      .selectFrom('crewMember')
      .select('pinHash')
      .where('id', '=', maya.id)
      .executeTakeFirstOrThrow()
    expect(stored.pinHash).toMatch(/^\$argon2id\$/u)
  })

  it('is the only thing that crew may change, and only their own', async () => {
    const restaurant = await app.restaurant()
    const [maya, tom] = [await add(restaurant, 'Maya'), await add(restaurant, 'Tom')]
    const username = newUsername()
    await change(restaurant.owner, maya, { username, password })
    const crew = app.browser()
    await login(username, password, crew)
    expect((await change(crew, maya, { pin: '4711' })).status).toBe(200)
    expect(await choose(restaurant.device, maya)).toMatchObject({ code: 'pin_required' })
    // A crew login needs no PIN.
    expect(await choose(crew, maya)).toMatchObject({ type: 'ack' })
    for (const body of [
      { name: 'Boss' },
      { role: 'Host' as const },
      { password: 'other-password' },
      { username: null },
    ]) {
      expect(await change(crew, maya, body)).toMatchObject({ status: 403 })
    }
    expect((await change(crew, tom, { pin: '4711' })).status).toBe(403)
    expect(await choose(restaurant.device, tom)).toMatchObject({ type: 'ack' })
    expect((await change(restaurant.device, maya, { pin: null })).status).toBe(403)
  })
})

describe('a crew login', () => {
  it('is unique across restaurants, by any spelling', async () => {
    const [own, other] = [await app.restaurant(), await app.restaurant()]
    const [maya, tom] = [await add(own, 'Maya'), await add(other, 'Tom')]
    const username = newUsername()
    await change(own.owner, maya, { username: `  ${username} `, password })
    const unavailable = { status: 409, body: { code: 'conflict', message: 'This username is not available' } }
    expect(await change(other.owner, tom, { username, password })).toMatchObject(unavailable)
    expect(await change(other.owner, tom, { username: username.toUpperCase(), password })).toMatchObject(
      unavailable,
    )
    expect((await change(own.owner, maya, { username: username.toUpperCase() })).status).toBe(200)
    await own.owner.ok(api.crew.remove, { params: { id: maya.id } })
    expect((await login(username)).status).toBe(401)
    expect((await change(other.owner, tom, { username, password })).status).toBe(200)
    expect((await login(username)).body).toMatchObject({ crewMemberName: 'Tom', restaurantId: other.name })
  })

  it('goes to one of several who get it at the same moment', async () => {
    const restaurant = await app.restaurant()
    const username = newUsername()
    const members = [
      await add(restaurant, 'A'),
      await add(restaurant, 'B'),
      await add(restaurant, 'C'),
      await add(restaurant, 'D'),
    ]
    const answers = await Promise.all(
      members.map((member) => change(restaurant.owner, member, { username, password })),
    )
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['200', '409', '409', '409'])
  })

  it('has a username and a password, or neither', async () => {
    const restaurant = await app.restaurant()
    const maya = await add(restaurant, 'Maya')
    const username = newUsername()
    for (const [body, message] of [
      [{ username }, 'Please enter a password for this username'],
      [{ password }, 'Please enter a username'],
      [{ username: null, password }, 'Please enter a username'],
      [{ username: ' ', password }, 'Please enter a username'],
      [{ username, password: '12345' }, 'Password must be at least 6 characters'],
      [{ username, password: '123456' }, 'Please choose a password that is harder to guess'],
      [{ username, password: username.toUpperCase() }, 'Please choose a password that is harder to guess'],
      [{ username, password: restaurant.name }, 'Please choose a password that is harder to guess'],
    ] as const) {
      expect(await change(restaurant.owner, maya, body)).toMatchObject({ status: 400, body: { message } })
    }
    expect((await change(restaurant.owner, maya, {})).body).toEqual(maya)
    expect((await login(username)).status).toBe(401)
  })

  it.for([
    ['the password changes', { password: 'brand-new-password' }],
    ['it is renamed', { username: 'renamed' }],
    ['it is taken away', { username: null }],
  ] as const)('ends everywhere when %s', async ([, body]) => {
    const restaurant = await app.restaurant()
    const maya = await add(restaurant, 'Maya')
    const username = newUsername()
    await change(restaurant.owner, maya, { username, password })
    const crew = app.browser()
    await login(username, password, crew)
    const screen = await crew.connect()
    expect((await change(restaurant.owner, maya, { name: 'Maya L.', pin: '4711' })).status).toBe(200)
    expect((await crew.call(api.accounts.session, {})).status).toBe(200)

    expect((await change(restaurant.owner, maya, body)).status).toBe(200)
    expect(await screen.closed).toBe(4401)
    expect((await crew.call(api.accounts.session, {})).status).toBe(401)
    expect((await login(username)).status).toBe(401)
  })
})

describe('a crew member who leaves', () => {
  it('stays in the history, and loses the login and all later assignments', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const [maya, tom] = [await add(restaurant, 'Maya', 'Host'), await add(restaurant, 'Tom')]
    const username = newUsername()
    await change(restaurant.owner, maya, { username, password })
    const crew = app.browser()
    await login(username, password, crew)
    const screen = await crew.connect()
    const [table] = await restaurant.owner.ok(api.floor.tables, {})
    const tableId = table?.id ?? ''
    const dayAt = (at: number): string => localDay(at, 'UTC')
    const [yesterday, today, tomorrow] = [-24, 0, 24].map((offset) => dayAt(app.now() + offset * hours))
    for (const date of [yesterday ?? '', today ?? '', tomorrow ?? '']) {
      await restaurant.owner.ok(api.floor.assign, {
        body: { date, assignments: [{ tableId, crewMemberId: maya.id }] },
      })
      await restaurant.owner.ok(api.floor.assignHostStand, { body: { date, crewIds: [maya.id] } })
    }
    const message = { type: 'send-team-message', targetCrewId: tom.id, messageText: 'Bye' } as const
    await screen.request(message)
    const actingAs = await restaurant.device.connect()
    await actingAs.request({ type: 'set-crew-member-context', crewMemberId: maya.id })

    await restaurant.owner.ok(api.crew.remove, { params: { id: maya.id } })
    expect(await screen.closed).toBe(4401)
    expect((await crew.call(api.accounts.session, {})).status).toBe(401)
    expect((await login(username)).status).toBe(401)
    expect(await restaurant.owner.ok(api.crew.list, {})).toEqual([tom])
    const on = (date = '') => restaurant.owner.ok(api.floor.assignmentsByDate, { query: { date } })
    expect(await on(yesterday)).toHaveLength(2)
    expect(await on(today)).toEqual([])
    expect(await on(tomorrow)).toEqual([])
    expect(await actingAs.closed).toBe(1012)
    const afresh = await restaurant.device.connect()
    expect(await afresh.request(message)).toMatchObject({ code: 'forbidden' })
    const colleague = await restaurant.device.connect()
    await colleague.request({ type: 'set-crew-member-context', crewMemberId: tom.id })
    colleague.send({ type: 'get-team-messages' })
    expect((await colleague.next('team-messages-history')).messages).toMatchObject([
      { senderCrewName: 'Maya', messageText: 'Bye' },
    ])

    // The past day can be copied, but not the crew member who left.
    expect(
      await restaurant.owner.call(api.floor.copyToWeek, { body: { sourceDate: yesterday ?? '' } }),
    ).toMatchObject({
      status: 400,
    })
    expect(await on(today)).toEqual([])
    expect(await choose(restaurant.device, maya)).toMatchObject({ code: 'not_found' })
    for (const call of [
      restaurant.owner.call(api.crew.remove, { params: { id: maya.id } }),
      change(restaurant.owner, maya, { name: 'Back' }),
      restaurant.owner.call(api.floor.assign, {
        body: { date: tomorrow ?? '', assignments: [{ tableId, crewMemberId: maya.id }] },
      }),
    ]) {
      expect(await call).toMatchObject({ status: 404, body: { message: 'Crew member not found' } })
    }
  })
})
