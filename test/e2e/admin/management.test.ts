import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { type DayRange, eventColumns } from '#contract/analytics.ts'
import { api } from '#contract/api.ts'
import { defaultEscalation } from '#contract/requests/escalation.ts'
import * as ladder from '../../../src/server/core/requests/escalation/escalation.ts'
import { seedDemo } from '../../../src/server/seed.ts'
import { type TestBrowser } from '../../support/app.ts'
import { figuresFromCsv } from '../../support/reading/figures-from-csv.ts'
import { comparisonTexts, heatTexts, slowestSentence } from '../../support/reading/figures-in-words.ts'
import { smallPng } from '../../support/reading/qr-reader.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'
import { openPageAs, signInAs } from '../pages/sign-in.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { brokenWordsOfAll, countLines, overflowingElements, setTextSize } from '../support/accessibility.ts'
import { expectPageError, openPage } from '../support/browser.ts'
import {
  button,
  section,
  field,
  followLink,
  lastingProblems,
  pathOf,
  press,
  waitForTitle,
  toast,
} from '../support/locators.ts'
import { viewports, takeScreenshot, takeScreenshots } from '../support/screenshots.ts'

const staff = setUpStaffApp()
const demo = { manager: '', owner: '' }

beforeAll(async () => {
  const seeded = await seedDemo(staff.app.ctx)
  for (const { who, password } of seeded?.logins ?? []) {
    if (who === 'Management Login') demo.manager = password
    if (who.startsWith('Restaurant')) demo.owner = password
  }
})

async function manager({ name, device }: Restaurant, password = 'lantern-7'): Promise<TestBrowser> {
  const body = { restaurantName: name, username: 'sam', password }
  await device.ok(api.managers.setup, { body })
  const browser = staff.app.browser()
  await browser.ok(api.managers.login, { body })
  return browser
}

async function demoManager(): Promise<TestBrowser> {
  const browser = staff.app.browser()
  const body = { restaurantName: 'The Copper Pot', username: 'manager', password: demo.manager }
  await browser.ok(api.managers.login, { body })
  return browser
}

const see = async (at: Page | Locator, text: string): Promise<void> =>
  await at.getByText(text, { exact: true }).first().waitFor()

const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

/** Seven days, the last of them that many days ago. */
const lastDays = (day: string, ago: number): DayRange => ({
  from: addDays(day, -6 - ago),
  to: addDays(day, -ago),
})

/** From the downloaded events alone. */
async function recount(browser: TestBrowser, { from, to }: DayRange) {
  const { body } = await browser.send('GET', `/api/analytics/events.csv?from=${from}&to=${to}`)
  const csv = String(body).replace(/^\uFEFF/u, '')
  return figuresFromCsv(csv, '', { days: [], now: staff.app.now() })
}

/** Labels of charts that leave their picture, are cut short or touch another one. */
const troubledLabels = (page: Page): Promise<string[]> =>
  page.locator('svg:has(text)').evaluateAll((charts) =>
    charts.flatMap((chart) => {
      const frame = chart.getBoundingClientRect()
      const labels = [...chart.querySelectorAll('text')].map((label) => ({
        words: label.textContent,
        box: label.getBoundingClientRect(),
      }))
      const leaving = labels.filter(
        ({ words, box }) =>
          words.endsWith('…') ||
          box.left < frame.left - 1 ||
          box.right > frame.right + 1 ||
          box.top < frame.top - 1 ||
          box.bottom > frame.bottom + 1,
      )
      const touching = labels.flatMap((one, index) =>
        labels
          .slice(index + 1)
          .filter(
            ({ box }) =>
              box.left < one.box.right &&
              one.box.left < box.right &&
              box.top < one.box.bottom - 2 &&
              one.box.top < box.bottom - 2,
          )
          .map(({ words }) => `${one.words} over ${words}`),
      )
      return [...leaving.map(({ words }) => words), ...touching]
    }),
  )

/** Each row's cells. */
const textsOf = (table: Locator): Promise<string[][]> =>
  table
    .locator('tr')
    .evaluateAll((all) =>
      all.map((row) => [...row.children].map(({ textContent }) => textContent.replaceAll(/\s+/gu, ' '))),
    )

/** A phone scrolls at most four of its screens. */
async function expectShort(page: Page): Promise<void> {
  const before = page.viewportSize()
  await page.setViewportSize(viewports.phone)
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollHeight))
    .toBeLessThanOrEqual(4 * viewports.phone.height)
  if (before) await page.setViewportSize(before)
}

async function openDialog(page: Page, name: string): Promise<Locator> {
  await press(page, name)
  const dialog = page.getByRole('dialog', { name, exact: true })
  await dialog.waitFor()
  return dialog
}

