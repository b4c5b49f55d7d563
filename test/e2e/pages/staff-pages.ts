import type { Page } from 'playwright-core'
import { setUpApp, type TestApp, type TestAppOptions, type TestBrowser } from '../../support/app.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'
import type { PageOptions } from '../support/browser.ts'
import { openPageAs } from './sign-in.ts'

/** A server for the tests of one file, and pages of the staff app on it. */
export function setUpStaffApp(pageOptions: PageOptions = {}, appOptions?: TestAppOptions) {
  const app = setUpApp(appOptions)
  const open = (path: string, as?: TestBrowser): Promise<Page> => openPageAs(app, path, as, pageOptions)

  return {
    app,
    open,
    /** Opens a path as the owner of a new restaurant. */
    async openAsOwner(
      path: string,
      given?: Parameters<TestApp['restaurant']>[0],
    ): Promise<Restaurant & { page: Page }> {
      const restaurant = await app.restaurant(given)
      return { ...restaurant, page: await open(path, restaurant.owner) }
    },
  }
}
