import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { password, startTestApp, type TestApp, type TestBrowser } from '../../../../test/support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

type Place = { name: string; owner: TestBrowser; device: TestBrowser }

const setUp = (browser: TestBrowser, { name }: Place, username = 'boss') =>
  browser.call(api.managers.setup, { body: { restaurantName: name, username, password } })

const setCredentials = (browser: TestBrowser, username: string, word = password) =>
  browser.call(api.managers.setCredentials, { body: { username, password: word } })

async function login({ name }: Place, username: string, word = password): Promise<TestBrowser> {
  const browser = app.browser()
  await browser.ok(api.managers.login, { body: { restaurantName: name, username, password: word } })
  return browser
}

const grants = async (browser: TestBrowser): Promise<string[]> => {
  const { status, body } = await browser.call(api.accounts.session, {})
  return status === 200 ? body.grants.toSorted() : []
}

const hasCredentials = ({ owner, name }: Place) =>
  owner.ok(api.managers.check, { params: { restaurantName: name } })

const current = ({ owner }: Place) => owner.ok(api.managers.currentUser, {})

describe('the first manager', () => {
  it('is set up once, and signed in immediately', async () => {
    const place = await app.restaurant()
    expect(await hasCredentials(place)).toEqual({ hasCredentials: false })
    expect(await setUp(place.device, place)).toMatchObject({
      status: 201,
      body: { restaurantName: place.name },
    })
    expect(await grants(place.device)).toEqual(['device', 'manager'])
    expect(await hasCredentials(place)).toEqual({ hasCredentials: true })
    for (const browser of [place.device, place.owner]) {
      expect(await setUp(browser, place, 'second')).toMatchObject({
        status: 409,
        body: { message: 'Management credentials are set up already' },
      })
    }
    expect(await current(place)).toMatchObject({ managerUsername: 'boss' })
  })

  it('is set up once, even by simultaneous calls', async () => {
    const place = await app.restaurant()
    const browsers = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const browser = app.browser()
        browser.cookies.set('tsr', place.device.cookies.get('tsr') ?? '')
        return browser
      }),
    )
    const answers = await Promise.all(
      browsers.map((browser, index) => setUp(browser, place, `boss ${index}`)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    // The others are too late, or too many passwords are waiting to be hashed.
    expect(statuses.filter((status) => ![201, 401, 409, 503].includes(status))).toEqual([])
    const rows = await app.ctx.db.reader
      .selectFrom('manager')
      .innerJoin('restaurant', 'restaurant.id', 'manager.restaurantId')
      .select('username')
      .where('restaurant.name', '=', place.name)
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
    const [place, owned] = [await app.restaurant(), await app.restaurant()]
    await setUp(place.device, place)
    await setUp(owned.owner, owned)
    const noticesOf = async ({ owner }: Place) =>
      (await owner.ok(api.recovery.notices, {})).filter(({ kind }) => kind === 'manager-set-up-by-device')
    const [notice] = await noticesOf(place)
    expect(Math.abs(app.now() - (notice?.at ?? 0))).toBeLessThan(60_000)
    expect(await noticesOf(owned)).toEqual([])
    expect(Object.keys(await place.device.ok(api.managers.currentUser, {})).toSorted()).toEqual([
      'managerUsername',
      'restaurantName',
    ])
    await place.owner.ok(api.recovery.dismissNotice, { params: { id: notice?.id ?? '' } })
    expect(await noticesOf(place)).toEqual([])
  })

  it('needs every field, and a password that is hard to guess', async () => {
    const place = await app.restaurant()
    const fields = { restaurantName: place.name, username: 'boss', password }
    const missing = 'Please fill in all fields'
    for (const [given, message] of [
      [{ username: '  ' }, missing],
      [{ username: undefined }, missing],
      [{ password: '' }, missing],
      [{ password: '12345' }, 'Password must be at least 6 characters'],
      [{ password: 'qwerty123' }, 'Please choose a password that is harder to guess'],
      [{ password: place.name.toLowerCase() }, 'Please choose a password that is harder to guess'],
    ] as const) {
      const answer = await place.device.send('POST', '/api/setup-manager-credentials', {
        ...fields,
        ...given,
      })
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid', message } })
    }
    expect(await hasCredentials(place)).toEqual({ hasCredentials: false })
  })
})

