import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { hourMs, minuteMs } from '#contract/durations.ts'
import { password, type TestBrowser } from '../../support/app.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { button, field, press, waitForTitle, waitForToast } from '../support/locators.ts'

const staff = setUpStaffApp({ tolerate: [/40[13].*\/api\//] })

/** An owner's login ends when it has not been used for two hours. */
const endLogin = (): void => staff.app.advance(2 * hourMs + minuteMs)

/** Not before it is there: a page that is opened after the end of the login leads there by itself. */
async function endLoginAndClick(control: Locator): Promise<void> {
  await control.waitFor()
  endLogin()
  await control.click()
}

const browsers: [string, (restaurant: Restaurant) => Promise<TestBrowser>][] = [
  // Which is a device of the restaurant, too, and stays one.
  ['the browser of the sign-up', async ({ owner }) => owner],
  [
    'a browser of Admin Login alone',
    async ({ name }) => {
      const owner = staff.app.browser()
      await owner.ok(api.accounts.ownerLogin, { body: { username: name, password } })
      return owner
    },
  ],
]

async function openAs(
  ownerOf: (restaurant: Restaurant) => Promise<TestBrowser>,
  path: string,
): Promise<Page> {
  const restaurant = await staff.app.restaurant({ tables: ['1'] })
  const page = await staff.open(path, await ownerOf(restaurant))
  await page.waitForLoadState('networkidle')
  return page
}

it.each(browsers)('leads from the next change to Admin Login, and back: %s', async (_, ownerOf) => {
  const page = await openAs(ownerOf, '/admin-dashboard/floor')
  await field(page, 'Table Number').fill('2')
  endLogin()
  await press(page, 'Add Table')
  await waitForToast(page, 'Please log in to access admin portal')
  await waitForTitle(page, 'Admin Login')
  await expect.poll(() => new URL(page.url()).searchParams.get('returnTo')).toBe('/admin-dashboard/floor')
})

it.each(browsers)('leads from the next section to Admin Login: %s', async (_, ownerOf) => {
  const page = await openAs(ownerOf, '/admin-dashboard/codes')
  const sections = page.getByRole('navigation', { name: 'Admin Portal' })
  await endLoginAndClick(sections.getByRole('link', { name: 'Crew', exact: true }))
  await waitForTitle(page, 'Admin Login')
})

const actions = [
  { of: 'the next page', path: '/dashboard', role: 'link', name: 'Set up' },
  { of: 'the choice of a plan', path: '/subscribe', role: 'button', name: 'Choose Monthly' },
] as const

describe.each(actions)('$of', ({ path, role, name }) => {
  it.each(browsers)('leads to Admin Login: %s', async (_, ownerOf) => {
    const page = await openAs(ownerOf, path)
    await endLoginAndClick(page.getByRole(role, { name, exact: true }))
    await waitForToast(page, 'You are logged out. Logging in again...')
    await waitForTitle(page, 'Admin Login')
  })
})

it.each(browsers)('leads from the question for the password to Admin Login: %s', async (_, ownerOf) => {
  const page = await openAs(ownerOf, '/admin-dashboard/people')
  await field(page, 'Manager Username').fill('sam')
  await field(page, 'Manager Password').fill('lantern-7')
  staff.app.advance(16 * minuteMs)
  await press(page, 'Update Credentials')
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await dialog.getByLabel(/^Admin Login password of/u).fill(password)
  endLogin()
  await press(dialog, 'Confirm')
  await waitForTitle(page, 'Admin Login')
  await expect.poll(() => dialog.count()).toBe(0)
})

it('stays where it is when only something else is refused', async () => {
  const page = await openAs(async ({ owner }) => owner, '/admin-dashboard/floor')
  await page.route('**/api/tables', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 403, json: { code: 'forbidden', message: 'You may not do that' } })
      : route.fallback(),
  )
  await field(page, 'Table Number').fill('2')
  await press(page, 'Add Table')
  await waitForToast(page, 'You may not do that')
  await expect.poll(() => button(page, 'Add Table').isVisible()).toBe(true)
})

/** The server ends a live channel with its login, and the page then leads to the login before anything is pressed. */
async function holdLiveChannel(page: Page): Promise<{ hold: () => void }> {
  let isHeld = false
  await page.routeWebSocket(/\/ws\b/u, (socket) => {
    const server = socket.connectToServer()
    server.onMessage((message) => {
      if (!isHeld) socket.send(message)
    })
    server.onClose(() => {
      if (!isHeld) void socket.close()
    })
  })
  return {
    hold: () => {
      isHeld = true
    },
  }
}

describe('of a manager', () => {
  const credentials = { username: 'sam', password: 'lantern-7' }

  /** Signed in as a manager until the Analytics are opened. */
  async function openAnalyticsOf(browserOf: (restaurant: Restaurant) => TestBrowser): Promise<Page> {
    const restaurant = await staff.app.restaurant({ tables: ['1'] })
    const body = { restaurantName: restaurant.name, ...credentials }
    await restaurant.device.ok(api.managers.setup, { body })
    const browser = browserOf(restaurant)
    await browser.ok(api.managers.login, { body })
    const page = await staff.open('/management-login', browser)
    const network = await holdLiveChannel(page)
    await page.goto(`${staff.app.url}/management-dashboard/report`)
    await page.getByRole('heading', { name: 'Weekly report' }).waitFor()
    await page.waitForLoadState('networkidle')
    const pages = page.getByRole('navigation', { name: 'Management Portal' })
    network.hold()
    await endLoginAndClick(pages.getByRole('link', { name: 'Analytics' }))
    await waitForToast(page, 'Please log in to access management portal')
    await waitForTitle(page, 'Management Login')
    await button(page, 'Sign In').waitFor()
    await expect.poll(() => button(page, 'Continue as sam').count()).toBe(0)
    return page
  }

  it('leads to Management Login', async () => {
    await openAnalyticsOf(() => staff.app.browser())
  })

  it('leads to Management Login, and back, where the browser stays a device of the restaurant', async () => {
    const page = await openAnalyticsOf(({ device }) => device)
    await field(page, 'Username').fill(credentials.username)
    await field(page, 'Password').fill(credentials.password)
    await press(page, 'Sign In')
    await waitForTitle(page, 'Management Portal')
    await expect.poll(() => new URL(page.url()).pathname).toBe('/management-dashboard/analytics')
  })
})
