import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import { assignmentsOf, busyRestaurant, tableNumbers } from '../../support/restaurants/busy-restaurant.ts'
import { assignedCell, changeButton, crewField, openAdminPortal, suggestion } from '../pages/admin-portal.ts'
import { expectPageError, openTab } from '../support/browser.ts'
import { button, field, press, waitForToast } from '../support/locators.ts'

const app = setUpApp()

describe('two owners at once', () => {
  it('never take a table from the member whom the other one just assigned', async () => {
    const restaurant = await busyRestaurant(app)
    const [first, second] = [await openAdminPortal(app, restaurant), await openAdminPortal(app, restaurant)]
    await crewField(second, '1').waitFor()
    await crewField(first, '1').fill('Maya Chen')
    await first.keyboard.press('Enter')
    await changeButton(first, '1').waitFor()
    expectPageError(second, /409.*table-assignments/)
    await crewField(second, '1').fill('Tom Novak')
    await second.keyboard.press('Enter')
    await waitForToast(second, 'Somebody else changed this table meanwhile')
    await assignedCell(second, '1').getByText('Maya Chen').waitFor()
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({ 1: 'Maya Chen' })
    await changeButton(second, '1').click()
    await suggestion(second, /Tom Novak/).click()
    await assignedCell(second, '1').getByText('Tom Novak').waitFor()
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({ 1: 'Tom Novak' })
  })

  it('set up, delete and tick without losing the changes of the other', async () => {
    const restaurant = await busyRestaurant(app)
    const [first, second] = [await openAdminPortal(app, restaurant), await openAdminPortal(app, restaurant)]
    for (const page of [first, second]) {
      await press(page, 'Change Tables')
      await field(page, 'Number of Tables').fill('14')
    }
    await Promise.all([press(first, 'Set Up Tables'), press(second, 'Set Up Tables')])
    await Promise.all([
      waitForToast(first, 'Tables set up successfully'),
      waitForToast(second, 'Tables set up successfully'),
    ])
    expect(await tableNumbers(restaurant)).toHaveLength(14)

    await press(first, 'Delete table 13')
    await waitForToast(first, 'Table deleted successfully')
    expectPageError(second, /404.*\/api\/tables/)
    await press(second, 'Delete table 13')
    await waitForToast(second, 'Table not found')
    await button(second, 'Delete table 13').waitFor({ state: 'detached' })

    await first.getByRole('checkbox', { name: 'Ana Ruiz' }).click()
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({ 'Host Stand': 'Ana Ruiz' })
    await second.getByRole('checkbox', { name: 'Ben Host' }).click()
    await expect.poll(() => second.getByRole('checkbox', { name: 'Ana Ruiz' }).isChecked()).toBe(true)
    expect(
      (await assignmentsOf(restaurant))['Host Stand']?.split(', ').toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(['Ana Ruiz', 'Ben Host'])

    await press(first, 'Remove Tom Novak')
    await waitForToast(first, 'Tom Novak removed')
    expectPageError(second, /404.*table-assignments/)
    await crewField(second, '1').fill('Tom Novak')
    await second.keyboard.press('Enter')
    await waitForToast(second, 'Crew member not found')
    await button(second, 'Remove Tom Novak').waitFor({ state: 'detached' })
    await crewField(second, '1').waitFor()
  })

  it('enter the same new name once each, which adds one person', async () => {
    const restaurant = await busyRestaurant(app)
    const [first, second] = [await openAdminPortal(app, restaurant), await openAdminPortal(app, restaurant)]
    await crewField(first, '1').fill('Zoe Quinn')
    await first.keyboard.press('Enter')
    await waitForToast(first, 'Zoe Quinn added and assigned')
    await crewField(second, '2').fill('zoe quinn')
    await second.keyboard.press('Enter')
    await changeButton(second, '2').waitFor()
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({ 1: 'Zoe Quinn', 2: 'Zoe Quinn' })
    expect(await restaurant.owner.ok(api.crew.list, {})).toHaveLength(6)
  })

  it('in two tabs of one browser see the changes of the other tab', async () => {
    const restaurant = await busyRestaurant(app)
    const first = await openAdminPortal(app, restaurant)
    const second = await openTab(first)
    await second.goto(`${app.url}/admin-dashboard`)
    await crewField(second, '1').waitFor()
    await crewField(first, '1').fill('Maya Chen')
    await first.keyboard.press('Enter')
    await assignedCell(second, '1').getByText('Maya Chen').waitFor()
    await press(first, 'Delete table 12')
    await button(second, 'Delete table 12').waitFor({ state: 'detached' })
  })
})
