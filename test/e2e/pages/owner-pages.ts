import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { futureExpiry } from '../../../src/client/features/owner/cards/card-input.ts'
import { lastingProblems, fillFields } from '../support/locators.ts'
import { takeScreenshots } from '../support/screenshots.ts'

export const text = (page: Page, words: string): Locator => page.getByText(words, { exact: true })

export const typeCard = async (page: Page, number: string | null): Promise<void> =>
  await fillFields(page, { 'Card number': number ?? '', Expiry: futureExpiry(), CVC: '123' })

/** Expects the current screen to be accessible, and takes its screenshots. */
export async function expectAccessible(page: Page, picture: string): Promise<void> {
  expect(await lastingProblems(page), `${picture} is for everybody`).toEqual([])
  await takeScreenshots(page, `owner-${picture}`)
}

export async function pictureOf(page: Page, name: string): Promise<string> {
  return (await page.getByRole('img', { name, exact: true }).getAttribute('src')) ?? ''
}
