import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { ServiceRequest, ServiceType } from '#contract/requests/requests.ts'
import { setUpApp, type TestApp } from '../../support/app.ts'
import type { WebProxy } from '../../support/proxies/web-proxy.ts'
import { addCrew, assignTables, type Restaurant, today } from '../../support/restaurants/busy-restaurant.ts'
import { ticket } from '../pages/crew-screen.ts'
import { signInAs } from '../pages/sign-in.ts'
import { lastingViolations } from '../support/accessibility.ts'
import {
  letNewWorkerTakeOver,
  openPage,
  type PageOptions,
  serverAwayErrors,
  startProxiedApp,
} from '../support/browser.ts'
import { pathOf, press, recordToasts } from '../support/locators.ts'
import { takeScreenshots, viewports } from '../support/screenshots.ts'

const tolerate = [
  ...serverAwayErrors,
  /\/api\//,
  /\/waiter/,
  /\/service-worker\.js/,
  /\/manifest\.webmanifest/,
]

const whenLive = (page: Page): Promise<void> => page.getByText('Live', { exact: true }).waitFor()

const storedKeys = (page: Page): Promise<string[]> =>
  page.evaluate(() => Object.keys(localStorage).toSorted())

const keptFiles = (page: Page): Promise<Record<string, string[]>> =>
  page.evaluate(async () => {
    const kept: Record<string, string[]> = {}
    for (const name of await caches.keys()) {
      const requests = await (await caches.open(name)).keys()
      kept[name] = requests.map(({ url }) => new URL(url).pathname)
    }
    return kept
  })

/** And the worker is there to give it: a page that is loaded a moment earlier has none. */
const hasKeptPage = async (page: Page): Promise<boolean> =>
  (await workerState(page)) === 'activated' &&
  Object.values(await keptFiles(page)).some((paths) => paths.includes('/waiter'))

const workerState = (page: Page): Promise<string | undefined> =>
  page.evaluate(async () => (await navigator.serviceWorker.getRegistration('/waiter'))?.active?.state)

const isKept = (page: Page): Promise<boolean> =>
  page.evaluate(() => 'kept' in document.documentElement.dataset)

async function openCrewPage(
  app: TestApp,
  { device }: Restaurant,
  { url = app.url, clock = false, ...options }: PageOptions & { url?: string; clock?: boolean } = {},
): Promise<Page> {
  const page = await openPage({ viewport: viewports.tablet, serviceWorkers: 'allow', tolerate, ...options })
  if (clock) await page.clock.install()
  await signInAs(page, app, device)
  await page.goto(`${url}/waiter`)
  await whenLive(page)
  return page
}

async function ask(
  app: TestApp,
  { name }: Restaurant,
  tableNumber: string,
  serviceType: ServiceType = 'drinks',
): Promise<ServiceRequest> {
  const { request } = await app.browser().ok(api.requests.send, {
    body: { id: randomUUID(), restaurantId: name, tableNumber, serviceType },
  })
  return request
}

