import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type * as Axe from 'axe-core'
import type { CDPSession, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

declare global {
  interface Window {
    axe: typeof Axe
  }
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/**
 * What is drawn late may make a problem go away, so this looks again while it finds any, for up to five seconds. Returns
 * what the last look found. `look` has to leave out what is no problem, or it would go on for the five seconds.
 */
async function untilNothingIsFound(look: () => Promise<string[]>): Promise<string[]> {
  const end = performance.now() + 5_000
  let found = await look()
  while (found.length > 0 && performance.now() < end) found = await look()
  return found
}

/**
 * Looks at a page without transitions: half-faded colours fail the contrast rule, and what opens is smaller at first. So
 * a toast that happens to close meanwhile is there or is not.
 */
async function withoutTransitions<T>(page: Page, look: () => Promise<T>): Promise<T> {
  await waitForAnimations(page)
  const sheet = await page.evaluateHandle(() => {
    const own = new CSSStyleSheet()
    own.replaceSync('*, ::before, ::after, ::backdrop { transition: none !important }')
    document.adoptedStyleSheets.push(own)
    return own
  })
  const found = await look()
  await sheet.evaluate((own) => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== own)
  })
  await sheet.dispose()
  return found
}

/** Waits for a new size to take effect and for transitions to end. */
async function waitForAnimations(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const isEnding = ({ playState, effect }: Animation): boolean => {
      const target = effect instanceof KeyframeEffect ? effect.target : null
      // What the browser leaves out of its frames, because it is out of view, is never said to have finished.
      const isDrawn = target?.checkVisibility({ contentVisibilityAuto: true }) ?? false
      return isDrawn && playState === 'running' && effect?.getComputedTiming().endTime !== Infinity
    }
    // A transition begins in the frame after what changed.
    await nextFrame()
    do await nextFrame()
    while (document.getAnimations().some(isEnding))
  })
}

/** The violations that axe goes on finding on the page, one per line: `rule: help | element | details`. */
export async function lastingViolations(page: Page, within = 'html'): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(`${axeSource};undefined`)
  return untilNothingIsFound(() =>
    withoutTransitions(page, () => page.evaluate(listViolations, [within, tags] as const)),
  )
}

/** Runs in the page. */
async function listViolations([within, runOnly]: readonly [string, string[]]): Promise<string[]> {
  // By default axe also reads all style sheets, for a rule that is not among these.
  const options: Axe.RunOptions = { runOnly, resultTypes: ['violations'], preload: { assets: ['media'] } }
  const results = await window.axe.run(within, options)
  // The lines are made here, because all that axe returns is large.
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) =>
      [`${id}: ${help}`, target.join(' '), failureSummary?.replaceAll(/\s+/g, ' ')].join(' | '),
    ),
  )
}

/** The controls that are smaller than `minimum` CSS pixels in either direction. Links within text are exempt. */
export function smallTargets(page: Page, minimum = 44): Promise<string[]> {
  return untilNothingIsFound(() => withoutTransitions(page, () => page.evaluate(listSmallTargets, minimum)))
}

/** Runs in the page. */
function listSmallTargets(least: number): string[] {
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
}

/** The number of lines that an element's text takes up. */
export const countLines = async (words: Locator): Promise<number> =>
  Math.max(...(await words.evaluate(listLineCounts)))

/** The numbers of lines of the texts that are there at this moment: some may be gone in the next one. */
export const countLinesOfAll = (texts: Locator): Promise<number[]> => texts.evaluateAll(listLineCounts)

/** Runs in the page. */
function listLineCounts(elements: Element | Element[]): number[] {
  return [elements].flat().map((element) => {
    const text = document.createRange()
    text.selectNodeContents(element)
    return new Set([...text.getClientRects()].map(({ bottom }) => Math.round(bottom))).size
  })
}