describe('a restaurant without any requests', () => {
  it('sets its management up, is signed in, finds everything empty, and ends with Sign Out', async () => {
    const { name, device } = await staff.app.restaurant({ tables: ['1'] })
    const page = await staff.open('/portal-selection', device)
    await press(page, 'Management Portal')
    await waitForTitle(page, 'Management Setup')
    await press(page, 'Complete Setup')
    await toast(page).getByText('Please fill in all fields').waitFor()
    await field(page, 'Username').fill('sam')
    await field(page, 'Password').fill('lantern-7')
    await field(page, 'Confirm Password').fill('lantern-8')
    await press(page, 'Complete Setup')
    await toast(page).getByText('Passwords do not match. Please try again.').waitFor()
    await field(page, 'Confirm Password').fill('lantern-7')
    await press(page, 'Complete Setup')
    await waitForTitle(page, 'Management Portal')
    await expect.poll(() => pathOf(page)).toBe('/management-dashboard')
    await see(page, name)

    for (const text of ['0 today', 'No data yet', '0 tables', 'No QR Code Yet', 'No active requests'])
      await see(page, text)
    await see(section(page, 'On the floor'), 'Nobody is assigned today')
    await see(page, 'No requests in these four weeks')
    await page.getByRole('region', { name: 'Manager Access Management' }).waitFor()
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'management-empty')

    const empty: [string, string, string, string][] = [
      ['Total Requests', 'No request data', "Today's requests", 'No Requests Found'],
      ['Response Time', 'No response-time data', 'Response times one by one', 'No Requests Found'],
      ['Active Tables', 'No active tables', 'Requests by table', 'No Table Data Found'],
    ]
    for (const [name, nothing, deeper, nothingDeeper] of empty) {
      const dialog = await openDialog(page, name)
      await see(dialog, nothing)
      expect(await lastingProblems(page)).toEqual([])
      await press(dialog, deeper)
      await see(dialog, nothingDeeper)
      expect(await lastingProblems(page)).toEqual([])
      await press(dialog, 'Back')
      await see(dialog, nothing)
      await press(dialog, 'Close')
      await dialog.waitFor({ state: 'detached' })
    }

    await press(page, 'Sign Out')
    await waitForTitle(page, 'Restaurant Login')
    await expect.poll(() => page.evaluate(() => sessionStorage.length)).toBe(0)
    expectPageError(page, /401.*\/api\/admin\/current-user/)
    await page.goto(`${staff.app.url}/management-dashboard`)
    await waitForTitle(page, 'Management Login')
  })
})

