import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import type { TestApp } from '../../support/app.ts'
import type { WebProxy } from '../../support/proxies/web-proxy.ts'
import { returnToMenu, untilSent } from '../pages/guest-page.ts'
import { letNewWorkerTakeOver, openPage, startProxiedApp } from '../support/browser.ts'
import { press } from '../support/locators.ts'
import { takeScreenshots, viewports } from '../support/screenshots.ts'

const tolerate = [
  /WebSocket connection to/,
  /\/api\//,
  /\/customer/,
  /guest-worker\.js/,
  /fetching the script/,
]

let app: TestApp
let proxy: WebProxy
beforeAll(async () => {
  const proxied = await startProxiedApp()
  ;({ app, proxy } = proxied)
  return proxied.stop
})

/** A server with a script of its own, whose worker belongs to it. */
function release(version: string, more: NonNullable<WebProxy['rewrite']> = (_path, body) => body): void {
  proxy.rewrite = async (path, body, headers) => {
    const own = body.replaceAll(/(assets\/guest-[\w-]+\.js)/gu, `$1?${version}`)
    return more(path, own.replace(/(version:[`"])\w+/u, `$1${version}`), headers)
  }
}

/** What is kept of each table. Never opens a cache: that would bring back one that the worker has just deleted. */
const keptTables = (page: Page): Promise<Record<string, string[]>> =>
  page.evaluate(async () => {
    const r = new URLSearchParams(location.search).get('r') ?? ''
    const kept: Record<string, string[]> = {}
    for (const name of await caches.keys()) {
      if (!name.startsWith('guest-pages-')) continue
      const tables: string[] = []
      for (const t of ['4', '7']) {
        const query = new URLSearchParams({ r, t, kept: navigator.languages.join() })
        if (await caches.match(`/customer?${query.toString()}`, { cacheName: name, ignoreVary: true }))
          tables.push(t)
      }
      kept[name.replace('guest-pages-', '')] = tables
    }
    return kept
  })

/** Whose files are kept. */
const keptVersions = (page: Page): Promise<string[]> =>
  page.evaluate(async () =>
    (await caches.keys()).flatMap((name) => (name.startsWith('guest-files-') ? name.slice(12) : [])),
  )

const isKept = (page: Page): Promise<boolean> =>
  page.evaluate(() => 'kept' in JSON.parse(document.getElementById('page')?.textContent ?? '{}'))

const versionOf = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.querySelector<HTMLScriptElement>('script[src]')?.src.split('?')[1])

const workers = (page: Page): Promise<string[]> =>
  page.evaluate(async () =>
    (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => new URL(scope).pathname),
  )

/** On a phone that has kept it, since its guest asked for drinks there. */
async function openKeptPage(): Promise<{ page: Page; url: string }> {
  const { name } = await app.restaurant({ tables: ['4'] })
  const url = `${proxy.url}/customer?${new URLSearchParams({ r: name, t: '4' }).toString()}`
  release('one')
  const page = await openPage({ viewport: viewports.phone, serviceWorkers: 'allow', tolerate })
  await page.goto(url)
  await untilSent(page, () => press(page, 'Drinks'))
  await expect.poll(async () => (await keptTables(page))['one']).toContain('4')
  return { page, url }
}

it('opens the second visit at once, shows only what the server has confirmed, and follows the server', async () => {
  const { name } = await app.restaurant({ tables: ['4', '7'] })
  const urlOf = (t: string, more: Record<string, string> = {}): string =>
    `${proxy.url}/customer?${new URLSearchParams({ r: name, t, ...more }).toString()}`
  const whenKept = async (version: string): Promise<void> => {
    await expect.poll(async () => (await keptTables(page))[version]).toContain('4')
  }

  release('one')
  const page = await openPage({ viewport: viewports.phone, serviceWorkers: 'allow', tolerate })
  await page.clock.install()
  await page.goto(urlOf('4'))
  expect(await isKept(page)).toBe(false)
  await untilSent(page, () => press(page, 'Drinks'))
  await whenKept('one')
  expect(await workers(page)).toEqual(['/customer'])

  // The server is silent: nothing is known, and taps wait.
  proxy.switchTo('hanging')
  await page.goto(urlOf('4', { k: 'photographed' }))
  expect(await isKept(page)).toBe(true)
  await page.getByText('Checking with the restaurant…').waitFor()
  expect(await page.locator('.requests li').count()).toBe(0)
  await takeScreenshots(page, 'guest-second-visit', ['phone'])
  await press(page, 'Food Order')
  const rows = page.locator('.requests li')
  await rows.getByText('Sending…').waitFor()
  await expect.poll(() => rows.count()).toBe(1)
  await untilSent(page, async () => {
    proxy.switchTo('up')
    await page.evaluate(() => dispatchEvent(new Event('online')))
  })
  await returnToMenu(page)
  await expect.poll(() => rows.count()).toBe(2)
  await expect.poll(() => page.getByText('Checking with the restaurant…').count()).toBe(0)

  // Another table is never the one that is kept, and the language is the guest's.
  await page.goto(urlOf('7'))
  expect(await isKept(page)).toBe(false)
  await page.goto(urlOf('4', { lang: 'de' }))
  await page.getByRole('button', { name: 'Bedienung rufen' }).waitFor()
  await whenKept('one')
  await page.goto(urlOf('4'))
  expect(await isKept(page)).toBe(true)
  await page.getByRole('button', { name: 'Bedienung rufen' }).waitFor()
  await page.goto(urlOf('4', { lang: 'en' }))
  await whenKept('one')

  // A new server: the old page works with it, and the next visit is the new one.
  let answer = (): void => undefined
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  let kept = 0
  let isOpen = false
  release('two', async (path, body) => {
    // Browsers look for a new worker whenever they like, and this one is to find it once the page is open.
    if (path === '/guest-worker.js' && !isOpen) return body.replace(/(version:[`"])two/u, '$1one')
    // The first is for the old worker, which stays until it has it.
    if (path.includes('kept=') && ++kept > 1) await answered
    return body
  })
  await page.goto(urlOf('4'))
  expect([await isKept(page), await versionOf(page)]).toEqual([true, 'one'])
  isOpen = true
  await expect.poll(() => rows.count()).toBe(2)
  await expect
    .poll(async () => {
      // Again, as the browser may just be at it, and have the old one as its answer.
      await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()))
      return keptVersions(page)
    })
    .toEqual(['one', 'two'])
  await letNewWorkerTakeOver(page)
  await expect.poll(() => keptVersions(page)).toEqual(['two'])
  // It keeps nobody waiting for the pages that it wants to keep.
  await page.goto(urlOf('4'))
  expect([await isKept(page), await versionOf(page)]).toEqual([false, 'two'])
  answer()
  await expect.poll(() => keptTables(page)).toEqual({ two: ['4'] })
  await page.goto(urlOf('4'))
  expect([await isKept(page), await versionOf(page)]).toEqual([true, 'two'])

  // A newer one, whose answers the kept page does not understand.
  release('three', (path, body) => (path.startsWith('/api/') ? '{"changed":true}' : body))
  // Over the channel the page would have its list without asking for it.
  proxy.letsSocketsThrough = false
  // It may reload itself before it has loaded.
  await page.goto(urlOf('4'), { waitUntil: 'commit' })
  await expect.poll(() => versionOf(page).catch(() => null)).toBe('three')
  proxy.letsSocketsThrough = true
  expect(await isKept(page)).toBe(false)
  await letNewWorkerTakeOver(page)
  await expect.poll(() => keptTables(page)).toEqual({ three: ['4'] })

  // An expired visit stays so.
  release('three')
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage))
      if (key.startsWith('session_')) localStorage.setItem(key, String(Date.now() - 4 * 3_600_000))
  })
  await page.goto(urlOf('4'))
  await page.getByText('Session Expired').waitFor()
  await press(page, 'Start New Session')
  await expect.poll(() => rows.count()).toBe(2)

  // What the server clears is gone, with the worker.
  release('three', (path, body, headers) => {
    if (path.startsWith('/api/')) headers['clear-site-data'] = '"storage"'
    return body
  })
  await page.goto(urlOf('4'))
  await expect.poll(() => workers(page)).toEqual([])
  release('three')
  await page.goto(urlOf('4'))
  expect(await isKept(page)).toBe(false)

  // So is the worker of an operator who wants none.
  await press(page, 'Check/Bill')
  // What is kept may be from the worker that was about to go.
  await page.evaluate(async () => void (await navigator.serviceWorker.ready))
  await whenKept('three')
  const { promise: isGone, resolve: letGo } = Promise.withResolvers<void>()
  let isAsked = false
  release('four', async (path, body) => {
    if (!/guest-worker|kept=/u.test(path)) return body
    if (isAsked || !path.includes('kept=')) return null
    // The answer from before comes after the worker has gone.
    isAsked = true
    await isGone
    return body
  })
  await page.goto(urlOf('4'))
  await expect.poll(() => isAsked).toBe(true)
  await page.goto(urlOf('4'))
  await expect.poll(() => workers(page)).toEqual([])
  letGo()
  await page.goto(urlOf('4'))
  expect([await isKept(page), await versionOf(page)]).toEqual([false, 'four'])
  expect(await keptTables(page)).toEqual({})
})