/** The lines of an element's only text, with the spaces at their ends. */
export const linesOf = (words: Locator): Promise<string[]> =>
  words.evaluate((element) => {
    const text = element.firstChild
    if (!(text instanceof Text)) return []
    const lines: string[] = []
    let bottom = -Infinity
    for (let index = 0; index < text.length; index++) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + 1)
      const box = range.getBoundingClientRect()
      // Lines of large text may overlap a little.
      if (box.width > 0 && box.top >= bottom - box.height / 2) lines.push('')
      if (box.width > 0) bottom = box.bottom
      lines.push(`${lines.pop() ?? ''}${text.data[index]}`)
    }
    return lines
  })

/** The elements that overflow a screen `width` pixels wide. Restores the viewport afterwards. */
export async function overflowingElements(page: Page, width = 320, height = 640): Promise<string[]> {
  const before = page.viewportSize()
  await page.setViewportSize({ width, height })
  const found = await untilNothingIsFound(() =>
    withoutTransitions(page, () => page.evaluate(listOverflowing)),
  )
  if (before) await page.setViewportSize(before)
  return found
}

/** The same at the page's own size, without waiting for what moves: no frame comes where scripts are off. */
export const overflowingNow = (page: Page): Promise<string[]> =>
  untilNothingIsFound(() => page.evaluate(listOverflowing))

/** Runs in the page. */
function listOverflowing(): string[] {
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
}

/**
 * The visible texts that do not fit their element or the screen, but for those that end with an ellipsis, and those that
 * match `byDesign`.
 */
export function clippedTexts(page: Page, byDesign?: RegExp): Promise<string[]> {
  return untilNothingIsFound(async () => {
    const found = await withoutTransitions(page, () => page.evaluate(listClippedTexts))
    return found.filter((text) => !byDesign?.test(text))
  })
}

/** Runs in the page. */
function listClippedTexts(): string[] {
  const { scrollWidth, clientWidth } = document.documentElement
  const texts = [
    ...document.querySelectorAll<HTMLElement>('h1, h2, h3, p, span, b, bdi, button, li, time, strong'),
  ]
  const clipped = texts.filter((element) => {
    const { display, textOverflow } = getComputedStyle(element)
    if (!element.checkVisibility() || display === 'inline' || textOverflow === 'ellipsis') return false
    const { left, right, width } = element.getBoundingClientRect()
    // Only for people who cannot see it.
    if (width <= 1) return false
    return element.scrollWidth > element.clientWidth + 1 || right > clientWidth + 1 || left < -1
  })
  const names = clipped.map(({ className, textContent }) => `${className} '${textContent.slice(0, 40)}'`)
  return scrollWidth > clientWidth ? [`the page is ${scrollWidth} wide`, ...names] : names
}

/** The placeholders that are wider than their field. */
export const cutPlaceholders = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const pen = document.createElement('canvas').getContext('2d')
    const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('[placeholder]')
    return [...fields].flatMap((field) => {
      if (!pen || !field.checkVisibility() || field.clientWidth <= 1) return []
      const { fontWeight, fontSize, fontFamily } = getComputedStyle(field, '::placeholder')
      pen.font = `${fontWeight} ${fontSize} ${fontFamily}`
      const words = pen.measureText(field.placeholder).width
      const { paddingLeft, paddingRight } = getComputedStyle(field)
      const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
      return words > room ? [`'${field.placeholder}' is ${Math.ceil(words - room)} wider`] : []
    })
  })

/** The visible words of a text that continue on the next line. */
export const brokenWords = (within: Locator): Promise<string[]> => brokenParts(within, /\S+/gu)

/** The same for all texts that are there at this moment. */
export const brokenWordsOfAll = (texts: Locator): Promise<string[]> =>
  untilNothingIsFound(() => texts.evaluateAll(listBrokenParts, /\S+/gu))

/** The parts of a text that must stay in one line but do not. */
export const brokenParts = (within: Locator, part: RegExp): Promise<string[]> =>
  untilNothingIsFound(() => within.evaluate(listBrokenParts, part))

