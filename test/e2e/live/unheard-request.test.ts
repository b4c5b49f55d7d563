import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { setUpApp } from '../../support/app.ts'
import { connectScreen } from '../../support/pages/crew-view.ts'
import { askByButton } from '../pages/guest-page.ts'
import {
  brokenWords,
  overflowingElements,
  setTextSize,
  smallTargets,
  lastingViolations,
} from '../support/accessibility.ts'
import { openPage } from '../support/browser.ts'
import { button } from '../support/locators.ts'
import { takeScreenshots, viewports } from '../support/screenshots.ts'

const app = setUpApp({ guestLimits: false })

const offline = 'The staff screen is offline right now.'
const wave = 'Please wave to your waiter.'
const promise = 'Your waiter will be with you shortly'

const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

/** What stands on the page, from its top. */
const lines = async (page: Page): Promise<string[]> =>
  (await page.getByRole('main').innerText()).split('\n').filter((line) => line !== '')

/** Until the test is done with it: it goes back to the menu after three seconds. */
async function keepConfirmation(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const start = window.setTimeout
    Reflect.set(window, 'setTimeout', (run: () => void, ms?: number) =>
      start(run, ms === 3_000 ? 3_600_000 : ms),
    )
  })
}

it('tells a guest first that nobody is listening, and of the request only that it is sent, until somebody is', async () => {
  const { name, device } = await app.restaurant({ tables: ['1'] })
  const page = await openPage({ viewport: viewports.phone, hasTouch: true })
  await keepConfirmation(page)
  await page.goto(`${app.url}/customer?${new URLSearchParams({ r: name, t: '1' }).toString()}`)
  await button(page, 'Drinks').tap()
  await title(page, 'Sent').waitFor()
  await expect.poll(() => lines(page)).toEqual([offline, wave, 'Sent', 'Drinks', 'Send Another Request'])
  await takeScreenshots(page, 'guest-sent-unheard', ['phone', 'desktop'])
  expect(await lastingViolations(page)).toEqual([])
  expect(await smallTargets(page, 56)).toEqual([])
  expect(await overflowingElements(page, 320)).toEqual([])
  // As at 200 %.
  expect(await overflowingElements(page, 195)).toEqual([])

  const screen = await connectScreen(device)
  await title(page, 'Request Sent!').waitFor()
  await expect.poll(() => lines(page)).toEqual(['Request Sent!', promise, 'Drinks', 'Send Another Request'])
  await takeScreenshots(page, 'guest-sent-heard', ['phone', 'desktop'])
  screen.close()
  await title(page, 'Sent').waitFor()
  await expect.poll(() => lines(page)).toContain(wave)
})

it('says in words what cancels a request where large text gives it a line of its own', async () => {
  const { name } = await app.restaurant({ tables: ['1'] })
  const page = await openPage({ viewport: viewports.phone })
  await page.goto(`${app.url}/customer?${new URLSearchParams({ r: name, t: '1' }).toString()}`)
  await askByButton(page, 'Drinks')
  const widthOfWords = (): Promise<number> =>
    page.locator('.requests .cancel span').evaluate((words) => words.getBoundingClientRect().width)
  // Usually a sign of its own is enough below the warning.
  await expect.poll(widthOfWords).toBe(1)
  await setTextSize(page, 32)
  await expect.poll(widthOfWords).toBeGreaterThan(100)
  expect(await brokenWords(page.locator('.requests'))).toEqual([])
  expect(await smallTargets(page, 56)).toEqual([])
  expect(await overflowingElements(page, 320)).toEqual([])
})
