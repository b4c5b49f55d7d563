import type { Locator, Page } from 'playwright-core'
import type { TestApp } from '../../support/app.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'
import { openPage, type PageOptions } from '../support/browser.ts'
import { viewports } from '../support/screenshots.ts'
import { rememberMember, signInToRestaurant, touch } from './sign-in.ts'

type CrewScreen = Pick<PageOptions, 'viewport'> & {
  path?: string
  name?: string
  /** Its time can be stopped. */
  timed?: boolean
}

/**
 * Opens a crew screen of the restaurant's device, which remembers the name if one is given. Choosing it would take as much
 * processor time as the page itself.
 */
export async function openCrewScreen(
  app: TestApp,
  restaurant: Restaurant,
  { path = '/waiter', name, viewport = viewports.tablet, timed = false }: CrewScreen = {},
): Promise<Page> {
  const page = await openPage({ viewport, tolerate: [/\/api\/auth\/user/] })
  if (name !== undefined) await rememberMember(page, restaurant, name)
  await signInToRestaurant(page, app, restaurant)
  if (timed) await page.clock.install()
  await page.goto(app.url + path)
  await page.getByText('Live', { exact: true }).waitFor()
  if (name === undefined) return page
  await page.getByText(new RegExp(`${name}, `, 'u')).waitFor()
  await touch(page)
  return page
}

/** The tickets of a table. */
export const ticket = (page: Page, table: string): Locator =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: `Table ${table}`, exact: true }) })
