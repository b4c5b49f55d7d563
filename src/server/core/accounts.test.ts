import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { RestaurantSignup } from '#contract/accounts.ts'
import { password, startTestApp, type TestApp, type TestBrowser } from '../../../test/app.ts'
import * as owners from '../storage/owners.ts'
import { anonymous, type GrantKind } from './actor.ts'
import { write } from './context.ts'
import { unauthenticated } from './errors.ts'
import { lifetimes, signIn } from './sessions.ts'
import { throttled } from './throttle.ts'

const minutes = 60_000
const hours = 60 * minutes
const days = 24 * hours

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ trustProxy: ['loopback'] })
})
afterAll(() => app.stop())

let addresses = 0
/** Tries are counted by address, so those of one test are made where no other test makes any. */
const elsewhere = (): string => `10.0.${Math.floor(++addresses / 250)}.${addresses % 250}`

async function post(browser: TestBrowser, path: string, body: object, address = elsewhere()) {
  const response = await browser.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}

const signUp = (given: Partial<RestaurantSignup>, browser = app.browser()) =>
  post(browser, '/api/restaurant-signup', {
    restaurantName: 'Somewhere',
    email: 'a@b.example',
    password,
    ...given,
  })

let count = 0
const newName = (): string => `Test Kitchen ${++count}`

const grants = async (browser: TestBrowser): Promise<string[]> => {
  const { status, body } = await browser.call(api.accounts.session, {})
  return status === 200 ? body.grants.toSorted() : []
}

const taken = { code: 'conflict', message: 'This restaurant name is not available' }

