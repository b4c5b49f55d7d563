import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { addDays } from '../../src/client/lib/dates.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { assignTables, assignmentsOf, busyRestaurant, today } from '../support/busy-restaurant.ts'
import { smallTargets, violations } from './support/accessibility.ts'
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
} from './support/admin-portal.ts'
import { expectPageError } from './support/browser.ts'
import { button, field, press, section, waitForToast } from './support/locators.ts'
import { takeScreenshots } from './support/screenshots.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

describe('an assignment cell', () => {
  it('suggests while typing, announces the count, and accepts a click', async () => {
    const place = await busyRestaurant(app)
    const page = await openAdminPortal(app, place)
    await crewField(page, '4').click()
    expect(await suggestionTexts(page)).toEqual([
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
    expect(await suggestionTexts(page)).toEqual([
      'Maya Chen Server',
      'Tamara Bell Server',
      'Add ma as a Server',
    ])
    expect(await violations(page)).toEqual([])
    expect(await smallTargets(page)).toEqual([])
    await takeScreenshots(page, 'admin-suggestions', ['desktop'])
    await suggestion(page, /Tamara/).click()
    await changeButton(page, '4').waitFor()
    await assignedCell(page, '4').getByText('Tamara Bell').waitFor()
    await expect
      .poll(() => section(page, 'Dashboard Overview').getByRole('definition').last().innerText())
      .toBe('1')
    await expect.poll(() => assignmentsOf(place)).toEqual({ 4: 'Tamara Bell' })
    await expect.poll(() => focusedName(page)).toBe('Change crew of table 4')
    await section(page, 'Tables')
      .getByText(/: 1 of 12 assigned$/)
      .waitFor()
  })

  it('can be used with the keyboard alone', async () => {
    const place = await busyRestaurant(app)
    const page = await openAdminPortal(app, place)
    await button(page, 'Add Table').focus()
    await page.keyboard.press('Tab')
    for (let presses = 0; presses < 3 && (await focusedName(page)) !== 'Assign crew to table 1'; presses += 1)
      await page.keyboard.press('Tab')
    expect(await focusedName(page)).toBe('Assign crew to table 1')
    expect(await suggestions(page).count()).toBe(0)
    await page.keyboard.press('ArrowRight')
    expect(await focusedName(page)).toBe('Delete table 1')
    await page.keyboard.press('ArrowRight')
    expect(await focusedName(page)).toBe('Assign crew to table 2')
    await page.keyboard.press('ArrowDown')
    const columns = Number(await page.getByRole('grid').getAttribute('aria-colcount')) / 2
    expect(await focusedName(page)).toBe(`Assign crew to table ${2 + columns}`)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Control+End')
    expect(await focusedName(page)).toBe('Delete table 12')
    await page.keyboard.press('Control+Home')
    expect(await focusedName(page)).toBe('Assign crew to table 1')

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
    expect(await suggestions(page).count()).toBe(0)
    await page.keyboard.press('Enter')
    await page.keyboard.type('MAYA chen')
    await page.keyboard.press('Enter')
    await assignedCell(page, '1').getByText('Maya Chen').waitFor()
    await expect.poll(() => focusedName(page)).toBe('Change crew of table 1')
    await expect.poll(() => assignmentsOf(place)).toEqual({ 1: 'Maya Chen' })

    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    expect(await focusedName(page)).toBe('Assign crew to table 2')
    await page.keyboard.press('Alt+ArrowDown')
    await suggestion(page, /Maya Chen/).waitFor()
    await page.keyboard.press('Escape')
    await suggestion(page, /Maya Chen/).waitFor({ state: 'detached' })
    expect(await focusedName(page)).toBe('Assign crew to table 2')
    await page.keyboard.press('Tab')
    expect(await focusedName(page)).not.toMatch(/table/)
    await page.keyboard.press('Shift+Tab')
    expect(await focusedName(page)).toBe('Assign crew to table 2')
  })

  it('keeps what was typed when the phone is rotated', async () => {
    const place = await busyRestaurant(app)
    const page = await openAdminPortal(app, place)
    await page.setViewportSize({ width: 844, height: 600 })
    await crewField(page, '2').click()
    await page.keyboard.type('Maya Che')
    await page.setViewportSize({ width: 390, height: 844 })
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-colcount')).toBe('2')
    await page.keyboard.type('n')
    const typed = page.getByRole('combobox', { name: 'Assign crew to table 2', exact: true })
    expect(await typed.inputValue()).toBe('Maya Chen')
    await page.setViewportSize({ width: 844, height: 600 })
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-colcount')).toBe('4')
    await page.keyboard.press('Enter')
    await changeButton(page, '2').waitFor()
    await expect.poll(() => assignmentsOf(place)).toEqual({ 2: 'Maya Chen' })
  })

  it('closes its suggestions 200 ms after losing the focus', async () => {
    const place = await busyRestaurant(app)
    const page = await openAdminPortal(app, place)
    await page.clock.install()
    await crewField(page, '1').click()
    await suggestion(page, /Maya/).waitFor()
    await page.clock.pauseAt(Date.now() + 5_000)
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur())
    await page.clock.runFor(190)
    expect(await suggestions(page).count()).toBe(5)
    await page.clock.runFor(20)
    await expect.poll(() => suggestions(page).count()).toBe(0)
    await expect.poll(() => assignmentsOf(place)).toEqual({})
  })

  it('can be cleared again, with Undo', async () => {
    const place = await busyRestaurant(app)
    await assignTables(place, today, { 1: 'Maya Chen' })
    const page = await openAdminPortal(app, place)
    await changeButton(page, '1').click()
    await suggestion(page, /Assign nobody/).click()
    await waitForToast(page, 'Nobody is assigned to table 1')
    await crewField(page, '1').waitFor()
    await expect.poll(() => assignmentsOf(place)).toEqual({})
    await press(page, 'Undo')
    await assignedCell(page, '1').getByText('Maya Chen').waitFor()
    await expect.poll(() => assignmentsOf(place)).toEqual({ 1: 'Maya Chen' })
  })

  it('undoes a Server who was added by mistake', async () => {
    const place = await busyRestaurant(app)
    await assignTables(place, today, { 1: 'Maya Chen' })
    const page = await openAdminPortal(app, place)
    await changeButton(page, '1').click()
    await page.keyboard.type('Mya')
    await page.keyboard.press('Enter')
    await waitForToast(page, 'Mya added and assigned')
    await press(page, 'Undo')
    await assignedCell(page, '1').getByText('Maya Chen').waitFor()
    await button(page, 'Remove Mya').waitFor({ state: 'detached' })
    expect(await place.owner.ok(api.crew.list, {})).toHaveLength(5)
  })
})

describe('days', () => {
  it('are planned independently', async () => {
    const place = await busyRestaurant(app)
    await assignTables(place, today, { 1: 'Maya Chen' })
    const page = await openAdminPortal(app, place)
    expect(await field(page, 'Assignment Date').inputValue()).toBe(today)
    await assignedCell(page, '1').getByText('Maya Chen').waitFor()
    await press(page, 'Next day')
    expect(await field(page, 'Assignment Date').inputValue()).toBe(addDays(today, 1))
    await crewField(page, '1').fill('Tom Novak')
    await page.keyboard.press('Enter')
    await assignedCell(page, '1').getByText('Tom Novak').waitFor()
    await press(page, 'Previous day')
    await assignedCell(page, '1').getByText('Maya Chen').waitFor()
    await press(page, 'Previous day')
    await crewField(page, '1').waitFor()
    expect(await field(page, 'Assignment Date').inputValue()).toBe(addDays(today, -1))
    await field(page, 'Assignment Date').fill(addDays(today, 1))
    await assignedCell(page, '1').getByText('Tom Novak').waitFor()
    const strip = page.getByRole('list', { name: 'Days' }).getByRole('button')
    expect(await strip.count()).toBe(7)
    expect(await strip.nth(1).getAttribute('aria-current')).toBe('date')
    await expect.poll(() => strip.nth(0).innerText()).toMatch(/today, 1 of 12 tables assigned/)
    await strip.nth(6).click()
    expect(await field(page, 'Assignment Date').inputValue()).toBe(addDays(today, 6))
    await press(page, 'Next day')
    await expect.poll(() => strip.nth(0).getAttribute('aria-current')).toBe('date')
    await expect.poll(() => assignmentsOf(place)).toEqual({ 1: 'Maya Chen' })
    expect(await assignmentsOf(place, addDays(today, 1))).toEqual({ 1: 'Tom Novak' })
  })

  it('copy the previous day without deleted members and tables, and undo it', async () => {
    const place = await busyRestaurant(app)
    const yesterday = addDays(today, -1)
    const page = await openAdminPortal(app, place)
    expect(await button(page, 'Copy to Week').isDisabled()).toBe(true)
    expectPageError(page, /404.*copy-from-previous/)
    await press(page, 'Copy from Previous Day')
    await waitForToast(page, 'No assignments found for previous day')

    await assignTables(place, yesterday, { 1: 'Maya Chen', 2: 'Tom Novak', 3: 'Tamara Bell' })
    await assignTables(place, today, { 1: 'Tamara Bell', 5: 'Tamara Bell' })
    const hosts = [place.ids['Ana Ruiz'] ?? '']
    await place.owner.ok(api.floor.assignHostStand, { body: { date: yesterday, crewIds: hosts } })
    await place.owner.ok(api.crew.remove, { params: { id: place.ids['Tom Novak'] ?? '' } })
    await page.reload()
    await assignedCell(page, '5').getByText('Tamara Bell').waitFor()
    await press(page, 'Copy from Previous Day')
    await waitForToast(page, 'Assignments copied from previous day')
    await expect
      .poll(() => assignmentsOf(place))
      .toEqual({
        1: 'Maya Chen',
        3: 'Tamara Bell',
        5: 'Tamara Bell',
        'Host Stand': 'Ana Ruiz',
      })
    await assignedCell(page, '1').getByText('Maya Chen').waitFor()
    expect(await page.getByRole('checkbox', { name: 'Ana Ruiz' }).isChecked()).toBe(true)
    await press(page, 'Undo')
    await assignedCell(page, '1').getByText('Tamara Bell').waitFor()
    await expect.poll(() => assignmentsOf(place)).toEqual({ 1: 'Tamara Bell', 5: 'Tamara Bell' })
    await press(page, 'Previous day')
    await assignedCell(page, '2').getByText('Former crew member').waitFor()
  })

  it('copy to the week, and undo it', async () => {
    const place = await busyRestaurant(app)
    await assignTables(place, today, { 1: 'Maya Chen' })
    await assignTables(place, addDays(today, 2), { 7: 'Tom Novak' })
    const page = await openAdminPortal(app, place)
    await assignedCell(page, '1').getByText('Maya Chen').waitFor()
    await press(page, 'Copy to Week')
    await waitForToast(page, 'Copied assignments to all 7 days of the week')
    expect(await assignmentsOf(place, addDays(today, 2))).toEqual({ 1: 'Maya Chen' })
    await press(page, 'Undo')
    await expect.poll(() => assignmentsOf(place, addDays(today, 6))).toEqual({})
    expect(await assignmentsOf(place, addDays(today, 2))).toEqual({ 7: 'Tom Novak' })
    await expect.poll(() => assignmentsOf(place)).toEqual({ 1: 'Maya Chen' })
  })
})
