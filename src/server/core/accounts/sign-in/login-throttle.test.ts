import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs, hourMs, minuteMs } from '#contract/durations.ts'
import { password, setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { uniqueAddress, postFrom } from '../../../../../test/support/restaurants/logins.ts'
import { anonymousActor } from '../../actor.ts'
import { unauthenticated } from '../../errors.ts'
import { withThrottle } from './login-throttle.ts'

const app = setUpApp({ trustProxy: ['loopback'] })

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
    const known = await postFrom(app.browser(), path, body(`Mill ${path}`, 'not-the-password'))
    const unknown = await postFrom(app.browser(), path, body('Nobody Here', 'not-the-password'))
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
    const address = uniqueAddress()
    const login = (word: string, from = address) =>
      postFrom(app.browser(), '/api/restaurant-login', { restaurantName: name, password: word }, from)
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
    expect((await login(password, uniqueAddress())).status).toBe(200)
    app.advance(15 * minuteMs)
    expect((await login(password)).status).toBe(200)
  })

  it('gets no more attempts by trying many at once', async () => {
    const browser = anonymousActor(uniqueAddress())
    const hash = await app.ctx.passwords.hash(password, { of: browser.address })
    const attempt = (word: string, begun: () => void) =>
      withThrottle(app.ctx, browser, { key: 'one account', secret: hash }, async (turn) => {
        begun()
        if (!(await app.ctx.passwords.verify(hash, word, turn))) throw unauthenticated('Invalid credentials')
      })
    const attempts: Promise<void>[] = []
    for (const word of [...Array.from({ length: 15 }, () => 'wrong-password'), password]) {
      const { promise: begun, resolve } = Promise.withResolvers<void>()
      const running = attempt(word, resolve)
      attempts.push(running)
      // Otherwise the right one might be among the first five.
      await Promise.race([begun, running.catch(() => undefined)])
    }
    const outcomes = await Promise.allSettled(attempts)
    const codes = outcomes.map((outcome) =>
      outcome.status === 'rejected' ? outcome.reason.code : 'signed in',
    )
    expect(codes.filter((code) => code === 'unauthenticated')).toHaveLength(5)
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(11)
  })

  it('counts for the address across all accounts', async () => {
    const { name } = await app.restaurant()
    const address = uniqueAddress()
    const login = (restaurantName: string, word: string) =>
      postFrom(app.browser(), '/api/restaurant-login', { restaurantName, password: word }, address)
    for (let tries = 0; tries < 100; tries++) {
      expect((await login(`No Such Place ${tries}`, 'wrong-password')).status).toBe(401)
    }
    expect((await login(name, password)).status).toBe(429)
    app.advance(hourMs)
    expect((await login(name, password)).status).toBe(200)
  })
})

