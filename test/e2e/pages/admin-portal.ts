import type { Locator, Page } from 'playwright-core'
import type { TestApp } from '../../support/app.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'
import { expectPageError, openPage } from '../support/browser.ts'
import { field } from '../support/locators.ts'
import { viewports } from '../support/screenshots.ts'
import { signInAs } from './sign-in.ts'

/** Opens the Admin Portal in a new page, signed in as the restaurant's owner. */
export async function openAdminPortal(
  app: TestApp,
  { owner }: Pick<Restaurant, 'owner'>,
  path = '/admin-dashboard',
  heading = 'Host Stand',
): Promise<Page> {
  const page = await openPage({ viewport: viewports.desktop })
  await signInAs(page, app, owner)
  await page.goto(app.url + path)
  await page.getByRole('heading', { name: heading, exact: true }).waitFor()
  return page
}

export const crewField = (page: Page, table: string): Locator => field(page, `Assign crew to table ${table}`)

/** Enabled once the server has stored the assignment. */
export const changeButton = (page: Page, table: string): Locator =>
  page.getByRole('button', { name: `Change crew of table ${table}`, exact: true, disabled: false })

export const changeField = (page: Page, table: string): Locator =>
  page.getByRole('combobox', { name: `Change crew of table ${table}`, exact: true })

export const assignedCell = (page: Page, table: string): Locator =>
  page
    .getByRole('gridcell')
    .filter({ has: page.getByLabel(new RegExp(` crew (of|to) table ${table}$`, 'u')) })

/** The suggestions of the active cell. */
export const suggestions = (page: Page): Locator => page.getByRole('listbox').getByRole('option')

export const suggestionTexts = async (page: Page): Promise<string[]> =>
  (await suggestions(page).allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())

export const suggestion = (page: Page, name: RegExp): Locator => suggestions(page).filter({ hasText: name })

export const focusedName = (page: Page): Promise<string | null> =>
  page.evaluate(
    () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? null,
  )

/** Answers these calls with status 500 from now on. */
export async function failCalls(page: Page, method: string, path: string): Promise<void> {
  expectPageError(page, new RegExp(`500.*${path}`))
  await page.route(`**${path}*`, (route) =>
    route.request().method() === method
      ? route.fulfill({ status: 500, body: 'Out of order' })
      : route.fallback(),
  )
}
