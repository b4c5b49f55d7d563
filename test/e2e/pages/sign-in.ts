import type { Page } from 'playwright-core'
import { api } from '#contract/api.ts'
import { password, type TestApp, type TestBrowser } from '../../support/app.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'
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

/** Before the page signs in: its device remembers who chose a name on it the day before. */
export async function rememberMember(page: Page, { owner }: Restaurant, name: string): Promise<void> {
  const crew = await owner.ok(api.crew.list, {})
  const member = crew.find((each) => each.name === name)
  if (!member) throw new Error(`Nobody in the crew is called ${name}`)
  await page.addInitScript((id) => {
    const isNewTab = sessionStorage.getItem('restaurantId') === null
    if (isNewTab) localStorage.setItem('crew-member-id', id)
  }, member.id)
}

/** Where nothing is to press: browsers keep a page silent until it is touched. */
export const touch = (page: Page): Promise<void> => page.mouse.click(0, 0)

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
