import type { Locator, Page, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, setUpApp, type TestBrowser } from '../../support/app.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'
import { openPageAs } from '../pages/sign-in.ts'
import { overflowingElements, lastingViolations } from '../support/accessibility.ts'
import { button, press, section, toast, waitForTitle, waitForToast } from '../support/locators.ts'
import { takeScreenshot, viewports } from '../support/screenshots.ts'
import { stopTime } from '../support/time.ts'

const app = setUpApp()

async function managerOf({ name, owner }: Restaurant): Promise<TestBrowser> {
  await owner.ok(api.managers.setCredentials, { body: { username: 'sam', password } })
  const manager = app.browser()
  await manager.ok(api.managers.login, { body: { restaurantName: name, username: 'sam', password } })
  return manager
}

const input = (page: Page, name = 'Find anything'): Locator =>
  page.getByRole('combobox', { name, exact: true })
const firstOption = (page: Page): Locator => page.getByRole('dialog').getByRole('option').first()

/** The page listens a moment after it is drawn. */
async function openByKey(page: Page, name?: string, keys = 'Control+k'): Promise<void> {
  await expect
    .poll(async () => {
      await page.keyboard.press(keys)
      return await input(page, name).isVisible()
    })
    .toBe(true)
}

async function choose(page: Page, query: string, title: string): Promise<void> {
  await input(page).fill(query)
  await firstOption(page).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: title, exact: true }).waitFor()
}

it('is on the crew’s screen of a phone: by its key, and in the drawer of the screen', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  const people = [
    { who: restaurant.owner, query: 'audit log', title: 'Audit log' },
    { who: await managerOf(restaurant), query: 'weekly report', title: 'Weekly report' },
  ]
  for (const { who, query, title } of people) {
    const page = await openPageAs(app, '/waiter', who, { viewport: viewports.phone })
    await page.getByText('No active requests').waitFor()
    expect(await button(page, 'Find').isVisible()).toBe(false)
    await openByKey(page)
    await choose(page, query, title)

    await page.goto(`${app.url}/waiter`)
    await press(page, 'Me')
    await press(page, 'Alerts on this phone off')
    const drawer = page.getByRole('dialog', { name: 'This screen' })
    await button(drawer, 'Find anything').waitFor()
    expect(await lastingViolations(page)).toEqual([])
    expect(await overflowingElements(page)).toEqual([])
    await takeScreenshot(page, `crew-drawer-find-${title}`)
    await press(drawer, 'Find anything')
    await expect.poll(() => input(page).evaluate((field) => field === document.activeElement)).toBe(true)
    await drawer.waitFor({ state: 'detached' })
    expect(await lastingViolations(page)).toEqual([])
    await takeScreenshot(page, `crew-find-${title}`)
    // Once more: its code is there now, and it opens as the drawer closes.
    await page.keyboard.press('Escape')
    await input(page).waitFor({ state: 'detached' })
    await press(page, 'Alerts on this phone off')
    await press(drawer, 'Find anything')
    await drawer.waitFor({ state: 'detached' })
    await expect.poll(() => input(page).evaluate((field) => field === document.activeElement)).toBe(true)
    await choose(page, query, title)
  }
})

it('is not on the crew’s screen of a device', async () => {
  const { device } = await app.restaurant({ tables: ['1'] })
  const page = await openPageAs(app, '/waiter', device, { viewport: viewports.phone })
  await page.getByText('No active requests').waitFor()
  await press(page, 'Me')
  await press(page, 'Alerts on this phone off')
  const drawer = page.getByRole('dialog', { name: 'This screen' })
  await button(drawer, 'Wall display').waitFor()
  expect(await button(drawer, 'Find anything').count()).toBe(0)
})

it('reads on the crew’s screen as the portals do, and in English where they have no texts', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  const german = await openPageAs(app, '/waiter', restaurant.owner, { locale: 'de-DE' })
  await openByKey(german, 'Alles finden')
  await input(german, 'Alles finden').fill('öffnungszeiten')
  await firstOption(german).waitFor()
  await german.keyboard.press('Enter')
  await waitForTitle(german, 'Einstellungen')

  const french = await openPageAs(app, '/waiter', restaurant.owner, { locale: 'fr-FR' })
  await openByKey(french, 'Tout rechercher')
  await input(french, 'Tout rechercher').fill('opening hours')
  const option = firstOption(french)
  await option.waitFor()
  expect(await option.evaluate((element) => element.closest('[lang]')?.getAttribute('lang'))).toBe('en')
  expect(await lastingViolations(french)).toEqual([])
})

