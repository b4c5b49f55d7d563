import { afterEach, describe, expect, it } from 'vitest'
import type { TestApp } from '../../../../test/support/app.ts'
import type { TestProvider } from '../../../../test/support/outside/openid-provider.ts'
import {
  isSignedIn,
  redirectOf,
  startWithProvider,
} from '../../../../test/support/restaurants/provider-logins.ts'

describe('the provider', () => {
  const apps: TestApp[] = []
  const providers: TestProvider[] = []
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.stop()
    for (const provider of providers.splice(0)) await provider.stop()
  })

  async function installation(options: { publicKey?: 'another' } = {}) {
    const { app, provider } = await startWithProvider(options)
    providers.push(provider)
    apps.push(app)
    provider.accounts.set('maya', { email: 'maya@example.com', email_verified: true })
    const browser = app.browser()
    const leave = (query = '') => redirectOf(browser, `/api/login${query}`)
    const arrive = (search: string) => redirectOf(browser, `/api/login/callback${search}`)
    return { provider, app, browser, leave, arrive }
  }

  it('can be down when the server starts, and is tried again later', async () => {
    const { provider, leave, arrive } = await installation()
    await provider.stop()
    expect(await leave('?returnTo=/admin')).toBe('/demo-login?problem=unavailable&returnTo=%2Fadmin')
    await provider.start()
    expect(await arrive(await provider.signInAt(await leave(), 'maya'))).toBe('/onboarding')
  })

  it('can go down while somebody is signing in there', async () => {
    const { provider, leave, arrive } = await installation()
    const search = await provider.signInAt(await leave(), 'maya')
    await provider.stop()
    expect(await arrive(search)).toBe('/demo-login?problem=unavailable')
    await provider.start()
  })

  it('is not trusted without a valid signature', async () => {
    const { provider, browser, leave, arrive } = await installation({ publicKey: 'another' })
    expect(await arrive(await provider.signInAt(await leave(), 'maya'))).toBe('/demo-login?problem=failed')
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('is asked at most a hundred times an hour for one address', async () => {
    const { provider, app, leave, arrive } = await installation()
    const search = await provider.signInAt(await leave(), 'maya')
    const before = provider.asked.token
    const stranger = app.browser()
    for (let tries = 1; tries < 100; tries++) await stranger.fetch('/api/login')
    expect(await leave('?returnTo=/admin')).toBe('/demo-login?problem=busy&returnTo=%2Fadmin')
    expect(await arrive(search)).toBe('/demo-login?problem=busy')
    expect(provider.asked.token).toBe(before)
    app.advance(60 * 60_000)
    expect(await arrive(await provider.signInAt(await leave(), 'maya'))).toBe('/onboarding')
  })
})