describe('the demo restaurant', () => {
  it('shows its day, and every dialog full', async () => {
    const page = await staff.open('/management-login')
    await page.goto(`${staff.app.url}/restaurant-login`)
    await field(page, 'Restaurant Name').fill('The Copper Pot')
    await field(page, 'Password').fill(demo.owner)
    await field(page, 'I am not a robot').check()
    await press(page, 'Sign In')
    await waitForTitle(page, 'Select Portal')
    await press(page, 'Management Portal')
    await waitForTitle(page, 'Management Login')
    await field(page, 'Username').fill('manager')
    await field(page, 'Password').fill(demo.manager)
    await press(page, 'Sign In')
    await waitForTitle(page, 'Management Portal')

    for (const text of ['24 today', '12% more than a usual day of the week before', '2m 30s', '8 tables'])
      await see(page, text)
    await see(page, '8% faster than the week before')
    await section(page, 'On the floor').getByText('Maya Lindqvist').waitFor()
    await section(page, 'On the floor').getByText('Ana Duarte').waitFor()
    await page
      .getByRole('heading', {
        name: /^(Fridays|Saturdays) \d+ to \d+ PM are slowest: half wait \dm( \d+s)? or longer$/,
      })
      .waitFor()
    const heat = page.getByRole('table', { name: 'Waiting by weekday and hour' })
    await expect.poll(() => heat.getByRole('row').count()).toBe(8)
    const counting = await demoManager()
    const { day } = await counting.ok(api.analytics.overview, {})
    const counted = await recount(counting, { from: addDays(day, -28), to: addDays(day, -1) })
    await see(page, slowestSentence(counted))
    await expect.poll(() => textsOf(heat)).toEqual(heatTexts(counted))
    await page.getByRole('region', { name: 'QR Code Management' }).getByRole('img').waitFor()
    await takeScreenshots(page, 'management-now', ['phone', 'desktop'], { fullPage: true })
    await expectShort(page)

    const requests = await openDialog(page, 'Total Requests')
    await see(requests, '24')
    await press(requests, "Today's requests")
    await expect.poll(() => requests.getByRole('listitem').count()).toBe(24)
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'management-requests', ['phone', 'desktop'])
    await page.keyboard.press('Escape')
    await requests.waitFor({ state: 'detached' })

    const times = await openDialog(page, 'Response Time')
    await see(times, '2m 30s')
    await press(times, 'Response times one by one')
    await expect.poll(() => times.getByRole('listitem').count()).toBe(24)
    expect(await lastingProblems(page)).toEqual([])
    await page.keyboard.press('Escape')
    await times.waitFor({ state: 'detached' })

    const tables = await openDialog(page, 'Active Tables')
    await see(tables, 'Maya Lindqvist')
    await takeScreenshots(page, 'management-tables', ['phone', 'desktop'])
    await press(tables, 'Requests by table')
    await expect.poll(() => tables.getByRole('row').count()).toBe(9)
    expect(await lastingProblems(page)).toEqual([])
  })

  it('also shows the owner its day, and what it pays', async () => {
    const owner = staff.app.browser()
    await owner.ok(api.accounts.ownerLogin, { body: { username: 'The Copper Pot', password: demo.owner } })
    const page = await staff.open('/admin-dashboard', owner)
    const figures = section(page, 'Dashboard Overview').getByRole('definition')
    await expect
      .poll(async () => (await figures.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ')))
      .toEqual(['24 +12%', '2.5m -8%', '8'])
    const subscription = section(page, 'Subscription Management')
    for (const text of ['Premium Restaurant Plan', '$100/month', 'Active', 'Customer ID'])
      await see(subscription, text)
    await subscription.getByRole('link', { name: 'Manage Subscription' }).click()
    await page.waitForURL('**/subscribe')
  })

  it('computes its figures for any days, in charts that are tables too, and gives the events away', async () => {
    const page = await staff.open('/management-dashboard', await demoManager())
    await followLink(page, 'Analytics')
    await page.waitForURL('**/management-dashboard/analytics')
    const analytics = section(page, 'Analytics')
    const rows = (name: string): Locator => analytics.getByRole('region', { name }).getByRole('row')
    await analytics.getByRole('tab', { name: 'Today', exact: true }).click()
    await see(analytics, '24')
    await see(analytics, 'Half waited at most')
    await analytics.getByRole('tab', { name: '7 days', exact: true }).click()
    await see(analytics, 'Compared with other days')
    const counting = await demoManager()
    const { day } = await counting.ok(api.analytics.overview, {})
    const [week, before] = [
      await recount(counting, lastDays(day, 0)),
      await recount(counting, lastDays(day, 7)),
    ]
    const compared = async () =>
      (await textsOf(analytics.getByRole('table', { name: 'Compared with other days' }))).slice(1)
    await expect.poll(compared).toEqual(comparisonTexts(week.totals, before.totals))
    const others = lastDays(day, 3)
    await field(page, 'Compare from').fill(others.from)
    await field(page, 'Compare to').fill(others.to)
    await press(analytics, 'Show')
    const { totals } = await recount(counting, others)
    await expect.poll(compared).toEqual(comparisonTexts(week.totals, totals))
    await field(page, 'Compare from').fill(addDays(day, -16))
    await press(analytics, 'Show')
    const longer = await recount(counting, { from: addDays(day, -16), to: others.to })
    await expect.poll(compared).toEqual(comparisonTexts(week.totals, longer.totals, [7, 14]))
    expect(await lastingProblems(page)).toEqual([])
    // A phone shows the difference, too.
    await page.setViewportSize(viewports.phone)
    const comparison = analytics.getByRole('region', { name: 'Compared with other days' }).last()
    await expect
      .poll(() => comparison.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))
      .toBe(0)
    await page.setViewportSize(viewports.desktop)
    await takeScreenshots(page, 'management-summary', ['phone', 'desktop'], { fullPage: true })
    const view = async (name: string) => {
      await analytics.getByRole('tab', { name, exact: true }).click()
      await expectShort(page)
    }
    await expectShort(page)
    await view('Crew')
    await rows('Sections').getByText('Jonas Weber').waitFor()
    await view('Tables')
    await takeScreenshots(page, 'management-tables-view', ['phone', 'desktop'], { fullPage: true })
    await view('Times')
    await analytics.getByRole('heading', { name: 'Requests by day' }).waitFor()
    await expect.poll(() => rows('Requests by day').count()).toBe(8)
    const hours = week.byHour.flatMap(({ hour, requests }) => (requests > 0 ? [hour] : []))
    await expect
      .poll(() => rows('Requests by hour').count())
      .toBe(Math.max(...hours) - Math.min(...hours) + 2)
    await expect.poll(() => analytics.locator('section svg[height="200"]').count()).toBe(4)
    // Neither colours that other programs do not know, nor the page's classes.
    for (const [kind, content] of [
      ['SVG', /^<svg(?!.*(?:oklch|class=))/su],
      ['PNG', /^\x89PNG/u],
    ] as const) {
      const picture = page.waitForEvent('download')
      await press(analytics, `Save Requests by day as ${kind}`)
      const saved = await picture
      expect(saved.suggestedFilename()).toBe(`Requests by day.${kind.toLowerCase()}`)
      expect(readFileSync(await saved.path(), 'latin1')).toMatch(content)
    }
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'management')
    await takeScreenshots(page, 'management-whole', ['phone', 'desktop'], { fullPage: true })
    await view('Needs')
    await press(analytics, 'Show Requests by type as a table')
    await press(analytics, 'Half waited at most')
    await analytics
      .getByRole('columnheader', { name: 'Half waited at most', exact: true })
      .and(page.locator('[aria-sort="descending"]'))
      .waitFor()
    await analytics.getByLabel('Show all percentiles').check()
    await see(analytics, '99% within')
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'management-needs', ['phone', 'desktop'], { fullPage: true })
    await view('Times')

    const file = page.waitForEvent('download')
    await analytics.getByRole('link', { name: 'Download events (CSV)' }).click()
    const saved = await file
    expect(saved.suggestedFilename()).toMatch(/^The Copper Pot events .*\.csv$/)
    const [head] = readFileSync(await saved.path(), 'utf8').split('\r\n')
    expect(head?.replace('\uFEFF', '')).toBe(eventColumns.join(','))

    await analytics.getByRole('tab', { name: 'Custom', exact: true }).click()
    await field(page, 'First day').fill(addDays(day, -300))
    await field(page, 'Last day').fill(addDays(day, -301))
    await press(analytics, 'Show')
    await see(analytics, 'Please choose a first day that is not after the last')
    await field(page, 'Last day').fill(addDays(day, -299))
    await press(analytics, 'Show')
    await see(analytics, 'No Requests Found')
    for (const range of ['30 days', '90 days']) {
      await analytics.getByRole('tab', { name: range, exact: true }).click()
      await analytics.getByRole('heading', { name: 'Requests by day' }).waitFor()
    }
    await expect.poll(() => rows('Requests by day').count()).toBe(91)
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'management-90-days', ['phone', 'desktop'])

    // The same day of another year is shown separately.
    await analytics.getByRole('tab', { name: 'Custom', exact: true }).click()
    const today = (await field(page, 'Last day').getAttribute('max')) ?? ''
    await field(page, 'First day').fill(
      `${Number(today.slice(0, 4)) - 3}${today.slice(4).replace('02-29', '02-28')}`,
    )
    await field(page, 'Last day').fill(today)
    await press(analytics, 'Show')
    await see(analytics, 'Requests by day')
    const drawn = analytics.locator(
      'section:has(h3:text-is("Requests by day")) svg[height="200"] rect:not([height="0"])',
    )
    const boxes = () => drawn.evaluateAll((all) => all.map((column) => column.getBoundingClientRect()))
    // Until then the chart may be that of the 90 days.
    await expect
      .poll(async () => {
        const left = (await boxes()).map(({ x }) => x)
        return Math.max(...left) - Math.min(...left)
      })
      .toSatisfy((spread: number) => spread >= 0 && spread < 10)
    const columns = await boxes()
    expect(columns.length).toBeGreaterThan(7)
    for (const { width } of columns) expect(width).toBeGreaterThanOrEqual(1)
  })

  it('shows the choices of a pause whole, in German too', async () => {
    const page = await openPageAs(staff.app, '/management-dashboard', await demoManager(), {
      locale: 'de-DE',
      viewport: viewports.desktop,
    })
    const choices = section(page, 'Anliegen aussetzen').locator('select')
    const cut = (): Promise<string[]> =>
      choices.evaluateAll((selects) =>
        selects.flatMap((select) => {
          if (!(select instanceof HTMLSelectElement)) return []
          const style = getComputedStyle(select)
          const pen = document.createElement('canvas').getContext('2d')
          if (!pen) return []
          pen.font = style.font
          const room =
            select.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight)
          return [...select.options].flatMap(({ text }) => (pen.measureText(text).width > room ? text : []))
        }),
      )
    for (const width of [1440, 1024, 390, 320]) {
      await page.setViewportSize({ width, height: 900 })
      // From here on the form is opened on demand.
      if (width === 390) await press(page, 'Etwas aussetzen')
      await expect.poll(() => choices.count()).toBe(3)
      await expect.poll(cut, { message: `${width} wide` }).toEqual([])
    }
  })

  it('labels its charts in text of any size, nothing cut and nothing over another', async () => {
    const page = await staff.open('/management-dashboard/analytics', await demoManager())
    const countLabels = (): Promise<number> => page.locator('svg:visible text').count()
    const labelSize = (): Promise<number> =>
      page
        .locator('svg:visible text')
        .first()
        .evaluate((label) => Number.parseFloat(getComputedStyle(label).fontSize))
    for (const view of ['Times', 'Needs', 'Tables', 'Crew']) {
      await page.getByRole('tab', { name: view, exact: true }).click()
      await page.getByRole('tab', { name: view, exact: true, selected: true }).waitFor()
      for (const size of [16, 32])
        for (const viewport of [viewports.desktop, viewports.phone, { width: 320, height: 640 }]) {
          await page.setViewportSize(viewport)
          await setTextSize(page, size)
          const message = `${view}, text of ${size}, ${viewport.width} wide`
          await expect.poll(countLabels, { message }).toBeGreaterThan(0)
          await expect.poll(labelSize, { message }).toBeGreaterThanOrEqual(size * 0.875)
          await expect.poll(() => troubledLabels(page), { message }).toEqual([])
          await takeScreenshot(page, `charts-${view}-${size}-${viewport.width}`, { fullPage: true })
        }
    }
  })

  it('keeps its report as wide as the smallest phone, in German and large text', async () => {
    const page = await openPageAs(staff.app, '/management-dashboard/report', await demoManager(), {
      locale: 'de-DE',
      viewport: { width: 320, height: 568 },
    })
    await setTextSize(page, 32)
    await page.getByRole('heading', { name: 'Wartezeit nach Tisch' }).waitFor()
    expect(await overflowingElements(page)).toEqual([])
    expect(await brokenWordsOfAll(page.getByRole('heading', { name: 'Wochenbericht' }))).toEqual([])
  })

  it('gives a report of any week, alone on paper', async () => {
    const page = await staff.open('/management-dashboard/report', await demoManager())
    await page.getByRole('heading', { name: 'Waiting by table' }).waitFor()
    expect(await lastingProblems(page)).toEqual([])
    await expectShort(page)
    await takeScreenshots(page, 'management-report', ['phone', 'desktop'], { fullPage: true })
    const week = await page.getByText(/^The Copper Pot, /).textContent()
    await press(page, 'Previous week')
    await expect.poll(() => page.getByText(/^The Copper Pot, /).textContent()).not.toBe(week)
    await page.getByRole('heading', { name: 'Waiting by table' }).waitFor()
    await page.emulateMedia({ media: 'print' })
    await page.getByRole('link', { name: 'Analytics' }).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Print or save as PDF' }).waitFor({ state: 'hidden' })
    await expect.poll(() => page.getByRole('heading', { name: 'Weekly report' }).isVisible()).toBe(true)
    const colours = () =>
      page
        .locator('html, body, #root, main, #weekly-report, #weekly-report section')
        .evaluateAll((all) => all.map((each) => getComputedStyle(each).backgroundColor))
    await expect
      .poll(async () => new Set(await colours()))
      .toEqual(new Set(['rgb(255, 255, 255)', 'rgba(0, 0, 0, 0)']))
    await takeScreenshots(page, 'management-report-print', ['desktop'], { fullPage: true })
  })

  it('prints whole charts and named columns, from a window of any width', async () => {
    const page = await openPage({ viewport: viewports.desktop })
    // No page is told how wide the paper is.
    await page.addInitScript(() => {
      window.ResizeObserver = class {
        observe(): void {}
        unobserve(): void {}
        disconnect(): void {}
      }
    })
    await signInAs(page, staff.app, await demoManager())
    await page.goto(`${staff.app.url}/management-dashboard/report`)
    const report = page.getByRole('article')
    await press(page, 'Show Waiting by table as a table')
    await report.getByRole('heading', { name: 'Waiting by weekday and hour' }).waitFor()
    await page.emulateMedia({ media: 'print' })
    for (const width of [560, 720]) {
      await page.setViewportSize({ width, height: 1000 })
      const cut = () =>
        report.locator('[aria-hidden] > svg').evaluateAll((charts) =>
          charts.map((chart) => {
            const box = chart.parentElement?.getBoundingClientRect()
            return Math.max(0, Math.round(chart.getBoundingClientRect().right - (box?.right ?? 0)))
          }),
        )
      await expect.poll(cut).toEqual([0, 0, 0, 0])
    }
    await expect
      .poll(() => report.getByRole('columnheader', { name: 'Repeated asks' }).innerText())
      .toBe('Repeated asks')
    await expect.poll(() => button(report, 'Repeated asks').isVisible()).toBe(true)
    const tables = report.getByRole('region', { name: 'Waiting by table' }).last()
    await expect
      .poll(() => tables.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))
      .toBe(0)
  })

  it('shows the QR code at 192 pixels, downloads it under its name, and leads to the crew and to the guests', async () => {
    const owner = staff.app.browser()
    await owner.ok(api.accounts.ownerLogin, {
      body: { username: 'The Copper Pot', password: demo.owner },
    })
    const body = { restaurantId: 'The Copper Pot', qrCodeDataUrl: smallPng }
    await owner.ok(api.qr.generate, { body })
    const page = await staff.open('/management-dashboard', await demoManager())
    const picture = page.getByRole('img', { name: 'QR code of The Copper Pot' })
    await picture.waitFor()
    await expect.poll(() => picture.boundingBox()).toMatchObject({ width: 192, height: 192 })
    await expect
      .poll(() => picture.evaluate(({ clientWidth, clientHeight }) => [clientWidth, clientHeight]))
      .toEqual([192, 192])
    const file = page.waitForEvent('download')
    await press(page, 'Download QR Code')
    expect((await file).suggestedFilename()).toBe('The Copper Pot-qr-code.png')
    expect(await lastingProblems(page)).toEqual([])
    await picture.scrollIntoViewIfNeeded()
    await takeScreenshots(page, 'management-access', ['phone', 'desktop'])
    await see(page, 'View live service requests')
    await see(page, 'Test the customer experience')
    await followLink(page, 'Customer View')
    await page.waitForURL('**/customer?r=*')
    await page.goBack()
    await followLink(page, 'Crew Dashboard')
    await waitForTitle(page, 'Crew Dashboard')
    await page.goBack()
    await followLink(page, 'Home')
    await waitForTitle(page, 'Select Portal')
    await page.goBack()
    await page.getByRole('link', { name: 'Advanced Settings' }).click()
    await page.waitForURL(/\/(admin|demo-login)/)
  })
})