describe('while the server is away', () => {
  const app = setUpApp({ guestLimits: false })
  let restaurant: Restaurant
  let ids: Record<string, string>
  beforeEach(async () => {
    restaurant = await app.restaurant({ tables: ['4', '7', '12'] })
    ids = {}
    for (const name of ['Leo', 'Maya']) ids[name] = (await addCrew(restaurant.owner, name)).id
  })

  const asMaya = async (): Promise<Page> => {
    const page = await openCrewPage(app, restaurant)
    await press(page, 'Select your name')
    await page.getByRole('radio', { name: 'Maya' }).click()
    await page.getByText('Maya, Server').waitFor()
    await expect.poll(() => hasKeptPage(page)).toBe(true)
    return page
  }

  it('opens with the last list, keeps taps over reloads, and is whole soon after its return', async () => {
    const [four] = [await ask(app, restaurant, '4'), await ask(app, restaurant, '7', 'check')]
    await assignTables({ ...restaurant, ids }, today, { '12': 'Maya' })
    const page = await asMaya()
    const myTables = page.getByRole('list', { name: 'My tables' })
    await ticket(page, '7').waitFor()
    await myTables.waitFor()
    await app.pause()
    await page.getByText('Reconnecting…').waitFor()
    await page.reload()
    expect(await isKept(page)).toBe(true)
    await page.getByText(/Last heard \d+[sm] ago/).waitFor()
    await page.getByText('Maya, Server').waitFor()
    await expect.poll(() => myTables.innerText()).toBe('12')
    await press(page, 'Change name')
    await page.getByRole('radio', { name: 'Leo' }).waitFor()
    await page.keyboard.press('Escape')
    await ticket(page, '4').getByRole('button', { name: 'On my way' }).press('Enter')
    const said = await recordToasts(page)
    await ticket(page, '7').getByRole('button', { name: 'Mark Complete' }).press('Enter')
    await expect.poll(() => said).toContainEqual(expect.stringMatching(/^Table 7 complete/u))
    await page.getByText('2 taps wait to send').waitFor()
    await page.reload()
    await ticket(page, '4').getByText('On my way · waits to send').waitFor()
    await ticket(page, '7').getByText('Complete · waits to send').waitFor()
    await takeScreenshots(page, 'crew-opened-offline', ['phone', 'desktop'])
    expect(await lastingViolations(page)).toEqual([])
    await expect.poll(() => storedKeys(page)).toEqual(['crew-member-id', 'last-list', 'unsent-taps'])
    await page.setViewportSize(viewports.phone)
    const sections = page.getByRole('navigation', { name: 'Sections' })
    await press(sections, 'Messages')
    const messages = page.getByRole('region', { name: 'Messages' })
    await messages.getByText('Messages are not kept on this device.').waitFor()
    await takeScreenshots(page, 'crew-messages-offline', ['phone', 'tablet', 'desktop'])
    expect(await lastingViolations(page)).toEqual([])

    let sockets = 0
    page.on('websocket', () => (sockets += 1))
    await app.start()
    await messages.getByRole('button', { name: /Leo/u }).waitFor()
    await press(sections, 'Requests')
    await whenLive(page)
    await ticket(page, '4').getByRole('button', { name: 'Release' }).waitFor()
    // The first that it tries: how soon that is, the tests of the live channel say.
    expect(sockets).toBe(1)
    await ticket(page, '7').waitFor({ state: 'detached' })
    const events = () =>
      app.ctx.db.reader
        .selectFrom('requestEvent')
        .select('kind')
        .where('requestId', '=', four.id)
        .where('kind', 'in', ['accepted', 'completed', 'released'])
        .execute()
    await expect.poll(events).toEqual([{ kind: 'accepted' }])
    await expect.poll(() => storedKeys(page)).toEqual(['crew-member-id', 'last-list'])
    await page.getByRole('button', { name: 'Start shift' }).waitFor()
    await ask(app, restaurant, '12')
    await ticket(page, '12').waitFor()
  })

  it('leaves nothing behind after signing out', async () => {
    await ask(app, restaurant, '4')
    const page = await asMaya()
    await expect.poll(() => storedKeys(page)).toContain('last-list')
    await press(page, 'Home')
    await press(page, 'Log Out')
    await expect.poll(() => pathOf(page)).toBe('/restaurant-login')
    await expect.poll(() => storedKeys(page)).not.toContain('last-list')
    await app.pause()
    await page.goto(`${app.url}/waiter`)
    expect(await isKept(page)).toBe(true)
    await page.getByText('Reconnecting…').waitFor()
    expect(await ticket(page, '4').count()).toBe(0)
    await app.start()
    await expect.poll(() => pathOf(page)).toBe('/restaurant-login')
  })

  it('works without keeping anything where the browser refuses storage', async () => {
    await ask(app, restaurant, '4')
    const page = await openPage({ viewport: viewports.tablet, serviceWorkers: 'allow', tolerate })
    await page.addInitScript(() => {
      const refuse = (): never => {
        throw new DOMException('denied', 'SecurityError')
      }
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, { get: refuse })
    })
    await signInAs(page, app, restaurant.device)
    await page.goto(`${app.url}/waiter`)
    await whenLive(page)
    await press(ticket(page, '4'), 'Mark Complete')
    await page.getByText('No active requests').waitFor()
  })
})