/** Runs in the page. */
function listBrokenParts(elements: Element | Element[], part: RegExp): string[] {
  return [elements].flat().flatMap((element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    const broken: string[] = []
    while (walker.nextNode()) {
      const node = walker.currentNode
      if (!node.parentElement?.checkVisibility({ visibilityProperty: true })) continue
      for (const { index, 0: text } of (node.textContent ?? '').matchAll(part)) {
        const range = document.createRange()
        range.setStart(node, index)
        range.setEnd(node, index + text.length)
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(text)
      }
    }
    return broken
  })
}

const devToolsOf = new WeakMap<Page, CDPSession>()

/** As set in the browser; 16 is the default. */
export async function setTextSize(page: Page, standard: number): Promise<void> {
  // Some tests change the size hundreds of times, and sessions last as long as their page.
  const devTools = devToolsOf.get(page) ?? (await page.context().newCDPSession(page))
  devToolsOf.set(page, devTools)
  await devTools.send('Page.setFontSizes', { fontSizes: { standard, fixed: standard } })
  // Scripts hear that a media query in rem has changed as a frame is drawn, and a page at rest draws none. A page that
  // has just opened has no frame to take a picture of yet.
  const clip = { x: 0, y: 0, width: 1, height: 1, scale: 1 }
  await expect.poll(() => devTools.send('Page.captureScreenshot', { clip })).toHaveProperty('data')
}

/**
 * The controls that Tab never reaches, or that do not show that they have the focus. Of a group that the arrow keys walk
 * through, one is enough. Leaves the focus where it was.
 */
export async function unreachableControls(page: Page): Promise<string[]> {
  const walk = await page.evaluateHandle(() => {
    const groups = '[role="tablist"], [role="radiogroup"], [role="toolbar"], [role="listbox"], [role="grid"]'
    const unit = (element: Element): Element => {
      const isRadio = element instanceof HTMLInputElement && element.type === 'radio'
      return element.closest(groups) ?? (isRadio ? element.closest('fieldset, form') : null) ?? element
    }
    const isUsable = (element: Element): boolean =>
      element.checkVisibility({ visibilityProperty: true }) &&
      !element.matches(':disabled, [aria-disabled="true"]') &&
      // F6 leads to the toasts.
      !element.closest('[inert], [aria-hidden="true"], .toasts')
    const controls = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [role="button"]'
    const expected = new Set([...document.querySelectorAll(controls)].filter(isUsable).map(unit))
    const reached = new Set<Element>()
    const unmarked: Element[] = []
    const start = document.activeElement
    return {
      start,
      /** Whether the walk has come back to the control that it reached first. */
      async look(): Promise<boolean> {
        const isControl = ({ activeElement }: Document): boolean =>
          activeElement !== null && expected.has(unit(activeElement))
        // The end of the page, or the guard of a dialog, which passes the focus on.
        if (!isControl(document))
          await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        const { activeElement } = document
        if (!activeElement || !expected.has(unit(activeElement))) return false
        if (reached.has(activeElement)) return activeElement === reached.values().next().value
        reached.add(activeElement)
        const shows = ({ outlineStyle, outlineWidth, boxShadow }: CSSStyleDeclaration): boolean =>
          (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
        const marked = [activeElement, activeElement.closest('label'), activeElement.nextElementSibling].some(
          (element) => element && [null, '::after'].some((part) => shows(getComputedStyle(element, part))),
        )
        if (!marked) unmarked.push(activeElement)
        return false
      },
      problems(): string[] {
        const units = new Set([...reached].map(unit))
        const nameOf = (element: Element): string =>
          `${element.tagName.toLowerCase()} '${(element.getAttribute('aria-label') ?? element.textContent).slice(0, 40)}'`
        return [
          ...[...expected]
            .filter((element) => !units.has(element))
            .map((each) => `${nameOf(each)} is not reached`),
          ...unmarked.map((each) => `${nameOf(each)} does not show the focus`),
        ]
      },
    }
  })
  for (let presses = 0; presses < 300; presses += 1) {
    await page.keyboard.press('Tab')
    if (await walk.evaluate((tour) => tour.look())) break
  }
  return walk.evaluate((tour) => {
    if (tour.start instanceof HTMLElement) tour.start.focus()
    return tour.problems()
  })
}