describe('a small phone', () => {
  it('has room for the header, and for names of any length', async () => {
    const long = 'W'.repeat(40)
    const restaurant = await staff.app.restaurant({ tables: ['1', '2', '3', '4', '5', '6', long] })
    const tables = await restaurant.owner.ok(api.floor.tables, {})
    const crew: string[] = []
    for (const name of ['Maya Lindqvist', 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3).slice(0, 80)])
      crew.push((await restaurant.owner.ok(api.crew.add, { body: { name, role: 'Server' } })).id)
    const assignments = tables.map(({ id, tableNumber }) => ({
      tableId: id,
      crewMemberId: (tableNumber === long ? crew[1] : crew[0]) ?? null,
    }))
    const date = new Date(staff.app.now()).toISOString().slice(0, 10)
    await restaurant.owner.ok(api.floor.assign, { body: { date, assignments } })
    const page = await staff.open('/management-dashboard', await manager(restaurant))
    await page.setViewportSize(viewports.smallPhone)
    const floor = section(page, 'On the floor')
    await see(floor, long)
    expect([...(await overflowingElements(page, 360)), ...(await lastingProblems(page))]).toEqual([])
    await expect.poll(() => countLines(floor.getByText('Maya Lindqvist'))).toBe(1)

    const header = page.getByRole('banner')
    const actions = [
      header.getByRole('button', { name: 'Tap for sound' }),
      header.getByRole('link', { name: 'Home' }),
      header.getByRole('button', { name: 'Sign Out' }),
    ]
    const middles = (): Promise<(number | null)[]> =>
      Promise.all(
        actions.map(async (action) => {
          const box = await action.boundingBox()
          return box && Math.round(box.y + box.height / 2)
        }),
      )
    await expect
      .poll(async () => new Set(await middles()).size, { message: 'all actions on one line' })
      .toBe(1)
    await expect.poll(() => countLines(page.getByRole('heading', { level: 1 }))).toBe(1)

    const dialog = await openDialog(page, 'Active Tables')
    await see(dialog, long)
    await expect
      .poll(() =>
        dialog.evaluate((box) =>
          [...box.querySelectorAll('*')].some((element) => element.scrollWidth > box.clientWidth),
        ),
      )
      .toBe(false)
  })
})

