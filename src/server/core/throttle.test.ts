import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, startTestApp, type TestApp } from '../../../test/app.ts'
import { elsewhere, post } from '../../../test/logins.ts'
import { anonymous } from './actor.ts'
import { unauthenticated } from './errors.ts'
import { throttled } from './throttle.ts'

const minutes = 60_000
const hours = 60 * minutes
const days = 24 * hours

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ trustProxy: ['loopback'] })
})
afterAll(() => app.stop())

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
