import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, startTestApp, type TestApp, type TestBrowser } from '../../../test/app.ts'
import { startProvider, type TestProvider } from '../../../test/openid-provider.ts'

const publicUrl = 'http://tables.example.com'
const redirectUri = `${publicUrl}/api/login/callback`

let provider: TestProvider
let app: TestApp
beforeAll(async () => {
  provider = await startProvider({ redirectUri })
  app = await startTestApp({ publicUrl, oidc: provider.settings })
})
afterAll(async () => {
  await app.stop()
  await provider.stop()
})

// All of these browsers have one address, which may try so often an hour.
beforeEach(() => app.advance(60 * 60_000))

const leadsTo = async (browser: TestBrowser, path: string): Promise<string> => {
  const response = await browser.fetch(path)
  expect(response.status).toBe(302)
  return response.headers.get('location') ?? ''
}

/** Leaves for the provider, signs in there, and comes back; answers where that leads. */
async function signIn(browser: TestBrowser, account: string, query = ''): Promise<string> {
  const search = await provider.visit(await leadsTo(browser, `/api/login${query}`), account)
  return leadsTo(browser, `/api/login/callback${search}`)
}

let people = 0
function person(claims: { email?: string; email_verified?: boolean | string } = {}): string {
  const sub = `person-${++people}`
  provider.accounts.set(sub, { email: `${sub}@example.com`, email_verified: true, ...claims })
  return sub
}

/** A restaurant that signed up with a password, and a person at the provider with the same address. */
async function restaurantOf(claims: { email_verified?: boolean | string } = {}) {
  const account = person(claims)
  const email = `${account}@example.com`
  const [owner, name] = [app.browser(), `Restaurant of ${account}`]
  await owner.ok(api.accounts.signUp, { body: { restaurantName: name, email, password } })
  return { account, email, name, owner }
}

const userOf = (browser: TestBrowser) => browser.ok(api.accounts.currentUser, {})
const isSignedIn = async (browser: TestBrowser) =>
  (await browser.call(api.accounts.currentUser, {})).status === 200

function changeLoginCookie(browser: TestBrowser, change: (values: URLSearchParams) => void): void {
  const values = new URLSearchParams(decodeURIComponent(browser.cookies.get('tsr_l') ?? ''))
  change(values)
  browser.cookies.set('tsr_l', encodeURIComponent(values.toString()))
}

