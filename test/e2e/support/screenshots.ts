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
): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  if (process.env['PICTURES'] !== 'on') return
  const before = page.viewportSize()
  mkdirSync(folder, { recursive: true })
  for (const screen of which) {
    await page.setViewportSize(viewports[screen])
    await page.evaluate(async () => void (await document.fonts.ready))
    await page.screenshot({ path: `${folder}/${name}-${screen}.png`, animations: 'disabled' })
  }
  if (before) await page.setViewportSize(before)
}