describe('signing up', () => {
  it('makes the restaurant with its host stand, and the browser its owner and device', async () => {
    const owner = app.browser()
    const answer = await signUp({ restaurantName: '  Café   Été ', email: ' me@example.com ' }, owner)
    expect(answer).toMatchObject({ status: 201, body: { restaurantName: 'Café Été' } })
    expect(await owner.ok(api.accounts.session, {})).toEqual({
      restaurantName: 'Café Été',
      grants: expect.arrayContaining(['owner', 'device']),
      crewMember: null,
    })
    expect(await owner.ok(api.accounts.currentUser, {})).toEqual({
      restaurantName: 'Café Été',
      email: 'me@example.com',
      subscriptionStatus: 'inactive',
    })
    expect(await owner.ok(api.floor.hostStand, {})).toMatchObject({ tableNumber: 'Host Stand' })
    expect(await owner.ok(api.floor.tables, {})).toEqual([])
  })

  it('takes a name once, however it is spelled', async () => {
    const restaurantName = 'Fish & Chips 1'
    expect((await signUp({ restaurantName })).status).toBe(201)
    for (const spelling of [
      restaurantName,
      'FISH & CHIPS 1',
      ' fish  &\tchips 1 ',
      'ﬁsh & chips 1',
      'Ｆｉｓｈ ＆ Ｃｈｉｐｓ １',
      'Fish\u00a0&\u3000Chips ①',
      '𝐅𝐢𝐬𝐡 & 𝐂𝐡𝐢𝐩𝐬 𝟏',
    ]) {
      expect(await signUp({ restaurantName: spelling })).toMatchObject({ status: 409, body: taken })
      const device = app.browser()
      expect(
        await device.call(api.accounts.restaurantLogin, { body: { restaurantName: spelling, password } }),
      ).toMatchObject({ status: 200, body: { restaurantName } })
    }
  })

  it('gives a name to one of those who ask for it at the same moment', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => signUp({ restaurantName: 'Wanted By Many' })),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(9)
  })

  it.for(['default', 'Default', ' ｄｅｆａｕｌｔ ', 'me', 'ADMIN', 'api', 'demo'])(
    'keeps the name "%s"',
    async (name) => {
      expect(await signUp({ restaurantName: name })).toMatchObject({ status: 409, body: taken })
    },
  )

  it.for(['Harb\u043eur', 'Ηarbour', 'Сафе Cafe'])('refuses %s, which mixes alphabets', async (name) => {
    expect(await signUp({ restaurantName: name })).toMatchObject({ status: 409, body: taken })
  })

  it.for([
    ['a bidirectional mark', 'Harbour\u202e'],
    ['a zero-width space', 'Har\u200bbour'],
    ['a joiner', 'Har\u200dbour'],
    ['a soft hyphen', 'Har\u00adbour'],
    ['a control character', 'Har\u0007bour'],
    ['NUL', 'Har\u0000bour'],
    ['half a character', 'Harbour \ud83c'],
    ['an invisible mark', 'Harbour\u034f'],
    ['a variation selector', 'Harbour\ufe0f'],
    ['a filler', 'Harbour\u3164'],
  ])('refuses a name with %s', async ([, restaurantName = '']) => {
    expect(await signUp({ restaurantName })).toMatchObject({
      status: 400,
      body: { code: 'invalid', message: 'Please use only visible characters' },
    })
  })

  it.for(['東京食堂', 'Ресторан', 'مطعم', '❤️ Diner 🍕', "L'Été d'Or", 'Ελιά'])(
    'takes the name %s',
    async (name) => {
      expect(await signUp({ restaurantName: name })).toMatchObject({
        status: 201,
        body: { restaurantName: name },
      })
    },
  )

  it('says what is wrong', async () => {
    const guess = 'Please choose a password that is harder to guess'
    const wrong: [Partial<RestaurantSignup>, string][] = [
      [{ restaurantName: '   ' }, 'Please enter your restaurant name'],
      [{ restaurantName: 'x'.repeat(81) }, 'Please use at most 80 characters'],
      [{ email: 'nobody' }, 'Please enter a valid email'],
      [{ email: '' }, 'Please enter your email'],
      [{ password: '12345' }, 'Password must be at least 6 characters'],
      [{ password: 'x'.repeat(257) }, 'Please use at most 256 characters'],
      [{ password: '123456' }, guess],
      [{ password: 'PassWord' }, guess],
      [{ password: 'sunshine' }, guess],
      [{ restaurantName: 'Old Mill', password: 'old  mill' }, guess],
      [{ email: 'chef@old-mill.example', password: 'Chef@old-mill.example' }, guess],
    ]
    for (const [given, message] of wrong) {
      expect(await signUp({ restaurantName: newName(), ...given })).toMatchObject({
        status: 400,
        body: { code: 'invalid', message },
      })
    }
  })

  it('takes any other password as it is', async () => {
    for (const odd of [' tail ', 'x'.repeat(256), 'pässwörd…', '🔑🔑🔑', '\u0000\u0001\u0002abc']) {
      const restaurantName = newName()
      expect((await signUp({ restaurantName, password: odd })).status).toBe(201)
      const login = (password: string) =>
        app.browser().call(api.accounts.restaurantLogin, { body: { restaurantName, password } })
      expect((await login(odd)).status).toBe(200)
      expect((await login(`${odd} `)).status).toBeGreaterThanOrEqual(400)
    }
  })

  it('never tells whether an e-mail address is known', async () => {
    const given = { email: 'twice@example.com' }
    expect((await signUp({ ...given, restaurantName: newName() })).status).toBe(201)
    expect((await signUp({ ...given, restaurantName: newName() })).status).toBe(201)
  })
})

