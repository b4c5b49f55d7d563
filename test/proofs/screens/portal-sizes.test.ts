import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { seedDemo } from '../../../src/server/seed.ts'
import { openPageAs } from '../../e2e/pages/sign-in.ts'
import { setUpStaffApp } from '../../e2e/pages/staff-pages.ts'
import { overflowingElements, setTextSize, lastingViolations } from '../../e2e/support/accessibility.ts'
import type { TestBrowser } from '../../support/app.ts'

const staff = setUpStaffApp()

/** The plans have a test of their own. */
const forEverybody = [
  '/',
  '/restaurant-signup',
  '/restaurant-login',
  '/demo-login',
  '/waiter-login',
  '/management-login',
  '/management-setup',
  '/device',
  '/forgot-password',
  '/reset-password',
]
const sections = ['floor', 'crew', 'codes', 'needs', 'alerts', 'billing', 'people', 'settings', 'audit-log']
const forOwners = [
  '/dashboard',
  '/restaurants',
  '/portal-selection',
  '/management-login',
  '/admin',
  '/admin/cards',
  '/admin/cards/walk',
  '/admin/try',
  '/security',
  '/admin-dashboard',
  ...sections.map((section) => `/admin-dashboard/${section}`),
  '/nowhere',
]

/** What is in the way of anybody on a narrow screen, with usual text and with text twice as large. */
async function listProblems(paths: readonly string[], as?: TestBrowser): Promise<string[]> {
  const page = await openPageAs(staff.app, paths[0] ?? '/', as, {
    viewport: { width: 320, height: 640 },
    // In the middle of a fade the landing page's picture has no contrast.
    reducedMotion: 'reduce',
  })
  const found: string[] = []
  for (const path of paths) {
    await page.goto(staff.app.url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    for (const size of [16, 32]) {
      await setTextSize(page, size)
      const problems = [...(await lastingViolations(page)), ...(await overflowingElements(page))]
      found.push(...problems.map((problem) => `${path} with text of ${size} px: ${problem}`))
    }
  }
  return found
}

it('every screen for owners, and for who is not signed in, is for everybody at 320 px', async () => {
  const seeded = await seedDemo(staff.app.ctx)
  const password = seeded?.logins.find(({ who }) => who === 'Restaurant and Admin Login')?.password ?? ''
  const owner = staff.app.browser()
  await owner.ok(api.accounts.ownerLogin, { body: { username: 'The Copper Pot', password } })
  expect([...(await listProblems(forEverybody)), ...(await listProblems(forOwners, owner))]).toEqual([])
}, 400_000)
