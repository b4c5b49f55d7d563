import type { Page } from 'playwright-core'
import type { TestApp, TestBrowser } from '../../support/app.ts'
import { openPage, type PageOptions } from './browser.ts'
import { viewports } from './screenshots.ts'

/** Gives the page the cookies of a browser that has signed in. */
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

/** Opens a path of the app in a new page, signed in as `as` if given. */
export async function openPageAs(
  app: TestApp,
  path: string,
  as?: TestBrowser,
  options: PageOptions = {},
): Promise<Page> {
  const page = await openPage({
    viewport: viewports.tablet,
    // A restaurant without a QR code is answered 404 when its code is requested.
    tolerate: [/\/api\/auth\/user\)/, /404.*\/api\/qr-codes\/me/],
    ...options,
  })
  if (as) await signInAs(page, app, as)
  await page.goto(app.url + path)
  return page
}
