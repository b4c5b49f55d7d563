import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { password, setUpApp, type TestBrowser } from '../../../../test/support/app.ts'
import type { Restaurant } from '../../../../test/support/restaurants/busy-restaurant.ts'

const app = setUpApp()

const setUp = (browser: TestBrowser, { name }: Restaurant, username = 'boss') =>
  browser.call(api.managers.setup, { body: { restaurantName: name, username, password } })

const setCredentials = (browser: TestBrowser, username: string, word = password) =>
  browser.call(api.managers.setCredentials, { body: { username, password: word } })

async function login({ name }: Restaurant, username: string, word = password): Promise<TestBrowser> {
  const browser = app.browser()
  await browser.ok(api.managers.login, { body: { restaurantName: name, username, password: word } })
  return browser
}

const grants = async (browser: TestBrowser): Promise<string[]> => {
  const { status, body } = await browser.call(api.accounts.session, {})
  return status === 200 ? body.grants.toSorted() : []
}

const hasCredentials = ({ owner, name }: Restaurant) =>
  owner.ok(api.managers.check, { params: { restaurantName: name } })

const current = ({ owner }: Restaurant) => owner.ok(api.managers.currentUser, {})

describe('the first manager', () => {
  it('is set up once, and signed in immediately', async () => {
    const restaurant = await app.restaurant()
    expect(await hasCredentials(restaurant)).toEqual({ hasCredentials: false })
    expect(await setUp(restaurant.device, restaurant)).toMatchObject({
      status: 201,
      body: { restaurantName: restaurant.name },
    })
    expect(await grants(restaurant.device)).toEqual(['device', 'manager'])
    expect(await hasCredentials(restaurant)).toEqual({ hasCredentials: true })
    for (const browser of [restaurant.device, restaurant.owner]) {
      expect(await setUp(browser, restaurant, 'second')).toMatchObject({
        status: 409,
        body: { message: 'Management credentials are set up already' },
      })
    }
    expect(await current(restaurant)).toMatchObject({ managerUsername: 'boss' })
  })

  it('is set up once, even by simultaneous calls', async () => {
    const restaurant = await app.restaurant()
    const browsers = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const browser = app.browser()
        browser.cookies.set('tsr', restaurant.device.cookies.get('tsr') ?? '')
        return browser
      }),
    )
    const answers = await Promise.all(
      browsers.map((browser, index) => setUp(browser, restaurant, `boss ${index}`)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    // The others are too late, or too many passwords are waiting to be hashed.
    expect(statuses.filter((status) => ![201, 401, 409, 503].includes(status))).toEqual([])
    const rows = await app.ctx.db.reader
      .selectFrom('manager')
      .innerJoin('restaurant', 'restaurant.id', 'manager.restaurantId')
      .select('username')
      .where('restaurant.name', '=', restaurant.name)
      .execute()
    expect(rows).toEqual([{ username: `boss ${statuses.indexOf(201)}` }])
  })

  it('is set up only within a quarter of an hour of signing in', async () => {
    const [late, owned] = [await app.restaurant(), await app.restaurant()]
    app.advance(15 * minuteMs + 1)
    for (const browser of [late.device, late.owner]) {
      expect(await setUp(browser, late)).toMatchObject({
        status: 403,
        body: { code: 'recent_sign_in_required' },
      })
    }
    expect(await hasCredentials(late)).toEqual({ hasCredentials: false })
    await late.device.ok(api.accounts.restaurantLogin, { body: { restaurantName: late.name, password } })
    app.advance(14 * minuteMs)
    expect((await setUp(late.device, late)).status).toBe(201)
    await owned.owner.ok(api.accounts.confirmIdentity, { body: { password } })
    expect((await setUp(owned.owner, owned)).status).toBe(201)
  })

  it('is announced to the owner if a device set it up, until the notice is dismissed', async () => {
    const [restaurant, owned] = [await app.restaurant(), await app.restaurant()]
    await setUp(restaurant.device, restaurant)
    await setUp(owned.owner, owned)
    const noticesOf = async ({ owner }: Restaurant) =>
      (await owner.ok(api.recovery.notices, {})).filter(({ kind }) => kind === 'manager-set-up-by-device')
    const [notice] = await noticesOf(restaurant)
    expect(Math.abs(app.now() - (notice?.at ?? 0))).toBeLessThan(60_000)
    expect(await noticesOf(owned)).toEqual([])
    expect(Object.keys(await restaurant.device.ok(api.managers.currentUser, {})).toSorted()).toEqual([
      'hasQrCode',
      'managerUsername',
      'restaurantName',
    ])
    await restaurant.owner.ok(api.recovery.dismissNotice, { params: { id: notice?.id ?? '' } })
    expect(await noticesOf(restaurant)).toEqual([])
  })

  it('needs every field, and a password that is hard to guess', async () => {
    const restaurant = await app.restaurant()
    const fields = { restaurantName: restaurant.name, username: 'boss', password }
    const missing = 'Please fill in all fields'
    for (const [given, message] of [
      [{ username: '  ' }, missing],
      [{ username: undefined }, missing],
      [{ password: '' }, missing],
      [{ password: '12345' }, 'Password must be at least 6 characters'],
      [{ password: 'qwerty123' }, 'Please choose a password that is harder to guess'],
      [{ password: restaurant.name.toLowerCase() }, 'Please choose a password that is harder to guess'],
    ] as const) {
      const answer = await restaurant.device.send('POST', '/api/setup-manager-credentials', {
        ...fields,
        ...given,
      })
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid', message } })
    }
    expect(await hasCredentials(restaurant)).toEqual({ hasCredentials: false })
  })
})

