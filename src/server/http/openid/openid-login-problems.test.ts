import { describe, expect, it } from 'vitest'
import { type TestApp, type TestBrowser } from '../../../../test/support/app.ts'
import type { TestProvider } from '../../../../test/support/outside/openid-provider.ts'
import {
  beforeAllWithProvider,
  changeLoginCookie,
  isSignedIn,
  redirectOf,
  createAccount,
  signIn,
} from '../../../../test/support/restaurants/provider-logins.ts'

let provider: TestProvider
let app: TestApp
beforeAllWithProvider((started) => {
  ;({ app, provider } = started)
})

describe('an invalid sign-in', () => {
  const arriving = async () => {
    const browser = app.browser()
    const search = await provider.signInAt(
      await redirectOf(browser, '/api/login?returnTo=/admin'),
      createAccount(provider),
    )
    return { browser, search }
  }
  const arrive = (browser: TestBrowser, search: string) => redirectOf(browser, `/api/login/callback${search}`)

  it('from another browser is refused without asking the provider', async () => {
    const { search } = await arriving()
    const before = provider.asked.token
    const [stranger, owner] = [app.browser(), await arriving()]
    expect(await arrive(stranger, search)).toBe('/demo-login?problem=expired')
    expect(await arrive(owner.browser, search)).toBe('/demo-login?problem=expired')
    expect(provider.asked.token).toBe(before)
    // The sign-in that this browser had begun can still be completed.
    expect(await arrive(owner.browser, owner.search)).toBe('/onboarding')
    expect(await isSignedIn(stranger)).toBe(false)
  })

  it.each(['', '?code=abc', '?state=&code=abc', '?error=access_denied', '?state=a&state=b&code=c'])(
    'with the query "%s" is refused',
    async (search) => {
      const { browser } = await arriving()
      expect(await arrive(browser, search)).toBe('/demo-login?problem=expired')
    },
  )

  it('with a used code is refused', async () => {
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

  it('with a code that the provider never issued is refused', async () => {
    const { browser, search } = await arriving()
    const query = new URLSearchParams(search)
    query.set('code', 'made-up')
    expect(await arrive(browser, `?${query}`)).toBe('/demo-login?problem=expired&returnTo=%2Fadmin')
  })

  it('that claims another issuer is refused', async () => {
    const { browser, search } = await arriving()
    const query = new URLSearchParams(search)
    query.set('iss', 'https://elsewhere.example')
    expect(await arrive(browser, `?${query}`)).toBe('/demo-login?problem=failed&returnTo=%2Fadmin')
  })

  it('is reported as cancelled if the owner gave up', async () => {
    const browser = app.browser()
    expect(await signIn(provider, browser, 'nobody', '?returnTo=/admin')).toBe(
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
