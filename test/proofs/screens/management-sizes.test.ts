import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import * as ladder from '../../../src/server/core/requests/escalation/escalation.ts'
import { seedDemo } from '../../../src/server/seed.ts'
import { openPageAs } from '../../e2e/pages/sign-in.ts'
import { setUpStaffApp } from '../../e2e/pages/staff-pages.ts'
import {
  brokenWordsOfAll,
  overflowingElements,
  setTextSize,
  lastingViolations,
} from '../../e2e/support/accessibility.ts'
import { takeScreenshots, viewports } from '../../e2e/support/screenshots.ts'
import type { TestBrowser } from '../../support/app.ts'
import { isLongRun } from '../../support/long-run.ts'

const staff = setUpStaffApp({ viewport: viewports.phone })
let manager: TestBrowser
let owner: TestBrowser

beforeAll(async () => {
  const seeded = await seedDemo(staff.app.ctx)
  const passwordOf = (login: string) => seeded?.logins.find(({ who }) => who === login)?.password ?? ''
  const restaurantName = 'The Copper Pot'
  owner = staff.app.browser()
  const ownerBody = { username: restaurantName, password: passwordOf('Restaurant and Admin Login') }
  await owner.ok(api.accounts.ownerLogin, { body: ownerBody })
  // Otherwise the demo's zone, and so the width of its name, depends on the hour.
  await owner.ok(api.restaurant.change, { body: { timeZone: 'America/North_Dakota/New_Salem' } })
  manager = staff.app.browser()
  const body = { restaurantName, username: 'manager', password: passwordOf('Management Login') }
  await manager.ok(api.managers.login, { body })
})

type Translate = (text: string) => string
const inEnglish: Translate = (text) => text
const inGerman: Translate = (text) => germanTexts[text] ?? text
const readTexts = (set: string): Record<string, string> =>
  JSON.parse(readFileSync(`catalogues/${set}/de.json`, 'utf8')).texts
const germanTexts = { ...readTexts('staff'), ...readTexts('portals') }

/** What a manager can look at, one after the other. */
async function walk(page: Page, look: (screen: string) => Promise<void>, t = inEnglish): Promise<void> {
  await page.getByRole('heading', { name: t('Waiting by weekday and hour') }).waitFor()
  await page.getByRole('region', { name: t('QR Code Management'), exact: true }).waitFor()
  await look('now')
  await page.getByRole('link', { name: t('Analytics'), exact: true }).click()
  for (const [view, title] of [
    ['Summary', 'Compared with other days'],
    ['Times', 'Waiting time by hour'],
    ['Needs', 'How long each step took'],
    ['Tables', 'Waiting by table'],
    ['Crew', 'Waiting time when it is busy'],
  ] as const) {
    await page.getByRole('tab', { name: t(view), exact: true }).click()
    await page.getByRole('heading', { name: t(title) }).waitFor()
    await look(view.toLowerCase())
    const asTable = page.getByRole('button', {
      name: new RegExp(t('Show {title} as a table').replace('{title}', '.+'), 'u'),
    })
    while ((await asTable.count()) > 0) await asTable.first().click()
    await look(`${view.toLowerCase()} as tables`)
  }
  await page.getByRole('link', { name: t('Weekly report'), exact: true }).click()
  await page.getByRole('heading', { name: t('Waiting by table') }).waitFor()
  await look('report')
}

it.each([16, 32])('every view of a manager is for everybody with text of %i px', async (textSize) => {
  const page = await staff.open('/management-dashboard', manager)
  await setTextSize(page, textSize)
  const found: string[] = []
  let looks = 0
  await walk(page, async (screen) => {
    // Each screen at one of the two sizes.
    const isLookedAt = isLongRun || (++looks % 2 === 0) === (textSize === 16)
    const violations = isLookedAt ? await lastingViolations(page) : []
    const problems = [...violations, ...(await overflowingElements(page, 320))]
    found.push(...problems.map((each) => `${screen}: ${each}`))
    await takeScreenshots(page, `management-${textSize}-${screen}`, ['phone'], { fullPage: true })
  })
  expect(found).toEqual([])
})