describe('signing in at the provider', () => {
  it('leaves with a code challenge, a state and a nonce, which a cookie of ten minutes keeps', async () => {
    const browser = app.browser()
    const response = await browser.fetch('/api/login?returnTo=/admin')
    const url = new URL(response.headers.get('location') ?? '')
    expect(url.origin).toBe(provider.issuer)
    const kept = new URLSearchParams(decodeURIComponent(browser.cookies.get('tsr_l') ?? ''))
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'tableside',
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

  it('keeps that from every other host, where we are reached by https', async () => {
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

  it('makes an owner without a restaurant the first time, and the same owner for ever after', async () => {
    const account = person()
    const [first, later] = [app.browser(), app.browser()]
    expect(await signIn(first, account, '?returnTo=/admin')).toBe('/onboarding')
    expect(await userOf(first)).toMatchObject({ restaurantName: null, email: `${account}@example.com` })
    expect(first.cookies.has('tsr_l')).toBe(false)

    const restaurantName = `Kitchen of ${account}`
    await first.ok(api.accounts.setupRestaurant, { body: { restaurantName } })
    // Another address does not make another person.
    provider.accounts.set(account, { email: 'moved@example.com', email_verified: true })
    expect(await signIn(later, account)).toBe('/dashboard')
    expect(await userOf(later)).toMatchObject({ restaurantName })
    expect(await signIn(later, account, `?returnTo=${encodeURIComponent('/admin?a=1&b=ü')}`)).toBe(
      '/admin?a=1&b=%C3%BC',
    )
  })

  it('keeps two people apart who claim one address', async () => {
    const [one, other] = [person({ email: 'same@example.com' }), person({ email: 'same@example.com' })]
    const [mine, theirs] = [app.browser(), app.browser()]
    await signIn(mine, one)
    await mine.ok(api.accounts.setupRestaurant, { body: { restaurantName: 'The Same' } })
    expect(await signIn(theirs, other)).toBe('/onboarding')
    expect(await userOf(theirs)).toMatchObject({ restaurantName: null })
  })

  it('does without an address', async () => {
    const account = person()
    provider.accounts.set(account, {})
    const browser = app.browser()
    expect(await signIn(browser, account)).toBe('/onboarding')
    expect(await userOf(browser)).toMatchObject({ email: '' })
  })

  it('ends what the browser was to another restaurant', async () => {
    const { device } = await app.restaurant()
    await signIn(device, person())
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
  ])('goes back to no page but our own: %s', async (returnTo) => {
    const account = person()
    await signIn(app.browser(), account)
    const browser = app.browser()
    expect(await signIn(browser, account, `?returnTo=${encodeURIComponent(returnTo)}`)).toBe('/onboarding')
    await browser.ok(api.accounts.setupRestaurant, { body: { restaurantName: `Own page ${account}` } })
    expect(await signIn(browser, account, `?returnTo=${encodeURIComponent(returnTo)}`)).toBe('/dashboard')
    // Not even if the cookie says so.
    const search = await provider.visit(await leadsTo(browser, '/api/login'), account)
    changeLoginCookie(browser, (values) => values.set('returnTo', returnTo))
    expect(await leadsTo(browser, `/api/login/callback${search}`)).toBe('/dashboard')
  })
})

describe('an account with a password', () => {
  it('is linked once its owner typed the password, and then belongs to the identity', async () => {
    const { account, email, name } = await restaurantOf()
    const browser = app.browser()
    expect(await signIn(browser, account, '?returnTo=/admin')).toBe('/demo-login?link=1&returnTo=%2Fadmin')
    expect(await isSignedIn(browser)).toBe(false)

    await browser.ok(api.accounts.ownerLogin, { body: { username: email, password } })
    expect(await signIn(browser, account, '?returnTo=/admin')).toBe('/admin')
    expect(await userOf(browser)).toMatchObject({ restaurantName: name })

    const anywhere = app.browser()
    expect(await signIn(anywhere, account)).toBe('/dashboard')
    expect(await userOf(anywhere)).toMatchObject({ restaurantName: name })
    // The password still works.
    await app.browser().ok(api.accounts.ownerLogin, { body: { username: email, password } })
  })

  it.each([false, 'true', undefined])(
    'is not offered for an address that is verified: %s',
    async (verified) => {
      const { account, owner } = await restaurantOf()
      provider.accounts.set(account, {
        email: `${account}@example.com`,
        ...(verified !== undefined && { email_verified: verified }),
      })
      // Not even where its owner is signed in.
      expect(await signIn(owner, account)).toBe('/onboarding')
      expect(await signIn(app.browser(), account)).toBe('/onboarding')
    },
  )

  it('is not linked by a password that was typed long ago', async () => {
    const { account, owner } = await restaurantOf()
    app.advance(16 * 60_000)
    expect(await signIn(owner, account)).toBe('/demo-login?link=1')
  })

  it('is not linked to an identity with another address', async () => {
    const { owner, name, email } = await restaurantOf()
    expect(await signIn(owner, person())).toBe('/onboarding')
    const again = app.browser()
    await again.ok(api.accounts.ownerLogin, { body: { username: email, password } })
    expect(await userOf(again)).toMatchObject({ restaurantName: name })
  })

  it('is linked to one identity only', async () => {
    const { account, email, owner, name } = await restaurantOf()
    expect(await signIn(owner, account)).toBe('/dashboard')
    const other = person({ email })
    await owner.ok(api.accounts.ownerLogin, { body: { username: email, password } })
    expect(await signIn(owner, other)).toBe('/onboarding')
    expect(await userOf(owner)).toMatchObject({ restaurantName: null })
    expect(await signIn(owner, account)).toBe('/dashboard')
    expect(await userOf(owner)).toMatchObject({ restaurantName: name })
  })

  it('does not keep out the person whose address it is, if they want an account of their own', async () => {
    const { account } = await restaurantOf()
    const browser = app.browser()
    expect(await signIn(browser, account, '?account=new')).toBe('/onboarding')
    expect(await signIn(browser, account)).toBe('/onboarding')
  })

  it('is made once, however many sign in at one moment', async () => {
    const account = person()
    const browsers = Array.from({ length: 5 }, () => app.browser())
    const ways = await Promise.all(browsers.map((browser) => signIn(browser, account)))
    expect(ways).toEqual(ways.map(() => '/onboarding'))
    const owners = await app.ctx.db.reader
      .selectFrom('owner')
      .select('id')
      .where('oidcSubject', '=', account)
      .execute()
    expect(owners).toHaveLength(1)
  })
})

describe('a sign-in that does not fit', () => {
  const arriving = async () => {
    const browser = app.browser()
    const search = await provider.visit(await leadsTo(browser, '/api/login?returnTo=/admin'), person())
    return { browser, search }
  }
  const arrive = (browser: TestBrowser, search: string) => leadsTo(browser, `/api/login/callback${search}`)

  it('of another browser is refused, and the provider is not even asked', async () => {
    const { search } = await arriving()
    const before = provider.asked.token
    const [stranger, elsewhere] = [app.browser(), await arriving()]
    expect(await arrive(stranger, search)).toBe('/demo-login?problem=expired')
    expect(await arrive(elsewhere.browser, search)).toBe('/demo-login?problem=expired')
    expect(provider.asked.token).toBe(before)
    // Whoever led it there did not end the sign-in that it had begun.
    expect(await arrive(elsewhere.browser, elsewhere.search)).toBe('/onboarding')
    expect(await isSignedIn(stranger)).toBe(false)
  })

  it.each(['', '?code=abc', '?state=&code=abc', '?error=access_denied', '?state=a&state=b&code=c'])(
    'with the query "%s" is refused',
    async (search) => {
      const { browser } = await arriving()
      expect(await arrive(browser, search)).toBe('/demo-login?problem=expired')
    },
  )

  it('with a code that was used is refused', async () => {
    const { browser, search } = await arriving()
    const cookie = browser.cookies.get('tsr_l') ?? ''
    expect(await arrive(browser, search)).toBe('/onboarding')
    expect(await arrive(browser, search)).toBe('/demo-login?problem=expired')
    const thief = app.browser()
    thief.cookies.set('tsr_l', cookie)
    expect(await arrive(thief, search)).toBe('/demo-login?problem=expired&returnTo=%2Fadmin')
    expect(await isSignedIn(thief)).toBe(false)
  })

  it.each([
    ['nonce', 'failed'],
    ['verifier', 'expired'],
  ])('with another %s is refused', async (name, problem) => {
    const { browser, search } = await arriving()
    changeLoginCookie(browser, (values) => values.set(name, 'x'.repeat(43)))
    expect(await arrive(browser, search)).toBe(`/demo-login?problem=${problem}&returnTo=%2Fadmin`)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('with a code that the provider never gave is refused', async () => {
    const { browser, search } = await arriving()
    const query = new URLSearchParams(search)
    query.set('code', 'made-up')
    expect(await arrive(browser, `?${query}`)).toBe('/demo-login?problem=expired&returnTo=%2Fadmin')
  })

  it('that says to come from another issuer is refused', async () => {
    const { browser, search } = await arriving()
    const query = new URLSearchParams(search)
    query.set('iss', 'https://elsewhere.example')
    expect(await arrive(browser, `?${query}`)).toBe('/demo-login?problem=failed&returnTo=%2Fadmin')
  })

  it('because the owner gave up is told so', async () => {
    const browser = app.browser()
    expect(await signIn(browser, 'nobody', '?returnTo=/admin')).toBe(
      '/demo-login?problem=cancelled&returnTo=%2Fadmin',
    )
  })

  it('leaves no code, token or secret in the log', async () => {
    const { browser, search } = await arriving()
    changeLoginCookie(browser, (values) => values.set('nonce', 'another-nonce'))
    await arrive(browser, search)
    const log = app.lines.join('\n')
    expect(log).toContain('OpenID Connect sign-in failed')
    for (const secret of [new URLSearchParams(search).get('code'), provider.settings.clientSecret, 'eyJ']) {
      expect(log).not.toContain(secret)
    }
  })
})

describe('the provider', () => {
  const apps: TestApp[] = []
  const providers: TestProvider[] = []
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.stop()
    for (const provider of providers.splice(0)) await provider.stop()
  })

  async function installation(options: { publicKey?: 'another' } = {}) {
    const provider = await startProvider({ redirectUri, ...options })
    const app = await startTestApp({ publicUrl, oidc: provider.settings })
    providers.push(provider)
    apps.push(app)
    provider.accounts.set('maya', { email: 'maya@example.com', email_verified: true })
    const browser = app.browser()
    const leave = (query = '') => leadsTo(browser, `/api/login${query}`)
    const arrive = (search: string) => leadsTo(browser, `/api/login/callback${search}`)
    return { provider, app, browser, leave, arrive }
  }

  it('may be down when the server starts, and is asked again once it is up', async () => {
    const { provider, leave, arrive } = await installation()
    await provider.stop()
    expect(await leave('?returnTo=/admin')).toBe('/demo-login?problem=unavailable&returnTo=%2Fadmin')
    await provider.start()
    expect(await arrive(await provider.visit(await leave(), 'maya'))).toBe('/onboarding')
  })

  it('may go down while somebody is there', async () => {
    const { provider, leave, arrive } = await installation()
    const search = await provider.visit(await leave(), 'maya')
    await provider.stop()
    expect(await arrive(search)).toBe('/demo-login?problem=unavailable')
    await provider.start()
  })

  it('is not believed without the right signature', async () => {
    const { provider, browser, leave, arrive } = await installation({ publicKey: 'another' })
    expect(await arrive(await provider.visit(await leave(), 'maya'))).toBe('/demo-login?problem=failed')
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('is not asked more than a hundred times an hour for one address', async () => {
    const { provider, app, leave, arrive } = await installation()
    const search = await provider.visit(await leave(), 'maya')
    const before = provider.asked.token
    const stranger = app.browser()
    for (let tries = 1; tries < 100; tries++) await stranger.fetch('/api/login')
    expect(await leave('?returnTo=/admin')).toBe('/demo-login?problem=busy&returnTo=%2Fadmin')
    expect(await arrive(search)).toBe('/demo-login?problem=busy')
    expect(provider.asked.token).toBe(before)
    app.advance(60 * 60_000)
    expect(await arrive(await provider.visit(await leave(), 'maya'))).toBe('/onboarding')
  })
})

describe('without a provider', () => {
  let plain: TestApp
  beforeAll(async () => {
    plain = await startTestApp()
  })
  afterAll(() => plain.stop())

  it.each([
    ['/api/login', '/demo-login'],
    ['/api/login?returnTo=/admin', '/demo-login?returnTo=%2Fadmin'],
    ['/api/login?returnTo=//elsewhere.example', '/demo-login'],
    ['/api/login/callback?code=a&state=b', '/demo-login?problem=expired'],
  ])('%s leads to %s', async (path, way) => {
    expect(await leadsTo(plain.browser(), path)).toBe(way)
  })
})
