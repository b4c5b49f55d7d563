/**
 * How soon the Crew Dashboard paints with many open requests on a CPU slowed to a quarter, against the real
 * server. `node bench/crew-speed.ts [requests] [times]` after a build.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { emptySqliteDatabase } from '../test/support/database.ts'
import { findBrowser } from '../test/e2e/support/find-browser.ts'
import { startServer } from '../test/support/server-process.ts'
import { percentile, formatFigure, markdownTable } from './statistics.ts'
import { post } from './http-client.ts'

const types = ['general', 'drinks', 'food', 'check', 'assistance', 'other']
const restaurantName = 'The Copper Pot'
const pauseMs = 700
/** How long a finger rests on the glass. */
const touchMs = 80
const warmUps = 5

declare global {
  interface Window {
    /** Milliseconds from each event to the paint that shows it. */
    painted: { tap: number[]; tickets: number[]; arrival: number[] }
  }
}

/** Everything is timed in the page: from the event's own time stamp to the end of the frame that answers it. */
function watchPaints(): void {
  window.painted = { tap: [], tickets: [], arrival: [] }
  const { port1, port2 } = new MessageChannel()
  const after: (() => void)[] = []
  port2.addEventListener('message', () => after.shift()?.())
  port2.start()
  const untilPainted = (from: number, samples: number[]): void => {
    requestAnimationFrame(() => {
      after.push(() => samples.push(performance.now() - from))
      port1.postMessage(null)
    })
  }
  let tapped: number | null = null
  window.addEventListener(
    'click',
    ({ timeStamp }) => {
      tapped = timeStamp
      untilPainted(timeStamp, window.painted.tap)
    },
    { capture: true },
  )
  const isTicket = (node: Node): boolean => node instanceof Element && node.matches('.ticket')
  new MutationObserver((changes) => {
    if (tapped === null || !changes.some(({ addedNodes }) => [...addedNodes].some(isTicket))) return
    untilPainted(tapped, window.painted.tickets)
    tapped = null
  }).observe(document, { childList: true, subtree: true })
  window.WebSocket = class extends WebSocket {
    constructor(url: string | URL) {
      super(url)
      this.addEventListener('message', ({ data, timeStamp }: MessageEvent<string>) => {
        if (!data.startsWith('{"type":"new-request"')) return
        // The oldest stands first: of one more among hundreds the screen shows the number.
        const count = (): string | null | undefined =>
          document.querySelector('#requests')?.nextElementSibling?.textContent
        const before = count()
        const look = (): void => {
          if (count() !== before) {
            after.push(() => window.painted.arrival.push(performance.now() - timeStamp))
            port1.postMessage(null)
          } else requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      })
    }
  }
}

async function openCrew(browser: Browser, url: string, cookies: string[]): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1024, height: 768 }, hasTouch: true })
  await context.addCookies(
    cookies.map((cookie) => {
      const [name = '', value = ''] = cookie.split('=')
      return { name, value, url }
    }),
  )
  const page = await context.newPage()
  await page.addInitScript(watchPaints)
  await page.addInitScript((name) => sessionStorage.setItem('restaurantId', name), restaurantName)
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await page.goto(`${url}/waiter`)
  return page
}

async function main(): Promise<void> {
  const open = Number(process.argv[2] ?? 200)
  const times = Number(process.argv[3] ?? 60)
  const database = await emptySqliteDatabase()
  const server = await startServer(database.url, { GUEST_LIMITS: 'off' })
  const at = (path: string): URL => new URL(path, server.url)
  const { path, env } = findBrowser()
  const browser = await chromium.launch({
    executablePath: path,
    env,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    const password = randomBytes(12).toString('base64url')
    const { cookies } = await post(
      at('/api/restaurant-signup'),
      {},
      {
        restaurantName,
        email: 'owner@example.com',
        password,
      },
    )
    let asked = 0
    const ask = async (): Promise<void> => {
      asked += 1
      const body = {
        id: randomUUID(),
        restaurantId: restaurantName,
        tableNumber: String(asked),
        serviceType: types[asked % types.length],
      }
      const { status, body: answer } = await post(at('/api/service-requests'), {}, body)
      if (status !== 201) throw new Error(`${status} ${answer}`)
    }
    for (let count = 0; count < open; count++) await ask()

    const page = await openCrew(browser, server.url, cookies)
    const active = async (count: number): Promise<void> =>
      await page.getByText(`${count} Active`, { exact: true }).waitFor()
    await active(open)
    // Nothing looks into the page while it is measured: that would be paid for by the page's slow thread.
    const samples = async <Kind extends keyof Window['painted']>(
      kinds: readonly Kind[],
      work: (index: number) => Promise<void>,
    ): Promise<Pick<Window['painted'], Kind>> => {
      await page.evaluate(() => {
        window.painted = { tap: [], tickets: [], arrival: [] }
      })
      for (let index = 0; index < times; index++) {
        await work(index)
        await page.waitForTimeout(pauseMs)
      }
      const painted = await page.evaluate(() => window.painted)
      for (const kind of kinds) {
        const { length } = painted[kind]
        if (length !== times) throw new Error(`${length} of ${times} were seen`)
      }
      return painted
    }
    const finger = await page.context().newCDPSession(page)
    const touch = async (x: number, y: number): Promise<void> => {
      await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
      await page.waitForTimeout(touchMs)
      await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    }
    const tap = async (locator: Locator): Promise<() => Promise<void>> => {
      const box = await locator.boundingBox()
      if (!box) throw new Error('nothing to tap')
      return () => touch(box.x + box.width / 2, box.y + box.height / 2)
    }

    // Those that this screen shows without scrolling them.
    const names = ['Drinks', 'Food', 'Check', 'Help', 'All']
    const tabs = await Promise.all(names.map((name) => tap(page.getByRole('tab', { name, exact: true }))))
    // What a page does only once, such as making its sound ready, is no part of the figures.
    for (let count = 0; count < warmUps; count++) await touch(1020, 4)
    const nothing = await samples(['tap'], () => touch(1020, 4))
    const switching = await samples(['tap', 'tickets'], async (index) => await tabs[index % tabs.length]?.())
    await tabs.at(-1)?.()
    const arriving = await samples(['arrival'], ask)
    const complete = await tap(page.getByRole('button', { name: 'Mark Complete' }).first())
    const completing = await samples(['tap'], complete)
    await active(open)

    const row = (name: string, all: number[]): string[] => [
      name,
      `${formatFigure(percentile(all, 0.5))} ms`,
      `${formatFigure(percentile(all, 0.9))} ms`,
      `${formatFigure(Math.max(...all))} ms`,
    ]
    console.log(`${open} open requests, CPU at a quarter, ${times} times each: from the event to its paint\n`)
    console.log(
      markdownTable(
        ['', 'p50', 'p90', 'most'],
        [
          row('tap on nothing', nothing.tap),
          row('tap a tab: it is marked', switching.tap),
          row('tap a tab: its tickets', switching.tickets),
          row('tap "Mark Complete"', completing.tap),
          row('a request arrives', arriving.arrival),
        ],
      ),
    )
  } finally {
    await browser.close()
    await server.stop()
    await database.drop()
  }
}

await main()
