/**
 * How soon a guest can tap, on a cheap phone on a bad day: Chromium's "Slow 4G" preset and a quarter of the CPU,
 * against the real server. `node bench/guest-page.ts [runs]` after a build.
 */
import { randomBytes } from 'node:crypto'
import { type Browser, chromium } from 'playwright-core'
import { emptySqliteDatabase } from '../test/support/database.ts'
import { findBrowser } from '../test/e2e/support/find-browser.ts'
import { throttle } from '../test/e2e/support/throttle.ts'
import { startServer } from '../test/support/server-process.ts'
import { formatSpread, markdownTable } from './statistics.ts'
import { post } from './http-client.ts'

type Run = {
  /** In milliseconds from the start of the navigation. */
  painted: number
  /** A tap on "Call Waiter", made at the first paint, is on the device to be sent. */
  tappable: number
  /** The same tap is stored and said to be. */
  confirmed: number
  /** Bytes of everything that was loaded until then, as they travelled, headers included. */
  bytes: number
  files: Map<string, number>
}

declare global {
  interface Window {
    tapped?: number
    confirmed?: number
  }
}

const restaurantName = 'The Copper Pot'

async function measure(browser: Browser, url: string): Promise<Run> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  })
  const page = await context.newPage()
  await throttle(page)
  const files = await watchBytes(page.context(), page)
  await page.addInitScript(() => {
    const tap = (): void => {
      document.querySelector<HTMLElement>('button[value=general]')?.click()
      if (Object.keys(localStorage).some((key) => key.startsWith('ask_'))) window.tapped ??= performance.now()
      else requestAnimationFrame(tap)
    }
    new PerformanceObserver((paints) => {
      if (paints.getEntriesByName('first-contentful-paint').length > 0) tap()
    }).observe({ type: 'paint', buffered: true })
    const look = (): void => {
      if (document.querySelector('h1')?.textContent === 'Request Sent!') window.confirmed = performance.now()
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
  await page.goto(url, { waitUntil: 'networkidle' })
  await page.waitForFunction(() => window.confirmed !== undefined, undefined, { polling: 100 })
  const times = await page.evaluate(() => ({
    painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    tappable: window.tapped ?? Number.NaN,
    confirmed: window.confirmed ?? Number.NaN,
  }))
  await context.close()
  return { ...times, files, bytes: [...files.values()].reduce((sum, size) => sum + size, 0) }
}

async function watchBytes(
  context: ReturnType<Browser['contexts']>[number],
  page: Parameters<typeof throttle>[0],
) {
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

async function main(): Promise<void> {
  const runs = Number(process.argv[2] ?? 15)
  const database = await emptySqliteDatabase()
  const server = await startServer(database.url, { GUEST_LIMITS: 'off' })
  const { path, env } = findBrowser()
  const browser = await chromium.launch({
    executablePath: path,
    env,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    const signup = {
      restaurantName,
      email: 'owner@example.com',
      password: randomBytes(12).toString('base64url'),
    }
    await post(new URL('/api/restaurant-signup', server.url), {}, signup)
    const results: Run[] = []
    for (let run = 0; run < runs; run++) {
      const link = new URL(
        `/customer?${new URLSearchParams({ r: restaurantName, t: String(run) }).toString()}`,
        server.url,
      )
      results.push(await measure(browser, link.href))
    }
    const of = (figure: 'painted' | 'tappable' | 'confirmed' | 'bytes') => results.map((run) => run[figure])
    console.log(`${runs} runs, median (least–most)\n`)
    console.log(
      markdownTable(
        ['first paint', 'tappable', 'tap stored and said so', 'bytes in all'],
        [
          [
            formatSpread(of('painted'), ' ms'),
            formatSpread(of('tappable'), ' ms'),
            formatSpread(of('confirmed'), ' ms'),
            formatSpread(of('bytes')),
          ],
        ],
      ),
    )
    console.log(
      `\n${markdownTable(
        ['file', 'bytes'],
        [...(results[0]?.files ?? [])].map(([name, size]) => [name, String(size)]),
      )}`,
    )
  } finally {
    await browser.close()
    await server.stop()
    await database.drop()
  }
}

await main()