describe('a phone', () => {
  it('has the picture of an alert beside its title', async () => {
    const restaurant = await staff.app.restaurant({ tables: ['1'] })
    const page = await openPageAs(staff.app, '/management-dashboard', await manager(restaurant), {
      viewport: viewports.phone,
    })
    const title = page.getByRole('alert').getByText('Nobody is listening', { exact: true })
    const isBeside = (): Promise<boolean> =>
      title.evaluate((shown) => {
        const [picture, words] = [shown.querySelector('svg'), document.createRange()]
        if (!picture || !shown.lastChild) return false
        words.selectNode(shown.lastChild)
        return picture.getBoundingClientRect().bottom > words.getBoundingClientRect().top
      })
    await expect.poll(isBeside).toBe(true)
  })

  it('has the words of a shortcut in the middle of its card', async () => {
    const restaurant = await staff.app.restaurant()
    const page = await openPageAs(staff.app, '/management-dashboard', await manager(restaurant), {
      viewport: viewports.phone,
    })
    const shortcuts = page.getByRole('navigation', { name: 'Shortcuts' }).locator('.choice-card')
    await expect.poll(() => shortcuts.count()).toBe(2)
    const fartherFromOneEdge = (): Promise<number[]> =>
      shortcuts.evaluateAll((cards) =>
        cards.map((card) => {
          const texts = [...card.children]
            .filter((child) => child.checkVisibility())
            .map((child) => {
              const words = document.createRange()
              words.selectNodeContents(child)
              return words.getBoundingClientRect()
            })
          const { top, bottom } = card.getBoundingClientRect()
          const above = Math.min(...texts.map((text) => text.top)) - top
          const under = bottom - Math.max(...texts.map((text) => text.bottom))
          return Math.abs(above - under)
        }),
      )
    await expect.poll(async () => Math.max(...(await fartherFromOneEdge()))).toBeLessThanOrEqual(4)
  })
})

