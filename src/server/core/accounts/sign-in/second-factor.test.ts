import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { password, setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { currentCode } from '../../../../../test/support/restaurants/authenticator.ts'
import { write } from '../../transaction.ts'
import { requireSecondFactorVerified } from './second-factor.ts'

const app = setUpApp()

const step = 30_000

const { secondFactors } = api

/** Turns an authenticator app on, and returns a generator of its codes. */
async function turnOn(browser: TestBrowser): Promise<() => string> {
  const { secret } = await browser.ok(secondFactors.beginAuthenticator, {})
  const code = () => currentCode(secret, app.now())
  await browser.ok(secondFactors.turnAuthenticatorOn, { body: { code: code() } })
  app.advance(step)
  return code
}

const ownerLogin = (name: string, code?: string, browser = app.browser()) =>
  browser.call(api.accounts.ownerLogin, { body: { username: name, password, ...(code && { code }) } })

const needed = {
  status: 401,
  body: { code: 'second_factor_required', message: 'Please enter the code from your authenticator app' },
}
const wrong = { status: 401, body: { code: 'unauthenticated' } }

describe('an authenticator app', () => {
  it('is required from the next sign-in on, once a code has confirmed it', async () => {
    const { name, owner } = await app.restaurant()
    const { secret, svg } = await owner.ok(secondFactors.beginAuthenticator, {})
    expect(secret).toMatch(/^[A-Z2-7]{32}$/u)
    expect(svg).toMatch(/^<svg /u)
    expect((await ownerLogin(name)).status).toBe(200)
    expect(await owner.call(secondFactors.turnAuthenticatorOn, { body: { code: '12' } })).toMatchObject({
      status: 400,
    })
    await owner.ok(secondFactors.turnAuthenticatorOn, { body: { code: currentCode(secret, app.now()) } })
    expect(await owner.ok(secondFactors.authenticator, {})).toMatchObject({ since: expect.any(Number) })

    app.advance(step)
    const browser = app.browser()
    expect(await ownerLogin(name, undefined, browser)).toMatchObject(needed)
    expect(browser.cookies.has('tsr')).toBe(false)
    expect(await ownerLogin(name, currentCode(secret, app.now() - 3 * step))).toMatchObject(wrong)
    expect((await ownerLogin(name, currentCode(secret, app.now()), browser)).status).toBe(200)
    expect((await browser.call(api.accounts.currentUser, {})).status).toBe(200)
    expect(await owner.call(secondFactors.beginAuthenticator, {})).toMatchObject({ status: 409 })
    expect(app.lines.join('')).not.toContain(secret)
  })

  it('is accepted once per code, however many use it at the same moment', async () => {
    const { name, owner } = await app.restaurant()
    const code = await turnOn(owner)
    const now = code()
    const answers = await Promise.all([1, 2, 3, 4].map(() => ownerLogin(name, now)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401])
    expect(await ownerLogin(name, now)).toMatchObject(wrong)
    app.advance(step)
    expect((await ownerLogin(name, code())).status).toBe(200)
  })

  it('cannot be guessed with the password, nor be locked for a browser that signed in before', async () => {
    const { name, owner } = await app.restaurant()
    const code = await turnOn(owner)
    const own = app.browser()
    expect((await ownerLogin(name, code(), own)).status).toBe(200)
    app.advance(step)
    for (let tries = 0; tries < 5; tries++) expect(await ownerLogin(name, 'guess')).toMatchObject(wrong)
    for (const tried of ['guess', code()]) expect((await ownerLogin(name, tried)).status).toBe(429)
    expect((await ownerLogin(name, code(), own)).status).toBe(200)
    app.advance(15 * minuteMs + 1)
    expect((await ownerLogin(name, code())).status).toBe(200)
  })

  it('is turned off by a code, shortly after signing in', async () => {
    const { name, owner } = await app.restaurant()
    const code = await turnOn(owner)
    const off = (tried: string) => owner.call(secondFactors.turnAuthenticatorOff, { body: { code: tried } })
    expect(await off('guess')).toMatchObject({ status: 400 })
    app.advance(16 * minuteMs)
    expect(await off(code())).toMatchObject({ status: 403, body: { code: 'recent_sign_in_required' } })
    await owner.ok(api.accounts.confirmIdentity, { body: { password } })
    expect((await off(code())).status).toBe(204)
    expect((await ownerLogin(name)).status).toBe(200)
    expect(await owner.ok(api.audit.list, {})).toMatchObject({
      entries: [{ action: 'authenticator.turnOff' }, { action: 'authenticator.turnOn' }],
    })
  })

  it('can be replaced by recovery codes, each of them once', async () => {
    const { name, owner } = await app.restaurant()
    await turnOn(owner)
    const { codes } = await owner.ok(api.recovery.renewCodes, {})
    const [first = '', second = ''] = codes
    expect((await ownerLogin(name, first.toLowerCase())).status).toBe(200)
    expect(await ownerLogin(name, first)).toMatchObject(wrong)
    const off = { body: { code: second } }
    expect((await owner.call(secondFactors.turnAuthenticatorOff, off)).status).toBe(204)
    expect((await ownerLogin(name)).status).toBe(200)
  })

  it('is required at a sign-in during which it was turned on', async () => {
    const restaurant = await app.restaurant()
    await turnOn(restaurant.owner)
    const subject = {
      restaurantId: await app.idOf(restaurant),
      kind: 'owner' as const,
      id: await ownerId(restaurant),
    }
    await expect(
      write(app.ctx, ({ db }) => requireSecondFactorVerified(db, subject, false)),
    ).rejects.toMatchObject({
      code: 'second_factor_required',
    })
  })

  it('does not affect devices and other logins', async () => {
    const { name, owner } = await app.restaurant()
    await turnOn(owner)
    const body = { restaurantName: name, password }
    expect((await app.browser().call(api.accounts.restaurantLogin, { body })).status).toBe(200)
  })

  it("protects a manager's login, and is removed with the manager", async () => {
    const { name, owner } = await app.restaurant()
    const login = { restaurantName: name, username: 'boss', password }
    await owner.ok(api.managers.setCredentials, { body: login })
    const manager = app.browser()
    await manager.ok(api.managers.login, { body: login })
    const code = await turnOn(manager)
    const again = (more: object = {}) =>
      app.browser().call(api.managers.login, { body: { ...login, ...more } })
    expect(await again()).toMatchObject(needed)
    expect((await again({ code: code() })).status).toBe(200)
    const { managers = [] } = await owner.ok(api.managers.currentUser, {})
    await owner.ok(api.managers.remove, { params: { id: managers[0]?.id ?? '' } })
    expect(await app.ctx.db.reader.selectFrom('authenticator').selectAll().execute()).not.toContainEqual(
      expect.objectContaining({ kind: 'manager' }),
    )
  })
})

async function ownerId({ name }: { name: string }): Promise<string> {
  const row = await app.ctx.db.reader
    .selectFrom('owner')
    .innerJoin('restaurant', 'restaurant.id', 'owner.restaurantId')
    .select('owner.id')
    .where('restaurant.name', '=', name)
    .executeTakeFirstOrThrow()
  return row.id
}
