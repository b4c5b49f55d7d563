import type { Page, Request } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password } from '../../support/app.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'
import { expectBeforeSignIn } from '../pages/sign-in-redirect.ts'
import { submitSignUp } from '../pages/sign-in.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { lastingViolations } from '../support/accessibility.ts'
import { expectPageError } from '../support/browser.ts'
import {
  section,
  field,
  followLink,
  lastingProblems,
  pathOf,
  press,
  tabTo,
  waitForTitle,
  toast,
  fillFields,
} from '../support/locators.ts'
import { takeScreenshots } from '../support/screenshots.ts'

// A page from the browser's history asks who is signed in.
const staff = setUpStaffApp({ tolerate: [/401.*\/api\/(auth\/user|session)\)/] })
let restaurant: Restaurant
beforeAll(async () => {
  restaurant = await staff.app.restaurant({ name: 'The Copper Pot', tables: ['1', '2'] })
})

async function logIn(page: Page, restaurantName = restaurant.name): Promise<void> {
  await fillFields(page, { 'Restaurant Name': restaurantName, Password: password })
  await field(page, 'I am not a robot').check()
  await press(page, 'Sign In')
  await waitForTitle(page, 'Select Portal')
}

describe('a new restaurant', () => {
  it('signs up, after a form with everything wrong, sets up its management, and its crew starts to work', async () => {
    const page = await staff.open('/')
    await followLink(page, 'Restaurant Login')
    await followLink(page, 'Sign Up')
    await waitForTitle(page, 'Create Account')
    await press(page, 'Create Account')
    await toast(page).waitFor()
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'accounts-signup-wrong', ['phone', 'desktop'])
    await submitSignUp(page, 'Blue Door', 'owner@bluedoor.example')
    await waitForTitle(page, 'Select Portal')
    await page.getByText('Blue Door', { exact: true }).waitFor()
    const codes = section(page, 'Save your recovery codes').getByRole('listitem')
    await codes.last().waitFor()
    await expect.poll(() => codes.count()).toBe(10)
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'accounts-signed-up', ['phone', 'desktop'])
    await press(page, 'I Saved Them')
    await codes.last().waitFor({ state: 'detached' })
    await page.reload()
    await waitForTitle(page, 'Select Portal')
    await page.getByRole('link', { name: 'Crew Portal' }).waitFor()
    await expect.poll(() => codes.count()).toBe(0)
    await expect.poll(() => page.getByText('Save your recovery codes').count()).toBe(0)

    await press(page, 'Management Portal')
    await waitForTitle(page, 'Management Setup')
    await fillFields(page, { Username: 'sam', Password: 'lantern-7', 'Confirm Password': 'lantern-7' })
    await press(page, 'Complete Setup')
    await waitForTitle(page, 'Management Portal')
    expect(pathOf(page)).toBe('/management-dashboard')

    await followLink(page, 'Home')
    await followLink(page, 'Crew Portal')
    await waitForTitle(page, 'Crew Dashboard')
    await page.getByText('Live', { exact: true }).waitFor()
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem('restaurantId'))).toBe('Blue Door')
  })

  it('can do all of it with the keyboard', async () => {
    const page = await staff.open('/')
    await waitForTitle(page, 'Restaurant Service Management')
    await tabTo(page, 'link', 'Restaurant Login')
    await page.keyboard.press('Enter')
    await waitForTitle(page, 'Restaurant Login')
    await tabTo(page, 'link', 'Sign Up')
    await page.keyboard.press('Enter')
    await waitForTitle(page, 'Create Account')
    await tabTo(page, 'textbox', 'Restaurant Name')
    await page.keyboard.type('Key House')
    await tabTo(page, 'textbox', 'Email')
    await page.keyboard.type('owner@keyhouse.example')
    await tabTo(page, 'textbox', 'Password')
    await page.keyboard.type(password)
    await tabTo(page, 'textbox', 'Confirm Password')
    await page.keyboard.type(password)
    await tabTo(page, 'checkbox', 'I am not a robot')
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    await waitForTitle(page, 'Select Portal')
    await tabTo(page, 'button', 'Management Portal')
    await page.keyboard.press('Enter')
    await waitForTitle(page, 'Management Setup')
  })
})

describe('the restaurant login', () => {
  it('is over after Log Out, even with Back', async () => {
    const page = await staff.open('/restaurant-login')
    await logIn(page)
    await press(page, 'Log Out')
    await waitForTitle(page, 'Restaurant Login')
    await expect.poll(() => page.evaluate(() => sessionStorage.length)).toBe(0)
    expectPageError(page, /401.*\/api\/session/)
    await page.goBack()
    await waitForTitle(page, 'Restaurant Login')
    await page.evaluate((name) => sessionStorage.setItem('restaurantId', name), restaurant.name)
    await page.goto(`${staff.app.url}/portal-selection`)
    await waitForTitle(page, 'Restaurant Login')
    await expect.poll(() => pathOf(page)).toBe('/restaurant-login')
  })

  it('follows back and forward, with the focus on the title and the screen at its top', async () => {
    const page = await staff.open('/')
    await followLink(page, 'Restaurant Login')
    await followLink(page, 'Sign Up')
    await waitForTitle(page, 'Create Account')
    await page.goBack()
    await waitForTitle(page, 'Restaurant Login')
    await page.goBack()
    await waitForTitle(page, 'Restaurant Service Management')
    await page.goForward()
    await waitForTitle(page, 'Restaurant Login')
    await expect.poll(() => page.title()).toBe('Restaurant Login · Tableside')
    await page.setViewportSize({ width: 320, height: 480 })
    await page.getByRole('link', { name: 'Sign Up' }).scrollIntoViewIfNeeded()
    await followLink(page, 'Sign Up')
    await waitForTitle(page, 'Create Account')
    await expect
      .poll(() => page.evaluate(() => [scrollY, document.activeElement?.textContent]))
      .toEqual([0, 'Create Account'])
  })
})

