import type { Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { startTestApp, type TestApp, type TestBrowser } from '../../support/app.ts'
import type { Restaurant } from '../../support/busy-restaurant.ts'
import type { PageOptions } from './browser.ts'
import { openPageAs } from './sign-in.ts'

/** A server for the tests of one file, and pages of the staff app on it. */
export function setUpStaffApp(
  pageOptions: PageOptions = {},
  appOptions?: Parameters<typeof startTestApp>[0],
) {
  let started: TestApp | undefined
  beforeAll(async () => {
    started = await startTestApp(appOptions)
  })
  afterAll(() => started?.stop())
  const running = (): TestApp => {
    if (!started) throw new Error('The server is not running yet')
    return started
  }
  const open = (path: string, as?: TestBrowser): Promise<Page> => openPageAs(running(), path, as, pageOptions)

  return {
    get app(): TestApp {
      return running()
    },
    open,
    /** Opens a path as the owner of a new restaurant. */
    async openAsOwner(
      path: string,
      given?: Parameters<TestApp['restaurant']>[0],
    ): Promise<Restaurant & { page: Page }> {
      const restaurant = await running().restaurant(given)
      return { ...restaurant, page: await open(path, restaurant.owner) }
    },
  }
}
