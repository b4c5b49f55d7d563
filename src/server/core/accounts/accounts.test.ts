import { describe, expect, it } from 'vitest'
import type { RestaurantSignup } from '#contract/accounts/account-forms.ts'
import { api } from '#contract/api.ts'
import { password, setUpApp } from '../../../../test/support/app.ts'
import { currentGrants, postFrom, signInNewOwner } from '../../../../test/support/restaurants/logins.ts'

const app = setUpApp({ trustProxy: ['loopback'] })

const signUp = (given: Partial<RestaurantSignup>, browser = app.browser()) =>
  postFrom(browser, '/api/restaurant-signup', {
    restaurantName: 'Somewhere',
    email: 'a@b.example',
    password,
    ...given,
  })

let count = 0
const newName = (): string => `Test Kitchen ${++count}`

const taken = { code: 'conflict', message: 'This restaurant name is not available' }

describe('signing up', () => {
  it('creates the restaurant with its host stand, and signs the browser in as owner and device', async () => {
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

  it('accepts a name once, in whatever spelling', async () => {
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
      const told = { code: 'conflict', message: `There is a restaurant called ${restaurantName} already` }
      expect(await signUp({ restaurantName: spelling })).toMatchObject({
        status: 409,
        body: spelling === restaurantName ? taken : told,
      })
      const device = app.browser()
      expect(
        await device.call(api.accounts.restaurantLogin, { body: { restaurantName: spelling, password } }),
      ).toMatchObject({ status: 200, body: { restaurantName } })
    }
  })

  it('gives a name to one of several simultaneous sign-ups', async () => {
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

  it.for(['東京食堂', 'Ресторан', 'مطعم', '❤️ Diner 🍕', "L'Été d'Or", 'Ελιά', '🌶'.repeat(80)])(
    'takes the name %s',
    async (name) => {
      expect(await signUp({ restaurantName: name })).toMatchObject({
        status: 201,
        body: { restaurantName: name },
      })
    },
  )

  it('explains what is wrong', async () => {
    const guess = 'Please choose a password that is harder to guess'
    const invalid: [Partial<RestaurantSignup>, string][] = [
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
      [{ restaurantName: 'Old Mill', password: 'OldMill2026!' }, guess],
      [{ restaurantName: 'Bar 2468 - 1357', password: 'bar 2468 - 1357' }, guess],
      [{ email: 'a.1.2.3.4.5@old-mill.example', password: 'A.1.2.3.4.5@old-mill.example' }, guess],
      [{ email: 'chef.anna@old-mill.example', password: 'chef.anna.1' }, guess],
      [{ password: 'tableside-1' }, guess],
      [{ password: 'sokrates' }, guess],
    ]
    for (const [given, message] of invalid) {
      expect(await signUp({ restaurantName: newName(), ...given })).toMatchObject({
        status: 400,
        body: { code: 'invalid', message },
      })
    }
  })

  it('accepts any other password unchanged', async () => {
    for (const odd of [' tail ', 'x'.repeat(256), 'pässwörd…', '🔑🔑🔑', '\u0000\u0001\u0002abc']) {
      const restaurantName = newName()
      expect((await signUp({ restaurantName, password: odd })).status).toBe(201)
      const login = (password: string) =>
        app.browser().call(api.accounts.restaurantLogin, { body: { restaurantName, password } })
      expect((await login(odd)).status).toBe(200)
      expect((await login(`${odd} `)).status).toBeGreaterThanOrEqual(400)
    }
  })

  it('does not reveal whether an e-mail address is known', async () => {
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
    expect(await currentGrants(device)).toEqual(['device'])
    expect((await device.call(api.accounts.currentUser, {})).status).toBe(401)
  })

  it("finds the owner by the restaurant's name and by the e-mail address", async () => {
    const restaurantName = newName()
    await signUp({ restaurantName, email: 'Known@Example.com' })
    for (const username of [restaurantName, restaurantName.toLowerCase(), ' known@example.com ']) {
      const owner = app.browser()
      expect(await owner.ok(api.accounts.ownerLogin, { body: { username, password } })).toEqual({
        restaurantName,
      })
      expect(await currentGrants(owner)).toEqual(['owner'])
    }
  })

  it('finds the restaurant that the password belongs to, where one address owns several', async () => {
    const [first, second] = [newName(), newName()]
    await signUp({ restaurantName: first, email: 'both@example.com', password: 'first-password' })
    await signUp({ restaurantName: second, email: 'both@example.com', password: 'second-password' })
    const login = (password: string) =>
      app.browser().ok(api.accounts.ownerLogin, { body: { username: 'both@example.com', password } })
    expect(await login('second-password')).toEqual({ restaurantName: second })
    expect(await login('first-password')).toEqual({ restaurantName: first })
  })

  it('asks which restaurant is meant, where the password is right for several of one address', async () => {
    const names = [newName(), newName()] as const
    for (const restaurantName of names) await signUp({ restaurantName, email: 'twins@example.com' })
    await signUp({ restaurantName: newName(), email: 'twins@example.com', password: 'another-password' })
    const login = (given: { username?: string; restaurantName?: string; password?: string } = {}) =>
      app
        .browser()
        .call(api.accounts.ownerLogin, { body: { username: 'twins@example.com', password, ...given } })
    expect(await login()).toMatchObject({
      status: 401,
      body: { code: 'restaurant_required', message: 'Please choose your restaurant', restaurants: names },
    })
    for (const restaurantName of names)
      expect(await login({ restaurantName: restaurantName.toUpperCase() })).toMatchObject({
        status: 200,
        body: { restaurantName },
      })
    expect(await login({ username: names[1] })).toMatchObject({ body: { restaurantName: names[1] } })
    const wrong = { status: 401, body: { code: 'unauthenticated', message: 'Invalid credentials' } }
    expect(await login({ restaurantName: names[0], password: 'another-password' })).toMatchObject(wrong)
    const foreign = newName()
    await signUp({ restaurantName: foreign })
    expect(await login({ restaurantName: foreign })).toMatchObject(wrong)
    expect(await login({ restaurantName: 'Nowhere' })).toMatchObject(wrong)
    const owner = app.browser()
    await owner.ok(api.accounts.ownerLogin, { body: { username: names[0], password } })
    await owner.ok(api.restaurant.remove, { body: { restaurantName: names[0] } })
    // Its owner may restore it.
    expect(await login({ restaurantName: names[0] })).toMatchObject({
      status: 200,
      body: { restaurantName: names[0] },
    })
  })

  it('returns the crew member who signed in', async () => {
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

  it('issues a new cookie every time, and invalidates the old one', async () => {
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
    expect(await currentGrants(browser)).toEqual(['device', 'manager', 'owner'])
    for (const [index, cookie] of stolen.entries()) {
      const thief = app.browser()
      thief.cookies.set('tsr', cookie)
      expect((await thief.call(api.accounts.session, {})).status).toBe(index === 3 ? 200 : 401)
    }
  })

  it('stores no cookie in the database', async () => {
    const { device } = await app.restaurant()
    const cookie = device.cookies.get('tsr') ?? ''
    expect(cookie).toMatch(/^[\w-]{32}$/u)
    const rows = await app.ctx.db.reader.selectFrom('session').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(cookie)
  })

  it('drops all other grants when it is for another restaurant', async () => {
    const [restaurant, other] = [await app.restaurant(), await app.restaurant()]
    await restaurant.owner.ok(api.accounts.restaurantLogin, {
      body: { restaurantName: other.name, password },
    })
    expect(await restaurant.owner.ok(api.accounts.session, {})).toMatchObject({
      restaurantName: other.name,
      grants: ['device'],
    })
    expect((await restaurant.owner.call(api.accounts.currentUser, {})).status).toBe(401)
  })

  it('succeeds even if the browser is signed out at the same moment', async () => {
    const { name, device } = await app.restaurant()
    const body = { restaurantName: name, password }
    await Promise.all([
      ...Array.from({ length: 5 }, () => device.send('POST', '/api/restaurant-login', body)),
      device.fetch('/api/logout'),
    ])
    const answer = await device.call(api.accounts.restaurantLogin, { body })
    expect(answer.status).toBe(200)
    expect(await currentGrants(device)).toEqual(['device'])
  })
})

describe('an owner without a restaurant', () => {
  it('sets one up once, in the same session', async () => {
    const [owner, restaurantName] = [await signInNewOwner(app), newName()]
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

  it('cannot sign in with a password', async () => {
    await signInNewOwner(app)
    const body = { username: 'new@example.com', password: 'anything' }
    expect((await postFrom(app.browser(), '/api/demo-login', body)).status).toBe(401)
  })
})
