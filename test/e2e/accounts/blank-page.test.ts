import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { setUpApp } from '../../support/app.ts'
import { openPage, type PageOptions } from '../support/browser.ts'
import { button } from '../support/locators.ts'
import { viewports } from '../support/screenshots.ts'

const app = setUpApp()

/** A page of the staff app whose script does not come. Says how often it was loaded. */
async function openWithoutScript(
  { comesAfter = Infinity, status }: { comesAfter?: number; status?: number },
  options: PageOptions = {},
): Promise<{ page: Page; loads: () => number; letThrough: () => void }> {
  const page = await openPage({ viewport: viewports.phone, tolerate: [/\/assets\//, /404/], ...options })
  let asked = 0
  let isOpen = false
  await page.route('**/assets/index-*.js', async (route) => {
    asked += 1
    if (isOpen || asked > comesAfter) await route.fallback()
    else if (status === undefined) await route.abort()
    else await route.fulfill({ status })
  })
  await page.goto(`${app.url}/restaurant-login`)
  return { page, loads: () => asked, letThrough: () => void (isOpen = true) }
}

const heading = (page: Page) => page.getByRole('heading', { level: 1, name: 'Restaurant Login' })
const told = (page: Page) => page.getByRole('alert')

it.each([
  ['was lost on the way', undefined],
  ['the server does not have any more', 404],
])('loads once more by itself when its script %s', async (_, status) => {
  const { page, loads } = await openWithoutScript({ comesAfter: 1, ...(status && { status }) })
  await heading(page).waitFor()
  expect(loads()).toBe(2)
})

it('says that it could not be loaded, and loads again only when asked to', async () => {
  const { page, loads, letThrough } = await openWithoutScript({})
  const text = 'This page could not be loaded. Please check the connection and reload it.'
  await expect.poll(() => told(page).allInnerTexts()).toEqual([text])
  expect(loads()).toBe(2)
  await button(page, 'Reload').click()
  await expect.poll(loads).toBe(3)
  await expect.poll(() => told(page).allInnerTexts()).toEqual([text])
  expect(loads()).toBe(3)
  letThrough()
  await button(page, 'Reload').click()
  await heading(page).waitFor()
})

it('says so in the language of the device', async () => {
  const { page } = await openWithoutScript({}, { locale: 'de' })
  await expect
    .poll(() => told(page).allInnerTexts())
    .toEqual(['Diese Seite konnte nicht geladen werden. Bitte prüfe die Verbindung und lade sie neu.'])
  await button(page, 'Neu laden').waitFor()
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de')
})

it('stays, and says so, when the server is away by then', async () => {
  const page = await openPage({ viewport: viewports.phone, tolerate: [/\/assets\//, /restaurant-login/] })
  let loads = 0
  await page.route('**/restaurant-login', async (route) => {
    if (route.request().isNavigationRequest()) loads += 1
    await (route.request().isNavigationRequest() ? route.fallback() : route.abort())
  })
  await page.route('**/assets/index-*.js', (route) => route.abort())
  await page.goto(`${app.url}/restaurant-login`)
  await told(page).waitFor()
  expect(loads).toBe(1)
})

it('says so when the network does not answer any more', async () => {
  const page = await openPage({ viewport: viewports.phone, tolerate: [/\/assets\//] })
  let loads = 0
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  onTestFinished(() => end())
  await page.route('**/restaurant-login', async (route) => {
    if (!route.request().isNavigationRequest()) return ended
    loads += 1
    await route.fallback()
  })
  await page.route('**/assets/index-*.js', (route) => route.abort())
  await page.goto(`${app.url}/restaurant-login`)
  await told(page).waitFor()
  expect(loads).toBe(1)
})