it.each([
  ['en-US', inEnglish],
  ['de-DE', inGerman],
])(
  'a phone scrolls no more than four of its screens, and every chart has its table: %s',
  async (locale, t) => {
    const viewport = viewports.phone
    const page = await openPageAs(staff.app, '/management-dashboard', manager, { locale, viewport })
    const found: Record<string, number> = {}
    await walk(
      page,
      async (screen) => {
        found[screen] = await page.evaluate(() => document.documentElement.scrollHeight)
        const charts = page.locator('main div[aria-hidden] > svg')
        const tables = page.locator('main section:has(> div[aria-hidden] > svg) table')
        // The last of them may appear while they are counted.
        await expect
          .poll(async () => (await charts.count()) - (await tables.count()), {
            message: `charts without a table: ${screen}`,
          })
          .toBe(0)
      },
      t,
    )
    const tooLong = Object.entries(found).filter(([, height]) => height > 4 * viewport.height)
    expect(tooLong).toEqual([])
  },
)

describe('in a rush that nobody hears', () => {
  const longNames = Array.from({ length: 8 }, (_, at) => `Terrace by the old chestnut ${at + 1}`)

  beforeAll(async () => {
    const names = ['Maximiliane Oberhauser-Lindqvist', 'Constantina Papadimitriou-Andersen']
    const [crew, { day }] = [await owner.ok(api.crew.list, {}), await owner.ok(api.analytics.overview, {})]
    for (const [at, { id, role }] of crew.slice(0, 6).entries())
      await owner.ok(api.crew.change, { params: { id }, body: { name: `${names[at % 2]} ${at + 1}`, role } })
    const servers = crew.filter(({ role }) => role === 'Server')
    const assignments = []
    for (const [at, tableNumber] of longNames.entries()) {
      const { id: tableId } = await owner.ok(api.floor.addTable, { body: { tableNumber } })
      assignments.push({ tableId, crewMemberId: servers[at % servers.length]?.id ?? null })
    }
    await owner.ok(api.floor.assign, { body: { date: day, assignments } })
    for (const [at, tableNumber] of longNames.entries()) {
      const body = { restaurantId: 'The Copper Pot', tableNumber, serviceType: 'assistance' } as const
      await staff.app.browser().ok(api.requests.send, { body: { id: `rush-${at}`, ...body } })
    }
    for (const minutes of [6, 11])
      await ladder.escalateDueRequests({ ...staff.app.ctx, now: () => staff.app.now() + minutes * 60_000 })
  })

  it.each([
    ['en-US', inEnglish],
    ['de-DE', inGerman],
  ])('a phone scrolls no more than four of its screens to see everything: %s', async (locale, t) => {
    const viewport = viewports.phone
    const page = await openPageAs(staff.app, '/management-dashboard', manager, { locale, viewport })
    await page.getByRole('heading', { name: t('Waiting by weekday and hour') }).waitFor()
    await page.getByRole('region', { name: t('QR Code Management'), exact: true }).waitFor()
    await page.getByText(t('Nobody has taken this yet')).waitFor()
    await page.getByText(t('Nobody is listening'), { exact: true }).waitFor()
    await takeScreenshots(page, `management-rush-${locale}`, ['phone'], { fullPage: true })
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollHeight))
      .toBeLessThanOrEqual(4 * viewport.height)
  })

  it('who waits can be read with text twice as large', async () => {
    const page = await staff.open('/management-dashboard', manager)
    await setTextSize(page, 32)
    const today = page.getByRole('region', { name: 'Today' })
    await today.getByRole('button', { name: 'Show all 8' }).click()
    const waiting = today.getByRole('listitem')
    await expect.poll(() => waiting.count()).toBe(8)
    await takeScreenshots(page, 'management-rush-32', ['phone'], { fullPage: true })
    expect(await brokenWordsOfAll(waiting)).toEqual([])
    expect(await overflowingElements(page, 320)).toEqual([])
  })
})
