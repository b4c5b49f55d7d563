import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, startTestApp, type TestApp } from '../../support/app.ts'
import { startOpenIdProvider, type TestProvider } from '../../support/outside/openid-provider.ts'
import { freePort } from '../../support/ports.ts'
import { openPage } from '../support/browser.ts'
import { field, followLink, lastingProblems, pathOf, press, waitForTitle } from '../support/locators.ts'
import { takeScreenshots } from '../support/screenshots.ts'

let provider: TestProvider
let app: TestApp
beforeAll(async () => {
  // The provider must know the redirect address before the server starts.
  const port = await freePort()
  const publicUrl = `http://localhost:${port}`
  provider = await startOpenIdProvider({ redirectUri: `${publicUrl}/api/login/callback` })
  app = await startTestApp({ port, publicUrl, origins: [publicUrl], oidc: provider.settings })
})
afterAll(async () => {
  await app.stop()
  await provider.stop()
})

/** A browser signed in at the provider with this account. */
async function browserOf(sub: string, email: string): Promise<Page> {
  provider.accounts.set(sub, { email, email_verified: true })
  const page = await openPage({ tolerate: [/401.*\/api\/auth\/user/] })
  await page.setExtraHTTPHeaders({ 'x-account': sub })
  return page
}

describe('an owner who signs in at an identity provider', () => {
  it('names the restaurant, and gives its devices a password', async () => {
    const page = await browserOf('nadia', 'nadia@example.com')
    await page.goto(`${app.url}/demo-login?returnTo=/admin-dashboard`)
    await followLink(page, 'Sign in with your identity provider')
    await field(page, 'Restaurant Name').fill('The Linked Spoon')
    await press(page, 'Continue')
    await waitForTitle(page, 'Choose Your Plan')
    await page.goto(`${app.url}/admin-dashboard/people`)
    const card = page.getByRole('region', { name: 'Restaurant Password', exact: true })
    await card.getByText('There is none yet', { exact: false }).waitFor()
    expect(await lastingProblems(page)).toEqual([])
    await field(page, 'New Password').fill(password)
    await field(page, 'Confirm New Password').fill('lantern-copper-42')
    await press(page, 'Set Password')
    await card.getByText('Passwords do not match', { exact: true }).waitFor()
    await field(page, 'Confirm New Password').fill(password)
    await press(page, 'Set Password')
    await field(page, 'Current Password').waitFor()
    const body = { restaurantName: 'The Linked Spoon', password }
    await app.browser().ok(api.accounts.restaurantLogin, { body })
  })

  it('whose address already has an account proves its password once, or keeps the two separate', async () => {
    const { owner } = await app.restaurant({ name: 'The Old Oak' })
    expect(await owner.ok(api.accounts.currentUser, {})).toMatchObject({ email: 'owner@example.com' })
    const page = await browserOf('olga', 'owner@example.com')
    await page.goto(`${app.url}/admin`)
    await waitForTitle(page, 'Admin Login')
    await page
      .getByRole('alert')
      .getByText('Your email address has an account here already.', { exact: false })
      .waitFor()
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'accounts-link')
    await field(page, 'Username').fill('The Old Oak')
    await field(page, 'Password').fill(password)
    await press(page, 'Sign In')
    await waitForTitle(page, 'Get Set Up')
    await expect.poll(() => pathOf(page)).toBe('/admin')
    await page.goto(`${app.url}/api/logout`)
    await page.goto(`${app.url}/dashboard`)
    await waitForTitle(page, 'Welcome back')
    await page.getByText('The Old Oak', { exact: true }).waitFor()

    const other = await browserOf('oscar', 'owner@example.com')
    await app.restaurant({ name: 'The Young Oak' })
    await other.goto(`${app.url}/dashboard`)
    await followLink(other, 'Make a separate account')
    await field(other, 'Restaurant Name').waitFor()
    await expect.poll(() => pathOf(other)).toBe('/onboarding')
  })

  it('sees why the sign-in failed, and tries again', async () => {
    const page = await browserOf('nobody', 'nobody@example.com')
    await page.goto(`${app.url}/admin`)
    await page.getByRole('alert').getByText('The sign-in was cancelled.', { exact: true }).waitFor()
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'accounts-problem')
    provider.accounts.set('nina', { email: 'nina@example.com', email_verified: true })
    await page.setExtraHTTPHeaders({ 'x-account': 'nina' })
    await followLink(page, 'Try again')
    await field(page, 'Restaurant Name').waitFor()
    await expect.poll(() => pathOf(page)).toBe('/onboarding')
    for (const [problem, text] of [
      ['expired', 'This sign-in took too long or was used already. Please try again.'],
      ['unavailable', 'The sign-in service cannot be reached right now. Please try again later.'],
    ]) {
      await page.goto(`${app.url}/demo-login?problem=${problem}`)
      await page
        .getByRole('alert')
        .getByText(text ?? '', { exact: true })
        .waitFor()
    }
    await page.goto(`${app.url}/demo-login?problem=constructor`)
    await waitForTitle(page, 'Admin Login')
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})