describe('signing in', () => {
  it('makes a browser a device of the restaurant, and nothing more', async () => {
    const { name } = await app.restaurant()
    const device = app.browser()
    const body = { restaurantName: ` ${name.toUpperCase()} `, password }
    expect(await device.ok(api.accounts.restaurantLogin, { body })).toEqual({ restaurantName: name })
    expect(await grants(device)).toEqual(['device'])
    expect((await device.call(api.accounts.currentUser, {})).status).toBe(401)
  })

  it("knows the owner by the restaurant's name and by the e-mail address", async () => {
    const restaurantName = newName()
    await signUp({ restaurantName, email: 'Known@Example.com' })
    for (const username of [restaurantName, restaurantName.toLowerCase(), ' known@example.com ']) {
      const owner = app.browser()
      expect(await owner.ok(api.accounts.ownerLogin, { body: { username, password } })).toEqual({
        restaurantName,
      })
      expect(await grants(owner)).toEqual(['owner'])
    }
  })

  it('finds the restaurant whose password it is, where one address has several', async () => {
    const [first, second] = [newName(), newName()]
    await signUp({ restaurantName: first, email: 'both@example.com', password: 'first-password' })
    await signUp({ restaurantName: second, email: 'both@example.com', password: 'second-password' })
    const login = (password: string) =>
      app.browser().ok(api.accounts.ownerLogin, { body: { username: 'both@example.com', password } })
    expect(await login('second-password')).toEqual({ restaurantName: second })
    expect(await login('first-password')).toEqual({ restaurantName: first })
  })

  it('tells a crew member who they are', async () => {
    const { name, owner } = await app.restaurant()
    const { id } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Host' } })
    const username = `Maya.${id}`
    await owner.ok(api.crew.change, { params: { id }, body: { username, password } })
    const crew = app.browser()
    const body = { username: username.toUpperCase(), password }
    expect(await crew.ok(api.accounts.crewLogin, { body })).toEqual({
      restaurantId: name,
      crewMemberId: id,
      crewMemberName: 'Maya',
      role: 'Host',
    })
    expect(await crew.ok(api.accounts.session, {})).toEqual({
      restaurantName: name,
      grants: ['crew'],
      crewMember: { id, name: 'Maya', role: 'Host' },
    })
  })

  it('gives a new session id every time, and the old one is dead', async () => {
    const { name, owner } = await app.restaurant()
    await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
    const browser = app.browser()
    const stolen: string[] = []
    const login = async (path: string, body: object) => {
      await browser.send('POST', path, { ...body, password })
      expect(stolen).not.toContain(browser.cookies.get('tsr'))
      stolen.push(browser.cookies.get('tsr') ?? '')
    }
    await login('/api/restaurant-login', { restaurantName: name })
    await login('/api/restaurant-login', { restaurantName: name })
    await login('/api/demo-login', { username: name })
    await login('/api/management-login', { username: 'boss' })
    expect(await grants(browser)).toEqual(['device', 'manager', 'owner'])
    for (const [index, cookie] of stolen.entries()) {
      const thief = app.browser()
      thief.cookies.set('tsr', cookie)
      expect((await thief.call(api.accounts.session, {})).status).toBe(index === 3 ? 200 : 401)
    }
  })

  it('keeps no cookie of anybody in the database', async () => {
    const { device } = await app.restaurant()
    const cookie = device.cookies.get('tsr') ?? ''
    expect(cookie).toMatch(/^[\w-]{32}$/u)
    const rows = await app.ctx.db.reader.selectFrom('session').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(cookie)
  })

  it('drops every other grant when it is for another restaurant', async () => {
    const [here, there] = [await app.restaurant(), await app.restaurant()]
    await here.owner.ok(api.accounts.restaurantLogin, { body: { restaurantName: there.name, password } })
    expect(await here.owner.ok(api.accounts.session, {})).toMatchObject({
      restaurantName: there.name,
      grants: ['device'],
    })
    expect((await here.owner.call(api.accounts.currentUser, {})).status).toBe(401)
  })

  it('goes on after the browser was signed out at the same moment', async () => {
    const { name, device } = await app.restaurant()
    const body = { restaurantName: name, password }
    await Promise.all([
      ...Array.from({ length: 5 }, () => device.send('POST', '/api/restaurant-login', body)),
      device.fetch('/api/logout'),
    ])
    const answer = await device.call(api.accounts.restaurantLogin, { body })
    expect(answer.status).toBe(200)
    expect(await grants(device)).toEqual(['device'])
  })
})

