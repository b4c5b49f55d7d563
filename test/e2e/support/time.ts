import type { Page } from 'playwright-core'

/**
 * Stops the time of a page, on which the test called `page.clock.install()` before it opened: from then on only
 * `page.clock.runFor` moves it, and what the page shows for a while stays.
 */
export async function stopTime(page: Page): Promise<void> {
  const now = await page.evaluate(() => Date.now())
  // Not into the past, however long the way to the page takes. At a whole second, when texts about time change.
  await page.clock.pauseAt(Math.ceil(now / 1_000) * 1_000 + 5_000)
}
