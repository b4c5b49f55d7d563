import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { followLink, waitForTitle } from '../support/locators.ts'

const staff = setUpStaffApp()

type HeldFile = { asked: Promise<unknown>; release: () => Promise<void> }

/** Keeps a file of the page until `release`, which resolves when the page has run it and shown what follows. */
async function holdFile(page: Page, file: RegExp): Promise<HeldFile> {
  const held = Promise.withResolvers<void>()
  await page.route(file, async (route) => {
    await held.promise
    await route.continue()
  })
  const asked = page.waitForRequest(file)
  return {
    asked,
    async release() {
      const address = (await asked).url()
      held.resolve()
      // A text: what compiles the tests would replace `import`.
      await page.evaluate(
        `import('${address}').then(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))`,
      )
    },
  }
}

const setUpFile = /assets\/get-set-up-.*\.js/u
const entries = (page: Page): Promise<number> => page.evaluate(() => history.length)
const pathOf = (page: Page): string => new URL(page.url()).pathname

describe('a link to a screen whose file comes late', () => {
  it('leads nowhere once Back was pressed', async () => {
    const { page } = await staff.openAsOwner('/restaurants')
    await waitForTitle(page, 'Your restaurants')
    await followLink(page, 'Owner home')
    await waitForTitle(page, 'Welcome back')
    const file = await holdFile(page, setUpFile)
    await followLink(page, 'Set up')
    await file.asked
    await page.goBack()
    await waitForTitle(page, 'Your restaurants')
    await file.release()
    expect(pathOf(page)).toBe('/restaurants')
    await followLink(page, 'Set up')
    await waitForTitle(page, 'Get Set Up')
  })

  it('leads there once, however often it is pressed', async () => {
    const { page } = await staff.openAsOwner('/dashboard')
    await waitForTitle(page, 'Welcome back')
    const before = await entries(page)
    const file = await holdFile(page, setUpFile)
    await followLink(page, 'Set up')
    await file.asked
    await followLink(page, 'Set up')
    await file.release()
    await waitForTitle(page, 'Get Set Up')
    await followLink(page, 'Set up')
    expect(await entries(page)).toBe(before + 1)
    await page.goBack()
    await waitForTitle(page, 'Welcome back')
  })
})
