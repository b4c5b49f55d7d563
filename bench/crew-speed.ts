/**
 * How soon the Crew Dashboard paints with many open requests on a 4× slower CPU, against the real server.
 * `node bench/crew-speed.ts [requests] [times]` after a build.
 */
import type { Locator, Page } from 'playwright-core'
import { createRequestSender, openCrew, withBrowser } from './load/browser.ts'
import { percentile, formatFigure, markdownTable } from './load/statistics.ts'

const types = ['general', 'drinks', 'food', 'check', 'assistance', 'other']
const pauseMs = 700
/** How long a finger touches the screen. */
const touchMs = 80
const warmUps = 5

declare global {
  interface Window {
    /** Milliseconds from each event to the paint that shows it. */
    painted: Record<Kind, number[]>
  }
}

/** `gone`: the tapped ticket has left. */
type Kind = 'tap' | 'tickets' | 'gone' | 'arrival'

/** Times everything inside the page, from the event's own time stamp to the end of the frame that shows its effect. */
function watchPaints(): void {
  window.painted = { tap: [], tickets: [], gone: [], arrival: [] }
  const { port1, port2 } = new MessageChannel()
  const afterFrame: (() => void)[] = []
  port2.addEventListener('message', () => afterFrame.shift()?.())
  port2.start()
  const recordPaint = (from: number, samples: number[]): void => {
    requestAnimationFrame(() => {
      afterFrame.push(() => samples.push(performance.now() - from))
      port1.postMessage(null)
    })
  }
  let tappedAt: number | null = null
  window.addEventListener(
    'click',
    ({ timeStamp }) => {
      tappedAt = timeStamp
      recordPaint(timeStamp, window.painted.tap)
    },
    { capture: true },
  )
  const isTicket = (node: Node): boolean => node instanceof Element && node.matches('.ticket')
  new MutationObserver((changes) => {
    if (tappedAt === null) return
    const changed = (nodes: 'addedNodes' | 'removedNodes'): boolean =>
      changes.some((change) => [...change[nodes]].some(isTicket))
    const [come, gone] = [changed('addedNodes'), changed('removedNodes')]
    if (gone) recordPaint(tappedAt, window.painted.gone)
    if (come) recordPaint(tappedAt, window.painted.tickets)
    if (come || gone) tappedAt = null
  }).observe(document, { childList: true, subtree: true })
  window.WebSocket = class extends WebSocket {
    constructor(url: string | URL) {
      super(url)
      this.addEventListener('message', ({ data, timeStamp }: MessageEvent<string>) => {
        if (!data.startsWith('{"type":"new-request"')) return
        // The newest ticket is far below the visible ones, so the number of open requests shows the arrival.
        const countText = (): string | null | undefined =>
          document.querySelector('#requests')?.nextElementSibling?.textContent
        const before = countText()
        const waitForChange = (): void => {
          if (countText() !== before) {
            afterFrame.push(() => window.painted.arrival.push(performance.now() - timeStamp))
            port1.postMessage(null)
          } else requestAnimationFrame(waitForChange)
        }
        requestAnimationFrame(waitForChange)
      })
    }
  }
}

async function prepare(page: Page): Promise<void> {
  await page.addInitScript(watchPaints)
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
}

const initialRequests = Number(process.argv[2] ?? 500)
const times = Number(process.argv[3] ?? 60)

await withBrowser(async (setup) => {
  const sendRequest = createRequestSender(setup.url, types)
  for (let count = 0; count < initialRequests; count++) await sendRequest()

  const page = await openCrew(setup, { width: 1024, height: 768 }, prepare)
  const waitForActive = async (count: number): Promise<void> =>
    await page.getByText(`${count} Active`, { exact: true }).waitFor()
  await waitForActive(initialRequests)
  // The page is not inspected while it is measured, because that would occupy its slow thread.
  const measure = async <Measured extends Kind>(
    kinds: readonly Measured[],
    act: (index: number) => Promise<unknown>,
    count = times,
  ): Promise<Pick<Window['painted'], Measured>> => {
    await page.evaluate(() => {
      window.painted = { tap: [], tickets: [], gone: [], arrival: [] }
    })
    for (let index = 0; index < count; index++) {
      await act(index)
      await page.waitForTimeout(pauseMs)
    }
    const painted = await page.evaluate(() => window.painted)
    for (const kind of kinds) {
      const { length } = painted[kind]
      if (length !== count) throw new Error(`Measured ${length} instead of ${count}: ${kind}`)
    }
    return painted
  }
  const devTools = await page.context().newCDPSession(page)
  const touch = async (x: number, y: number): Promise<void> => {
    await devTools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
    await page.waitForTimeout(touchMs)
    await devTools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  }
  const prepareTap = async (locator: Locator): Promise<() => Promise<void>> => {
    const box = await locator.boundingBox()
    if (!box) throw new Error('There is nothing to tap')
    return () => touch(box.x + box.width / 2, box.y + box.height / 2)
  }

  const tabNames = ['Drinks', 'Food', 'Check', 'Help', 'Other', 'All']
  const tabs = await Promise.all(
    tabNames.map((name) => prepareTap(page.getByRole('tab', { name, exact: true }))),
  )
  // What a page does only once, such as preparing its sound, does not count.
  for (let count = 0; count < warmUps; count++) await touch(1020, 4)
  const nothing = await measure(['tap'], () => touch(1020, 4))
  const switching = await measure(['tap', 'tickets'], async (index) => await tabs[index % tabs.length]?.())
  await tabs.at(-1)?.()
  const arriving = await measure(['arrival'], sendRequest)
  const complete = await prepareTap(page.getByRole('button', { name: 'Mark Complete' }).first())
  const completing = await measure(['tap', 'gone'], complete)
  // A second tap at the same place completes what the first has accepted.
  const accept = await prepareTap(page.getByRole('button', { name: 'On my way' }).first())
  const both = await measure(['tap'], accept, 2 * times)
  const accepting = both.tap.filter((_, index) => index % 2 === 0)
  await waitForActive(initialRequests - times)

  const row = (name: string, samples: number[]): string[] => [
    name,
    `${formatFigure(percentile(samples, 0.5))} ms`,
    `${formatFigure(percentile(samples, 0.9))} ms`,
    `${formatFigure(Math.max(...samples))} ms`,
  ]
  console.log(
    `${initialRequests} open requests, 4× slower CPU, ${times} times each: from the event to its paint\n`,
  )
  console.log(
    markdownTable(
      ['', 'p50', 'p90', 'maximum'],
      [
        row('tap on nothing', nothing.tap),
        row('tap a tab: it is marked', switching.tap),
        row('tap a tab: its tickets', switching.tickets),
        row('tap "On my way"', accepting),
        row('tap "Mark Complete"', completing.tap),
        row('tap "Mark Complete": its ticket is gone', completing.gone),
        row('a request arrives', arriving.arrival),
      ],
    ),
  )
})
