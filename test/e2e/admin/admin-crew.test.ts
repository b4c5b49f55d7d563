import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import { addCrew, assignmentsOf } from '../../support/restaurants/busy-restaurant.ts'
import { changeButton, crewField, openAdminPortal, suggestion } from '../pages/admin-portal.ts'
import {
  brokenWords,
  overflowingElements,
  setTextSize,
  smallTargets,
  lastingViolations,
} from '../support/accessibility.ts'
import { expectPageError } from '../support/browser.ts'
import { button, press, waitForToast } from '../support/locators.ts'
import { takeScreenshot, takeScreenshots, viewports } from '../support/screenshots.ts'

const app = setUpApp()

describe('the crew', () => {
  it('asks before removing anybody with assignments, a PIN or a login', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const { id } = await addCrew(restaurant.owner, 'Maya Chen')
    await restaurant.owner.ok(api.crew.change, { params: { id }, body: { pin: '4711' } })
    const page = await openAdminPortal(app, restaurant)
    await crewField(page, '1').fill('maya')
    await suggestion(page, /Maya Chen/).click()
    await changeButton(page, '1').waitFor()
    await press(page, 'Remove Maya Chen')
    const dialog = page.getByRole('dialog', { name: 'Remove Maya Chen?' })
    await dialog.getByText('1 assignment from today on').waitFor()
    await dialog.getByText('the PIN').waitFor()
    await takeScreenshots(page, 'admin-remove-crew', ['desktop'])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await press(page, 'Remove Maya Chen')
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await waitForToast(page, 'Maya Chen removed')
    await crewField(page, '1').waitFor()
    expect(await restaurant.owner.ok(api.crew.list, {})).toEqual([])
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({})
  })

  it('comes back by keyboard alone, from one entry of the deleted to the next', async () => {
    const { owner } = await app.restaurant({ tables: ['1'] })
    const names = ['Ana Ruiz', 'Maya Chen', 'سلمى 7', 'Tom Novak']
    for (const name of names) {
      const { id } = await addCrew(owner, name)
      await owner.ok(api.crew.remove, { params: { id } })
    }
    const page = await openAdminPortal(app, { owner })
    await button(page, 'Recently deleted (4)').focus()
    await page.keyboard.press('Enter')
    const line = page.getByRole('listitem').filter({ hasText: 'سلمى 7' })
    const text = 'سلمى 7 30 days left'
    await expect.poll(() => line.locator('span').first().innerText()).toBe(text)
    // What is read first stands first.
    const [name, days] = [line.getByText('سلمى 7', { exact: true }), line.getByText('30 days left')]
    expect((await name.boundingBox())?.x).toBeLessThan((await days.boundingBox())?.x ?? 0)
    expect(await name.evaluate((element) => getComputedStyle(element).unicodeBidi)).toBe('isolate')

    const isFocused = (control: string): Promise<void> =>
      button(page, control).and(page.locator(':focus')).waitFor()
    const restore = async (name: string): Promise<void> => {
      await page.keyboard.press('Enter')
      await waitForToast(page, `${name} is back`)
    }
    await button(page, 'Restore Tom Novak').focus()
    await restore('Tom Novak')
    await isFocused('Restore سلمى 7')
    await restore('سلمى 7')
    await isFocused('Restore Maya Chen')
    // Her name is taken, and the dialog asks which she comes back with.
    await addCrew(owner, 'Maya Chen')
    expectPageError(page, /409.*\/restore/)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Restore Maya Chen' }).getByRole('textbox').fill('Maya C.')
    await restore('Maya C.')
    await isFocused('Restore Ana Ruiz')
    await restore('Ana Ruiz')
    // Nothing is left to restore: the first control of the crew.
    await page.locator('section').filter({ hasText: '5 in the crew' }).locator(':focus').waitFor()
    await page.close()
  })

  it('may have a PIN and a login, each set and removed in the dialog', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const { id } = await addCrew(restaurant.owner, 'Maya Chen')
    const details = () => restaurant.owner.ok(api.crew.details, { params: { id } })
    const page = await openAdminPortal(app, restaurant)
    const dialog = page.getByRole('dialog')
    const open = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: new RegExp(`^${name}`) }).click()
      await dialog.getByLabel('Username').waitFor()
    }
    await open('Maya Chen')
    expect(await lastingViolations(page)).toEqual([])
    expect(await smallTargets(page)).toEqual([])
    await takeScreenshots(page, 'admin-crew-member')
    await dialog.getByLabel('PIN', { exact: true }).fill('12')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await waitForToast(page, 'A PIN has 4 to 8 digits')
    await dialog.getByLabel('PIN', { exact: true }).fill('4711')
    await dialog.getByLabel('Password', { exact: true }).fill('lantern-7')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await waitForToast(page, 'Please enter a username')
    await dialog.getByLabel('Username').fill('maya.chen')
    await dialog.getByLabel('Name', { exact: true }).fill('Maya Lee')
    await dialog.getByLabel('Role').selectOption('Host')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await waitForToast(page, 'Crew member updated')
    await dialog.waitFor({ state: 'detached' })
    await button(page, 'Remove Maya Lee').waitFor()
    await page.getByRole('checkbox', { name: 'Maya Lee' }).waitFor()
    expect(await details()).toMatchObject({
      name: 'Maya Lee',
      role: 'Host',
      username: 'maya.chen',
      hasPin: true,
    })
    const login = { username: 'maya.chen', password: 'lantern-7' }
    expect((await app.browser().call(api.accounts.crewLogin, { body: login })).status).toBe(200)

    await open('Maya Lee')
    await dialog.getByText('A PIN is set. Leave this empty to keep it.').waitFor()
    await dialog.getByLabel('Name', { exact: true }).fill('Maya Chen')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await details()).toMatchObject({ name: 'Maya Chen', username: 'maya.chen', hasPin: true })
    await open('Maya Chen')
    await dialog.getByRole('button', { name: 'Remove PIN' }).click()
    await waitForToast(page, 'PIN removed')
    await open('Maya Chen')
    await dialog.getByRole('button', { name: 'Remove login' }).click()
    await waitForToast(page, 'Login removed')
    expect(await details()).toMatchObject({ username: null, hasPin: false })
    expect((await app.browser().call(api.accounts.crewLogin, { body: login })).status).toBe(401)
  })
})

it('shows the whole names of the crew in large text on a phone', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  for (const name of ['Wolfgang Amadeus Grünwald', 'Ines Castellanos'])
    await addCrew(restaurant.owner, name, 'Busser')
  const page = await openAdminPortal(app, restaurant)
  await page.setViewportSize(viewports.phone)
  await setTextSize(page, 32)
  const names = page.getByRole('list', { name: 'Crew' })
  const hidden = (): Promise<string[]> =>
    names.evaluate((list) =>
      [...list.querySelectorAll('span')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ textContent }) => textContent),
    )
  await takeScreenshot(page, 'admin-crew-200', { fullPage: true })
  await expect.poll(hidden).toEqual([])
  expect(await brokenWords(names)).toEqual([])
  expect(await overflowingElements(page, 320)).toEqual([])
})
