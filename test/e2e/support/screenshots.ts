import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

export const viewports = {
  smallPhone: { width: 360, height: 740 },
  phone: { width: 390, height: 844 },
  tablet: { width: 1024, height: 768 },
  desktop: { width: 1440, height: 900 },
}
export type ViewportName = keyof typeof viewports

const folder = fileURLToPath(new URL('../pictures', import.meta.url))

/**
 * Takes `pictures/{name}-{screen}.png` at each size, without motion and with the fonts loaded. They are for people
 * to look at, so none are taken unless `PICTURES=on`.
 */
export async function takeScreenshots(
  page: Page,
  name: string,
  which: ViewportName[] = ['phone', 'tablet', 'desktop'],
  options: { fullPage?: boolean } = {},
): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  if (process.env['PICTURES'] !== 'on') return
  const before = page.viewportSize()
  for (const screen of which) {
    await page.setViewportSize(viewports[screen])
    await takeScreenshot(page, `${name}-${screen}`, options)
  }
  if (before) await page.setViewportSize(before)
}

/** Takes `pictures/{name}.png` of the page as it is, if `PICTURES=on`. */
export async function takeScreenshot(
  page: Page,
  name: string,
  options: { fullPage?: boolean } = {},
): Promise<void> {
  if (process.env['PICTURES'] !== 'on') return
  mkdirSync(folder, { recursive: true })
  await page.evaluate(async () => void (await document.fonts.ready))
  const before = page.viewportSize()
  // Chromium takes pictures that are higher than the screen with text of the usual size.
  if (options.fullPage === true && before) {
    const height = await page.evaluate(() => document.documentElement.scrollHeight)
    await page.setViewportSize({ ...before, height: Math.max(before.height, height) })
  }
  await page.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled' })
  if (before) await page.setViewportSize(before)
}
