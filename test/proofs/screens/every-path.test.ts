import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { setUpStaffApp } from '../../e2e/pages/staff-pages.ts'
import { lastingProblems, pathOf, waitForTitle } from '../../e2e/support/locators.ts'
import { takeScreenshots } from '../../e2e/support/screenshots.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'

const staff = setUpStaffApp()
let restaurant: Restaurant
beforeAll(async () => {
  restaurant = await staff.app.restaurant({ name: 'The Copper Pot', tables: ['1', '2'] })
})

const signedOut: [path: string, heading: string][] = [
  ['/', 'Restaurant Service Management'],
  ['/customer', 'Scan QR Code'],
  ['/restaurant-login', 'Restaurant Login'],
  ['/restaurant-signup', 'Create Account'],
  ['/device', 'Sign in this device'],
  ['/portal-selection', 'Select Portal'],
  ['/waiter-login', 'Crew Login'],
  ['/management-login', 'Management Login'],
  ['/management-setup', 'Management Setup'],
  ['/demo-login', 'Admin Login'],
  ['/subscribe', 'Choose Your Plan'],
  ['/developers', 'For developers'],
  ['/no-such-page', 'Restaurant Service Management'],
]
const signedIn: [path: string, heading: string][] = [
  ['/dashboard', 'Welcome back'],
  ['/restaurants', 'Your restaurants'],
  ['/admin-dashboard', 'Admin Portal'],
  ['/management-dashboard', 'Management Portal'],
  ['/customer', 'Scan QR Code'],
  ['/admin', 'Get Set Up'],
  ['/demo-login', 'Admin Login'],
  ['/portal-selection', 'Select Portal'],
  ['/no-such-page', '404 Page Not Found'],
]

describe('every path', () => {
  /** Visits each path by itself; returns what is not accessible. */
  async function visitAll(page: Page, paths: [path: string, heading: string][]): Promise<string[]> {
    const problems: string[] = []
    for (const [path, heading] of paths) {
      await page.goto(staff.app.url + path)
      await waitForTitle(page, heading)
      await expect.poll(() => pathOf(page)).toBe(path)
      // The guest page has tests of its own.
      if (path === '/customer') continue
      problems.push(...(await lastingProblems(page)).map((problem) => `${path} ${problem}`))
      await takeScreenshots(page, `accounts${path === '/' ? '-landing' : path.replaceAll('/', '-')}`)
    }
    return problems
  }

  it('leads to its screen, which everybody can use: signed out, on a device of the restaurant', async () => {
    const page = await staff.open('/', restaurant.device)
    expect(await visitAll(page, signedOut)).toEqual([])
  })

  it('leads to its screen, which everybody can use: signed in', async () => {
    const page = await staff.open('/', restaurant.owner)
    expect(await visitAll(page, signedIn)).toEqual([])
    await page.goto(`${staff.app.url}/onboarding`)
    await waitForTitle(page, 'Welcome back')
  })
})
