import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultAlerts } from '#contract/alerts.ts'
import { api } from '#contract/api.ts'
import { password, startTestApp, type TestApp } from '../support/app.ts'
import { assignTables, busyRestaurant, today } from '../support/busy-restaurant.ts'
import { violations } from './support/accessibility.ts'
import { focusedName, openAdminPortal } from './support/admin-portal.ts'
import { expectPageError, openPage } from './support/browser.ts'
import {
  accessibilityProblems,
  button,
  field,
  press,
  section,
  waitForTitle,
  waitForToast,
} from './support/locators.ts'
import { takeScreenshots, viewports } from './support/screenshots.ts'
import { signInAs } from './support/sign-in.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

describe('the other sections', () => {
  it('show the current state, and lead to their pages', async () => {
    const place = await busyRestaurant(app)
    await assignTables(place, today, { 1: 'Maya Chen', 2: 'Maya Chen' })
    for (const tableNumber of ['1', '2', '3']) {
      await app.browser().ok(api.requests.send, {
        body: { restaurantId: place.name, tableNumber, serviceType: 'drinks' },
      })
    }
    const page = await openAdminPortal(app, place)
    const overview = section(page, 'Dashboard Overview')
    await expect
      .poll(() => overview.getByRole('definition').allInnerTexts())
      .toEqual(['3', 'No data yet', '2'])
    const subscription = section(page, 'Subscription Management')
    for (const text of ['Premium Restaurant Plan', '$100/month']) await subscription.getByText(text).waitFor()
    expect(await subscription.getByText('Inactive').count()).toBeGreaterThan(0)
    await section(page, 'QR Code Management').getByText('No QR Code Yet').waitFor()

    await page.getByRole('link', { name: 'Activate Subscription' }).click()
    await page.waitForURL('**/subscribe')
    await page.goBack()
    await page.getByRole('link', { name: 'Advanced Settings' }).click()
    await page.waitForURL('**/admin')
    await page.goBack()
    await page.getByRole('link', { name: 'Crew Dashboard' }).click()
    await page.waitForURL('**/waiter')
    await page.goBack()
    await page.getByText('Test customer experience').waitFor()
    await page.getByRole('link', { name: 'Customer View' }).click()
    await page.waitForURL(
      ({ pathname, searchParams }) => pathname === '/customer' && searchParams.get('r') === place.name,
    )
  })

  it('show no price before the plan is known', async () => {
    const place = await app.restaurant({ tables: ['1'] })
    const page = await openPage({ viewport: viewports.desktop, tolerate: [/404.*\/api\/qr-codes\/me/] })
    await signInAs(page, app, place.owner)
    const asked = Promise.withResolvers<void>()
    await page.route('**/api/subscription*', async (route) => {
      await asked.promise
      await route.continue()
    })
    await page.goto(`${app.url}/admin-dashboard`)
    const subscription = section(page, 'Subscription Management')
    await subscription.getByText('Inactive', { exact: true }).waitFor()
    expect(await subscription.getByText('$').count()).toBe(0)
    asked.resolve()
    await subscription.getByText('$100/month', { exact: true }).waitFor()
  })

  it('keep the keyboard focus in place when the figures are reloaded', async () => {
    const place = await app.restaurant({ tables: ['1'] })
    const page = await openAdminPortal(app, place)
    const reading = page.waitForResponse('**/api/analytics/overview*')
    await button(page, 'Refresh figures').press('Enter')
    await reading
    await page.getByRole('button', { name: 'Refresh figures', exact: true, disabled: false }).waitFor()
    expect(await focusedName(page)).toBe('Refresh figures')
  })

  it('set what managers sign in with', async () => {
    const place = await app.restaurant({ tables: ['1'] })
    const page = await openAdminPortal(app, place)
    const users = section(page, 'User Management')
    await users.getByText('None yet').waitFor()
    for (const typed of [{}, { 'Manager Username': 'sam' }, { 'Manager Password': 'lantern-7' }]) {
      for (const label of ['Manager Username', 'Manager Password']) await field(page, label).fill('')
      for (const [label, value] of Object.entries(typed)) await field(page, label).fill(value)
      await press(page, 'Update Credentials')
      await waitForToast(page, 'Please fill in both username and password')
      await press(page, 'Dismiss')
    }
    await field(page, 'Manager Username').fill(' sam ')
    await press(page, 'Update Credentials')
    await waitForToast(page, 'Manager credentials updated successfully')
    await users.getByText('sam', { exact: true }).waitFor()
    expect(await field(page, 'Manager Password').inputValue()).toBe('')
    const body = { restaurantName: place.name, username: 'sam', password: 'lantern-7' }
    expect((await app.browser().call(api.managers.login, { body })).status).toBe(200)
  })

  it('show a manager whom a device set up, who may be removed', async () => {
    const place = await app.restaurant({ tables: ['1'] })
    const credentials = { restaurantName: place.name, username: 'stranger', password: 'lantern-7' }
    await place.device.ok(api.managers.setup, { body: credentials })
    const page = await openAdminPortal(app, place, '/dashboard', 'Welcome back')
    await page.getByText('Manager access was set up on', { exact: false }).waitFor()
    await page.getByRole('link', { name: 'Change it here.' }).click()
    const users = section(page, 'User Management')
    await users.getByText('stranger', { exact: true }).waitFor()
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollTop)).toBeGreaterThan(0)
    const notice = page.getByText('by a device signed in to your restaurant. Not you?', { exact: false })
    await notice.waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await takeScreenshots(page, 'admin-device-set-up')
    await press(page, 'Remove stranger')
    const dialog = page.getByRole('dialog', { name: 'Remove stranger?' })
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await waitForToast(page, 'stranger was removed')
    await users.getByText('None yet').waitFor()
    expect((await app.browser().call(api.managers.login, { body: credentials })).status).toBe(401)
    await press(page, 'Got it')
    await notice.waitFor({ state: 'detached' })
    await page.goto(`${app.url}/dashboard`)
    await waitForTitle(page, 'Welcome back')
    expect(await notice.count()).toBe(0)
  })

  it('keep the keyboard focus in place when one of the managers is removed', async () => {
    const place = await app.restaurant({ tables: ['1'] })
    for (const username of ['sam', 'robin'])
      await place.owner.ok(api.managers.setCredentials, { body: { username, password: 'lantern-7' } })
    const page = await openAdminPortal(app, place)
    await button(page, 'Remove robin').press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Remove robin?' })
    await dialog.getByRole('button', { name: 'Remove', exact: true }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await button(page, 'Remove robin').waitFor({ state: 'detached' })
    await expect.poll(() => focusedName(page)).toBe('Remove sam')
  })

  it('change the restaurant password for all other devices', async () => {
    const place = await app.restaurant({ tables: ['1'] })
    const page = await openAdminPortal(app, place)
    await press(page, 'Change Password')
    await waitForToast(page, 'Please enter your current password')
    await field(page, 'Current Password').fill('not-it')
    await field(page, 'New Password').fill('lantern-at-dusk')
    await field(page, 'Confirm New Password').fill('lantern-at-dusk')
    expectPageError(page, /400.*restaurant-password/)
    await press(page, 'Change Password')
    await waitForToast(page, 'Your current password is wrong')
    await field(page, 'Current Password').fill(password)
    await press(page, 'Change Password')
    await waitForToast(page, 'Password changed')
    expect(await field(page, 'Current Password').inputValue()).toBe('')
    expect((await place.device.call(api.accounts.session, {})).status).toBe(401)
    const body = { restaurantName: place.name, password: 'lantern-at-dusk' }
    await app.browser().ok(api.accounts.restaurantLogin, { body })
  })

  it('end with Sign Out, which forgets everything', async () => {
    const place = await app.restaurant({ tables: ['1'] })
    const page = await openAdminPortal(app, place)
    await page.evaluate(() => sessionStorage.setItem('crewRole', 'Host'))
    expectPageError(page, /401.*\/api\/auth\/user/)
    await press(page, 'Sign Out')
    await waitForTitle(page, 'Restaurant Login')
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    await page.goto(`${app.url}/admin-dashboard`)
    await waitForToast(page, 'Please log in to access admin portal')
    await waitForTitle(page, 'Admin Login')
  })
})

