import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { addDays } from '../../../src/client/lib/time/dates.ts'
import { weekdayOf } from '../../../src/client/lib/time/weekdays.ts'
import { setUpApp } from '../../support/app.ts'
import {
  addCrew,
  assignmentsOf,
  assignTables,
  busyRestaurant,
  today,
} from '../../support/restaurants/busy-restaurant.ts'
import {
  assignedCell,
  changeButton,
  changeField,
  crewField,
  focusedName,
  openAdminPortal,
  suggestion,
  suggestions,
  suggestionTexts,
} from '../pages/admin-portal.ts'
import {
  brokenWordsOfAll,
  overflowingElements,
  setTextSize,
  smallTargets,
  lastingViolations,
} from '../support/accessibility.ts'
import { button, field, nextFrame, section } from '../support/locators.ts'
import { takeScreenshot, takeScreenshots, viewports } from '../support/screenshots.ts'

const app = setUpApp()

describe('an assignment cell', () => {
  it('suggests while typing, announces the count, and accepts a click', async () => {
    const restaurant = await busyRestaurant(app)
    const page = await openAdminPortal(app, restaurant)
    await crewField(page, '4').click()
    await expect
      .poll(() => suggestionTexts(page))
      .toEqual([
        'Ana Ruiz Host',
        'Ben Host Host',
        'Maya Chen Server',
        'Tamara Bell Server',
        'Tom Novak Server',
      ])
    const count = page.getByRole('status').filter({ hasText: /suggestion/ })
    await count.filter({ hasText: /^5 suggestions$/ }).waitFor()
    await page.keyboard.type('ma')
    await count.filter({ hasText: '2 suggestions. Enter adds a new Server.' }).waitFor()
    await expect
      .poll(() => suggestionTexts(page))
      .toEqual(['Maya Chen Server', 'Tamara Bell Server', 'Add ma as a Server'])
    // What the list covers counts as too small to touch.
    expect(await lastingViolations(page, 'li:has([aria-expanded="true"]), [role="listbox"]')).toEqual([])
    expect(await smallTargets(page)).toEqual([])
    await takeScreenshots(page, 'admin-suggestions', ['desktop'])
    await suggestion(page, /Tamara/).click()
    await changeButton(page, '4').waitFor()
    await assignedCell(page, '4').getByText('Tamara Bell').waitFor()
    await expect
      .poll(() => section(page, 'Dashboard Overview').getByRole('definition').last().innerText())
      .toBe('1')
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({ 4: 'Tamara Bell' })
    await expect.poll(() => focusedName(page)).toBe('Change crew of table 4')
    await section(page, 'Tables')
      .getByText(/: 1 of 12 assigned$/)
      .waitFor()

    // The same every week, on the smallest phone.
    await page.setViewportSize({ width: 320, height: 640 })
    await button(page, 'Save as Weekly Pattern').focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Weekly pattern' })
    await dialog.getByLabel('Every day').focus()
    await page.keyboard.press('Space')
    expect(await lastingViolations(page, '[role="dialog"]')).toEqual([])
    await setTextSize(page, 32)
    expect(await overflowingElements(page)).toEqual([])
    await takeScreenshots(page, 'admin-weekly-pattern-large', ['phone'])
    await setTextSize(page, 16)
    await dialog.getByLabel('Every day').focus()
    await page.keyboard.press('Enter')
    await page.getByText('From the weekly pattern', { exact: true }).waitFor()
    expect(await overflowingElements(page)).toEqual([])
    await button(page, 'Next day').click()
    await assignedCell(page, '4').getByText('Tamara Bell').waitFor()
    await page.getByText('From the weekly pattern', { exact: true }).waitFor()
    expect(await lastingViolations(page, '[role="group"]')).toEqual([])
    await takeScreenshots(page, 'admin-weekly-pattern', ['desktop'])
  })

  it('keeps the buttons of the weekly pattern in place, whichever day is chosen', async () => {
    const restaurant = await busyRestaurant(app)
    const weekday = weekdayOf(today)
    await assignTables(restaurant, today, { 4: 'Tamara Bell' })
    await restaurant.owner.ok(api.weeklyPattern.save, { body: { sourceDate: today, weekdays: [weekday] } })
    await assignTables(restaurant, addDays(today, 7), { 1: 'Maya Chen' })
    const page = await openAdminPortal(app, restaurant)
    const group = page.getByRole('group', { name: 'Weekly pattern' })
    /** Where they and the card of the tables below are on the page. Its own sentence about the day may be a line longer. */
    const places = () =>
      page.evaluate(() => {
        const buttons = [...document.querySelectorAll('[aria-label="Weekly pattern"] button')]
        const tables = document.querySelector('[role="grid"]')?.closest('section')
        return [...buttons, ...(tables ? [tables] : [])].map((element) => {
          const { x, y } = element.getBoundingClientRect()
          const name = element === tables ? 'Tables' : element.textContent
          return [name, Math.round(x), Math.round(y + scrollY)]
        })
      })
    const showDay = async (date: string, origin: RegExp): Promise<void> => {
      await field(page, 'Assignment Date').fill(date)
      await group.getByText(origin).waitFor()
    }
    for (const [viewport, size] of [
      [viewports.desktop, 16],
      [viewports.phone, 16],
      [viewports.phone, 32],
    ] as const) {
      await page.setViewportSize(viewport)
      await setTextSize(page, size)
      await showDay(addDays(today, 7), /^Set by hand: the weekly pattern leaves this day alone$/u)
      await expect.poll(async () => (await places()).length).toBe(5)
      const before = await places()
      await showDay(addDays(today, 14), /^From the weekly pattern$/u)
      await expect.poll(places).toEqual(before)
      await showDay(addDays(today, 1), /^No weekly pattern for /u)
      await expect.poll(places).toEqual(before)

      // While the answer is under way, too.
      const asked = page.waitForRequest(/\/api\/weekly-pattern\?/u)
      const answer = Promise.withResolvers<void>()
      await page.route(/\/api\/weekly-pattern\?/u, (route) => answer.promise.then(() => route.fallback()), {
        times: 1,
      })
      await field(page, 'Assignment Date').fill(addDays(today, 21))
      await asked
      await nextFrame(page)
      await expect.poll(places).toEqual(before)
      answer.resolve()
      await group.getByText('From the weekly pattern', { exact: true }).waitFor()
      await group.scrollIntoViewIfNeeded()
      await takeScreenshot(page, `admin-weekly-pattern-in-place-${viewport.width}-${size}`)
    }
  })

  it('can be used with the keyboard alone', async () => {
    const restaurant = await busyRestaurant(app)
    const page = await openAdminPortal(app, restaurant)
    await button(page, 'Add Table').focus()
    await page.keyboard.press('Tab')
    for (let presses = 0; presses < 3 && (await focusedName(page)) !== 'Assign crew to table 1'; presses += 1)
      await page.keyboard.press('Tab')
    await expect.poll(() => focusedName(page)).toBe('Assign crew to table 1')
    await expect.poll(() => suggestions(page).count()).toBe(0)
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => focusedName(page)).toBe('Delete table 1')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => focusedName(page)).toBe('Assign crew to table 2')
    await page.keyboard.press('ArrowDown')
    const columns = Number(await page.getByRole('grid').getAttribute('aria-colcount')) / 2
    await expect.poll(() => focusedName(page)).toBe(`Assign crew to table ${2 + columns}`)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Control+End')
    await expect.poll(() => focusedName(page)).toBe('Delete table 12')
    await page.keyboard.press('Control+Home')
    await expect.poll(() => focusedName(page)).toBe('Assign crew to table 1')

    await page.keyboard.type('t')
    await suggestion(page, /Tamara/).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => focusedName(page)).toBe('Change crew of table 1')
    await assignedCell(page, '1').getByText('Tom Novak').waitFor()
    await expect.poll(() => changeButton(page, '1').isEnabled()).toBe(true)

    await page.keyboard.press('Enter')
    await changeField(page, '1').waitFor()
    await suggestion(page, /Maya Chen/).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => focusedName(page)).toBe('Change crew of table 1')
    await expect.poll(() => suggestions(page).count()).toBe(0)
    await page.keyboard.press('Enter')
    await page.keyboard.type('MAYA chen')
    await page.keyboard.press('Enter')
    await assignedCell(page, '1').getByText('Maya Chen').waitFor()
    await expect.poll(() => focusedName(page)).toBe('Change crew of table 1')
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({ 1: 'Maya Chen' })

    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => focusedName(page)).toBe('Assign crew to table 2')
    await page.keyboard.press('Alt+ArrowDown')
    await suggestion(page, /Maya Chen/).waitFor()
    await page.keyboard.press('Escape')
    await suggestion(page, /Maya Chen/).waitFor({ state: 'detached' })
    await expect.poll(() => focusedName(page)).toBe('Assign crew to table 2')
    await page.keyboard.press('Tab')
    await expect.poll(() => focusedName(page)).not.toMatch(/table/)
    await page.keyboard.press('Shift+Tab')
    await expect.poll(() => focusedName(page)).toBe('Assign crew to table 2')
  })

  it('keeps what was typed when the phone is rotated', async () => {
    const restaurant = await busyRestaurant(app)
    const page = await openAdminPortal(app, restaurant)
    await page.setViewportSize({ width: 844, height: 600 })
    await crewField(page, '2').click()
    await page.keyboard.type('Maya Che')
    await page.setViewportSize({ width: 390, height: 844 })
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-colcount')).toBe('2')
    await page.keyboard.type('n')
    const typed = page.getByRole('combobox', { name: 'Assign crew to table 2', exact: true })
    await expect.poll(() => typed.inputValue()).toBe('Maya Chen')
    await page.setViewportSize({ width: 844, height: 600 })
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-colcount')).toBe('4')
    await page.keyboard.press('Enter')
    await changeButton(page, '2').waitFor()
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({ 2: 'Maya Chen' })
  })
})

