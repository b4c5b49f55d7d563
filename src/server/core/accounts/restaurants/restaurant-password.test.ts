import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { password, setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { signInNewOwner } from '../../../../../test/support/restaurants/logins.ts'

const next = 'lantern-at-dusk-43'

const app = setUpApp()

const change = (browser: TestBrowser, body: { password: string; currentPassword?: string }) =>
  browser.call(api.accounts.setPassword, { body })

const device = (restaurantName: string, word: string) =>
  app.browser().call(api.accounts.restaurantLogin, { body: { restaurantName, password: word } })

const isSignedIn = async (browser: TestBrowser): Promise<boolean> =>
  (await browser.call(api.accounts.session, {})).status === 200

/** An owner who signed in through OpenID Connect and has set up a restaurant. */
async function ownerWithoutPassword(name: string): Promise<TestBrowser> {
  const browser = await signInNewOwner(app)
  await browser.ok(api.accounts.setupRestaurant, { body: { restaurantName: name } })
  return browser
}

describe('the restaurant password', () => {
  it('can be changed by whoever knows it, and everybody else then signs in with the new one', async () => {
    const restaurant = await app.restaurant()
    const otherBrowser = app.browser()
    await otherBrowser.ok(api.accounts.ownerLogin, { body: { username: restaurant.name, password } })
    const sockets = await Promise.all([restaurant.device, otherBrowser].map((browser) => browser.connect()))
    const kept = await restaurant.owner.connect()
    expect((await change(restaurant.owner, { password: next, currentPassword: password })).status).toBe(204)
    expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([4401, 4401])
    expect(await kept.request({ type: 'get-pending-requests' })).toMatchObject({ type: 'ack' })
    expect(await Promise.all([restaurant.owner, restaurant.device, otherBrowser].map(isSignedIn))).toEqual([
      true,
      false,
      false,
    ])
    expect([await device(restaurant.name, password), await device(restaurant.name, next)]).toMatchObject([
      { status: 401 },
      { status: 200 },
    ])
  })

  it('is not changed without the current one, nor after five wrong ones', async () => {
    const { owner, name } = await app.restaurant()
    expect(await change(owner, { password: next })).toMatchObject({
      status: 400,
      body: { message: 'Please enter your current password' },
    })
    for (let tries = 0; tries < 5; tries++) {
      expect(await change(owner, { password: next, currentPassword: 'not-it' })).toMatchObject({
        status: 400,
        body: { message: 'Your current password is wrong' },
      })
    }
    expect((await change(owner, { password: next, currentPassword: password })).status).toBe(429)
    expect(await isSignedIn(owner)).toBe(true)
    app.advance(15 * minuteMs)
    await owner.ok(api.accounts.confirmIdentity, { body: { password } })
    expect((await change(owner, { password: next, currentPassword: password })).status).toBe(204)
    expect((await device(name, next)).status).toBe(200)
  })

  it('follows the same rules as at signing up', async () => {
    const { owner, name } = await app.restaurant()
    for (const [word, message] of [
      ['12345', 'Password must be at least 6 characters'],
      ['qwerty123', 'Please choose a password that is harder to guess'],
      [name.toUpperCase(), 'Please choose a password that is harder to guess'],
      ['owner@example.com', 'Please choose a password that is harder to guess'],
    ] as const) {
      const answer = await change(owner, { password: word, currentPassword: password })
      expect(answer).toMatchObject({ status: 400, body: { message } })
    }
  })

  it('can be set by an owner who has none, shortly after signing in', async () => {
    const owner = await ownerWithoutPassword('Linked Bistro')
    expect(await owner.ok(api.managers.currentUser, {})).toMatchObject({ hasPassword: false })
    expect((await device('Linked Bistro', next)).status).toBe(401)
    app.advance(15 * minuteMs + 1)
    expect(await change(owner, { password: next })).toMatchObject({
      status: 403,
      body: { code: 'recent_sign_in_required' },
    })
    app.advance(-15 * minuteMs)
    expect((await change(owner, { password: next })).status).toBe(204)
    expect(await owner.ok(api.managers.currentUser, {})).toMatchObject({ hasPassword: true })
    expect((await device('Linked Bistro', next)).status).toBe(200)
    expect((await change(owner, { password: 'another-one-44' })).status).toBe(400)
  })
})
