import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { overflowingElements, smallTargets, lastingViolations } from './accessibility.ts'

/** Waits for the page with this title. */
export const waitForTitle = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

export const button = (within: Page | Locator, name: string): Locator =>
  within.getByRole('button', { name, exact: true })

export const press = (within: Page | Locator, name: string): Promise<void> => button(within, name).click()

export const followLink = (page: Page, name: string): Promise<void> =>
  page.getByRole('link', { name, exact: true }).click()

export const field = (page: Page, label: string): Locator => page.getByLabel(label, { exact: true })

export async function fillFields(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) await field(page, label).fill(value)
}

export const section = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true })

export const toast = (page: Page): Locator =>
  page.getByRole('region', { name: 'Notifications' }).getByRole('group')

/** Waits for what shows toasts, which a page loads last. */
export const whenToastsLoad = (page: Page): Promise<void> =>
  page.getByRole('region', { name: 'Notifications' }).waitFor({ state: 'attached' })

export async function waitForToast(page: Page, ...texts: string[]): Promise<void> {
  for (const text of texts) await toast(page).getByText(text, { exact: true }).waitFor()
}

/** What the element says from the next page on, also on pages that are gone before a locator could look. */
export async function collectTexts(page: Page, selector: string): Promise<string[]> {
  const texts: string[] = []
  const name = `collect ${selector}`
  await page.exposeFunction(name, (text: string) => texts.push(text))
  await page.addInitScript(
    ([name, selector]) => {
      new MutationObserver(() => {
        const text = document.querySelector(selector)?.textContent
        if (text) Reflect.get(window, name)(text)
      }).observe(document, { childList: true, subtree: true })
    },
    [name, selector] as const,
  )
  return texts
}

export const toasts = '[aria-label="Notifications"]'

/** What the page's toasts say from now on, also those that are gone before anybody looks. */
export async function recordToasts(page: Page): Promise<string[]> {
  const said: string[] = []
  await page.exposeFunction('toastSaid', (text: string) => said.push(text))
  await page.evaluate((region) => {
    let last = ''
    new MutationObserver(() => {
      const toast = document.querySelector<HTMLElement>(`${region} [role=group]`)
      const text = toast?.innerText ?? ''
      if (text !== '' && text !== last) Reflect.get(window, 'toastSaid')(text)
      last = text
    }).observe(document, { childList: true, characterData: true, subtree: true })
  }, toasts)
  return said
}

/** Until the page has drawn what it does next. */
export const nextFrame = async (page: Page): Promise<void> => {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
}

/** Presses Tab until the control has the focus. */
export async function tabTo(
  page: Page,
  role: 'link' | 'textbox' | 'checkbox' | 'button',
  name: string,
): Promise<void> {
  const focused = page.getByRole(role, { name, exact: true }).and(page.locator(':focus'))
  for (let presses = 0; presses < 30 && (await focused.count()) === 0; presses += 1) {
    await page.keyboard.press('Tab')
    // The guard of a dialog passes the focus on in the next frame.
    await nextFrame(page)
  }
  expect(await focused.count(), `${role} ${name}`).toBe(1)
}

export const pathOf = (page: Page): string => new URL(page.url()).pathname

/** What lastingly breaks our accessibility rules: axe's findings, small targets, and overflow on narrow screens. */
export const lastingProblems = async (page: Page): Promise<string[]> => [
  ...(await lastingViolations(page)),
  ...(await smallTargets(page)),
  ...(await overflowingElements(page)),
]