describe('the other logins', () => {
  it('bring an owner back to the page that required the login', async () => {
    const page = await staff.open('/restaurant-login')
    await expectBeforeSignIn(
      page,
      () => page.goto(`${staff.app.url}/admin`, { waitUntil: 'commit' }),
      toast(page).getByText('You are logged out. Logging in again...', { exact: true }),
      page.getByRole('heading', { level: 1, name: 'Restaurant Service Management' }),
    )
    await waitForTitle(page, 'Admin Login')
    // Back leaves, instead of leading into the same redirect again.
    await page.goBack()
    await waitForTitle(page, 'Restaurant Login')
    await page.goForward()
    await waitForTitle(page, 'Admin Login')
    await fillFields(page, { Username: 'owner@example.com', Password: password })
    await press(page, 'Sign In')
    await waitForTitle(page, 'Get Set Up')
    await expect.poll(() => pathOf(page)).toBe('/admin')

    await page.goto(`${staff.app.url}/demo-login`)
    await press(page, `Continue as ${restaurant.name}`)
    await waitForTitle(page, 'Admin Portal')
    await followLink(page, 'Customer View')
    await page.waitForURL('**/customer?r=*')
    await page.goBack()
    await waitForTitle(page, 'Admin Portal')
    // What is still being read when the session ends is not asked for any more, instead of being refused.
    const isCrew = (request: Request): boolean => request.url().endsWith('/api/crew')
    const asked = page.waitForRequest(isCrew)
    const over = Promise.any([
      page.waitForEvent('requestfinished', isCrew),
      page.waitForEvent('requestfailed', isCrew),
    ])
    const signedOut = Promise.withResolvers<void>()
    await page.route('**/api/crew', async (route) => {
      await signedOut.promise
      await route.continue()
    })
    await page.route('**/api/logout', async (route) => {
      const response = await route.fetch({ maxRedirects: 0 })
      signedOut.resolve()
      await over
      await route.fulfill({ response })
    })
    await page.goto(`${staff.app.url}/dashboard`)
    await asked
    await press(page, 'Sign Out')
    await waitForTitle(page, 'Restaurant Service Management')
  })

  it('let a crew member in under the own name', async () => {
    const { id } = await restaurant.owner.ok(api.crew.add, { body: { name: 'Mia Stone', role: 'Host' } })
    await restaurant.owner.ok(api.crew.change, {
      params: { id },
      body: { username: 'mia', password: 'lantern-7' },
    })
    const page = await staff.open('/waiter-login')
    await fillFields(page, { Username: 'mia', Password: 'lantern-7' })
    await press(page, 'Sign In')
    await waitForTitle(page, 'Crew Dashboard')
    await page.getByText('Mia Stone, Host').waitFor()
    await expect
      .poll(() =>
        page.evaluate(() =>
          ['restaurantId', 'crewMemberId', 'crewMemberName', 'crewRole'].map((key) =>
            sessionStorage.getItem(key),
          ),
        ),
      )
      .toEqual([restaurant.name, id, 'Mia Stone', 'Host'])

    await staff.app.browser().ok(api.requests.send, {
      body: { restaurantId: restaurant.name, tableNumber: '1', serviceType: 'check' },
    })
    await page.getByRole('button', { name: 'On my way' }).click()
    await page.getByRole('button', { name: 'Release' }).waitFor()
    await press(page, 'My figures')
    const figures = page.getByRole('dialog', { name: 'My figures' })
    await figures.getByRole('row', { name: /Check\/Bill 1/ }).waitFor()
    await expect.poll(() => figures.getByRole('definition').first().innerText()).toBe('1')
    await figures.getByRole('tab', { name: 'Today' }).click()
    await figures.getByRole('row', { name: /Check\/Bill 1/ }).waitFor()
    expect(await lastingViolations(page)).toEqual([])
    await takeScreenshots(page, 'crew-own-figures')
    await page.keyboard.press('Escape')
    await press(page, 'End shift')
    await page.getByRole('radio', { name: 'Give back to everybody' }).click()
    await waitForTitle(page, 'Restaurant Service Management')
  })
})

it('starts dark for the crew and light for everybody else, before any script runs', async () => {
  const themeOf = async (path: string): Promise<string | undefined> => {
    const response = await staff.app.browser().fetch(path, { headers: { accept: 'text/html' } })
    return /<html[^>]* data-theme="(\w+)"/.exec(await response.text())?.[1]
  }
  const themes = await Promise.all(['/waiter', '/waiter?tab=me', '/waiter-login', '/'].map(themeOf))
  expect(themes).toEqual(['dark', 'dark', 'light', 'light'])
})
