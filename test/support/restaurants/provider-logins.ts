import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { api } from '#contract/api.ts'
import { password, startTestApp, type TestApp, type TestBrowser } from '../app.ts'
import { startOpenIdProvider, type TestProvider } from '../outside/openid-provider.ts'

export const publicUrl = 'http://tables.example.com'
export const redirectUri = `${publicUrl}/api/login/callback`

/** A server whose owners may sign in with a provider. */
export async function startWithProvider(options: { publicKey?: 'another' } = {}) {
  const provider = await startOpenIdProvider({ redirectUri, ...options })
  const app = await startTestApp({ publicUrl, oidc: provider.settings })
  return { app, provider }
}

type Started = Awaited<ReturnType<typeof startWithProvider>>

/** One such server for all tests of a file. */
export function beforeAllWithProvider(take: (started: Started) => void): void {
  let started: Started
  beforeAll(async () => {
    started = await startWithProvider()
    take(started)
  })
  afterAll(async () => {
    await started.app.stop()
    await started.provider.stop()
  })
  // All of these browsers share one address, whose attempts per hour are limited.
  beforeEach(() => started.app.advance(60 * 60_000))
}

export const redirectOf = async (browser: TestBrowser, path: string): Promise<string> => {
  const response = await browser.fetch(path)
  expect(response.status).toBe(302)
  return response.headers.get('location') ?? ''
}

/** Goes to the provider, signs in there, and comes back; returns where that leads. */
export async function signIn(
  provider: TestProvider,
  browser: TestBrowser,
  account: string,
  query = '',
): Promise<string> {
  const search = await provider.signInAt(await redirectOf(browser, `/api/login${query}`), account)
  return redirectOf(browser, `/api/login/callback${search}`)
}

let people = 0
export function createAccount(
  provider: TestProvider,
  claims: { email?: string; email_verified?: boolean | string } = {},
): string {
  const sub = `person-${++people}`
  provider.accounts.set(sub, { email: `${sub}@example.com`, email_verified: true, ...claims })
  return sub
}

/** A restaurant that signed up with a password, and an account at the provider with the same address. */
export async function createRestaurantFor(
  app: TestApp,
  provider: TestProvider,
  claims: { email_verified?: boolean | string } = {},
) {
  const account = createAccount(provider, claims)
  const email = `${account}@example.com`
  const [owner, name] = [app.browser(), `Restaurant of ${account}`]
  await owner.ok(api.accounts.signUp, { body: { restaurantName: name, email, password } })
  return { account, email, name, owner }
}

export const currentUser = (browser: TestBrowser) => browser.ok(api.accounts.currentUser, {})
export const isSignedIn = async (browser: TestBrowser) =>
  (await browser.call(api.accounts.currentUser, {})).status === 200

export function changeLoginCookie(browser: TestBrowser, change: (values: URLSearchParams) => void): void {
  const values = new URLSearchParams(decodeURIComponent(browser.cookies.get('tsr_l') ?? ''))
  change(values)
  browser.cookies.set('tsr_l', encodeURIComponent(values.toString()))
}
