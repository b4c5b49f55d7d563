import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { defaultEscalation } from '#contract/requests/escalation.ts'
import { setUpApp } from '../../support/app.ts'
import { assignTables, busyRestaurant, today } from '../../support/restaurants/busy-restaurant.ts'
import { crewField, failCalls, focusedName, openAdminPortal } from '../pages/admin-portal.ts'
import { openPageAs, signInAs } from '../pages/sign-in.ts'
import { overflowingElements, setTextSize, lastingViolations } from '../support/accessibility.ts'
import { expectPageError, openPage } from '../support/browser.ts'
import {
  lastingProblems,
  button,
  field,
  press,
  section,
  waitForTitle,
  waitForToast,
} from '../support/locators.ts'
import { takeScreenshots, viewports } from '../support/screenshots.ts'

const app = setUpApp()

describe('the other sections', () => {
  it('show the current state, and lead to their pages', async () => {
    const restaurant = await busyRestaurant(app)
    await assignTables(restaurant, today, { 1: 'Maya Chen', 2: 'Maya Chen' })
    for (const tableNumber of ['1', '2', '3']) {
      await app.browser().ok(api.requests.send, {
        body: { restaurantId: restaurant.name, tableNumber, serviceType: 'drinks' },
      })
    }
    const page = await openAdminPortal(app, restaurant)
    const overview = section(page, 'Dashboard Overview')
    await expect
      .poll(() => overview.getByRole('definition').allInnerTexts())
      .toEqual(['3', 'No data yet', '2'])
    const subscription = section(page, 'Subscription Management')
    for (const text of ['Premium Restaurant Plan', '$100/month']) await subscription.getByText(text).waitFor()
    await expect.poll(() => subscription.getByText('Inactive').count()).toBeGreaterThan(0)
    await section(page, 'QR Code Management').getByText('No QR Code Yet').waitFor()

    await page.setViewportSize(viewports.phone)
    await press(page, 'All sections')
    const sheet = page.getByRole('dialog', { name: 'Admin Portal' })
    await expect
      .poll(() => sheet.getByRole('link', { name: 'Overview' }).getAttribute('aria-current'))
      .toBe('page')
    expect(await lastingViolations(page)).toEqual([])
    await takeScreenshots(page, 'admin-sheet', ['phone'])
    await sheet.getByRole('link', { name: 'Codes' }).click()
    await waitForTitle(page, 'Codes')
    await sheet.waitFor({ state: 'detached' })
    await expect
      .poll(async () => [new URL(page.url()).pathname, await focusedName(page)])
      .toEqual(['/admin-dashboard/codes', 'Codes'])
    await page.goBack()
    await waitForTitle(page, 'Admin Portal')
    await page.setViewportSize(viewports.desktop)

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
      ({ pathname, searchParams }) => pathname === '/customer' && searchParams.get('r') === restaurant.name,
    )
  })

  it.each(['desktop', 'phone'] as const)(
    'stay where they are when the figures come late, on a %s',
    async (size) => {
      const restaurant = await app.restaurant({ tables: ['1'] })
      const page = await openPage({ viewport: viewports[size] })
      await signInAs(page, app, restaurant.owner)
      const answer = Promise.withResolvers<void>()
      await page.route('**/api/analytics/overview*', async (route) => {
        await answer.promise
        await route.continue()
      })
      await page.goto(`${app.url}/admin-dashboard`)
      // It stands above them.
      await page.getByText('Save your recovery codes.').waitFor()
      await page.evaluate(async () => void (await document.fonts.ready))
      const top = async () => (await section(page, 'Table Management').boundingBox())?.y
      await section(page, 'Table Management').getByRole('heading', { name: 'Host Stand' }).waitFor()
      const before = await top()
      answer.resolve()
      await section(page, 'Dashboard Overview').getByText('No data yet').waitFor()
      expect(await top()).toBe(before)
    },
  )

  it('have their names on one line beside them in German, also where one is open', async () => {
    const { owner } = await app.restaurant()
    const page = await openPageAs(app, '/admin-dashboard/people', owner, {
      viewport: viewports.desktop,
      locale: 'de-DE',
    })
    await waitForTitle(page, 'Personen und Zugang')
    const links = page.getByRole('navigation', { name: 'Verwaltung' }).getByRole('link')
    for (const width of [1024, viewports.desktop.width]) {
      await page.setViewportSize({ width, height: 900 })
      const heights = () => links.evaluateAll((all) => all.map((link) => link.clientHeight))
      await expect.poll(heights).toEqual(Array.from({ length: 10 }, () => 44))
    }
  })

  it('keep the keyboard focus when the figures are reloaded, and end with Sign Out, which forgets everything', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const page = await openAdminPortal(app, restaurant)
    const reading = page.waitForResponse('**/api/analytics/overview*')
    await button(page, 'Refresh figures').press('Enter')
    await reading
    await page.getByRole('button', { name: 'Refresh figures', exact: true, disabled: false }).waitFor()
    await expect.poll(() => focusedName(page)).toBe('Refresh figures')
    await page.evaluate(() => sessionStorage.setItem('crewRole', 'Host'))
    await press(page, 'Sign Out')
    await waitForTitle(page, 'Restaurant Login')
    await expect.poll(() => page.evaluate(() => sessionStorage.length)).toBe(0)
    await page.goto(`${app.url}/admin-dashboard`, { waitUntil: 'commit' })
    await waitForToast(page, 'Please log in to access admin portal')
    await waitForTitle(page, 'Admin Login')
  })

  it('show a manager whom a device set up, who may be removed', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const credentials = { restaurantName: restaurant.name, username: 'stranger', password: 'lantern-7' }
    await restaurant.device.ok(api.managers.setup, { body: credentials })
    const page = await openAdminPortal(app, restaurant, '/dashboard', 'Welcome back')
    await page.getByText('Manager access was set up on', { exact: false }).waitFor()
    await page.getByRole('link', { name: 'Change it here.' }).click()
    const users = section(page, 'User Management')
    await users.getByText('stranger', { exact: true }).waitFor()
    await waitForTitle(page, 'People and access')
    const notice = page.getByText('by a device signed in to your restaurant. Not you?', { exact: false })
    await notice.waitFor()
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'admin-device-set-up')
    await press(page, 'Remove stranger')
    const dialog = page.getByRole('dialog', { name: 'Remove stranger?' })
    expect(await lastingViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await waitForToast(page, 'stranger was removed')
    await users.getByText('None yet').waitFor()
    expect((await app.browser().call(api.managers.login, { body: credentials })).status).toBe(401)
    await press(page, 'Got it')
    await notice.waitFor({ state: 'detached' })
    await page.goto(`${app.url}/dashboard`)
    await waitForTitle(page, 'Welcome back')
    await expect.poll(() => notice.count()).toBe(0)
  })

  it('are where one left them after Back and Forward, though they are loaded again', async () => {
    const restaurant = await app.restaurant({
      tables: Array.from({ length: 60 }, (_, index) => `${index + 1}`),
    })
    const page = await openAdminPortal(app, restaurant, '/admin-dashboard/floor')
    const open = async (name: string): Promise<void> => {
      await page.getByRole('link', { name, exact: true }).click()
      await waitForTitle(page, name)
    }
    const scrolled = (): Promise<number> => page.evaluate(() => scrollY)
    await crewField(page, '60').scrollIntoViewIfNeeded()
    const onFloor = await scrolled()
    expect(onFloor).toBeGreaterThan(500)
    await open('Settings')
    await expect.poll(scrolled).toBe(0)
    await button(page, 'Delete Restaurant').scrollIntoViewIfNeeded()
    const onSettings = await scrolled()
    await open('Crew')
    await page.goBack()
    await waitForTitle(page, 'Settings')
    await expect.poll(scrolled).toBe(onSettings)
    await page.goBack()
    await waitForTitle(page, 'Floor')
    await expect.poll(scrolled).toBe(onFloor)
    await page.goForward()
    await waitForTitle(page, 'Settings')
    await expect.poll(scrolled).toBe(onSettings)
  })

  it('leave the others intact when one cannot be loaded, and load again on request', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const page = await openAdminPortal(app, restaurant)
    const away = /assets\/table-management-.*\.js/
    expectPageError(page, /500.*\/api\/admin\/current-user/)
    expectPageError(page, /ERR_FAILED/)
    expectPageError(page, away)
    await failCalls(page, 'GET', '/api/admin/current-user')
    await page.route(away, (route) => route.abort())
    await page.reload()
    const missing = ['Table Management', 'Subscription Management', 'User Management']
    for (const name of missing) await section(page, name).getByText('This could not be loaded.').waitFor()
    const code = section(page, 'QR Code Management')
    await code.getByText('The QR code could not be loaded.').waitFor()
    expect(await lastingViolations(page)).toEqual([])
    await page.unrouteAll({ behavior: 'wait' })
    // The section whose file is missing comes last: some browsers refetch it only for a new page.
    for (const name of ['QR Code Management', 'Table Management'])
      await section(page, name).getByRole('button', { name: 'Try again' }).click()
    await crewField(page, '1').waitFor()
    await code.getByText('No QR Code Yet').waitFor()
    await field(page, 'Manager Username').waitFor()
  })
})