it('shows the whole date, and icons as large as ever, beside large text on a phone', async () => {
  const page = await openAdminPortal(app, await busyRestaurant(app))
  await page.setViewportSize(viewports.phone)
  await setTextSize(page, 32)
  const widthOf = async (shown: Locator): Promise<number> => (await shown.boundingBox())?.width ?? 0
  await expect.poll(() => widthOf(page.getByLabel('Assignment Date'))).toBeGreaterThan(240)
  await expect.poll(() => widthOf(button(page, 'Copy from Previous Day').locator('svg'))).toBeGreaterThan(17)
  const isWithinCard = (): Promise<boolean> =>
    page.getByRole('list', { name: 'Days', exact: true }).evaluate((days) => {
      const card = days.closest('.rounded-ticket')?.getBoundingClientRect()
      const { left, right } = days.getBoundingClientRect()
      return card !== undefined && left >= card.left && right <= card.right
    })
  await expect.poll(isWithinCard).toBe(true)
  expect(await overflowingElements(page, 320)).toEqual([])
})

it('shows the whole name of whoever has a table, however long either name is', async () => {
  const restaurant = await app.restaurant({ tables: ['1', 'Terrace by the Fountain, north side 4'] })
  const { id } = await addCrew(restaurant.owner, 'Maximiliane Featherstone')
  const assignments = (await restaurant.owner.ok(api.floor.tables, {})).map((table) => ({
    tableId: table.id,
    crewMemberId: id,
  }))
  await restaurant.owner.ok(api.floor.assign, { body: { date: today, assignments } })
  const page = await openAdminPortal(app, restaurant)
  const names = page.getByRole('gridcell').getByText('Maximiliane Featherstone', { exact: true })
  const cutOrBroken = async (): Promise<string[]> => [
    ...(await brokenWordsOfAll(names)),
    ...(await names.evaluateAll((all) =>
      all.flatMap(({ scrollHeight, clientHeight }) => (scrollHeight > clientHeight ? ['cut'] : [])),
    )),
  ]
  for (const screen of ['desktop', 'phone'] as const) {
    await page.setViewportSize(viewports[screen])
    await takeScreenshots(page, 'admin-long-names', [screen], { fullPage: true })
    await expect.poll(() => names.count()).toBe(2)
    await expect.poll(cutOrBroken).toEqual([])
  }
})