describe('right now', () => {
  it('follows requests, screens and breaks, and calls the manager for what nobody takes', async () => {
    const restaurant = await staff.app.restaurant({ tables: ['7', '8'] })
    // So late that it only happens when the test makes it.
    const { allAfterMs, managerAfterMs } = defaultEscalation
    await restaurant.owner.ok(api.escalation.setSettings, {
      body: {
        ...defaultEscalation,
        allAfterMs: { ...allAfterMs, check: 5 * 60_000 },
        managerAfterMs: { ...managerAfterMs, check: 10 * 60_000 },
      },
    })
    const page = await staff.open('/management-dashboard', await manager(restaurant))
    const today = section(page, 'Today')
    await see(today, 'Live')
    await see(page, 'Nobody is listening')

    const crew = await restaurant.device.connect()
    crew.send({ type: 'get-pending-requests' })
    crew.send({ type: 'listening', sound: true, push: false, visible: true })
    await page.getByText('Nobody is listening', { exact: true }).waitFor({ state: 'detached' })

    const body = { restaurantId: restaurant.name, tableNumber: '7', serviceType: 'check' } as const
    const guest = staff.app.browser()
    const { request } = await guest.ok(api.requests.send, { body: { id: 'tap-7', ...body } })
    await today.getByText('Table 7', { exact: true }).waitFor()
    await see(page, '1 today')
    await expect.poll(() => page.getByText('Nobody has taken this yet').count()).toBe(0)

    for (const minutes of [6, 11])
      await ladder.escalateDueRequests({ ...staff.app.ctx, now: () => staff.app.now() + minutes * 60_000 })
    await see(page, 'Nobody has taken this yet')
    await expect
      .poll(() => page.getByRole('alert').filter({ hasText: 'Nobody has taken this yet' }).textContent())
      .toContain('Table 7 · Check/Bill')
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'management-alert', ['phone', 'desktop'])

    crew.send({ type: 'accept-request', id: request.id })
    await page.getByText('Nobody has taken this yet').waitFor({ state: 'detached' })
    crew.send({ type: 'complete-request', id: request.id })
    await see(today, 'No active requests')
    crew.close()
    await see(page, 'Nobody is listening')
  })
})

