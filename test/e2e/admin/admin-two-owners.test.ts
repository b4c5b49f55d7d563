import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import { assignmentsOf, busyRestaurant, tableNumbers } from '../../support/restaurants/busy-restaurant.ts'
import { assignedCell, changeButton, crewField, openAdminPortal, suggestion } from '../pages/admin-portal.ts'
import { expectPageError, openTab } from '../support/browser.ts'
import { button, field, press, section, waitForToast } from '../support/locators.ts'

const app = setUpApp()
const changedMeanwhile = 'Somebody else has changed this meanwhile. Please check what is there now.'

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
    await waitForToast(second, 'Table 13 has already been deleted')
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

  it('keep each other’s changes of the opening hours, the guest card and the restaurant', async () => {
    const restaurant = await busyRestaurant(app)
    const { owner } = restaurant
    const hours = Array.from({ length: 7 }, () => [{ from: '11:00', to: '22:00' }])
    await owner.ok(api.opening.setHours, { body: { hours } })
    const open = () => openAdminPortal(app, restaurant, '/admin-dashboard/settings', 'Opening hours')
    const [first, second] = [await open(), await open()]
    for (const page of [first, second]) {
      await field(page, 'Opens on Monday, 1').waitFor()
      await field(page, 'Menu').waitFor()
      await field(page, 'Time Zone').waitFor()
    }

    await field(first, 'Opens on Monday, 1').fill('10:00')
    await press(first, 'Save Opening Hours')
    await waitForToast(first, 'Opening hours saved')
    await press(second, 'Remove 11:00 AM–10:00 PM on Sunday')
    await press(second, 'Save Opening Hours')
    await waitForToast(second, 'Opening hours saved')
    await expect.poll(() => field(second, 'Opens on Monday, 1').inputValue()).toBe('10:00')
    const saved = (await owner.ok(api.opening.state, {})).hours
    expect([saved?.[0], saved?.[6]]).toEqual([[{ from: '10:00', to: '22:00' }], []])

    await field(first, 'Menu').fill('https://menu.example.com/')
    await press(first, 'Save Guest Card')
    await waitForToast(first, 'Guest card saved')
    await field(second, 'Pay or tip').fill('https://pay.example.com/')
    await press(second, 'Save Guest Card')
    await waitForToast(second, 'Guest card saved')
    await expect.poll(() => field(second, 'Menu').inputValue()).toBe('https://menu.example.com/')
    expect(await owner.ok(api.guestCard.state, {})).toMatchObject({
      menu: 'https://menu.example.com/',
      pay: 'https://pay.example.com/',
    })

    const renamed = `${restaurant.name} and Garden`
    await field(first, 'Restaurant Name').fill(renamed)
    await press(first, 'Save Restaurant')
    await waitForToast(first, 'Restaurant saved')
    await field(second, 'Time Zone').selectOption('Europe/Vienna')
    await press(second, 'Save Restaurant')
    await waitForToast(second, 'Restaurant saved')
    await expect.poll(() => field(second, 'Restaurant Name').inputValue()).toBe(renamed)
    expect(await owner.ok(api.restaurant.settings, {})).toMatchObject({
      restaurantName: renamed,
      timeZone: 'Europe/Vienna',
    })

    // Both have changed the same.
    expectPageError(second, /409.*\/api\/(?:opening\/hours|guest-card)/)
    await field(first, 'Closes on Monday, 1').fill('23:00')
    await press(first, 'Save Opening Hours')
    await waitForToast(first, 'Opening hours saved')
    await field(second, 'Closes on Monday, 1').fill('21:00')
    await field(second, 'Opens on Friday, 1').fill('09:00')
    await press(second, 'Save Opening Hours')
    await waitForToast(second, changedMeanwhile)
    await expect.poll(() => field(second, 'Closes on Monday, 1').inputValue()).toBe('23:00')
    expect(await field(second, 'Opens on Friday, 1').inputValue()).toBe('09:00')
    await press(second, 'Save Opening Hours')
    await waitForToast(second, 'Opening hours saved')
    const both = (await owner.ok(api.opening.state, {})).hours
    expect([both?.[0], both?.[4]]).toEqual([
      [{ from: '10:00', to: '23:00' }],
      [{ from: '09:00', to: '22:00' }],
    ])

    await field(first, 'Menu').fill('https://menu.example.com/lunch')
    await press(first, 'Save Guest Card')
    await waitForToast(first, 'Guest card saved')
    await field(second, 'Menu').fill('https://menu.example.com/dinner')
    await press(second, 'Save Guest Card')
    await waitForToast(second, changedMeanwhile)
    await expect.poll(() => field(second, 'Menu').inputValue()).toBe('https://menu.example.com/lunch')
    await expect.poll(() => field(second, 'Menu').getAttribute('aria-invalid')).toBe('true')
  })

  it('keep each other’s changes of needs, alert times and how long things are kept', async () => {
    const restaurant = await busyRestaurant(app)
    const { owner } = restaurant
    const open = async (path: string, heading: string) => {
      const to = () => openAdminPortal(app, restaurant, `/admin-dashboard/${path}`, heading)
      return [await to(), await to()] as const
    }

    const needs = await open('needs', 'As guests see it')
    for (const page of needs) await field(page, 'Shown: Drinks').waitFor()
    await field(needs[0], 'Shown: Drinks').uncheck()
    await press(needs[0], 'Save Needs')
    await waitForToast(needs[0], 'Needs saved')
    await field(needs[1], 'Shown: Food Order').uncheck()
    await press(needs[1], 'Save Needs')
    await waitForToast(needs[1], 'Needs saved')
    await expect.poll(() => field(needs[1], 'Shown: Drinks').isChecked()).toBe(false)
    const hidden = async () =>
      (await owner.ok(api.needs.state, {})).needs.flatMap((need) => (need.hidden ? need.id : []))
    expect(await hidden()).toEqual(['drinks', 'food'])
    // Both move a need to another place, and one hides another one.
    expectPageError(needs[0], /409.*\/api\/needs/)
    await press(needs[1], 'Move Drinks up')
    await press(needs[1], 'Save Needs')
    await waitForToast(needs[1], 'Needs saved')
    await field(needs[0], 'Shown: Other').uncheck()
    await press(needs[0], 'Move Food Order down')
    await press(needs[0], 'Save Needs')
    await waitForToast(needs[0], changedMeanwhile)
    await expect.poll(() => field(needs[0], 'Shown: Food Order').isChecked()).toBe(false)
    expect(await field(needs[0], 'Shown: Other').isChecked()).toBe(false)
    await press(needs[0], 'Save Needs')
    await waitForToast(needs[0], 'Needs saved')
    expect(await hidden()).toEqual(['drinks', 'food', 'other'])
    expect((await owner.ok(api.needs.state, {})).needs.map(({ id }) => id).slice(0, 3)).toEqual([
      'drinks',
      'general',
      'food',
    ])

    const alerts = await open('alerts', 'If nobody answers')
    const drinks = 'Drinks: all crew after, in seconds'
    const check = 'Check/Bill: manager after, in seconds'
    for (const page of alerts) await field(page, drinks).waitFor()
    await field(alerts[0], drinks).fill('30')
    await press(alerts[0], 'Save Alerts')
    await waitForToast(alerts[0], 'Alerts saved')
    await field(alerts[1], check).fill('60')
    await press(alerts[1], 'Save Alerts')
    await waitForToast(alerts[1], 'Alerts saved')
    await expect.poll(() => field(alerts[1], drinks).inputValue()).toBe('30')
    expect(await owner.ok(api.escalation.settings, {})).toMatchObject({
      allAfterMs: { drinks: 30_000 },
      managerAfterMs: { check: 60_000 },
    })
    expectPageError(alerts[0], /409.*\/api\/alert-settings/)
    await field(alerts[0], check).fill('50')
    await field(alerts[0], 'Waits again after, in seconds').fill('90')
    await press(alerts[0], 'Save Alerts')
    await waitForToast(alerts[0], changedMeanwhile)
    await expect.poll(() => field(alerts[0], check).inputValue()).toBe('60')
    await expect.poll(() => field(alerts[0], check).getAttribute('aria-invalid')).toBe('true')
    expect(await field(alerts[0], 'Waits again after, in seconds').inputValue()).toBe('90')
    await press(alerts[0], 'Save Alerts')
    await waitForToast(alerts[0], 'Alerts saved')
    expect(await owner.ok(api.escalation.settings, {})).toMatchObject({
      managerAfterMs: { check: 60_000 },
      acceptMs: 90_000,
    })

    const settings = await open('settings', 'How long things are kept')
    const save = (page: Page) =>
      section(page, 'How long things are kept').getByRole('button', { name: 'Save', exact: true }).click()
    const [requests, log] = ['Requests, in days', 'Log of changes, in days']
    for (const page of settings) await field(page, requests).waitFor()
    await field(settings[0], requests).fill('90')
    await save(settings[0])
    await press(settings[0], 'Remove what is older')
    await waitForToast(settings[0], 'Saved how long things are kept')
    await field(settings[1], log).fill('365')
    await save(settings[1])
    await press(settings[1], 'Remove what is older')
    await waitForToast(settings[1], 'Saved how long things are kept')
    await expect.poll(() => field(settings[1], requests).inputValue()).toBe('90')
    const kept = async () => (await owner.ok(api.retention.state, {})).retention
    expect(await kept()).toEqual({ requests: 90, messages: null, log: 365 })
    expectPageError(settings[0], /409.*\/api\/retention/)
    await field(settings[0], log).fill('100')
    await field(settings[0], requests).fill('120')
    await save(settings[0])
    await press(settings[0], 'Remove what is older')
    await waitForToast(settings[0], changedMeanwhile)
    await expect.poll(() => field(settings[0], log).inputValue()).toBe('365')
    expect(await field(settings[0], requests).inputValue()).toBe('120')
    await save(settings[0])
    await waitForToast(settings[0], 'Saved how long things are kept')
    expect(await kept()).toEqual({ requests: 120, messages: null, log: 365 })
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