describe('a manager', () => {
  it("signs in to the session's restaurant, or to a named one", async () => {
    const [restaurant, other] = [await app.restaurant(), await app.restaurant()]
    await setCredentials(restaurant.owner, 'Boss')
    await setCredentials(other.owner, 'boss', 'other-password')
    const body = { username: ' BOSS ', password }
    expect(await app.browser().call(api.managers.login, { body })).toMatchObject({
      status: 400,
      body: { message: 'Please sign in to your restaurant first' },
    })
    expect(await restaurant.device.ok(api.managers.login, { body })).toEqual({
      restaurantName: restaurant.name,
    })
    expect(await grants(restaurant.device)).toEqual(['device', 'manager'])
    expect((await other.device.call(api.managers.login, { body })).status).toBe(401)
    const named = await other.device.call(api.managers.login, {
      body: { ...body, restaurantName: restaurant.name },
    })
    expect(named.status).toBe(200)
    expect(await grants(other.device)).toEqual(['manager'])
    expect(await grants(await login(other, 'boss', 'other-password'))).toEqual(['manager'])
  })

  it('has five attempts, whatever name of the restaurant is used', async () => {
    const restaurant = await app.restaurant()
    await setCredentials(restaurant.owner, 'boss')
    const wrongLogin = { username: 'boss', password: 'wrong-password' }
    const tries = [
      wrongLogin,
      { ...wrongLogin, restaurantName: restaurant.name },
      { ...wrongLogin, restaurantName: restaurant.name.toUpperCase() },
      wrongLogin,
      { ...wrongLogin, username: 'BOSS' },
    ]
    for (const body of tries)
      expect((await restaurant.device.call(api.managers.login, { body })).status).toBe(401)
    for (const restaurantName of [undefined, restaurant.name]) {
      const body = { username: 'boss', password, ...(restaurantName && { restaurantName }) }
      expect((await restaurant.device.call(api.managers.login, { body })).status).toBe(429)
    }
    app.advance(15 * minuteMs)
    expect(
      (await restaurant.device.call(api.managers.login, { body: { username: 'boss', password } })).status,
    ).toBe(200)
  })

  it('is added to the others; the one set last is the current one', async () => {
    const restaurant = await app.restaurant()
    await setCredentials(restaurant.owner, 'first')
    app.advance(1)
    const first = await login(restaurant, 'first')
    expect((await setCredentials(first, 'second')).status).toBe(204)
    expect(await current(restaurant)).toMatchObject({ managerUsername: 'second' })
    expect(await grants(await login(restaurant, 'second'))).toEqual(['manager'])
    expect(await first.ok(api.accounts.session, {})).toMatchObject({
      grants: ['manager'],
      manager: { username: 'first' },
    })
    app.advance(1)
    await setCredentials(restaurant.owner, 'FIRST', 'another-password')
    expect(await current(restaurant)).toMatchObject({ managerUsername: 'first' })
    const rows = await app.ctx.db.reader
      .selectFrom('manager')
      .innerJoin('restaurant', 'restaurant.id', 'manager.restaurantId')
      .select('username')
      .where('restaurant.name', '=', restaurant.name)
      .orderBy('username')
      .execute()
    expect(rows).toEqual([{ username: 'first' }, { username: 'second' }])
  })

  it('loses other sessions and their sockets when the password changes', async () => {
    const restaurant = await app.restaurant()
    await setCredentials(restaurant.owner, 'boss')
    await setCredentials(restaurant.owner, 'colleague')
    const [own, stolen, colleague] = [
      await login(restaurant, 'boss'),
      await login(restaurant, 'boss'),
      await login(restaurant, 'colleague'),
    ]
    await stolen.ok(api.accounts.restaurantLogin, { body: { restaurantName: restaurant.name, password } })
    const sockets = await Promise.all([own, stolen, colleague].map((browser) => browser.connect()))
    expect((await setCredentials(own, 'boss', 'brand-new-password')).status).toBe(204)
    expect(await sockets[1]?.closed).toBe(4401)
    expect(await grants(own)).toEqual(['manager'])
    expect(await grants(stolen)).toEqual(['device'])
    expect(await grants(colleague)).toEqual(['manager'])
    for (const socket of [sockets[0], sockets[2]]) {
      expect(await socket?.request({ type: 'get-pending-requests' })).toMatchObject({ type: 'ack' })
    }
    const again = (word: string) =>
      app.browser().call(api.managers.login, {
        body: { restaurantName: restaurant.name, username: 'boss', password: word },
      })
    expect((await again(password)).status).toBe(401)
    expect((await again('brand-new-password')).status).toBe(200)
  })

  it('sets credentials only within a quarter of an hour of signing in', async () => {
    const restaurant = await app.restaurant()
    await setCredentials(restaurant.owner, 'boss')
    const manager = await login(restaurant, 'boss')
    app.advance(14 * minuteMs)
    expect((await setCredentials(manager, 'second')).status).toBe(204)
    app.advance(minuteMs + 1)
    expect(await setCredentials(manager, 'third')).toMatchObject({
      status: 403,
      body: { code: 'recent_sign_in_required' },
    })
    await manager.ok(api.managers.login, { body: { username: 'boss', password } })
    expect((await setCredentials(manager, 'third')).status).toBe(204)
    expect(await setCredentials(restaurant.owner, 'fourth')).toMatchObject({
      status: 403,
      body: { code: 'recent_sign_in_required' },
    })
    await restaurant.owner.ok(api.accounts.confirmIdentity, { body: { password } })
    expect((await setCredentials(restaurant.owner, 'fourth')).status).toBe(204)
  })

  it('is added only under an unused name, and changed only if it exists', async () => {
    const restaurant = await app.restaurant()
    const meaning = (meant: 'new' | 'existing', username: string, word: string) =>
      restaurant.owner.call(api.managers.setCredentials, { body: { username, password: word, meant } })
    expect((await meaning('new', 'sam', 'lantern-at-dawn')).status).toBe(204)
    expect(await meaning('new', 'sam', 'taken-over-42')).toMatchObject({
      status: 409,
      body: { message: 'This manager already exists' },
    })
    expect(await meaning('new', 'SAM', 'taken-over-42')).toMatchObject({
      status: 409,
      body: { code: 'conflict', message: 'There is a manager called sam already' },
    })
    expect(await grants(await login(restaurant, 'sam', 'lantern-at-dawn'))).toEqual(['manager'])
    expect(await meaning('existing', 'nobody', password)).toMatchObject({
      status: 404,
      body: { message: 'Manager not found' },
    })
    expect((await meaning('existing', 'Sam', 'lantern-at-dusk')).status).toBe(204)
    expect(await grants(await login(restaurant, 'sam', 'lantern-at-dusk'))).toEqual(['manager'])
  })

  it('can be removed by the owner, which ends the login and its sockets', async () => {
    const restaurant = await app.restaurant()
    await setCredentials(restaurant.owner, 'boss')
    app.advance(1)
    await setCredentials(restaurant.owner, 'intruder')
    const [manager, intruder] = [await login(restaurant, 'boss'), await login(restaurant, 'intruder')]
    const socket = await intruder.connect()
    const { managers = [] } = await current(restaurant)
    expect(managers.map(({ username }) => username)).toEqual(['intruder', 'boss'])
    const gone = { params: { id: managers[0]?.id ?? '' } }
    expect((await restaurant.owner.call(api.managers.remove, gone)).status).toBe(204)
    expect(await socket.closed).toBe(4401)
    expect([await grants(intruder), await grants(manager)]).toEqual([[], ['manager']])
    expect(await current(restaurant)).toMatchObject({ managerUsername: 'boss' })
    expect((await restaurant.owner.call(api.managers.remove, gone)).status).toBe(404)
    await restaurant.owner.ok(api.managers.remove, { params: { id: managers[1]?.id ?? '' } })
    expect(await hasCredentials(restaurant)).toEqual({ hasCredentials: true })
    await restaurant.device.ok(api.accounts.restaurantLogin, {
      body: { restaurantName: restaurant.name, password },
    })
    expect((await setUp(restaurant.device, restaurant)).status).toBe(409)
  })

  it('can be signed out everywhere by the owner, and may sign in again', async () => {
    const restaurant = await app.restaurant()
    await setCredentials(restaurant.owner, 'boss')
    const [first, second] = [await login(restaurant, 'boss'), await login(restaurant, 'boss')]
    const socket = await second.connect()
    const { managers = [] } = await current(restaurant)
    await restaurant.owner.ok(api.managers.signOut, { params: { id: managers[0]?.id ?? '' } })
    expect(await socket.closed).toBe(4401)
    expect([await grants(first), await grants(second)]).toEqual([[], []])
    expect(await grants(await login(restaurant, 'boss'))).toEqual(['manager'])
  })

  it('needs a username and a password', async () => {
    const { owner } = await app.restaurant()
    const both = 'Please fill in both username and password'
    for (const [body, message] of [
      [{ username: '', password }, both],
      [{ username: 'boss', password: '' }, both],
      [{ password }, both],
      [{ username: 'boss' }, both],
      [{ username: 'boss', password: '12345' }, 'Password must be at least 6 characters'],
      [
        { username: 'bossy-boss', password: 'Bossy-Boss' },
        'Please choose a password that is harder to guess',
      ],
    ] as const) {
      expect(await owner.send('POST', '/api/admin/manager-credentials', body)).toMatchObject({
        status: 400,
        body: { message },
      })
    }
  })
})
