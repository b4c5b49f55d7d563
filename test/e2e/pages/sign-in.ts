import type { Page } from 'playwright-core'
import { password, type TestApp, type TestBrowser } from '../../support/app.ts'
import { openPage, type PageOptions } from '../support/browser.ts'
import { field, fillFields, press } from '../support/locators.ts'
import { viewports } from '../support/screenshots.ts'

/** Copies the cookies of a signed-in browser to the page. */
export async function signInAs(page: Page, app: TestApp, { cookies }: TestBrowser): Promise<void> {
  await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: app.url })))
}

/** Signs the page in as the restaurant's device, or as another browser; the tab remembers the restaurant's name. */
export async function signInToRestaurant(
  page: Page,
  app: TestApp,
  { name, device }: { name: string; device: TestBrowser },
  as = device,
): Promise<void> {
  await signInAs(page, app, as)
  await page.addInitScript((restaurant) => sessionStorage.setItem('restaurantId', restaurant), name)
}

/** Fills in the sign-up form and submits it. */
export async function submitSignUp(page: Page, restaurantName: string, email: string): Promise<void> {
  await fillFields(page, {
    'Restaurant Name': restaurantName,
    Email: email,
    Password: password,
    'Confirm Password': password,
  })
  await field(page, 'I am not a robot').check()
  await press(page, 'Create Account')
}

/** Opens a path of the app in a new page, signed in as `as` if given. */
export async function openPageAs(
  app: TestApp,
  path: string,
  as?: TestBrowser,
  options: PageOptions = {},
): Promise<Page> {
  const page = await openPage({
    viewport: viewports.tablet,
    tolerate: [/\/api\/auth\/user\)/],
    ...options,
  })
  if (as) await signInAs(page, app, as)
  await page.goto(app.url + path)
  return page
}
