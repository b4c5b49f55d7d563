import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { addDays } from '../../src/client/lib/dates.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { addCrew, assignmentsOf, tableNumbers, today } from '../support/busy-restaurant.ts'
import { violations } from './support/accessibility.ts'
import { changeButton, crewField, focusedName, openAdminPortal, suggestion } from './support/admin-portal.ts'
import { expectPageError } from './support/browser.ts'
import { button, field, press, section, waitForToast } from './support/locators.ts'
import { takeScreenshots } from './support/screenshots.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

describe('a fresh restaurant', () => {
  it('goes from nothing to a planned week', async () => {
    const place = await app.restaurant({ name: 'The Copper Pot' })
    const page = await openAdminPortal(app, place)
    await page.getByText('The Copper Pot', { exact: true }).waitFor()
    await section(page, 'Table Setup').waitFor()
    expect(await button(page, 'Change Tables').count()).toBe(0)
    await takeScreenshots(page, 'admin-fresh')

    expect(await field(page, 'Number of Tables').inputValue()).toBe('10')
    await press(page, 'Set Up Tables')
    await waitForToast(page, 'Tables set up successfully')
    expect(await tableNumbers(place)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'])
    await section(page, 'Table Setup').waitFor({ state: 'detached' })
    await expect
      .poll(() => button(page, 'Change Tables').evaluate((b) => b === document.activeElement))
      .toBe(true)

    for (const [name, role] of [
      ['Maya Chen', 'Server'],
      ['Ana Ruiz', 'Host'],
    ] as const) {
      await field(page, 'Crew Member Name').fill(`  ${name} `)
      await field(page, 'Role').selectOption(role)
      await press(page, 'Add Crew Member')
      await waitForToast(page, 'Crew member added')
      await button(page, `Remove ${name}`).waitFor()
      expect(await field(page, 'Crew Member Name').inputValue()).toBe('')
    }
    await page.getByRole('checkbox', { name: 'Ana Ruiz' }).check()
    expect(await section(page, 'Host Stand').getByRole('checkbox').count()).toBe(1)

    await crewField(page, '1').fill('mAYA chen')
    await page.keyboard.press('Enter')
    await changeButton(page, '1').waitFor()
    await crewField(page, '2').fill('Tom Novak')
    await suggestion(page, /Add Tom Novak as a Server/).waitFor()
    await takeScreenshots(page, 'admin-new-server', ['desktop'])
    await page.keyboard.press('Enter')
    await waitForToast(page, 'Tom Novak added and assigned')
    await changeButton(page, '2').waitFor()
    await expect
      .poll(() => assignmentsOf(place))
      .toEqual({
        1: 'Maya Chen',
        2: 'Tom Novak',
        'Host Stand': 'Ana Ruiz',
      })
    await button(page, 'Remove Tom Novak').waitFor()

    await press(page, 'Copy to Week')
    await waitForToast(page, 'Copied assignments to all 7 days of the week')
    for (let day = 1; day <= 6; day += 1) {
      expect(await assignmentsOf(place, addDays(today, day))).toEqual(await assignmentsOf(place))
    }
    expect(await assignmentsOf(place, addDays(today, 7))).toEqual({})
    await takeScreenshots(page, 'admin-planned')
  })
})

describe('table setup', () => {
  it('accepts a range or names, keeps existing tables, and explains what is wrong', async () => {
    const place = await app.restaurant({ tables: ['1', 'Patio 1'] })
    const page = await openAdminPortal(app, place)
    expect(await section(page, 'Table Setup').count()).toBe(0)
    await press(page, 'Change Tables')
    const submit = async (): Promise<void> => await press(page, 'Set Up Tables')
    for (const count of ['', '0', '-1', '2.5', 'ten']) {
      await field(page, 'Number of Tables').fill(count)
      await submit()
      await waitForToast(page, 'Please enter a valid number of tables')
      await press(page, 'Dismiss')
    }
    await page.getByRole('tab', { name: 'By Range' }).click()
    expect([await field(page, 'Start').inputValue(), await field(page, 'End').inputValue()]).toEqual([
      '1',
      '10',
    ])
    for (const [start, end] of [
      ['5', '4'],
      ['0', '4'],
      ['', '4'],
      ['1', '1.5'],
    ] as const) {
      await field(page, 'Start').fill(start)
      await field(page, 'End').fill(end)
      await submit()
      await waitForToast(page, 'Please enter a valid range (start must be less than or equal to end)')
      for (const label of ['Start', 'End']) {
        const invalid = page.getByRole('textbox', { name: label, description: /^Please enter a valid range/ })
        expect(await invalid.getAttribute('aria-invalid')).toBe('true')
      }
      await press(page, 'Dismiss')
    }
    await field(page, 'Start').fill('9')
    await field(page, 'End').fill('10')
    await submit()
    await waitForToast(page, 'Tables set up successfully')
    expect(await tableNumbers(place)).toEqual(['1', '9', '10', 'Patio 1'])

    await press(page, 'Change Tables')
    await page.getByRole('tab', { name: 'Custom' }).click()
    await submit()
    await waitForToast(page, 'Please add at least one table')
    await field(page, 'Table Name').fill('PATIO  1')
    await press(page, 'Add')
    await waitForToast(page, 'This table already exists')
    await press(page, 'Dismiss')
    await field(page, 'Table Name').fill('Bar')
    await page.keyboard.press('Enter')
    await field(page, 'Table Name').fill('bar')
    await page.keyboard.press('Enter')
    await waitForToast(page, 'This table already exists')
    await field(page, 'Table Name').fill('Window')
    await page.keyboard.press('Enter')
    await takeScreenshots(page, 'admin-custom-setup', ['desktop', 'phone'])
    await press(page, 'Take Window off the list')
    await submit()
    await waitForToast(page, 'Tables set up successfully')
    expect(await tableNumbers(place)).toEqual(['1', '9', '10', 'Bar', 'Patio 1'])
    await press(page, 'Change Tables')
    await press(page, 'Hide Setup')
    await section(page, 'Table Setup').waitFor({ state: 'detached' })
  })
})

describe('the name of a new table', () => {
  it('counts even if Add was not pressed, and must not exist yet', async () => {
    const place = await app.restaurant({ tables: ['1'] })
    const page = await openAdminPortal(app, place)
    await press(page, 'Change Tables')
    await page.getByRole('tab', { name: 'Custom' }).click()
    await field(page, 'Table Name').fill('Bar')
    await page.keyboard.press('Enter')
    await field(page, 'Table Name').fill('BAR')
    await press(page, 'Set Up Tables')
    await waitForToast(page, 'This table already exists')
    expect(await field(page, 'Table Name').evaluate((one) => one === document.activeElement)).toBe(true)
    expect(await tableNumbers(place)).toEqual(['1'])
    await field(page, 'Table Name').fill('Window')
    await press(page, 'Set Up Tables')
    await waitForToast(page, 'Tables set up successfully')
    expect(await tableNumbers(place)).toEqual(['1', 'Bar', 'Window'])
  })
})

describe('a double tap', () => {
  it('removes one table and one crew member, and not the next one too', async () => {
    const place = await app.restaurant({ tables: ['1', '2', '3'] })
    for (const name of ['Ana', 'Ben', 'Cleo']) await addCrew(place.owner, name)
    const page = await openAdminPortal(app, place)
    const tapTwice = async (name: string): Promise<void> => {
      await button(page, name).scrollIntoViewIfNeeded()
      const { x = 0, y = 0 } = (await button(page, name).boundingBox()) ?? {}
      await page.mouse.move(x + 20, y + 20)
      await page.mouse.down()
      await page.mouse.up()
      await button(page, name).waitFor({ state: 'detached' })
      await page.mouse.down({ clickCount: 2 })
      await page.mouse.up({ clickCount: 2 })
    }
    await tapTwice('Remove Ana')
    await waitForToast(page, 'Ana removed')
    await tapTwice('Delete table 1')
    await waitForToast(page, 'Table deleted successfully')
    await press(page, 'Undo')
    await crewField(page, '1').waitFor()
    expect(await tableNumbers(place)).toEqual(['1', '2', '3'])
    expect((await place.owner.ok(api.crew.list, {})).map(({ name }) => name)).toEqual(['Ben', 'Cleo'])
  })
})

describe('a single table', () => {
  it('is added by its number, once', async () => {
    const place = await app.restaurant({ tables: ['1', '10'] })
    const page = await openAdminPortal(app, place)
    await press(page, 'Add Table')
    await waitForToast(page, 'Please enter a table number')
    expectPageError(page, /409.*\/api\/tables/)
    await field(page, 'Table Number').fill(' 10 ')
    await page.keyboard.press('Enter')
    await waitForToast(page, 'This table already exists')
    expect(await field(page, 'Table Number').inputValue()).toBe(' 10 ')
    await field(page, 'Table Number').fill('2')
    await page.keyboard.press('Enter')
    await waitForToast(page, 'Table added successfully')
    await crewField(page, '2').waitFor()
    expect(
      await page
        .getByRole('button', { name: /^Delete table/ })
        .evaluateAll((all) => all.map((one) => one.ariaLabel)),
    ).toEqual(['Delete table 1', 'Delete table 2', 'Delete table 10'])
    expect(await focusedName(page)).not.toBe(null)
    expect(await tableNumbers(place)).toEqual(['1', '2', '10'])
  })

  it('is deleted at once when nothing is lost, and comes back with Undo', async () => {
    const place = await app.restaurant({ tables: ['1', '2', '3'] })
    const page = await openAdminPortal(app, place)
    await button(page, 'Delete table 2').click()
    await waitForToast(page, 'Table deleted successfully')
    expect(await tableNumbers(place)).toEqual(['1', '3'])
    await expect.poll(() => focusedName(page)).toBe('Delete table 3')
    await press(page, 'Undo')
    await crewField(page, '2').waitFor()
    expect(await tableNumbers(place)).toEqual(['1', '2', '3'])
  })

  it('asks first when somebody is assigned to it', async () => {
    const place = await app.restaurant({ tables: ['1', '2'] })
    const { id } = await addCrew(place.owner, 'Maya Chen')
    const [, two] = await place.owner.ok(api.floor.tables, {})
    const soon = { date: addDays(today, 3), assignments: [{ tableId: two?.id ?? '', crewMemberId: id }] }
    await place.owner.ok(api.floor.assign, { body: soon })
    const page = await openAdminPortal(app, place)
    expectPageError(page, /409.*\/api\/tables/)
    await press(page, 'Delete table 2')
    const dialog = page.getByRole('dialog', { name: 'Delete table 2?' })
    await dialog.waitFor()
    expect(await violations(page)).toEqual([])
    await takeScreenshots(page, 'admin-delete-table', ['desktop', 'phone'])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await tableNumbers(place)).toEqual(['1', '2'])
    await press(page, 'Delete table 2')
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await waitForToast(page, 'Table deleted successfully')
    await dialog.waitFor({ state: 'detached' })
    expect(await tableNumbers(place)).toEqual(['1'])
    expect(await assignmentsOf(place, addDays(today, 3))).toEqual({})
  })

  it('keeps the keyboard focus in place when the question is answered', async () => {
    const place = await app.restaurant({ tables: ['1', '2', '3'] })
    const { id } = await addCrew(place.owner, 'Maya Chen')
    const [, two] = await place.owner.ok(api.floor.tables, {})
    const assignments = [{ tableId: two?.id ?? '', crewMemberId: id }]
    await place.owner.ok(api.floor.assign, { body: { date: today, assignments } })
    const page = await openAdminPortal(app, place)
    expectPageError(page, /409.*\/api\/tables/)
    const dialog = page.getByRole('dialog', { name: 'Delete table 2?' })
    await button(page, 'Delete table 2').press('Enter')
    await dialog.getByRole('button', { name: 'Cancel' }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => focusedName(page)).toBe('Delete table 2')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Delete', exact: true }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => focusedName(page)).toBe('Delete table 3')
  })
})