describe('the settings', () => {
  it('rename the restaurant, move it to another time zone, and say whom a request alerts when', async () => {
    const place = await app.restaurant({ name: 'The Old Mill', tables: ['1'] })
    const page = await openAdminPortal(app, place)
    const settings = section(page, 'Settings')
    await settings.getByLabel('Restaurant Name').fill('  ')
    await press(page, 'Save Restaurant')
    await waitForToast(page, 'Please enter your restaurant name')
    await settings.getByLabel('Restaurant Name').fill('The New Mill')
    await settings.getByLabel('Time Zone').selectOption('Pacific/Auckland')
    await press(page, 'Save Restaurant')
    await waitForToast(page, 'Restaurant saved')
    await page.getByText('The New Mill', { exact: true }).waitFor()
    expect(await place.owner.ok(api.restaurant.settings, {})).toMatchObject({
      restaurantName: 'The New Mill',
      timeZone: 'Pacific/Auckland',
    })

    await field(page, 'Drinks: manager after, in seconds').fill('10')
    await press(page, 'Save Alerts')
    await waitForToast(page, 'The manager cannot be alerted before the crew')
    expect(await focusedName(page)).toBe('Drinks: manager after, in seconds')
    expect(await accessibilityProblems(page)).toEqual([])
    for (const screen of ['phone', 'tablet', 'desktop'] as const) {
      await page.setViewportSize(viewports[screen])
      await settings.evaluate((element) => element.scrollIntoView())
      await takeScreenshots(page, 'admin-settings', [screen])
    }
    await field(page, 'Drinks: manager after, in seconds').fill('90')
    await field(page, 'Waits again after, in seconds').fill('240')
    await press(page, 'Save Alerts')
    await waitForToast(page, 'Alerts saved')
    const { managerAfterMs } = defaultAlerts
    const changed = {
      ...defaultAlerts,
      managerAfterMs: { ...managerAfterMs, drinks: 90_000 },
      acceptMs: 240_000,
    }
    expect(await place.owner.ok(api.alerts.settings, {})).toEqual(changed)
    await press(page, 'Reset to Defaults')
    expect(await field(page, 'Drinks: manager after, in seconds').inputValue()).toBe('45')
    await press(page, 'Save Alerts')
    await expect.poll(() => place.owner.ok(api.alerts.settings, {})).toEqual(defaultAlerts)
  })
})
