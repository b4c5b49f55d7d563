import type { Locator, Page } from 'playwright-core'

/** What a tap leads to: an element that is there, or no longer, or a ticket that comes to the list or leaves it. */
export type Effect = { shows: string } | { hides: string } | 'ticket comes' | 'ticket goes'

type TimedTap = { paint: number | null; effect: number | null }

declare global {
  interface Window {
    paintTimer: {
      arm: (effect: Effect | null) => void
      tap: TimedTap
      /** From the arrival of a request to the paint that counts it. */
      arrivals: number[]
    }
  }
}

/** Times everything inside the page, from the event's own time stamp to the end of the frame that shows its effect. */
function watchPaints(): void {
  const { port1, port2 } = new MessageChannel()
  const afterFrame: (() => void)[] = []
  port2.addEventListener('message', () => afterFrame.shift()?.())
  port2.start()
  const callAfterFrame = (task: () => void): void => {
    afterFrame.push(task)
    port1.postMessage(null)
  }
  const afterPaint = (task: () => void): void => void requestAnimationFrame(() => callAfterFrame(task))
  let isArmed = false
  let from: number | null = null
  let awaited: Effect | null = null
  const timer: Window['paintTimer'] = {
    arm(effect) {
      timer.tap = { paint: null, effect: null }
      isArmed = true
      from = null
      awaited = effect
    },
    tap: { paint: null, effect: null },
    arrivals: [],
  }
  window.paintTimer = timer
  const begin = ({ timeStamp }: Event): void => {
    if (!isArmed) return
    isArmed = false
    from = timeStamp
    const { tap } = timer
    afterPaint(() => {
      tap.paint = performance.now() - timeStamp
    })
  }
  for (const type of ['click', 'keydown', 'change']) window.addEventListener(type, begin, { capture: true })
  const isTicket = (node: Node): boolean => node instanceof Element && node.matches('.ticket')
  const isThere = (effect: Effect, changes: readonly MutationRecord[]): boolean => {
    if (effect === 'ticket comes') return changes.some(({ addedNodes }) => [...addedNodes].some(isTicket))
    if (effect === 'ticket goes') return changes.some(({ removedNodes }) => [...removedNodes].some(isTicket))
    return 'shows' in effect
      ? document.querySelector(effect.shows) !== null
      : document.querySelector(effect.hides) === null
  }
  new MutationObserver((changes) => {
    if (from === null || awaited === null || !isThere(awaited, changes)) return
    const [since, { tap }] = [from, timer]
    awaited = null
    afterPaint(() => {
      tap.effect = performance.now() - since
    })
  }).observe(document, { childList: true, subtree: true, attributes: true, characterData: true })
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
          if (countText() === before) requestAnimationFrame(waitForChange)
          else callAfterFrame(() => timer.arrivals.push(performance.now() - timeStamp))
        }
        requestAnimationFrame(waitForChange)
      })
    }
  }
}

/** Before anything of the page is loaded. */
export async function preparePaintTimer(page: Page): Promise<void> {
  await page.addInitScript(watchPaints)
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
}

/** Lets what the page was asked before end, and then what the tap causes: it is not inspected meanwhile. */
const [restMs, pauseMs, maxPauses] = [60, 320, 10]
/** How long a finger touches the screen. */
const touchMs = 80

const isOver = ({ paint, effect }: TimedTap, awaited: Effect | null): boolean =>
  paint !== null && (awaited === null || effect !== null)

type Place = Locator | { x: number; y: number }

/** Taps on a page, each timed until its first paint and until the one that shows its effect. */
export class TapTimer {
  readonly #page: Page
  readonly #taps = new Map<string, number[]>()
  readonly #effects = new Map<string, number[]>()

  constructor(page: Page) {
    this.#page = page
  }

  async tap(name: string, place: Place, effect: Effect | null = null): Promise<void> {
    const { x, y } = 'x' in place ? place : await findMiddle(place)
    await this.#time(name, effect, () => this.touch(x, y))
  }

  async press(name: string, key: string, effect: Effect | null = null): Promise<void> {
    await this.#time(name, effect, () => this.#page.keyboard.press(key))
  }

  /** A phone chooses in a list of its own, outside of the page. */
  async choose(name: string, select: Locator, label: string, effect: Effect | null = null): Promise<void> {
    await this.#time(name, effect, () => select.selectOption({ label }))
  }

  async touch(x: number, y: number): Promise<void> {
    const session = await this.#page.context().newCDPSession(this.#page)
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
    await this.#page.waitForTimeout(touchMs)
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    await session.detach()
  }

  /** By name: until the first paint, and until the effect where one was awaited. */
  samples(): { name: string; taps: readonly number[]; effects: readonly number[] | undefined }[] {
    return [...this.#taps].map(([name, taps]) => ({ name, taps, effects: this.#effects.get(name) }))
  }

  async #time(name: string, effect: Effect | null, act: () => Promise<unknown>): Promise<void> {
    // Dialogs take a moment to leave.
    if (effect !== null && typeof effect === 'object' && 'shows' in effect)
      await this.#page.locator(effect.shows).waitFor({ state: 'detached' })
    await this.#page.waitForTimeout(restMs)
    await this.#page.evaluate((awaited) => window.paintTimer.arm(awaited), effect)
    await act()
    let timed: TimedTap = { paint: null, effect: null }
    for (let pauses = 0; pauses < maxPauses && !isOver(timed, effect); pauses++) {
      await this.#page.waitForTimeout(pauseMs)
      timed = await this.#page.evaluate(() => window.paintTimer.tap)
    }
    if (timed.paint === null) throw new Error(`Nothing was tapped: ${name}`)
    add(this.#taps, name, timed.paint)
    if (effect === null) return
    if (timed.effect === null) throw new Error(`${name} did not lead to ${JSON.stringify(effect)}`)
    add(this.#effects, name, timed.effect)
  }
}

function add(samples: Map<string, number[]>, name: string, ms: number): void {
  const before = samples.get(name)
  if (before) before.push(ms)
  else samples.set(name, [ms])
}

/** Scrolls there where something else is in its place. */
async function findMiddle(place: Locator): Promise<{ x: number; y: number }> {
  return await place.evaluate((element) => {
    const middle = (): { x: number; y: number } => {
      const { x, y, width, height } = element.getBoundingClientRect()
      return { x: x + width / 2, y: y + height / 2 }
    }
    const isOnTop = ({ x, y }: { x: number; y: number }): boolean =>
      element.contains(document.elementFromPoint(x, y))
    if (!isOnTop(middle())) element.scrollIntoView({ block: 'center' })
    if (!isOnTop(middle())) throw new Error(`${element.outerHTML.slice(0, 100)} is covered`)
    return middle()
  })
}
