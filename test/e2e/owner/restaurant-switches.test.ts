import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp, type TestBrowser } from '../../support/app.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'
import { askByButton, untilSent } from '../pages/guest-page.ts'
import { signInToRestaurant } from '../pages/sign-in.ts'
import { openPage } from '../support/browser.ts'
import { button, section, lastingProblems, press } from '../support/locators.ts'
import { viewports, takeScreenshots } from '../support/screenshots.ts'

const app = setUpApp({ guestLimits: false })
let restaurant: Restaurant
beforeAll(async () => {
  restaurant = await app.restaurant({ tables: ['1', '7'] })
})

async function signedIn(as: TestBrowser, path: string): Promise<Page> {
  const page = await openPage({ viewport: viewports.phone, tolerate: [/\/api\//] })
  await signInToRestaurant(page, app, restaurant, as)
  await page.goto(app.url + path)
  return page
}

const guestAt = async (query: Record<string, string>): Promise<Page> => {
  const page = await openPage({ viewport: viewports.phone, tolerate: [/\/api\//] })
  await page.goto(`${app.url}/customer?${new URLSearchParams(query).toString()}`)
  return page
}

const says = (page: Page, sentence: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name: sentence, exact: true }).waitFor()

it('mutes a table from its ticket: guests wave, and ask again once it is unmuted', async () => {
  const crew = await signedIn(restaurant.device, '/waiter')
  await crew.getByText('Live', { exact: true }).waitFor()
  const guest = await guestAt({ r: restaurant.name, t: '7' })
  await askByButton(guest, 'Drinks')
  await press(crew, 'More for table 7')
  await takeScreenshots(crew, 'crew-mute')
  expect(await lastingProblems(crew)).toEqual([])
  await press(crew, 'For an hour')
  await says(guest, 'Please wave to your waiter.')
  await expect.poll(() => button(guest, 'Drinks').count()).toBe(0)
  await guest.getByRole('listitem').getByText('Drinks').waitFor()
  await takeScreenshots(guest, 'guest-muted')
  expect(await lastingProblems(guest)).toEqual([])
  await button(crew, 'Unmute table 7').waitFor()
  await takeScreenshots(crew, 'crew-muted')
  expect(await lastingProblems(crew)).toEqual([])
  await press(crew, 'Unmute table 7')
  await says(guest, 'What do you need?')
})

it('accepts only verified codes if the owner requires it, with the scanner one tap away', async () => {
  const owner = await signedIn(restaurant.owner, '/admin-dashboard/settings')
  const rules = section(owner, 'Guests and codes')
  await rules.getByLabel('Verified codes only').click()
  await owner.getByText('Rules saved').first().waitFor()
  await rules.scrollIntoViewIfNeeded()
  await takeScreenshots(owner, 'admin-guest-rules')
  expect(await lastingProblems(owner)).toEqual([])

  const guest = await guestAt({ r: restaurant.name, t: '1' })
  await says(guest, 'Please scan the code on your table.')
  await takeScreenshots(guest, 'guest-code-required')
  expect(await lastingProblems(guest)).toEqual([])
  await press(guest, 'Scan QR Code')
  await button(guest, 'Enter Table Number Manually').waitFor()

  // The owner's test link carries a code, which is kept when the page is reloaded without it.
  const { guestLink } = await restaurant.owner.ok(api.restaurant.settings, {})
  const { search } = new URL(guestLink)
  await guest.goto(`${app.url}/customer${search}&t=1`)
  await says(guest, 'What do you need?')
  await guest.reload()
  await says(guest, 'What do you need?')
  await untilSent(guest, () => press(guest, 'Check/Bill'))
})
