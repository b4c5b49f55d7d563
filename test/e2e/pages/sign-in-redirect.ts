import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { stopTime } from '../support/time.ts'

/**
 * Does what ends at the sign-in, and expects this on the way: by itself the page leaves half a second later. Its time
 * moves by a millisecond with each look, which is all that loading needs.
 */
export async function expectBeforeSignIn(
  page: Page,
  act: () => Promise<unknown>,
  ...shown: Locator[]
): Promise<void> {
  await page.clock.install()
  await stopTime(page)
  await act()
  for (const what of shown)
    await expect
      .poll(async () => {
        await page.clock.runFor(1)
        return await what.isVisible()
      })
      .toBe(true)
  await page.clock.resume()
}