describe('a wrong password', () => {
  const logins: [string, (name: string, password: string) => object][] = [
    ['/api/restaurant-login', (restaurantName, password) => ({ restaurantName, password })],
    ['/api/demo-login', (username, password) => ({ username, password })],
    ['/api/waiter-login', (username, password) => ({ username, password })],
    ['/api/management-login', (username, password) => ({ restaurantName: 'Mill', username, password })],
  ]

  it.for(logins)('at %s is answered as an unknown account is', async ([path, body]) => {
    const { owner } = await app.restaurant({ name: `Mill ${path}` })
    const { id } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Host' } })
    await owner.ok(api.crew.change, { params: { id }, body: { username: `Mill ${path}`, password } })
    const known = await post(app.browser(), path, body(`Mill ${path}`, 'not-the-password'))
    const unknown = await post(app.browser(), path, body('Nobody Here', 'not-the-password'))
    expect(known).toMatchObject({
      status: 401,
      body: { code: 'unauthenticated', message: 'Invalid credentials' },
    })
    expect({ status: unknown.status, body: unknown.body }).toEqual({ status: known.status, body: known.body })
    expect([...unknown.headers.keys()]).toEqual([...known.headers.keys()])
    expect(known.headers.getSetCookie()).toEqual([])
  })

  it('may be typed five times in a quarter of an hour', async () => {
    const { name } = await app.restaurant()
    const address = elsewhere()
    const login = (word: string, from = address) =>
      post(app.browser(), '/api/restaurant-login', { restaurantName: name, password: word }, from)
    for (let tries = 0; tries < 4; tries++) expect((await login('wrong-password')).status).toBe(401)
    expect((await login(password)).status).toBe(200)
    for (let tries = 0; tries < 5; tries++) expect((await login('wrong-password')).status).toBe(401)

    const refused = await login('wrong-password')
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'rate_limited', message: 'Too many attempts. Please try again in 15 minutes.' },
    })
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(14 * 60)
    expect(wait).toBeLessThanOrEqual(15 * 60)
    expect((await login(password)).status).toBe(429)
    expect((await login(password, elsewhere())).status).toBe(200)
    app.advance(15 * minutes)
    expect((await login(password)).status).toBe(200)
  })

  it('is no better tried many at a time', async () => {
    const hash = await app.ctx.passwords.hash(password)
    const browser = anonymous(elsewhere())
    const attempt = (word: string) =>
      throttled(app.ctx, browser, 'one account', async () => {
        if (!(await app.ctx.passwords.verify(hash, word))) throw unauthenticated('Invalid credentials')
      })
    const words = [...Array.from({ length: 15 }, () => 'wrong-password'), password]
    const outcomes = await Promise.allSettled(words.map(attempt))
    const codes = outcomes.map((outcome) =>
      outcome.status === 'rejected' ? outcome.reason.code : 'signed in',
    )
    expect(codes.filter((code) => code === 'unauthenticated')).toHaveLength(5)
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(11)
  })

  it('is counted for the address over all accounts', async () => {
    const { name } = await app.restaurant()
    const address = elsewhere()
    const login = (restaurantName: string, word: string) =>
      post(app.browser(), '/api/restaurant-login', { restaurantName, password: word }, address)
    for (let tries = 0; tries < 100; tries++) {
      expect((await login(`No Such Place ${tries}`, 'wrong-password')).status).toBe(401)
    }
    expect((await login(name, password)).status).toBe(429)
    app.advance(hours)
    expect((await login(name, password)).status).toBe(200)
  })

  it('typed by strangers everywhere locks out no browser that is signed in', async () => {
    const { name, device } = await app.restaurant()
    const body = { restaurantName: name, password: 'wrong-password' }
    for (let tries = 0; tries < 50; tries++) {
      expect((await post(app.browser(), '/api/restaurant-login', body)).status).toBe(401)
    }
    const right = { restaurantName: name, password }
    expect((await post(app.browser(), '/api/restaurant-login', right)).status).toBe(429)
    expect((await post(device, '/api/restaurant-login', right)).status).toBe(200)
    app.advance(days)
    expect((await post(app.browser(), '/api/restaurant-login', right)).status).toBe(200)
  })
})