describe('guesses from everywhere', () => {
  const wrongPassword = 'wrong-password'

  /** Strangers use up the count that browsers unknown to this account share. */
  async function guess(username: string): Promise<void> {
    for (let tries = 0; tries < 50; tries++) {
      expect(
        (await postFrom(app.browser(), '/api/demo-login', { username, password: wrongPassword })).status,
      ).toBe(401)
    }
  }

  it('lock out all browsers except those that signed in before, even if they signed out', async () => {
    const { name, owner, device } = await app.restaurant()
    const stranger = app.browser()
    const other = await app.restaurant()
    await guess(name)
    const at = (browser: TestBrowser, from?: string) =>
      postFrom(browser, '/api/restaurant-login', { restaurantName: name, password }, from)

    expect((await at(stranger)).status).toBe(429)
    // Somebody who is signed in elsewhere is a stranger here.
    expect((await at(other.device)).status).toBe(429)
    expect((await at(other.owner)).status).toBe(429)
    await device.fetch('/api/logout')
    expect((await at(device)).status).toBe(200)
    expect((await at(owner)).status).toBe(200)
    app.advance(dayMs)
    expect((await at(stranger)).status).toBe(200)
  })

  it('from the restaurant’s own address do not lock out its devices', async () => {
    const { name, device } = await app.restaurant()
    const address = uniqueAddress()
    for (let tries = 0; tries < 100; tries++) {
      const body = { restaurantName: `No Such Place ${tries}`, password: wrongPassword }
      await postFrom(app.browser(), '/api/restaurant-login', body, address)
    }
    const right = { restaurantName: name, password }
    expect((await postFrom(app.browser(), '/api/restaurant-login', right, address)).status).toBe(429)
    expect((await postFrom(device, '/api/restaurant-login', right, address)).status).toBe(200)
  })

  it('count for one account, whichever form and name they use', async () => {
    const { name: first, owner } = await app.restaurant()
    const name = `New ${first}`
    const email = `${first.replaceAll(' ', '.')}@example.com`
    await owner.ok(api.restaurant.change, { body: { restaurantName: name } })
    await app.ctx.db.transact((db) =>
      db
        .updateTable('owner')
        .set({ email, emailKey: email.toLowerCase() })
        .where('restaurantId', 'in', (e) => e.selectFrom('restaurant').select('id').where('name', '=', name))
        .execute(),
    )
    const address = uniqueAddress()
    const doors: [string, object][] = [
      ['/api/restaurant-login', { restaurantName: name }],
      ['/api/restaurant-login', { restaurantName: first.toUpperCase() }],
      ['/api/demo-login', { username: `  ${name}` }],
      ['/api/demo-login', { username: first }],
      ['/api/demo-login', { username: email }],
    ]
    for (const [path, called] of doors) {
      expect(
        (await postFrom(app.browser(), path, { ...called, password: wrongPassword }, address)).status,
      ).toBe(401)
    }
    for (const [path, called] of doors) {
      expect((await postFrom(app.browser(), path, { ...called, password }, address)).status).toBe(429)
    }
  })

  it('at the owner’s open screen count like those at the login', async () => {
    const { name, owner } = await app.restaurant()
    const address = uniqueAddress()
    const change = { currentPassword: wrongPassword, password: 'another-lantern-43' }
    for (let tries = 0; tries < 5; tries++) {
      expect((await postFrom(owner, '/api/restaurant-password', change, address)).status).toBe(400)
    }
    expect((await postFrom(owner, '/api/demo-login', { username: name, password }, address)).status).toBe(429)
    expect(
      (await postFrom(app.browser(), '/api/demo-login', { username: name, password }, address)).status,
    ).toBe(200)
  })

  it('in a browser that signed in before count for that browser only', async () => {
    const { name, owner, device } = await app.restaurant()
    const body = (word: string) => ({ restaurantName: name, password: word })
    for (let tries = 0; tries < 5; tries++) {
      expect((await postFrom(device, '/api/restaurant-login', body(wrongPassword))).status).toBe(401)
    }
    expect(await postFrom(device, '/api/restaurant-login', body(password))).toMatchObject({
      status: 429,
      body: { message: 'Too many attempts. Please try again in 15 minutes.' },
    })
    expect((await postFrom(owner, '/api/restaurant-login', body(password))).status).toBe(200)
    expect((await postFrom(app.browser(), '/api/restaurant-login', body(password))).status).toBe(200)
    app.advance(15 * minuteMs)
    expect((await postFrom(device, '/api/restaurant-login', body(password))).status).toBe(200)
  })

  it('at the owner’s password are not reset by the staff password', async () => {
    const { name, owner, device } = await app.restaurant()
    const staffPassword = 'brass-ladle-7'
    await owner.ok(api.staffPassword.set, { body: { password: staffPassword } })
    const guess = () => postFrom(device, '/api/demo-login', { username: name, password: wrongPassword })
    for (let tries = 0; tries < 4; tries++) expect((await guess()).status).toBe(401)
    const staff = { restaurantName: name, password: staffPassword }
    expect((await postFrom(device, '/api/restaurant-login', staff)).status).toBe(200)
    expect((await guess()).status).toBe(401)
    expect((await guess()).status).toBe(429)
  })

  it('lock out a browser that only knew a former password', async () => {
    const { name, owner, device } = await app.restaurant()
    const changed = 'another-lantern-43'
    await owner.ok(api.accounts.setPassword, { body: { password: changed, currentPassword: password } })
    await guess(name)
    const right = { username: name, password: changed }
    expect((await postFrom(device, '/api/demo-login', right)).status).toBe(429)
    expect((await postFrom(owner, '/api/demo-login', right)).status).toBe(200)
  })

  it('at one restaurant of an e-mail address do not lock the others', async () => {
    const [first, second] = [await app.restaurant(), await app.restaurant()]
    const email = `both${first.name.replaceAll(' ', '')}@example.com`
    const change = 'second-lantern-44'
    await second.owner.ok(api.accounts.setPassword, { body: { password: change, currentPassword: password } })
    await app.ctx.db.transact((db) =>
      db
        .updateTable('owner')
        .set({ email, emailKey: email.toLowerCase() })
        .where('restaurantId', 'in', (e) =>
          e.selectFrom('restaurant').select('id').where('name', 'in', [first.name, second.name]),
        )
        .execute(),
    )
    await guess(first.name)
    const login = (word: string) =>
      postFrom(app.browser(), '/api/demo-login', { username: email, password: word })
    expect((await login(change)).status).toBe(200)
    expect((await login(password)).status).toBe(429)
  })
})