describe('the settings', () => {
  it('rename the restaurant, move it to another time zone, and say whom a request alerts when', async () => {
    const restaurant = await app.restaurant({ name: 'The Old Mill', tables: ['1'] })
    const page = await openAdminPortal(app, restaurant, '/admin-dashboard/settings', 'Restaurant')
    const settings = section(page, 'Restaurant')
    await settings.getByLabel('Restaurant Name').fill('  ')
    await press(page, 'Save Restaurant')
    await waitForToast(page, 'Please enter your restaurant name')
    await settings.getByLabel('Restaurant Name').fill('The New Mill')
    await settings.getByLabel('Time Zone').selectOption('Pacific/Auckland')
    await press(page, 'Save Restaurant')
    await waitForToast(page, 'Restaurant saved')
    await page.getByText('The New Mill', { exact: true }).first().waitFor()
    expect(await restaurant.owner.ok(api.restaurant.settings, {})).toMatchObject({
      restaurantName: 'The New Mill',
      timeZone: 'Pacific/Auckland',
    })
    await page.getByRole('link', { name: 'Alerts', exact: true }).click()
    await waitForTitle(page, 'Alerts')
    await expect.poll(() => focusedName(page)).toBe('Alerts')

    await field(page, 'Drinks: manager after, in seconds').fill('10')
    await press(page, 'Save Alerts')
    await waitForToast(page, 'The manager cannot be alerted before the crew')
    await expect.poll(() => focusedName(page)).toBe('Drinks: manager after, in seconds')
    expect(await lastingProblems(page)).toEqual([])
    for (const screen of ['phone', 'tablet', 'desktop'] as const) {
      await page.setViewportSize(viewports[screen])
      await takeScreenshots(page, 'admin-settings', [screen])
    }
    await field(page, 'Drinks: manager after, in seconds').fill('90')
    await field(page, 'Waits again after, in seconds').fill('240')
    await press(page, 'Save Alerts')
    await waitForToast(page, 'Alerts saved')
    const { managerAfterMs } = defaultEscalation
    const changed = {
      ...defaultEscalation,
      managerAfterMs: { ...managerAfterMs, drinks: 90_000 },
      acceptMs: 240_000,
    }
    expect(await restaurant.owner.ok(api.escalation.settings, {})).toEqual(changed)
    await press(page, 'Alerts: Reset to Defaults')
    await expect.poll(() => field(page, 'Drinks: manager after, in seconds').inputValue()).toBe('45')
    await page.getByText('Not saved yet', { exact: true }).waitFor()
    await press(page, 'Save Alerts')
    await expect.poll(() => restaurant.owner.ok(api.escalation.settings, {})).toEqual(defaultEscalation)
  })

  it('say the opening hours on a phone, and show their fields on demand', async () => {
    const restaurant = await app.restaurant()
    const page = await openAdminPortal(app, restaurant, '/admin-dashboard/settings', 'Opening hours')
    await page.setViewportSize(viewports.phone)
    const card = section(page, 'Opening hours')
    await card.getByLabel('Guests can ask only while you are open').check()
    // To be set for the first time.
    await field(page, 'Closes on Monday, 1').fill('01:30')
    await press(card, 'Save Opening Hours')
    await waitForToast(page, 'Opening hours saved')
    await page.reload()
    await card.getByText('11:00 AM–1:30 AM', { exact: true }).waitFor()
    await card.getByText('Tuesday–Sunday', { exact: true }).waitFor()
    expect(await field(page, 'Closes on Monday, 1').count()).toBe(0)
    for (const size of [16, 32]) {
      await setTextSize(page, size)
      expect([size, ...(await lastingProblems(page)), ...(await overflowingElements(page))]).toEqual([size])
      await card.scrollIntoViewIfNeeded()
      await takeScreenshots(page, `admin-opening-hours-${size}`, ['phone'])
    }
    await setTextSize(page, 16)
    await press(card, 'Change: Opening hours')
    await field(page, 'Closes on Monday, 1').fill('23:00')
    await press(card, 'Change: Opening hours')
    await card.getByText('11:00 AM–11:00 PM', { exact: true }).waitFor()
    await press(card, 'Save Opening Hours')
    await expect
      .poll(async () => (await restaurant.owner.ok(api.opening.state, {})).hours?.[0])
      .toEqual([{ from: '11:00', to: '23:00' }])
  })

  it('show whole numbers in their fields, in large text on a phone', async () => {
    const restaurant = await app.restaurant()
    const page = await openAdminPortal(app, restaurant, '/admin-dashboard/alerts', 'Sounds')
    await page.setViewportSize(viewports.phone)
    await setTextSize(page, 32)
    await field(page, 'Waits again after, in seconds').waitFor()
    const listCut = (): Promise<(string | null)[]> =>
      page
        .locator('main input')
        .evaluateAll((inputs) =>
          inputs
            .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
            .map((input) => input.getAttribute('aria-label')),
        )
    await expect.poll(listCut).toEqual([])
    await takeScreenshots(page, 'admin-alerts-large', ['phone'], { fullPage: true })
  })
})

it('the number of a new table stands beside its button on a phone in German', async () => {
  const restaurant = await busyRestaurant(app)
  const page = await openPageAs(app, '/admin-dashboard/floor', restaurant.owner, {
    viewport: viewports.phone,
    locale: 'de-DE',
  })
  const topOf = async (shown: Locator): Promise<number> => (await shown.boundingBox())?.y ?? Number.NaN
  await expect
    .poll(
      async () => (await topOf(button(page, 'Tisch hinzufügen'))) - (await topOf(field(page, 'Tischnummer'))),
    )
    .toBe(0)
})