/** A browser with this one grant. */
async function holding(kind: GrantKind): Promise<TestBrowser> {
  const { name, owner, device } = await app.restaurant()
  const browser = app.browser()
  if (kind === 'device') return device
  if (kind === 'owner') await browser.ok(api.accounts.ownerLogin, { body: { username: name, password } })
  if (kind === 'manager') {
    await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
    await browser.ok(api.managers.login, { body: { restaurantName: name, username: 'boss', password } })
  }
  if (kind === 'crew') {
    const { id } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    await owner.ok(api.crew.change, { params: { id }, body: { username: id, password } })
    await browser.ok(api.accounts.crewLogin, { body: { username: id, password } })
  }
  return browser
}

describe.for([
  ['device', 7 * days, 30 * days],
  ['crew', 12 * hours, 16 * hours],
  ['manager', 2 * hours, 12 * hours],
  ['owner', 2 * hours, 12 * hours],
] as const)('the %s login', ([kind, idle, absolute]) => {
  it('ends when it is not used', async () => {
    expect(lifetimes[kind]).toEqual({ idle, absolute })
    const [used, unused] = [await holding(kind), await holding(kind)]
    app.advance(idle - 2 * minutes)
    expect(await grants(used)).toEqual([kind])
    app.advance(2 * minutes)
    expect(await grants(used)).toEqual([kind])
    expect(await grants(unused)).toEqual([])
  })

  it('ends after its longest time, however much it is used', async () => {
    const browser = await holding(kind)
    const step = Math.min(idle, absolute) / 2
    let left = absolute - 2 * minutes
    while (left > 0) {
      app.advance(Math.min(step, left))
      left -= step
      expect(await grants(browser)).toEqual([kind])
    }
    app.advance(2 * minutes)
    expect(await grants(browser)).toEqual([])
  })
})

describe('a login', () => {
  it('is kept alive only by what it is needed for', async () => {
    const { owner, name } = await app.restaurant()
    for (let quarters = 0; quarters < 9; quarters++) {
      app.advance(15 * minutes)
      await owner.ok(api.crew.byRestaurant, { query: { restaurantId: name } })
      await owner.ok(api.requests.mine, { query: { restaurantId: name, tableNumber: '7' } })
    }
    expect(await grants(owner)).toEqual(['device'])
  })

  it('is not kept alive by being a guest', async () => {
    const { device, name } = await app.restaurant()
    for (let halfDays = 0; halfDays < 15; halfDays++) {
      app.advance(12 * hours)
      await device.ok(api.requests.mine, { query: { restaurantId: name, tableNumber: String(halfDays) } })
    }
    expect(await grants(device)).toEqual([])
  })

  it('that ran out closes its socket at the next message', async () => {
    const owner = await holding('owner')
    const socket = await owner.connect()
    app.advance(2 * hours)
    socket.send({ type: 'get-pending-requests' })
    expect(await socket.closed).toBe(4401)
    expect(socket.of('pending-requests')).toEqual([])
  })
})

describe('signing out', () => {
  it('ends the session and its sockets, and no other', async () => {
    const { name, device } = await app.restaurant()
    const other = app.browser()
    await other.ok(api.accounts.restaurantLogin, { body: { restaurantName: name, password } })
    const [closing, staying] = [await device.connect(), await other.connect()]
    const cookie = device.cookieHeader
    const answer = await device.fetch('/api/logout?returnTo=/restaurant-login')
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe('/restaurant-login')
    expect(await closing.closed).toBe(4401)
    expect(device.cookies.has('tsr')).toBe(false)
    const thief = app.browser()
    expect((await thief.fetch('/api/session', { headers: { cookie } })).status).toBe(401)
    expect(await staying.request({ type: 'ping' })).toMatchObject({ type: 'ack' })
    expect(await grants(other)).toEqual(['device'])
  })

  it('is not done by a page of somebody else', async () => {
    const { device } = await app.restaurant()
    const answer = await device.fetch('/api/logout', { headers: { 'sec-fetch-site': 'cross-site' } })
    expect(await answer.text()).toContain('Sign out?')
    expect(await grants(device)).toEqual(['device'])
  })

  it.for(['/api/logout', '/api/login'])('at %s leads nowhere but here', async (path) => {
    for (const away of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '/.//evil.example',
      '/x/..//evil.example',
      '/%2e//evil.example',
      'javascript:alert(1)',
      '/\r\nset-cookie: a=b',
    ]) {
      const answer = await app.browser().fetch(`${path}?returnTo=${encodeURIComponent(away)}`)
      expect(answer.status).toBe(302)
      const to = new URL(decodeURIComponent(answer.headers.get('location') ?? ''), app.url)
      expect({ away, origin: to.origin }).toEqual({ away, origin: app.url })
      expect(to.href).not.toContain('//evil')
    }
  })
})