it('has one identity on a later day, by which the guest may cancel', async () => {
  const { page, url } = await openKeptPage()

  await page.context().clearCookies()
  const { promise: isTapped, resolve: letGo } = Promise.withResolvers<void>()
  // What the page and its worker ask beside the tap is answered after it.
  release('one', async (path, body) => {
    if (/kept=|\/mine/u.test(path)) await isTapped
    return body
  })
  await page.goto(url)
  expect(await isKept(page)).toBe(true)
  await untilSent(page, () => press(page, 'Food Order'))
  const answered = page.waitForResponse(/service-requests\/mine/u)
  letGo()
  await (await answered).finished()
  await returnToMenu(page)
  const row = page.locator('.requests li', { hasText: 'Food Order' })
  await row.getByRole('button', { name: 'Cancel request' }).press('Enter')
  await expect.poll(() => row.count()).toBe(0)
})

it('is one device with what it sends before it has a cookie, also where the answers are lost', async () => {
  const { page, url } = await openKeptPage()

  await page.context().clearCookies()
  let lost = 0
  release('one', (path, body, headers) => {
    if (path !== '/api/service-requests') return body
    lost += 1
    delete headers['set-cookie']
    return null
  })
  await page.goto(url)
  expect(await isKept(page)).toBe(true)
  const needs = ['Food Order', 'Check/Bill']
  for (const need of needs) await press(page, need)
  await expect.poll(() => lost).toBeGreaterThanOrEqual(2)
  release('one')
  await page.reload()
  expect(await isKept(page)).toBe(false)
  for (const need of needs) {
    const row = page.locator('.requests li', { hasText: need })
    await row.getByRole('button', { name: 'Cancel request' }).press('Enter')
    await expect.poll(() => row.count()).toBe(0)
  }
})

