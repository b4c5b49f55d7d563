import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { TestApp, TestBrowser } from '../../support/app.ts'
import { openPage } from './browser.ts'
import { accessibilityProblems, field } from './locators.ts'
import { takeScreenshots, viewports } from './screenshots.ts'

/** A new tab at one of our pages; `as` has signed in before. */
export async function openOwnerPage(app: TestApp, path: string, as?: TestBrowser): Promise<Page> {
  const page = await openPage({
    viewport: viewports.tablet,
    tolerate: [/\/api\/auth\/user\)/, /404.*\/api\/qr-codes\/me/],
  })
  if (as) {
    await page.context().addCookies([...as.cookies].map(([name, value]) => ({ name, value, url: app.url })))
  }
  await page.goto(app.url + path)
  return page
}

export const text = (page: Page, words: string): Locator => page.getByText(words, { exact: true })

export async function fillFields(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) await field(page, label).fill(value)
}

export const typeCard = async (page: Page, number: string | null): Promise<void> =>
  await fillFields(page, { 'Card number': number ?? '', Expiry: '12/34', CVC: '123' })

/** Everybody can use the screen as it stands, and its pictures are taken. */
export async function expectAccessible(page: Page, picture: string): Promise<void> {
  expect(await accessibilityProblems(page), `${picture} is for everybody`).toEqual([])
  await takeScreenshots(page, `owner-${picture}`)
}

export async function pictureOf(page: Page, name: string): Promise<string> {
  return (await page.getByRole('img', { name, exact: true }).getAttribute('src')) ?? ''
}