it('a browser’s proof of its accounts is a long-lived cookie that does not reveal them', async () => {
  const { name, device } = await app.restaurant()
  const answer = await postFrom(device, '/api/restaurant-login', { restaurantName: name, password })
  const [cookie = ''] = answer.headers.getSetCookie().filter((header) => header.startsWith('tsr_d='))
  expect(cookie).toMatch(/^tsr_d=[\w-]{38}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/u)
  const before = device.cookies.get('tsr_d')
  for (let accounts = 0; accounts < 8; accounts++) {
    const other = await app.restaurant()
    await device.ok(api.accounts.restaurantLogin, { body: { restaurantName: other.name, password } })
  }
  const proofs = device.cookies.get('tsr_d')?.split('.')
  expect(proofs).toHaveLength(8)
  expect(proofs).not.toContain(before)
  device.cookies.set('tsr_d', `${'x'.repeat(38)}.,;${'.'.repeat(500)}`)
  expect((await postFrom(device, '/api/restaurant-login', { restaurantName: name, password })).status).toBe(
    200,
  )
})

describe('restaurant names', () => {
  const signUp = (restaurantName: string, from: string) => {
    const body = { restaurantName, email: 'a@example.com', password, timeZone: 'UTC' }
    return postFrom(app.browser(), '/api/restaurant-signup', body, from)
  }

  it('can be taken by signing up 10 times an hour from one address, not in bulk', async () => {
    await app.forgetNewNames()
    const address = uniqueAddress()
    for (let taken = 0; taken < 10; taken++)
      expect((await signUp(`Squat ${taken}`, address)).status).toBe(201)
    expect(await signUp('Squat 10', address)).toMatchObject({
      status: 429,
      body: { message: 'Many restaurant names were registered from here. Please try again in 60 minutes.' },
    })
    // A name that is taken costs nothing, and still gets an answer.
    expect((await signUp('Squat 1', address)).status).toBe(409)
    expect((await signUp('Squat 10', uniqueAddress())).status).toBe(201)
  })

  it('cannot be taken faster by renaming', async () => {
    await app.forgetNewNames()
    const address = uniqueAddress()
    const [first, second] = [await app.restaurant(), await app.restaurant()]
    const rename = async ({ owner }: typeof first, restaurantName: string) => {
      const response = await owner.fetch('/api/restaurant', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: JSON.stringify({ restaurantName }),
      })
      return response.status
    }
    for (let names = 0; names < 5; names++) expect(await rename(first, `Alias ${names}`)).toBe(200)
    for (let names = 5; names < 10; names++) expect(await rename(second, `Alias ${names}`)).toBe(200)
    expect(await rename(second, 'Alias 10')).toBe(429)
    expect(await rename(second, 'Alias 7')).toBe(200)
  })
})