describe('an owner without a restaurant', () => {
  async function newOwner(): Promise<TestBrowser> {
    const browser = app.browser()
    const id = app.ctx.newId()
    const cookie = await write(app.ctx, async (db) => {
      await owners.insert(db, {
        id,
        restaurantId: null,
        email: 'new@example.com',
        passwordHash: null,
        oidcIssuer: 'https://issuer.example',
        oidcSubject: id,
        createdAt: app.now(),
      })
      return signIn(app.ctx, db, anonymous(), null, [{ kind: 'owner', subjectId: id }])
    })
    browser.cookies.set('tsr', cookie)
    return browser
  }

  it('names it once, and goes on in the same session', async () => {
    const [owner, restaurantName] = [await newOwner(), newName()]
    expect(await owner.ok(api.accounts.currentUser, {})).toMatchObject({ restaurantName: null })
    expect(await owner.call(api.floor.tables, {})).toMatchObject({
      status: 409,
      body: { message: 'Please set up your restaurant first' },
    })
    expect(
      await owner.call(api.accounts.setupRestaurant, { body: { restaurantName: 'demo' } }),
    ).toMatchObject({
      status: 409,
      body: taken,
    })
    const answers = await Promise.all(
      [restaurantName, newName()].map((name) =>
        owner.call(api.accounts.setupRestaurant, { body: { restaurantName: name } }),
      ),
    )
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['200', '409'])
    expect(await owner.ok(api.floor.hostStand, {})).toMatchObject({ category: 'host stand' })
    expect(
      await owner.call(api.accounts.setupRestaurant, { body: { restaurantName: newName() } }),
    ).toMatchObject({
      status: 409,
      body: { message: 'Your restaurant is set up already' },
    })
  })

  it('is known by no password', async () => {
    await newOwner()
    const body = { username: 'new@example.com', password: 'anything' }
    expect((await post(app.browser(), '/api/demo-login', body)).status).toBe(401)
  })
})

describe('a cookie', () => {
  const attributes = (headers: Headers) =>
    headers.getSetCookie().map((cookie) => cookie.replace(/=[\w-]{32};/u, '=…;'))

  it('is out of reach of scripts and of other sites', async () => {
    const { name } = await app.restaurant()
    const login = await app
      .browser()
      .call(api.accounts.restaurantLogin, { body: { restaurantName: name, password } })
    expect(attributes(login.headers)).toEqual(['tsr=…; Path=/; HttpOnly; SameSite=Lax'])
    const guest = await app.browser().fetch(`/customer?r=${encodeURIComponent(name)}`)
    expect(attributes(guest.headers)).toEqual(['tsr_g=…; Max-Age=14400; Path=/; HttpOnly; SameSite=Lax'])
  })

  it('is of this host and of https only where the installation is', async () => {
    const secure = await startTestApp({ publicUrl: 'https://tables.example.com' })
    try {
      const browser = secure.browser()
      const body = { restaurantName: 'Secure Place', email: 'a@example.com', password }
      const login = await browser.call(api.accounts.signUp, { body })
      expect(attributes(login.headers)).toEqual(['__Host-tsr=…; Path=/; HttpOnly; Secure; SameSite=Lax'])
      expect(login.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
      const guest = await browser.fetch('/customer')
      expect(attributes(guest.headers)).toEqual([
        '__Host-tsr_g=…; Max-Age=14400; Path=/; HttpOnly; Secure; SameSite=Lax',
      ])
      expect(await browser.ok(api.accounts.session, {})).toMatchObject({ restaurantName: 'Secure Place' })
    } finally {
      await secure.stop()
    }
  })
})