it('keeps a page until another can take its place', async () => {
  const { page, url } = await openKeptPage()
  let renewals = 0
  release('one', (path, body) => {
    if (!path.includes('kept=')) return body
    renewals += 1
    // A part that cannot be loaded.
    return body.replace('</head>', '<link href="/assets/gone.js"></head>')
  })
  for (const visit of [1, 2, 3]) {
    await page.goto(url)
    expect({ visit, isKept: await isKept(page) }).toEqual({ visit, isKept: true })
    await expect.poll(() => renewals).toBe(visit)
  }
})

it('leaves the font of the titles to the next visit where the connection is slow', async () => {
  const { name } = await app.restaurant({ tables: ['4'] })
  release('slow')
  const page = await openPage({ viewport: viewports.phone, serviceWorkers: 'allow', tolerate })
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'connection', { value: { effectiveType: '3g' } }),
  )
  const fonts: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'font') fonts.push(request.url())
  })
  const titleFont = (): Promise<string> =>
    page.locator('h1').evaluate((title) => getComputedStyle(title).fontFamily)
  const url = `${proxy.url}/customer?${new URLSearchParams({ r: name, t: '4' }).toString()}`
  await page.goto(url)
  expect(await titleFont()).toMatch(/^system-ui/u)
  await untilSent(page, () => press(page, 'Drinks'))
  await expect.poll(async () => (await keptTables(page))['slow']).toContain('4')
  expect(fonts).toEqual([])
  await page.goto(url)
  expect(await isKept(page)).toBe(true)
  await expect.poll(() => titleFont()).toMatch(/Bricolage/u)
  await expect.poll(() => fonts.length).toBeGreaterThan(0)
})
