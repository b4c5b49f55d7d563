/**
 * How soon a guest can tap on a slow phone with a slow connection: Chromium's "Slow 4G" preset and a 4× slower CPU,
 * against the real server. `node bench/guest-page.ts [runs] [folder of another version, built]` after a build: with
 * another version both are measured in turns.
 */
import { resolve } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { throttle } from '../test/e2e/support/throttle.ts'
import { restaurantName, type Setup, withBrowser } from './load/browser.ts'
import { formatSpread, markdownTable } from './load/statistics.ts'

type Run = {
  /** First contentful paint; like the other times, in milliseconds from the start of the navigation. */
  painted: number
  /** When a tap on "Call Waiter" at the first paint was saved on the device for sending. */
  tappable: number
  /** When the page said that the request was sent. */
  confirmed: number
  /** Everything loaded until then, as transferred, including headers. */
  bytes: number
  files: Map<string, number>
  /** The same of the next visit to the table. */
  second: Pick<Run, 'painted' | 'tappable' | 'confirmed'>
}

declare global {
  interface Window {
    tapped?: number
    confirmed?: number
  }
}

async function measure(browser: Browser, url: string): Promise<Run> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  })
  const page = await context.newPage()
  await throttle(page)
  const files = await countBytes(page.context(), page)
  await page.addInitScript(() => {
    const tap = (): void => {
      document.querySelector<HTMLElement>('button[value=general]')?.click()
      if (Object.keys(localStorage).some((key) => key.startsWith('ask_'))) window.tapped ??= performance.now()
      else requestAnimationFrame(tap)
    }
    new PerformanceObserver((paints) => {
      if (paints.getEntriesByName('first-contentful-paint').length > 0) tap()
    }).observe({ type: 'paint', buffered: true })
    const waitForConfirmation = (): void => {
      if (document.querySelector('.sent h1')) window.confirmed = performance.now()
      else requestAnimationFrame(waitForConfirmation)
    }
    requestAnimationFrame(waitForConfirmation)
  })
  await page.goto(url, { waitUntil: 'networkidle' })
  await page.waitForFunction(() => window.confirmed !== undefined, undefined, { polling: 100 })
  const first = { files: new Map(files), ...(await readTimes(page)) }
  while (!(await page.evaluate(isKept))) await page.waitForTimeout(100)
  // As it is after a while: without a running worker or the page in memory.
  await page.goto('about:blank')
  await stopWorkers(page)
  await page.goto(url)
  await page.waitForFunction(() => window.confirmed !== undefined, undefined, { polling: 100 })
  const second = await readTimes(page)
  await context.close()
  return { ...first, second, bytes: [...first.files.values()].reduce((sum, size) => sum + size, 0) }
}

async function stopWorkers(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('ServiceWorker.enable')
  await session.send('ServiceWorker.stopAllWorkers')
  await page.waitForTimeout(500)
}

const readTimes = (page: Page): Promise<Pick<Run, 'painted' | 'tappable' | 'confirmed'>> =>
  page.evaluate(() => ({
    painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    tappable: window.tapped ?? Number.NaN,
    confirmed: window.confirmed ?? Number.NaN,
  }))

async function isKept(): Promise<boolean> {
  const registration = await navigator.serviceWorker.getRegistration()
  if (registration?.active?.state !== 'activated') return false
  for (const name of await caches.keys())
    if (name.startsWith('guest-pages-') && (await (await caches.open(name)).keys()).length > 0) return true
  return false
}

/** The bytes transferred for each file. */
async function countBytes(context: ReturnType<Browser['contexts']>[number], page: Page) {
  const files = new Map<string, number>()
  const names = new Map<string, string>()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  session.on('Network.requestWillBeSent', ({ requestId, request }) => names.set(requestId, request.url))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const name = new URL(names.get(requestId) ?? 'http://unknown/').pathname.replace(
      /^\/assets\/|-[\w-]{8}(?=\.)/g,
      '',
    )
    files.set(name, (files.get(name) ?? 0) + encodedDataLength)
  })
  return files
}

type Versions = Record<string, Pick<Setup, 'browser' | 'url'>>

async function compare(versions: Versions, runs: number): Promise<void> {
  const entries = Object.entries(versions)
  const results: Record<string, Run[]> = Object.fromEntries(entries.map(([name]) => [name, []]))
  for (let run = 0; run < runs; run++) {
    const query = new URLSearchParams({ r: restaurantName, t: String(run) })
    for (const [name, { browser, url }] of run % 2 === 0 ? entries : entries.toReversed())
      results[name]?.push(await measure(browser, new URL(`/customer?${query.toString()}`, url).href))
  }
  console.log(`${runs} runs, median (minimum–maximum)\n`)
  const rows = entries.flatMap(([name]) => rowsOf(entries.length > 1 ? `${name}, ` : '', results[name] ?? []))
  console.log(markdownTable(['', 'first paint', 'tappable', 'request confirmed', 'total bytes'], rows))
  const files = [...(results['this']?.[0]?.files ?? [])].map(([name, size]) => [name, String(size)])
  console.log(`\n${markdownTable(['file', 'bytes'], files)}`)
}

function rowsOf(name: string, runs: Run[]): string[][] {
  const rowOf = (visit: string, times: Run['second'][], bytes: string): string[] => [
    name + visit,
    ...(['painted', 'tappable', 'confirmed'] as const).map((figure) =>
      formatSpread(
        times.map((each) => each[figure]),
        ' ms',
      ),
    ),
    bytes,
  ]
  return [
    rowOf('first visit', runs, formatSpread(runs.map(({ bytes }) => bytes))),
    rowOf(
      'second visit',
      runs.map(({ second }) => second),
      '',
    ),
  ]
}

const [, , runs = '15', other] = process.argv
await withBrowser(async (setup) => {
  if (other === undefined) await compare({ this: setup }, Number(runs))
  else
    await withBrowser(
      (otherSetup) => compare({ other: otherSetup, this: setup }, Number(runs)),
      resolve(other),
    )
})
