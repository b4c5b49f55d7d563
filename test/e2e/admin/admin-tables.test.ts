import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { addDays } from '../../../src/client/lib/time/dates.ts'
import { setUpApp } from '../../support/app.ts'
import { addCrew, assignmentsOf, tableNumbers, today } from '../../support/restaurants/busy-restaurant.ts'
import { changeButton, crewField, openAdminPortal, suggestion } from '../pages/admin-portal.ts'
import { lastingViolations } from '../support/accessibility.ts'
import { expectPageError } from '../support/browser.ts'
import { button, field, press, section, waitForToast } from '../support/locators.ts'
import { takeScreenshots } from '../support/screenshots.ts'

const app = setUpApp()

describe('a fresh restaurant', () => {
  it('goes from nothing to a planned week', async () => {
    const restaurant = await app.restaurant({ name: 'The Copper Pot' })
    const page = await openAdminPortal(app, restaurant)
    await page.getByText('The Copper Pot', { exact: true }).waitFor()
    await section(page, 'Table Setup').waitFor()
    expect(await button(page, 'Change Tables').count()).toBe(0)
    await takeScreenshots(page, 'admin-fresh')

    await page.getByRole('tab', { name: 'Custom' }).click()
    await field(page, 'Table Name').fill('Bar')
    await page.keyboard.press('Enter')
    await button(page, 'Take Bar off the list').waitFor()
    await takeScreenshots(page, 'admin-custom-setup', ['desktop', 'phone'])
    await page.getByRole('tab', { name: 'By Count' }).click()
    await expect.poll(() => field(page, 'Number of Tables').inputValue()).toBe('10')
    await press(page, 'Set Up Tables')
    await waitForToast(page, 'Tables set up successfully')
    expect(await tableNumbers(restaurant)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'])
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
      await expect.poll(() => field(page, 'Crew Member Name').inputValue()).toBe('')
    }
    await page.getByRole('checkbox', { name: 'Ana Ruiz' }).check()
    await expect.poll(() => section(page, 'Host Stand').getByRole('checkbox').count()).toBe(1)

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
      .poll(() => assignmentsOf(restaurant))
      .toEqual({
        1: 'Maya Chen',
        2: 'Tom Novak',
        'Host Stand': 'Ana Ruiz',
      })
    await button(page, 'Remove Tom Novak').waitFor()

    await press(page, 'Copy to Week')
    await waitForToast(page, 'Copied assignments to all 7 days of the week')
    for (let day = 1; day <= 6; day += 1) {
      expect(await assignmentsOf(restaurant, addDays(today, day))).toEqual(await assignmentsOf(restaurant))
    }
    expect(await assignmentsOf(restaurant, addDays(today, 7))).toEqual({})
    await takeScreenshots(page, 'admin-planned')
  })
})

describe('a double tap', () => {
  it('removes one table and one crew member, and not the next one too', async () => {
    const restaurant = await app.restaurant({ tables: ['1', '2', '3'] })
    for (const name of ['Ana', 'Ben', 'Cleo']) await addCrew(restaurant.owner, name)
    const page = await openAdminPortal(app, restaurant)
    const tapTwice = async (name: string): Promise<void> => {
      // Leaves the mouse where it was.
      await press(page, name)
      await button(page, name).waitFor({ state: 'detached' })
      await page.mouse.down({ clickCount: 2 })
      await page.mouse.up({ clickCount: 2 })
    }
    await tapTwice('Remove Ana')
    await tapTwice('Delete table 1')
    await press(section(page, 'Tables'), 'Recently deleted (1)')
    await press(page, 'Restore 1')
    await crewField(page, '1').waitFor()
    await expect.poll(() => tableNumbers(restaurant)).toEqual(['1', '2', '3'])
    expect((await restaurant.owner.ok(api.crew.list, {})).map(({ name }) => name)).toEqual(['Ben', 'Cleo'])
  })
})

describe('a single table', () => {
  it('asks first when somebody is assigned to it', async () => {
    const restaurant = await app.restaurant({ tables: ['1', '2'] })
    const { id } = await addCrew(restaurant.owner, 'Maya Chen')
    const [, two] = await restaurant.owner.ok(api.floor.tables, {})
    const soon = { date: addDays(today, 3), assignments: [{ tableId: two?.id ?? '', crewMemberId: id }] }
    await restaurant.owner.ok(api.floor.assign, { body: soon })
    const page = await openAdminPortal(app, restaurant)
    expectPageError(page, /409.*\/api\/tables/)
    await press(page, 'Delete table 2')
    const dialog = page.getByRole('dialog', { name: 'Delete table 2?' })
    await dialog.waitFor()
    expect(await lastingViolations(page)).toEqual([])
    await takeScreenshots(page, 'admin-delete-table', ['desktop', 'phone'])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await tableNumbers(restaurant)).toEqual(['1', '2'])
    await press(page, 'Delete table 2')
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await waitForToast(page, 'Table deleted successfully')
    await dialog.waitFor({ state: 'detached' })
    expect(await tableNumbers(restaurant)).toEqual(['1'])
    expect(await assignmentsOf(restaurant, addDays(today, 3))).toEqual({})
  })
})