describe('a manager', () => {
  it("signs in to the session's restaurant, or to a named one", async () => {
    const [place, other] = [await app.restaurant(), await app.restaurant()]
    await setCredentials(place.owner, 'Boss')
    await setCredentials(other.owner, 'boss', 'other-password')
    const body = { username: ' BOSS ', password }
    expect(await app.browser().call(api.managers.login, { body })).toMatchObject({
      status: 400,
      body: { message: 'Please sign in to your restaurant first' },
    })
    expect(await place.device.ok(api.managers.login, { body })).toEqual({ restaurantName: place.name })
    expect(await grants(place.device)).toEqual(['device', 'manager'])
    expect((await other.device.call(api.managers.login, { body })).status).toBe(401)
    const named = await other.device.call(api.managers.login, {
      body: { ...body, restaurantName: place.name },
    })
    expect(named.status).toBe(200)
    expect(await grants(other.device)).toEqual(['manager'])
    expect(await grants(await login(other, 'boss', 'other-password'))).toEqual(['manager'])
  })

  it('has five attempts, whatever name of the restaurant is used', async () => {
    const place = await app.restaurant()
    await setCredentials(place.owner, 'boss')
    const wrong = { username: 'boss', password: 'wrong-password' }
    const tries = [
      wrong,
      { ...wrong, restaurantName: place.name },
      { ...wrong, restaurantName: place.name.toUpperCase() },
      wrong,
      { ...wrong, username: 'BOSS' },
    ]
    for (const body of tries) expect((await place.device.call(api.managers.login, { body })).status).toBe(401)
    for (const restaurantName of [undefined, place.name]) {
      const body = { username: 'boss', password, ...(restaurantName && { restaurantName }) }
      expect((await place.device.call(api.managers.login, { body })).status).toBe(429)
    }
    app.advance(15 * minuteMs)
    expect(
      (await place.device.call(api.managers.login, { body: { username: 'boss', password } })).status,
    ).toBe(200)
  })

  it('is added to the others; the one set last is the current one', async () => {
    const place = await app.restaurant()
    await setCredentials(place.owner, 'first')
    app.advance(1)
    const first = await login(place, 'first')
    expect((await setCredentials(first, 'second')).status).toBe(204)
    expect(await current(place)).toMatchObject({ managerUsername: 'second' })
    expect(await grants(await login(place, 'second'))).toEqual(['manager'])
    expect(await grants(first)).toEqual(['manager'])
    app.advance(1)
    await setCredentials(place.owner, 'FIRST', 'another-password')
    expect(await current(place)).toMatchObject({ managerUsername: 'first' })
    const rows = await app.ctx.db.reader
      .selectFrom('manager')
      .innerJoin('restaurant', 'restaurant.id', 'manager.restaurantId')
      .select('username')
      .where('restaurant.name', '=', place.name)
      .orderBy('username')
      .execute()
    expect(rows).toEqual([{ username: 'first' }, { username: 'second' }])
  })

  it('loses other sessions and their sockets when the password changes', async () => {
    const place = await app.restaurant()
    await setCredentials(place.owner, 'boss')
    await setCredentials(place.owner, 'colleague')
    const [own, stolen, colleague] = [
      await login(place, 'boss'),
      await login(place, 'boss'),
      await login(place, 'colleague'),
    ]
    await stolen.ok(api.accounts.restaurantLogin, { body: { restaurantName: place.name, password } })
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
        body: { restaurantName: place.name, username: 'boss', password: word },
      })
    expect((await again(password)).status).toBe(401)
    expect((await again('brand-new-password')).status).toBe(200)
  })

  it('sets credentials only within a quarter of an hour of signing in', async () => {
    const place = await app.restaurant()
    await setCredentials(place.owner, 'boss')
    const manager = await login(place, 'boss')
    app.advance(14 * minuteMs)
    expect((await setCredentials(manager, 'second')).status).toBe(204)
    app.advance(minuteMs + 1)
    expect(await setCredentials(manager, 'third')).toMatchObject({
      status: 403,
      body: { code: 'recent_sign_in_required' },
    })
    await manager.ok(api.managers.login, { body: { username: 'boss', password } })
    expect((await setCredentials(manager, 'third')).status).toBe(204)
    expect(await setCredentials(place.owner, 'fourth')).toMatchObject({
      status: 403,
      body: { code: 'recent_sign_in_required' },
    })
    await place.owner.ok(api.accounts.confirmIdentity, { body: { password } })
    expect((await setCredentials(place.owner, 'fourth')).status).toBe(204)
  })

  it('is added only under an unused name, and changed only if it exists', async () => {
    const place = await app.restaurant()
    const meaning = (meant: 'new' | 'existing', username: string, word: string) =>
      place.owner.call(api.managers.setCredentials, { body: { username, password: word, meant } })
    expect((await meaning('new', 'sam', 'lantern-at-dawn')).status).toBe(204)
    expect(await meaning('new', 'SAM', 'taken-over-42')).toMatchObject({
      status: 409,
      body: { code: 'conflict', message: 'This manager already exists' },
    })
    expect(await grants(await login(place, 'sam', 'lantern-at-dawn'))).toEqual(['manager'])
    expect(await meaning('existing', 'nobody', password)).toMatchObject({
      status: 404,
      body: { message: 'Manager not found' },
    })
    expect((await meaning('existing', 'Sam', 'lantern-at-dusk')).status).toBe(204)
    expect(await grants(await login(place, 'sam', 'lantern-at-dusk'))).toEqual(['manager'])
  })

  it('can be removed by the owner, which ends the login and its sockets', async () => {
    const place = await app.restaurant()
    await setCredentials(place.owner, 'boss')
    app.advance(1)
    await setCredentials(place.owner, 'intruder')
    const [boss, intruder] = [await login(place, 'boss'), await login(place, 'intruder')]
    const socket = await intruder.connect()
    const { managers = [] } = await current(place)
    expect(managers.map(({ username }) => username)).toEqual(['intruder', 'boss'])
    const gone = { params: { id: managers[0]?.id ?? '' } }
    expect((await place.owner.call(api.managers.remove, gone)).status).toBe(204)
    expect(await socket.closed).toBe(4401)
    expect([await grants(intruder), await grants(boss)]).toEqual([[], ['manager']])
    expect(await current(place)).toMatchObject({ managerUsername: 'boss' })
    expect((await place.owner.call(api.managers.remove, gone)).status).toBe(404)
    await place.owner.ok(api.managers.remove, { params: { id: managers[1]?.id ?? '' } })
    expect(await hasCredentials(place)).toEqual({ hasCredentials: true })
    await place.device.ok(api.accounts.restaurantLogin, { body: { restaurantName: place.name, password } })
    expect((await setUp(place.device, place)).status).toBe(409)
  })

  it('can be signed out everywhere by the owner, and may sign in again', async () => {
    const place = await app.restaurant()
    await setCredentials(place.owner, 'boss')
    const [here, there] = [await login(place, 'boss'), await login(place, 'boss')]
    const socket = await there.connect()
    const { managers = [] } = await current(place)
    await place.owner.ok(api.managers.signOut, { params: { id: managers[0]?.id ?? '' } })
    expect(await socket.closed).toBe(4401)
    expect([await grants(here), await grants(there)]).toEqual([[], []])
    expect(await grants(await login(place, 'boss'))).toEqual(['manager'])
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
