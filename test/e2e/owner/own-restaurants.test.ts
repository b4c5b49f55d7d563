import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password } from '../../support/app.ts'
import { currentGrants } from '../../support/restaurants/logins.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { setTextSize, overflowingElements } from '../support/accessibility.ts'
import { expectPageError } from '../support/browser.ts'
import {
  lastingProblems,
  button,
  field,
  fillFields,
  followLink,
  pathOf,
  press,
  section,
  tabTo,
  waitForTitle,
  waitForToast,
} from '../support/locators.ts'
import { takeScreenshots } from '../support/screenshots.ts'

const staff = setUpStaffApp()

const nav = (page: Page) => page.getByRole('navigation', { name: 'Your portals' })
const restaurantLink = (page: Page, name: string) =>
  nav(page).getByRole('link', { name: `${name} Your restaurants`, exact: true })

/** Problems at every size: usual, the smallest phone, and there with text twice as large. */
async function problemsOf(page: Page): Promise<string[]> {
  const usual = page.viewportSize()
  const found = await lastingProblems(page)
  await page.setViewportSize({ width: 320, height: 640 })
  found.push(...(await lastingProblems(page)))
  await setTextSize(page, 32)
  found.push(...(await overflowingElements(page)))
  await setTextSize(page, 16)
  if (usual) await page.setViewportSize(usual)
  return found
}

async function ownerOfTwo(first: string, second: string) {
  const { owner } = await staff.app.restaurant({ name: first, tables: ['1'] })
  await staff.app.forgetNewNames()
  await owner.ok(api.ownRestaurants.add, { body: { restaurantName: second } })
  return { owner }
}

describe('an owner of one restaurant', () => {
  it('finds nothing new but the way to add another under People and access', async () => {
    const { page, name } = await staff.openAsOwner('/dashboard')
    await waitForTitle(page, 'Welcome back')
    await page.getByText(name, { exact: true }).waitFor()
    await expect
      .poll(() => nav(page).getByRole('link').allInnerTexts())
      .toEqual(['Owner home', 'Set up', 'Management', 'Crew screen', 'Admin'])
    await page.goto(`${staff.app.url}/admin-dashboard/people`)
    await followLink(page, 'Add a restaurant')
    await waitForTitle(page, 'Your restaurants')
    await section(page, name).getByText('You are here').waitFor()
    expect(await problemsOf(page)).toEqual([])

    expectPageError(page, /409.*\/api\/restaurants/)
    await field(page, 'Restaurant Name').fill(name)
    const refuse = async (): Promise<void> => {
      const answered = page.waitForResponse((response) => response.status() === 409)
      await press(page, 'Add Restaurant')
      await answered
      // While a name is being sent, nothing else is.
      await button(page, 'Add Restaurant').waitFor()
    }
    await refuse()
    await waitForToast(page, 'This restaurant name is not available')
    await refuse()
    await field(page, 'Restaurant Name').fill('The Second House')
    await page.keyboard.press('Enter')
    await waitForToast(page, 'Restaurant added')
    await section(page, 'The Second House').getByText('Nobody is listening').waitFor()
    await restaurantLink(page, name).waitFor()
    await expect.poll(() => field(page, 'Restaurant Name').inputValue()).toBe('')
  })
})

describe('an owner of two restaurants', () => {
  it('sees how each is doing, and opens the other in every tab by keyboard', async () => {
    const { owner } = await ownerOfTwo('Blue Anchor', 'Red Anchor')
    const body = { restaurantId: 'Blue Anchor', tableNumber: '1', serviceType: 'check' } as const
    await staff.app.browser().ok(api.requests.send, { body })
    const page = await staff.open('/restaurants', owner)
    const other = await page.context().newPage()
    await other.goto(`${staff.app.url}/admin-dashboard/settings`)
    await restaurantLink(other, 'Blue Anchor').waitFor()
    await section(page, 'Blue Anchor').getByText('the first').waitFor()
    await section(page, 'Red Anchor').getByText('Nobody is listening').waitFor()
    await expect
      .poll(() => section(page, 'Blue Anchor').getByRole('definition').allInnerTexts())
      .toEqual([expect.stringMatching(/^1 · the first/u), '1', 'Nobody is listening'])
    expect(await problemsOf(page)).toEqual([])
    await takeScreenshots(page, 'own-restaurants')

    await tabTo(page, 'button', 'Open Red Anchor')
    await page.keyboard.press('Enter')
    await waitForTitle(page, 'Welcome back')
    await restaurantLink(page, 'Red Anchor').waitFor()
    await waitForTitle(other, 'Welcome back')
    await restaurantLink(other, 'Red Anchor').waitFor()
    await expect.poll(() => currentGrants(owner)).toEqual([])
    expect(await problemsOf(page)).toEqual([])
    await takeScreenshots(page, 'own-restaurants-home')
    await other.close()
  })

  it('opens the other from anywhere by typing its name', async () => {
    const { owner } = await ownerOfTwo('Green Harbour', 'Grey Harbour')
    const page = await staff.open('/admin-dashboard', owner)
    await waitForTitle(page, 'Admin Portal')
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog', { name: 'Find anything' })
    await dialog.waitFor()
    await page.keyboard.type('grey')
    await dialog.getByRole('option', { name: /Open Grey Harbour/u }).waitFor()
    expect(await lastingProblems(page)).toEqual([])
    await page.keyboard.press('Enter')
    await waitForTitle(page, 'Your restaurants')
    await press(page, 'Open Grey Harbour')
    await waitForTitle(page, 'Welcome back')
    await restaurantLink(page, 'Grey Harbour').waitFor()
    await expect.poll(() => pathOf(page)).toBe('/dashboard')
    await restaurantLink(page, 'Grey Harbour').click()
    await waitForTitle(page, 'Your restaurants')
    await button(page, 'Open Green Harbour').waitFor()
  })

  it('reads names of 80 letters on the smallest phone', async () => {
    const [first, second] = ['W'.repeat(80), 'M'.repeat(80)]
    const { owner } = await ownerOfTwo(first, second)
    const page = await staff.open('/restaurants', owner)
    await button(page, `Open ${second}`).waitFor()
    expect(await problemsOf(page)).toEqual([])
    await page.setViewportSize({ width: 320, height: 640 })
    await takeScreenshots(page, 'own-restaurants-long', ['smallPhone'])
  })
})

it('a tab shows no other restaurant than the one that the browser is signed in to', async () => {
  const { page } = await staff.openAsOwner('/admin-dashboard/floor', { name: 'Old Lighthouse' })
  const { name } = await staff.app.restaurant({ name: 'New Lighthouse' })
  await section(page, 'Table Management').waitFor()
  const other = await page.context().newPage()
  await other.goto(`${staff.app.url}/demo-login`)
  await fillFields(other, { Username: name, Password: password })
  await press(other, 'Sign In')
  await other.getByText('New Lighthouse').first().waitFor()
  await waitForTitle(page, 'Welcome back')
  await page.getByText('New Lighthouse').first().waitFor()
})
