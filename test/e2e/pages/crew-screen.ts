import type { Locator, Page } from 'playwright-core'
import type { TestApp } from '../../support/app.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'
import { openPage, type PageOptions } from '../support/browser.ts'
import { press } from '../support/locators.ts'
import { viewports } from '../support/screenshots.ts'
import { signInToRestaurant } from './sign-in.ts'

type CrewScreen = Pick<PageOptions, 'viewport'> & {
  path?: string
  name?: string
  /** Its time can be stopped. */
  timed?: boolean
}

/** Opens a crew screen of the restaurant's device, and chooses the name if one is given. */
export async function openCrewScreen(
  app: TestApp,
  restaurant: Restaurant,
  { path = '/waiter', name, viewport = viewports.tablet, timed = false }: CrewScreen = {},
): Promise<Page> {
  const page = await openPage({ viewport, tolerate: [/\/api\/auth\/user/] })
  await signInToRestaurant(page, app, restaurant)
  if (timed) await page.clock.install()
  await page.goto(app.url + path)
  await page.getByText('Live', { exact: true }).waitFor()
  if (name === undefined) return page
  await press(page, 'Select your name')
  await page.getByRole('radio', { name }).click()
  await page.getByRole('dialog', { name: 'Select Your Name' }).waitFor({ state: 'detached' })
  await page.getByText(new RegExp(`${name}, `, 'u')).waitFor()
  return page
}

/** The tickets of a table. */
export const ticket = (page: Page, table: string): Locator =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: `Table ${table}`, exact: true }) })