it('shows the tables of a row alike, whoever has them and whatever they are called', async () => {
  const restaurant = await app.restaurant({
    tables: ['1', '2', '3', '4', '5', '6', '7', 'Window seat by the door'],
  })
  const long = 'Maximiliane Featherstone'
  const ids = {
    Otto: (await addCrew(restaurant.owner, 'Otto')).id,
    [long]: (await addCrew(restaurant.owner, long)).id,
  }
  await assignTables({ ...restaurant, ids }, today, { 1: long, 2: 'Otto', 6: long, 7: 'Otto' })
  const page = await openAdminPortal(app, restaurant)
  await assignedCell(page, '6').getByText(long).waitFor()
  /** Where the tables of each row have their number: above or beside whoever works there. */
  const places = (): Promise<string[]> =>
    page.getByRole('row').evaluateAll((rows) =>
      rows.map((row) => {
        const found = [...row.querySelectorAll('[data-cell$=crew]')].map(({ children }) => {
          const [number, crew] = [...children].map((each) => each.getBoundingClientRect())
          return number && crew && number.bottom <= crew.top + 1 ? 'above' : 'beside'
        })
        return [...new Set(found)].join(' and ')
      }),
    )
  const besideInEachRow = Array.from({ length: 7 }, () => 'beside')
  for (const [width, size, expected] of [
    [1440, 16, ['beside', 'above']],
    [390, 16, [...besideInEachRow, 'above']],
    [320, 16, [...besideInEachRow, 'above']],
    [390, 32, [...besideInEachRow.map(() => 'above'), 'above']],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await setTextSize(page, size)
    await expect.poll(places, { message: `at ${width} pixels, text ${size}` }).toEqual(expected)
    expect(await overflowingElements(page, width)).toEqual([])
    await takeScreenshot(page, `admin-tables-alike-${width}-${size}`, { fullPage: true })
  }
})

it('keeps its length while it is scrolled, however long the names of the tables', async () => {
  const tables = Array.from({ length: 80 }, (_, index) => `Terrace by the Fountain, north side ${index + 1}`)
  const restaurant = await app.restaurant({ tables })
  for (let index = 0; index < 20; index++) await addCrew(restaurant.owner, `Server ${index}`)
  const page = await openAdminPortal(app, restaurant)
  await page.setViewportSize(viewports.phone)
  const rows = page.getByRole('grid', { name: 'Table assignments' }).locator('[role=row]')
  await expect.poll(() => rows.count()).toBe(tables.length)
  await page.evaluate(async () => void (await document.fonts.ready))
  const heights = (): Promise<number[]> =>
    page
      .locator('[role=row], ul[aria-label=Crew] li')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height))
  const before = await heights()
  await rows.last().scrollIntoViewIfNeeded()
  await nextFrame(page)
  expect(await heights()).toEqual(before)
})