describe('many who wait', () => {
  it('leave a phone room for what the manager looks for below the alerts', async () => {
    const tables = Array.from({ length: 12 }, (_, at) => String(at + 1))
    const restaurant = await staff.app.restaurant({ tables })
    for (const tableNumber of tables) {
      const body = { restaurantId: restaurant.name, tableNumber, serviceType: 'food' } as const
      await staff.app.browser().ok(api.requests.send, { body: { id: `food-${tableNumber}`, ...body } })
    }
    for (const minutes of [6, 11])
      await ladder.escalateDueRequests({ ...staff.app.ctx, now: () => staff.app.now() + minutes * 60_000 })
    const page = await staff.open('/management-dashboard', await manager(restaurant))
    await page.setViewportSize(viewports.phone)
    const alert = page.getByRole('alert').filter({ hasText: 'Nobody has taken this yet' })
    await see(alert, 'and 10 more')
    await expect.poll(() => alert.getByRole('listitem').count()).toBe(2)
    await see(page, 'Nobody is listening')
    await expect.poll(() => page.getByRole('link', { name: 'Open Crew Dashboard' }).count()).toBe(1)
    const heading = page.getByRole('heading', { name: '12 guests wait for an answer' })
    const bottom = async (): Promise<number> => {
      const box = await heading.boundingBox()
      return box ? box.y + box.height : Infinity
    }
    await expect.poll(bottom).toBeLessThan(viewports.phone.height)
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'management-many-alerts', ['phone', 'desktop'])
  })
})

/** A restaurant where each of as many tables has a server of its own. */
async function restaurantWithServers(count: number): Promise<Restaurant> {
  const restaurant = await staff.app.restaurant({
    tables: Array.from({ length: count }, (_, at) => String(at + 1)),
  })
  const tables = await restaurant.owner.ok(api.floor.tables, {})
  const assignments: { tableId: string; crewMemberId: string }[] = []
  for (const { id, tableNumber } of tables) {
    const body = { name: `Member ${tableNumber.padStart(2, '0')}`, role: 'Server' } as const
    assignments.push({ tableId: id, crewMemberId: (await restaurant.owner.ok(api.crew.add, { body })).id })
  }
  const date = new Date(staff.app.now()).toISOString().slice(0, 10)
  await restaurant.owner.ok(api.floor.assign, { body: { date, assignments } })
  return restaurant
}

describe('the crew on the floor', () => {
  it('is folded away below its first members if it is large', async () => {
    const restaurant = await restaurantWithServers(14)
    const page = await staff.open('/management-dashboard', await manager(restaurant))
    const people = section(page, 'On the floor').getByRole('listitem')
    await see(page, 'Member 12')
    await expect.poll(() => people.count()).toBe(12)
    await press(page, 'Show all 14')
    await see(page, 'Member 14')
    expect(await lastingProblems(page)).toEqual([])
    await press(page, 'Show fewer')
    await expect.poll(() => people.count()).toBe(12)
  })

  it.each([
    [3, 'phone', 1],
    [3, 'desktop', 2],
    [4, 'desktop', 2],
  ] as const)('has no line below the last row: %i of them on a %s', async (count, size, columns) => {
    const restaurant = await restaurantWithServers(count)
    const page = await openPageAs(staff.app, '/management-dashboard', await manager(restaurant), {
      viewport: viewports[size],
    })
    const people = section(page, 'On the floor').getByRole('listitem')
    await expect.poll(() => people.count()).toBe(count)
    const lines = (): Promise<string[]> =>
      people.evaluateAll((all) => all.map((each) => getComputedStyle(each).borderBottomWidth))
    const below = Math.floor((count - 1) / columns) * columns
    await expect.poll(lines).toEqual(Array.from({ length: count }, (_, at) => (at < below ? '1px' : '0px')))
  })
})

describe('a section that cannot be loaded', () => {
  it('leaves the rest of the portal intact, and may be retried', async () => {
    const page = await staff.open(
      '/portal-selection',
      await manager(await staff.app.restaurant({ tables: ['7'] })),
    )
    await waitForTitle(page, 'Select Portal')
    const [user, charts] = [/api\/admin\/current-user/, /assets\/figures-view-.*\.js/]
    expectPageError(page, user)
    expectPageError(page, charts)
    const lost = new Set([user, charts])
    await page.route(user, (route) =>
      lost.has(user) ? route.fulfill({ status: 500, body: 'Out of order' }) : route.continue(),
    )
    await page.route(charts, (route) => (lost.has(charts) ? route.abort() : route.continue()))
    await page.goto(`${staff.app.url}/management-dashboard/analytics`)
    await see(page, '500: Out of order')
    expect(await lastingProblems(page)).toEqual([])
    lost.delete(user)
    await press(page, 'Try again')
    await see(page, 'The charts could not be loaded.')
    lost.delete(charts)
    await press(page, 'Try again')
    await see(section(page, 'Analytics'), 'Compared with other days')
  })
})

