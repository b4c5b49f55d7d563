import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { Locator, Page } from 'playwright-core'

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Waits for transitions to end, because half-faded colours fail the contrast rule. */
async function waitForAnimations(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
}

/** The violations that axe finds on the page, one per line: `rule: help | element | details`. */
export async function violations(page: Page, within = 'html'): Promise<string[]> {
  await waitForAnimations(page)
  await page.evaluate(`${axe};undefined`)
  const results: AxeResults = await page.evaluate(
    `axe.run(${JSON.stringify(within)}, { runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] })`,
  )
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) =>
      [`${id}: ${help}`, target.join(' '), failureSummary?.replaceAll(/\s+/g, ' ')].join(' | '),
    ),
  )
}

/** The controls that are smaller than `minimum` CSS pixels in either direction. Links within text are exempt. */
export function smallTargets(page: Page, minimum = 44): Promise<string[]> {
  return page.evaluate((least) => {
    const controls =
      'a[href], button, input, select, textarea, summary, [tabindex="0"], [role="tab"], [role="option"]'
    return [...document.querySelectorAll(controls)].flatMap((element) => {
      const target = element instanceof HTMLInputElement ? (element.closest('label') ?? element) : element
      const { width, height } = target.getBoundingClientRect()
      const inText = getComputedStyle(element).display === 'inline' && element.closest('p, li, dd')
      if (inText || !element.checkVisibility({ visibilityProperty: true }) || width * height <= 1) return []
      if (Math.round(width) >= least && Math.round(height) >= least) return []
      const name = element.getAttribute('aria-label') ?? element.textContent.trim()
      return [`${element.tagName.toLowerCase()} '${name}' is ${Math.round(width)}×${Math.round(height)}`]
    })
  }, minimum)
}

/** The number of lines that an element's text takes up. */
export function countLines(words: Locator): Promise<number> {
  return words.evaluate((element) => {
    const text = document.createRange()
    text.selectNodeContents(element)
    return new Set([...text.getClientRects()].map(({ bottom }) => Math.round(bottom))).size
  })
}

/** The elements that overflow a screen `width` pixels wide. Restores the viewport afterwards. */
export async function overflowingElements(page: Page, width = 320): Promise<string[]> {
  const before = page.viewportSize()
  await page.setViewportSize({ width, height: 640 })
  const found = await page.evaluate(async () => {
    // Media queries are evaluated for the new width in the next frame.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const outside = [...document.body.querySelectorAll('*')].filter((element) => {
      const { left, right } = element.getBoundingClientRect()
      return element.checkVisibility() && (right > clientWidth + 0.5 || left < -0.5)
    })
    return [
      `the page is ${scrollWidth} wide`,
      ...outside.map(({ tagName, className, textContent }) =>
        `${tagName.toLowerCase()}.${className} '${textContent.slice(0, 40)}'`.trim(),
      ),
    ]
  })
  if (before) await page.setViewportSize(before)
  return found
}
