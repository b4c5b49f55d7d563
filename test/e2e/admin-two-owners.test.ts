import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { assignmentsOf, busyRestaurant, tableNumbers } from '../support/busy-restaurant.ts'
import { assignedCell, changeButton, crewField, openAdminPortal, suggestion } from './support/admin-portal.ts'
import { expectPageError, openTab } from './support/browser.ts'
import { button, field, press, waitForTitle, waitForToast } from './support/locators.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

describe('two owners at once', () => {
  it('never take a table from the member whom the other one just assigned', async () => {
    const place = await busyRestaurant(app)
    const [one, two] = [await openAdminPortal(app, place), await openAdminPortal(app, place)]
    await crewField(two, '1').waitFor()
    await crewField(one, '1').fill('Maya Chen')
    await one.keyboard.press('Enter')
    await changeButton(one, '1').waitFor()
    expectPageError(two, /409.*table-assignments/)
    await crewField(two, '1').fill('Tom Novak')
    await two.keyboard.press('Enter')
    await waitForToast(two, 'Somebody else changed this table meanwhile')
    await assignedCell(two, '1').getByText('Maya Chen').waitFor()
    await expect.poll(() => assignmentsOf(place)).toEqual({ 1: 'Maya Chen' })
    await changeButton(two, '1').click()
    await suggestion(two, /Tom Novak/).click()
    await assignedCell(two, '1').getByText('Tom Novak').waitFor()
    await expect.poll(() => assignmentsOf(place)).toEqual({ 1: 'Tom Novak' })
  })

  it('set up, delete and tick without losing the changes of the other', async () => {
    const place = await busyRestaurant(app)
    const [one, two] = [await openAdminPortal(app, place), await openAdminPortal(app, place)]
    for (const page of [one, two]) {
      await press(page, 'Change Tables')
      await field(page, 'Number of Tables').fill('14')
    }
    await Promise.all([press(one, 'Set Up Tables'), press(two, 'Set Up Tables')])
    await Promise.all([
      waitForToast(one, 'Tables set up successfully'),
      waitForToast(two, 'Tables set up successfully'),
    ])
    expect(await tableNumbers(place)).toHaveLength(14)

    await press(one, 'Delete table 13')
    await waitForToast(one, 'Table deleted successfully')
    expectPageError(two, /404.*\/api\/tables/)
    await press(two, 'Delete table 13')
    await waitForToast(two, 'Table not found')
    await button(two, 'Delete table 13').waitFor({ state: 'detached' })

    await one.getByRole('checkbox', { name: 'Ana Ruiz' }).click()
    await expect.poll(() => assignmentsOf(place)).toEqual({ 'Host Stand': 'Ana Ruiz' })
    await two.getByRole('checkbox', { name: 'Ben Host' }).click()
    await expect.poll(() => two.getByRole('checkbox', { name: 'Ana Ruiz' }).isChecked()).toBe(true)
    expect(
      (await assignmentsOf(place))['Host Stand']?.split(', ').toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(['Ana Ruiz', 'Ben Host'])

    await press(one, 'Remove Tom Novak')
    await waitForToast(one, 'Tom Novak removed')
    expectPageError(two, /404.*table-assignments/)
    await crewField(two, '1').fill('Tom Novak')
    await two.keyboard.press('Enter')
    await waitForToast(two, 'Crew member not found')
    await button(two, 'Remove Tom Novak').waitFor({ state: 'detached' })
    await crewField(two, '1').waitFor()
  })

  it('enter the same new name once each, which adds one person', async () => {
    const place = await busyRestaurant(app)
    const [one, two] = [await openAdminPortal(app, place), await openAdminPortal(app, place)]
    await crewField(one, '1').fill('Zoe Quinn')
    await one.keyboard.press('Enter')
    await waitForToast(one, 'Zoe Quinn added and assigned')
    await crewField(two, '2').fill('zoe quinn')
    await two.keyboard.press('Enter')
    await changeButton(two, '2').waitFor()
    await expect.poll(() => assignmentsOf(place)).toEqual({ 1: 'Zoe Quinn', 2: 'Zoe Quinn' })
    expect(await place.owner.ok(api.crew.list, {})).toHaveLength(6)
  })

  it('in two tabs of one browser see the changes of the other tab', async () => {
    const place = await busyRestaurant(app)
    const one = await openAdminPortal(app, place)
    const two = await openTab(one)
    await two.goto(`${app.url}/admin-dashboard`)
    await crewField(two, '1').waitFor()
    await crewField(one, '1').fill('Maya Chen')
    await one.keyboard.press('Enter')
    await assignedCell(two, '1').getByText('Maya Chen').waitFor()
    await press(one, 'Delete table 12')
    await button(two, 'Delete table 12').waitFor({ state: 'detached' })
  })

  it('is sent to the login when the session is over', async () => {
    const place = await busyRestaurant(app)
    const page = await openAdminPortal(app, place)
    await place.owner.fetch('/api/logout')
    expectPageError(page, /401/)
    await field(page, 'Table Number').fill('99')
    await press(page, 'Add Table')
    await waitForToast(page, 'Please log in to access admin portal')
    await waitForTitle(page, 'Admin Login')
  })
})