it('opens a page at its beginning, however far down the one before was', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  const page = await openPageAs(app, '/admin-dashboard/settings', owner, { viewport: viewports.phone })
  await waitForTitle(page, 'Settings')
  const lowest = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight)
  await expect.poll(lowest).toBeGreaterThan(500)
  await page.evaluate(() => scrollTo(0, 500))
  await openByKey(page)
  await choose(page, 'get set up', 'Get Set Up')
  await expect.poll(lowest).toBeGreaterThan(500)
  // Twice, so that what follows the page's growth would have come.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
  expect(await page.evaluate(() => scrollY)).toBe(0)
})

it('opens the form of a pause also on a phone that shows its page already, and the focus stays in the card', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  const page = await openPageAs(app, '/management-dashboard', owner, { viewport: viewports.phone })
  const card = section(page, 'Pauses')
  await button(card, 'Add a Pause').waitFor()
  await openByKey(page)
  await choose(page, 'pause a need', 'Pauses')
  await press(card, 'Pause')
  const end = button(card, 'End now: pause of Food Order')
  await end.waitFor()
  await press(card, 'Add a Pause')
  await button(card, 'Pause').waitFor({ state: 'detached' })
  await end.press('Enter')
  await button(card, 'Add a Pause').and(page.locator(':focus')).waitFor()
})

describe('whose file does not come', () => {
  const menuFile = /\/assets\/command-menu-.*\.js/u

  async function openWithout(answer: (route: Route) => Promise<unknown>) {
    const { owner } = await app.restaurant({ tables: ['1'] })
    const page = await openPageAs(app, '/dashboard', owner, {
      viewport: viewports.phone,
      tolerate: [menuFile, /\/api\/auth\/user/u],
    })
    let isLost = true
    const asked = new Set<Promise<unknown>>()
    await page.route(menuFile, (route) => {
      const answered = isLost ? answer(route) : route.continue()
      asked.add(answered)
      return answered
    })
    await button(page, 'Find').waitFor()
    const comeBack = (): void => {
      isLost = false
    }
    return { page, comeBack }
  }

  it.each([
    ['the network is away', (route: Route) => route.abort()],
    ['the server has others by now', (route: Route) => route.fulfill({ status: 404, body: '' })],
  ])('says so at once, and loads the page again when that is wanted: %s', async (_, answer) => {
    const { page, comeBack } = await openWithout(answer)
    await press(page, 'Find')
    await waitForToast(page, 'Error', 'This could not be loaded.')
    await takeScreenshot(page, 'find-not-loaded')
    await button(page, 'Find').and(page.locator(':enabled')).waitFor()
    comeBack()
    // The browser keeps a failed file for as long as the page is open.
    const loaded = page.waitForEvent('load')
    await press(toast(page), 'Try again')
    await loaded
    await button(page, 'Find').waitFor()
    await openByKey(page)
    await choose(page, 'audit log', 'Audit log')
  })

  it('says so also when the network swallows it, and lets nothing open later', async () => {
    const held = Promise.withResolvers<void>()
    const { page } = await openWithout(async (route) => {
      await held.promise
      await route.continue()
    })
    await page.clock.install()
    await press(page, 'Find')
    await page.locator('[aria-busy]').getByText('Find').waitFor()
    await stopTime(page)
    await waitForToast(page, 'Error', 'This could not be loaded.')
    const arrived = page.waitForResponse(menuFile)
    held.resolve()
    await (await arrived).finished()
    await page.clock.runFor(1_000)
    expect(await input(page).count()).toBe(0)
  })
})

it('is opened by ⌘ K on a Mac, which its button says', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  const page = await openPageAs(app, '/dashboard', owner, {
    viewport: viewports.desktop,
    userAgent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36',
  })
  await page.getByText('⌘ K', { exact: true }).waitFor()
  await openByKey(page, undefined, 'Meta+k')
  await takeScreenshot(page, 'command-menu-mac')
  await choose(page, 'audit log', 'Audit log')
})
