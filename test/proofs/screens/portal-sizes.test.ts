import { beforeAll, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { seedDemo } from '../../../src/server/seed.ts'
import { openPageAs } from '../../e2e/pages/sign-in.ts'
import { setUpStaffApp } from '../../e2e/pages/staff-pages.ts'
import {
  brokenParts,
  countLines,
  lastingViolations,
  overflowingElements,
  setTextSize,
} from '../../e2e/support/accessibility.ts'
import { viewports } from '../../e2e/support/screenshots.ts'
import type { TestBrowser } from '../../support/app.ts'
import { isLongRun } from '../../support/long-run.ts'

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
  for (const [index, path] of paths.entries()) {
    await page.goto(staff.app.url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    for (const size of [16, 32]) {
      await setTextSize(page, size)
      // Of the sections of the Admin Portal, `admin-accessibility.test.ts` looks at the other size.
      const isLookedAt = isLongRun || (index % 2 === 0) === (size === 16)
      const violations = isLookedAt ? await lastingViolations(page) : []
      const problems = [...violations, ...(await overflowingElements(page))]
      found.push(...problems.map((problem) => `${path} with text of ${size} px: ${problem}`))
    }
  }
  return found
}

let owner: TestBrowser

beforeAll(async () => {
  const seeded = await seedDemo(staff.app.ctx)
  const password = seeded?.logins.find(({ who }) => who === 'Restaurant and Admin Login')?.password ?? ''
  owner = staff.app.browser()
  await owner.ok(api.accounts.ownerLogin, { body: { username: 'The Copper Pot', password } })
})

it('every screen for owners, and for who is not signed in, is for everybody at 320 px', async () => {
  expect([...(await listProblems(forEverybody)), ...(await listProblems(forOwners, owner))]).toEqual([])
}, 400_000)

it.each(['/admin-dashboard/audit-log', '/security'])(
  'on a phone, what was changed takes at most four screens until older changes are asked for: %s',
  async (path) => {
    const page = await openPageAs(staff.app, path, owner, { viewport: viewports.phone })
    await page.getByRole('button', { name: 'Show older' }).waitFor()
    await page.waitForLoadState('networkidle')
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollHeight))
      .toBeLessThanOrEqual(4 * viewports.phone.height)
  },
)

it('on a phone in German, when something was changed stands on one line', async () => {
  const page = await openPageAs(staff.app, '/admin-dashboard/audit-log', owner, {
    locale: 'de-DE',
    viewport: viewports.phone,
  })
  await expect.poll(() => countLines(page.locator('main time').first())).toBe(1)
})

it.each(['en-US', 'de-DE'])('the settings take at most four screens of a phone: %s', async (locale) => {
  const spans = [
    { from: '11:30', to: '14:30' },
    { from: '18:00', to: '01:00' },
  ]
  await owner.ok(api.opening.setHours, { body: { hours: Array.from({ length: 7 }, () => spans) } })
  const page = await openPageAs(staff.app, '/admin-dashboard/settings', owner, {
    locale,
    viewport: viewports.phone,
  })
  await page.getByRole('button', { name: /^(Change: Guest card|Ändern: Gästekarte)$/u }).waitFor()
  await page.waitForLoadState('networkidle')
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollHeight))
    .toBeLessThanOrEqual(4 * viewports.phone.height)
})

it('the header of Management takes two lines at 320 px, and no address breaks within a word', async () => {
  const page = await openPageAs(staff.app, '/management-dashboard', owner, {
    viewport: { width: 320, height: 640 },
  })
  const header = page.getByRole('banner')
  const actions = ['Tap for sound', 'Home', 'Sign Out'].map((name) =>
    header.getByRole('button', { name, exact: true }).or(header.getByRole('link', { name, exact: true })),
  )
  const tops = async () =>
    new Set(await Promise.all(actions.map(async (each) => (await each.boundingBox())?.y)))
  await expect.poll(async () => (await tops()).size).toBe(1)
  await page.goto(`${staff.app.url}/dashboard`)
  const address = page.getByText('demo@tableside.example')
  await address.waitFor()
  expect(await brokenParts(address, /[\w.]+/gu)).toEqual([])
})

it('a phone on its side has more than half of its height for what an owner does, and says only once what is advised', async () => {
  const page = await openPageAs(staff.app, '/admin-dashboard', owner, {
    viewport: { width: 844, height: 390 },
  })
  const advice = page.getByRole('link', { name: 'Save your recovery codes.' })
  await advice.waitFor()
  await page.goto(`${staff.app.url}/admin-dashboard/audit-log`)
  const card = page.getByRole('region', { name: 'Activity' })
  await card.getByRole('listitem').first().waitFor()
  await page.waitForLoadState('networkidle')
  await expect.poll(() => advice.count()).toBe(0)
  await expect.poll(async () => (await card.boundingBox())?.y).toBeLessThan(195)
})