describe('behind a network that fails and servers that change', () => {
  let app: TestApp
  let proxy: WebProxy
  let restaurant: Restaurant
  beforeAll(async () => {
    const proxied = await startProxiedApp()
    ;({ app, proxy } = proxied)
    return proxied.stop
  })
  beforeEach(async () => {
    proxy.switchTo('up')
    proxy.rewrite = null
    restaurant = await app.restaurant({ tables: ['4'] })
  })

  it('opens after a moment when nothing answers, and is back when the network is', async () => {
    await ask(app, restaurant, '4')
    const page = await openCrewPage(app, restaurant, { url: proxy.url })
    await expect.poll(() => hasKeptPage(page)).toBe(true)
    proxy.switchTo('hanging')
    await page.reload()
    expect(await isKept(page)).toBe(true)
    await ticket(page, '4').waitFor()
    proxy.switchTo('up')
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await whenLive(page)
    await page.reload()
    expect(await isKept(page)).toBe(false)
    await whenLive(page)
  })

  it('keeps the newest page and no API answer, and gives up the old ones', async () => {
    const release = (version: string): void => {
      proxy.rewrite = (path, body) =>
        path === '/service-worker.js' ? body.replace(/(version:[`"])\w+/u, `$1${version}`) : body
    }
    release('one')
    const page = await openCrewPage(app, restaurant, { url: proxy.url, clock: true })
    const versions = async (): Promise<string[]> =>
      Object.entries(await keptFiles(page)).flatMap(([name, paths]) =>
        name.startsWith('crew-page-') && paths.includes('/waiter') ? [name] : [],
      )
    await expect.poll(versions).toEqual(['crew-page-one'])
    // The browser looks for another worker after a visit, but not always at once.
    const visitAgain = async (): Promise<void> => {
      await page.reload()
      await page.evaluate(async () => {
        await (await navigator.serviceWorker.getRegistration('/waiter'))?.update()
      })
    }
    release('two')
    await visitAgain()
    await expect.poll(versions).toEqual(['crew-page-one', 'crew-page-two'])
    await letNewWorkerTakeOver(page)
    release('three')
    await visitAgain()
    await expect.poll(versions).toEqual(['crew-page-two', 'crew-page-three'])
    const paths = Object.values(await keptFiles(page)).flat()
    expect(paths.filter((path) => path !== '/waiter' && !path.startsWith('/assets/'))).toEqual([])
    proxy.switchTo('away')
    await page.reload()
    expect(await isKept(page)).toBe(true)
  })

  it('does not keep the page of a server that runs another version than the worker', async () => {
    proxy.rewrite = (path, body) =>
      path === '/waiter' ? body.replace(/index-[\w-]+\.js/u, 'index-other.js') : body
    const page = await openPage({ viewport: viewports.tablet, serviceWorkers: 'allow', tolerate })
    await signInAs(page, app, restaurant.device)
    await page.goto(`${proxy.url}/portal-selection`)
    await page.evaluate(async () => {
      const path = '/service-worker.js'
      const policy = window.trustedTypes?.createPolicy('tableside', { createScriptURL: (url) => url })
      await navigator.serviceWorker.register(policy?.createScriptURL(path) ?? path, { scope: '/waiter' })
    })
    await expect.poll(() => workerState(page)).toBe('activated')
    expect(await hasKeptPage(page)).toBe(false)
  })
})