describe('the managers', () => {
  it('adds one, and changes a password, which ends the sessions of the old one', async () => {
    const restaurant = await staff.app.restaurant()
    const browser = await manager(restaurant)
    const page = await staff.open('/management-dashboard', browser)
    const access = section(page, 'Manager Access Management')
    await access.getByLabel('Manager', { exact: true }).selectOption('Add New Manager')
    await press(access, 'Add Manager')
    await see(access, 'Please fill in both username and password')
    await access.getByLabel('Username').fill('robin')
    await access.getByLabel('Password', { exact: true }).fill('short')
    await press(access, 'Add Manager')
    await see(access, 'Password must be at least 6 characters')
    await access.getByLabel('Password', { exact: true }).fill('candle-99')
    await press(access, 'Show password')
    await expect.poll(() => access.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('text')
    expect(await lastingProblems(page)).toEqual([])
    await press(access, 'Add Manager')
    await toast(page).getByText('Manager added successfully').waitFor()
    await access.getByRole('option', { name: 'robin (Current)' }).waitFor({ state: 'attached' })

    const robin = staff.app.browser()
    const login = { restaurantName: restaurant.name, username: 'robin', password: 'candle-99' }
    await robin.ok(api.managers.login, { body: login })
    const other = await staff.open('/management-dashboard', robin)
    await waitForTitle(other, 'Management Portal')
    await see(section(other, 'Today'), 'Live')

    await access.getByLabel('Manager', { exact: true }).selectOption('Add New Manager')
    await access.getByLabel('Username').fill('SAM')
    await access.getByLabel('Password', { exact: true }).fill('taken-over')
    expectPageError(page, /409.*manager-credentials/)
    await press(access, 'Add Manager')
    await see(access, 'There is a manager called sam already')
    expect(await lastingProblems(page)).toEqual([])

    await access.getByLabel('Manager', { exact: true }).selectOption('robin (Current)')
    await expect.poll(() => access.getByLabel('Username').count()).toBe(0)
    await access.getByLabel('Password', { exact: true }).fill('candle-100')
    await press(access, 'Update Password')
    await see(access, "Please enter robin's current password")
    const current = access.getByLabel('robin’s current password')
    await current.fill('a-guess')
    expectPageError(page, /403.*manager-credentials/)
    await press(access, 'Update Password')
    await see(access, "robin's current password is wrong")
    expect(await lastingProblems(page)).toEqual([])
    await current.fill('candle-99')
    // The login asks who is still signed in.
    expectPageError(other, /401.*\/api\/session/)
    await press(access, 'Update Password')
    // Each is gone after a moment.
    await Promise.all([
      toast(page).getByText('Password updated successfully').waitFor(),
      toast(other).getByText('Please log in to access management portal').waitFor(),
    ])
    await waitForTitle(other, 'Management Login')
    expect(await button(other, 'Continue as robin').count()).toBe(0)
    expect((await robin.call(api.managers.login, { body: login })).status).toBe(401)
    const renewed = { ...login, password: 'candle-100' }
    await robin.ok(api.managers.login, { body: renewed })
    expect((await browser.call(api.managers.currentUser, {})).status).toBe(200)
  })

  it('asks for the password if the last sign-in is not recent, and then continues', async () => {
    const restaurant = await staff.app.restaurant()
    const page = await staff.open('/management-dashboard', await manager(restaurant))
    const access = section(page, 'Manager Access Management')
    await access.getByLabel('Manager', { exact: true }).selectOption('sam (Current)')
    await access.getByLabel('Password', { exact: true }).fill('candle-99')
    staff.app.advance(16 * 60_000)
    expectPageError(page, /403.*manager-credentials/)
    await press(access, 'Update Password')
    const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
    await dialog.getByLabel('Management password of sam').fill('not-it')
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'confirm-identity')
    expectPageError(page, /400.*confirm-identity/)
    await press(dialog, 'Confirm')
    await see(dialog, 'This password is wrong')
    await dialog.getByLabel('Management password of sam').fill('lantern-7')
    await page.keyboard.press('Enter')
    await toast(page).getByText('Password updated successfully').waitFor()
    const body = { restaurantName: restaurant.name, username: 'sam', password: 'candle-99' }
    await staff.app.browser().ok(api.managers.login, { body })

    staff.app.advance(16 * 60_000)
    await followLink(page, 'Analytics')
    await followLink(page, 'Download events (CSV)')
    await press(dialog, 'Cancel')
    await dialog.waitFor({ state: 'detached' })
    await followLink(page, 'Download events (CSV)')
    await dialog.getByLabel('Management password of sam').fill('candle-99')
    const [file] = await Promise.all([page.waitForEvent('download'), press(dialog, 'Confirm')])
    expect(file.suggestedFilename()).toMatch(/events.*\.csv$/u)
  })
})
