import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp, startTestApp, type TestApp } from '../../../../test/support/app.ts'
import type { TestProvider } from '../../../../test/support/outside/openid-provider.ts'
import {
  beforeAllWithProvider,
  changeLoginCookie,
  redirectOf,
  createAccount,
  redirectUri,
  signIn,
  currentUser,
} from '../../../../test/support/restaurants/provider-logins.ts'
import { finish } from '../../core/accounts/sign-in/openid-login.ts'
import { anonymousActor } from '../../core/actor.ts'

type Proof = { provedAgo: number | null; anew?: boolean }

let provider: TestProvider
let app: TestApp
beforeAllWithProvider((started) => {
  ;({ app, provider } = started)
})

describe('signing in with the provider', () => {
  it('starts with a code challenge, a state and a nonce, which are kept in a cookie for ten minutes', async () => {
    const browser = app.browser()
    const response = await browser.fetch('/api/login?returnTo=/admin')
    const url = new URL(response.headers.get('location') ?? '')
    expect(url.origin).toBe(provider.issuer)
    const kept = new URLSearchParams(decodeURIComponent(browser.cookies.get('tsr_l') ?? ''))
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'tableside',
      // This makes the provider say how long ago the owner signed in there.
      max_age: '2592000',
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email',
      state: kept.get('state'),
      nonce: kept.get('nonce'),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/u),
      code_challenge_method: 'S256',
    })
    const [cookie = ''] = response.headers.getSetCookie()
    expect(cookie.split('; ').slice(1).toSorted()).toEqual([
      'HttpOnly',
      'Max-Age=600',
      'Path=/',
      'SameSite=Lax',
    ])
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('binds that cookie to this host if the installation uses https', async () => {
    const secure = await startTestApp({ publicUrl: 'https://tables.example.com', oidc: provider.settings })
    const response = await secure.browser().fetch('/api/login')
    expect(new URL(response.headers.get('location') ?? '').searchParams.get('redirect_uri')).toBe(
      'https://tables.example.com/api/login/callback',
    )
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-tsr_l=[^;]+; (?=.*Path=\/)(?=.*Secure)(?=.*HttpOnly)(?!.*Domain)/u),
    ])
    await secure.stop()
  })

  it('makes the provider ask for the password again if the owner is confirming their identity', async () => {
    const browser = app.browser()
    const url = new URL(await redirectOf(browser, '/api/login?confirm=1'))
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ max_age: '0', prompt: 'login' })
    await signIn(provider, browser, createAccount(provider), '?confirm=1')
    expect(await browser.ok(api.accounts.identity, {})).toMatchObject({ recent: true, provider: true })
  })

  it('leaves an owner of several restaurants where they confirm who they are', async () => {
    const [browser, account] = [app.browser(), createAccount(provider)]
    await signIn(provider, browser, account)
    await browser.ok(api.accounts.setupRestaurant, { body: { restaurantName: `First of ${account}` } })
    const restaurantName = `Second of ${account}`
    const { id } = await browser.ok(api.ownRestaurants.add, { body: { restaurantName } })
    await browser.ok(api.ownRestaurants.switchTo, { params: { id } })
    await signIn(provider, browser, account, '?confirm=1')
    expect(await browser.ok(api.accounts.identity, {})).toMatchObject({ recent: true })
    expect(await currentUser(browser)).toMatchObject({ restaurantName })
    // A new sign-in begins at home.
    const later = app.browser()
    await signIn(provider, later, account)
    expect(await currentUser(later)).toMatchObject({ restaurantName: `First of ${account}` })
  })

  it.each([
    ['typed the password there just now', { provedAgo: 1_000 }, true],
    ['typed it there long ago', { provedAgo: 16 * 60_000 }, false],
    ['typed it there long ago, though asked for it', { provedAgo: 16 * 60_000, anew: true }, false],
    ['comes from a provider that does not say when', { provedAgo: null }, false],
    ['was asked for it by a provider that does not say when', { provedAgo: null, anew: true }, true],
  ])('counts as recent for an owner who %s: %o', async (_, { provedAgo, anew = false }: Proof, recent) => {
    const issuer = 'https://elsewhere.example'
    const identity = { issuer, subject: app.ctx.newId(), email: null, emailVerified: false, provedAgo }
    const arrived = await finish(app.ctx, anonymousActor(), identity, { separate: false, anew })
    const browser = app.browser()
    browser.cookies.set('tsr', arrived.as === 'owner' ? arrived.cookie : '')
    expect(await browser.ok(api.accounts.identity, {})).toMatchObject({ recent })
  })

  it('creates an owner without a restaurant the first time, and finds the same owner later', async () => {
    const account = createAccount(provider)
    const [first, later] = [app.browser(), app.browser()]
    expect(await signIn(provider, first, account, '?returnTo=/admin')).toBe('/onboarding')
    expect(await currentUser(first)).toMatchObject({ restaurantName: null, email: `${account}@example.com` })
    expect(first.cookies.has('tsr_l')).toBe(false)

    const restaurantName = `Kitchen of ${account}`
    await first.ok(api.accounts.setupRestaurant, { body: { restaurantName } })
    // A different address does not make it a different person.
    provider.accounts.set(account, { email: 'moved@example.com', email_verified: true })
    expect(await signIn(provider, later, account)).toBe('/dashboard')
    expect(await currentUser(later)).toMatchObject({ restaurantName })
    expect(await signIn(provider, later, account, `?returnTo=${encodeURIComponent('/admin?a=1&b=ü')}`)).toBe(
      '/admin?a=1&b=%C3%BC',
    )
  })

  it('works in every browser of an owner who names the restaurant in one', async () => {
    const account = createAccount(provider)
    const [laptop, phone, other] = [app.browser(), app.browser(), app.browser()]
    for (const browser of [laptop, phone]) await signIn(provider, browser, account)
    await signIn(provider, other, createAccount(provider))
    const restaurantName = `Kitchen of ${account}`
    await laptop.ok(api.accounts.setupRestaurant, { body: { restaurantName } })
    for (const browser of [laptop, phone]) {
      expect(await currentUser(browser)).toMatchObject({ restaurantName })
      expect(await browser.ok(api.floor.tables, {})).toEqual([])
    }
    expect(await currentUser(other)).toMatchObject({ restaurantName: null })
  })

  it('keeps two people with the same address apart', async () => {
    const [myAccount, theirAccount] = [
      createAccount(provider, { email: 'same@example.com' }),
      createAccount(provider, { email: 'same@example.com' }),
    ]
    const [mine, theirs] = [app.browser(), app.browser()]
    await signIn(provider, mine, myAccount)
    await mine.ok(api.accounts.setupRestaurant, { body: { restaurantName: 'The Same' } })
    expect(await signIn(provider, theirs, theirAccount)).toBe('/onboarding')
    expect(await currentUser(theirs)).toMatchObject({ restaurantName: null })
  })

  it('works without an address', async () => {
    const account = createAccount(provider)
    provider.accounts.set(account, {})
    const browser = app.browser()
    expect(await signIn(provider, browser, account)).toBe('/onboarding')
    expect(await currentUser(browser)).toMatchObject({ email: '' })
  })

  it("ends the browser's logins to another restaurant", async () => {
    const { device } = await app.restaurant()
    await signIn(provider, device, createAccount(provider))
    expect(await device.ok(api.accounts.session, {})).toMatchObject({
      restaurantName: null,
      grants: ['owner'],
    })
  })

  it.each([
    'https://elsewhere.example/',
    '//elsewhere.example/',
    '/\\elsewhere.example',
    '/api/logout',
    'admin',
  ])('never returns to another site: %s', async (returnTo) => {
    const account = createAccount(provider)
    await signIn(provider, app.browser(), account)
    const browser = app.browser()
    expect(await signIn(provider, browser, account, `?returnTo=${encodeURIComponent(returnTo)}`)).toBe(
      '/onboarding',
    )
    await browser.ok(api.accounts.setupRestaurant, { body: { restaurantName: `Own page ${account}` } })
    expect(await signIn(provider, browser, account, `?returnTo=${encodeURIComponent(returnTo)}`)).toBe(
      '/dashboard',
    )
    // Not even if the cookie says so.
    const search = await provider.signInAt(await redirectOf(browser, '/api/login'), account)
    changeLoginCookie(browser, (values) => values.set('returnTo', returnTo))
    expect(await redirectOf(browser, `/api/login/callback${search}`)).toBe('/dashboard')
  })
})

describe('without a provider', () => {
  const plain = setUpApp()

  it.each([
    ['/api/login', '/demo-login'],
    ['/api/login?returnTo=/admin', '/demo-login?returnTo=%2Fadmin'],
    ['/api/login?returnTo=//elsewhere.example', '/demo-login'],
    ['/api/login/callback?code=a&state=b', '/demo-login?problem=expired'],
  ])('%s leads to %s', async (path, way) => {
    expect(await redirectOf(plain.browser(), path)).toBe(way)
  })
})
