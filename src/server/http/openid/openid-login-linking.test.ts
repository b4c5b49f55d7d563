import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, type TestApp } from '../../../../test/support/app.ts'
import type { TestProvider } from '../../../../test/support/outside/openid-provider.ts'
import {
  beforeAllWithProvider,
  isSignedIn,
  createAccount,
  createRestaurantFor,
  signIn,
  currentUser,
} from '../../../../test/support/restaurants/provider-logins.ts'

let provider: TestProvider
let app: TestApp
beforeAllWithProvider((started) => {
  ;({ app, provider } = started)
})

describe('an account with a password', () => {
  it('is linked to the identity once its owner has typed the password', async () => {
    const { account, email, name } = await createRestaurantFor(app, provider)
    const browser = app.browser()
    expect(await signIn(provider, browser, account, '?returnTo=/admin')).toBe(
      '/demo-login?link=1&returnTo=%2Fadmin',
    )
    expect(await isSignedIn(browser)).toBe(false)

    await browser.ok(api.accounts.ownerLogin, { body: { username: email, password } })
    expect(await signIn(provider, browser, account, '?returnTo=/admin')).toBe('/admin')
    expect(await currentUser(browser)).toMatchObject({ restaurantName: name })

    const anywhere = app.browser()
    expect(await signIn(provider, anywhere, account)).toBe('/dashboard')
    expect(await currentUser(anywhere)).toMatchObject({ restaurantName: name })
    // The password keeps working.
    await app.browser().ok(api.accounts.ownerLogin, { body: { username: email, password } })
  })

  it.each([false, 'true', undefined])(
    'is not offered unless the address is verified: %s',
    async (verified) => {
      const { account, owner } = await createRestaurantFor(app, provider)
      provider.accounts.set(account, {
        email: `${account}@example.com`,
        ...(verified !== undefined && { email_verified: verified }),
      })
      // Not even if its owner is signed in.
      expect(await signIn(provider, owner, account)).toBe('/onboarding')
      expect(await signIn(provider, app.browser(), account)).toBe('/onboarding')
    },
  )

  it('is not linked if the password was typed long ago', async () => {
    const { account, owner } = await createRestaurantFor(app, provider)
    app.advance(16 * 60_000)
    expect(await signIn(provider, owner, account)).toBe('/demo-login?link=1')
  })

  it('is not linked to an identity with another address', async () => {
    const { owner, name, email } = await createRestaurantFor(app, provider)
    expect(await signIn(provider, owner, createAccount(provider))).toBe('/onboarding')
    const again = app.browser()
    await again.ok(api.accounts.ownerLogin, { body: { username: email, password } })
    expect(await currentUser(again)).toMatchObject({ restaurantName: name })
  })

  it('is linked to only one identity', async () => {
    const { account, email, owner, name } = await createRestaurantFor(app, provider)
    expect(await signIn(provider, owner, account)).toBe('/dashboard')
    const other = createAccount(provider, { email })
    await owner.ok(api.accounts.ownerLogin, { body: { username: email, password } })
    expect(await signIn(provider, owner, other)).toBe('/onboarding')
    expect(await currentUser(owner)).toMatchObject({ restaurantName: null })
    expect(await signIn(provider, owner, account)).toBe('/dashboard')
    expect(await currentUser(owner)).toMatchObject({ restaurantName: name })
  })

  it('does not prevent the owner of the address from creating a separate account', async () => {
    const { account } = await createRestaurantFor(app, provider)
    const browser = app.browser()
    expect(await signIn(provider, browser, account, '?account=new')).toBe('/onboarding')
    expect(await signIn(provider, browser, account)).toBe('/onboarding')
  })

  it('is created once when the same identity signs in several times at once', async () => {
    const account = createAccount(provider)
    const browsers = Array.from({ length: 5 }, () => app.browser())
    const ways = await Promise.all(browsers.map((browser) => signIn(provider, browser, account)))
    expect(ways).toEqual(ways.map(() => '/onboarding'))
    const owners = await app.ctx.db.reader
      .selectFrom('owner')
      .select('id')
      .where('oidcSubject', '=', account)
      .execute()
    expect(owners).toHaveLength(1)
  })
})
