import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import { signInAs } from '../pages/sign-in.ts'
import { openPage } from '../support/browser.ts'
import { section, field, lastingProblems, press, waitForTitle, toast } from '../support/locators.ts'
import { viewports, takeScreenshots } from '../support/screenshots.ts'

const app = setUpApp()

const minutes = 60_000

/** A phone or computer with a fingerprint reader. */
async function plugInAuthenticator(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

it('a passkey is added on the Security page, signs in, confirms, and is removed', async () => {
  const { owner } = await app.restaurant()
  const page = await openPage({
    viewport: viewports.phone,
    tolerate: [/\/api\/auth\/user\)/, /403.*\/api\/passkeys/],
  })
  await plugInAuthenticator(page)
  await signInAs(page, app, owner)
  await page.goto(`${app.url}/security`)
  const passkeys = section(page, 'Passkeys')
  await passkeys.getByText('You have none yet.').waitFor()
  await takeScreenshots(page, 'passkeys-none', ['phone', 'desktop'])
  await press(passkeys, 'Add a passkey')
  await press(passkeys, 'Continue')
  await passkeys.getByText('Please enter a name').waitFor()
  await field(page, 'Name of the passkey').fill('My phone')
  await takeScreenshots(page, 'passkeys-name', ['phone', 'desktop'])
  await press(passkeys, 'Continue')
  await toast(page).getByText('Passkey added').waitFor()
  await passkeys.getByText('not used yet').waitFor()
  const another = passkeys.getByRole('button', { name: 'Add a passkey' })
  await expect.poll(() => another.evaluate((button) => button === document.activeElement)).toBe(true)
  expect(await lastingProblems(page)).toEqual([])
  await takeScreenshots(page, 'passkeys', ['phone', 'desktop'])

  await page.context().clearCookies()
  await page.goto(`${app.url}/demo-login`)
  await waitForTitle(page, 'Admin Login')
  expect(await lastingProblems(page)).toEqual([])
  await takeScreenshots(page, 'login-passkey', ['phone', 'desktop'])
  await press(page, 'Sign in with a passkey')
  await waitForTitle(page, 'Admin Portal')

  app.advance(16 * minutes)
  await page.goto(`${app.url}/security`)
  await press(passkeys, 'Remove My phone')
  await press(page.getByRole('dialog', { name: 'Remove My phone?' }), 'Remove passkey')
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await dialog.getByRole('button', { name: 'Use a passkey' }).waitFor()
  expect(await lastingProblems(page)).toEqual([])
  await takeScreenshots(page, 'confirm-passkey', ['phone', 'desktop'])
  await press(dialog, 'Use a passkey')
  await toast(page).getByText('My phone was removed').waitFor()
  await passkeys.getByText('You have none yet.').waitFor()
})

it('a manager’s passkey leads to the page that asked for the login', async () => {
  const { name, device } = await app.restaurant()
  const login = { restaurantName: name, username: 'sam', password: 'lantern-7' }
  await device.ok(api.managers.setup, { body: login })
  const manager = app.browser()
  await manager.ok(api.managers.login, { body: login })
  const page = await openPage({ viewport: viewports.phone, tolerate: [/40[13].*\/api\//] })
  await plugInAuthenticator(page)
  await signInAs(page, app, manager)
  await page.goto(`${app.url}/security`)
  const passkeys = section(page, 'Passkeys')
  await press(passkeys, 'Add a passkey')
  await field(page, 'Name of the passkey').fill('My phone')
  await press(passkeys, 'Continue')
  await toast(page).getByText('Passkey added').waitFor()

  await page.context().clearCookies()
  for (const path of ['/management-dashboard/report', '/admin-dashboard/floor']) {
    await page.goto(`${app.url}${path}`)
    const isManagers = path.startsWith('/management-dashboard')
    await waitForTitle(page, isManagers ? 'Management Login' : 'Admin Login')
    await press(page, 'Sign in with a passkey')
    await waitForTitle(page, 'Management Portal')
    await expect.poll(() => new URL(page.url()).pathname).toBe(isManagers ? path : '/management-dashboard')
    await page.context().clearCookies()
  }
})
