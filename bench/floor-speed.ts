/**
 * The Admin Portal's floor with 500 tables, of which 450 are assigned, 300 crew members and 75 Hosts on a 4× slower CPU,
 * against the real server. `node bench/floor-speed.ts [runs] [folder of another version, built]` after a build: with
 * another version both are measured in turns.
 */
import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { api } from '#contract/api.ts'
import type { Reply, Route } from '#contract/routes/route.ts'
import { openAsOwner, type Setup, withBrowser } from './load/browser.ts'
import { post } from './load/http-client.ts'
import { formatSpread, markdownTable } from './load/statistics.ts'

const tableCount = 500
const crewCount = 300
const hostCount = 75
const assignedCount = 450
/** A frame that took longer missed at least one of 60 in a second. */
const lateMs = 25
const viewports = { '1440 wide': { width: 1440, height: 900 }, '390 wide': { width: 390, height: 844 } }

declare global {
  interface Window {
    /** The main thread's tasks of 50 ms and more. */
    longTasks: { end: number; ms: number }[]
    /** When the floor was asked for, and when the grid's first table and all of them were painted. */
    grid: { from: number; first?: number; all?: number }
    frameTimes: number[]
  }
}

/** Times everything inside the page, which is asked nothing meanwhile: the answers would take time on its slow thread. */
function watchGrid(tableCount: number): void {
  window.longTasks = []
  window.grid = { from: 0 }
  window.frameTimes = []
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      window.longTasks.push({ end: startTime + duration, ms: duration })
  }).observe({ type: 'longtask', buffered: true })
  const { port1, port2 } = new MessageChannel()
  const afterFrame: (() => void)[] = []
  port2.addEventListener('message', () => afterFrame.shift()?.())
  port2.start()
  const recordPaint = (which: 'first' | 'all'): void =>
    void requestAnimationFrame(() => {
      afterFrame.push(() => (window.grid[which] ??= performance.now()))
      port1.postMessage(null)
    })
  document.addEventListener(
    'click',
    ({ timeStamp }) => {
      window.grid = { from: timeStamp }
    },
    { capture: true },
  )
  let grid: Element | null = null
  new MutationObserver(() => {
    if (window.grid.all !== undefined) return
    if (!grid?.isConnected) grid = document.querySelector('[role=grid]')
    const shown = grid?.querySelectorAll('[data-cell$=delete]').length ?? 0
    if (shown === 0) return
    if (window.grid.first === undefined) recordPaint('first')
    if (shown === tableCount) recordPaint('all')
  }).observe(document, { childList: true, subtree: true })
}

async function fillFloor({ url, ownerCookies }: Setup): Promise<void> {
  const call = async <R extends Route>(route: R, body: unknown): Promise<Reply<R>> => {
    const answer = await post(
      new URL(route.path, url),
      { cookie: ownerCookies.join('; '), origin: url },
      body,
    )
    if (answer.status >= 300) throw new Error(`${answer.status} ${answer.body}`)
    return JSON.parse(answer.body)
  }
  const tables = await call(api.floor.setUp, { setupType: 'count', tableCount })
  const crew: string[] = []
  for (let index = 0; index < crewCount; index++) {
    const role = index < hostCount ? 'Host' : 'Server'
    crew.push((await call(api.crew.add, { name: `${role} ${String(index + 1).padStart(3, '0')}`, role })).id)
  }
  const servers = crew.slice(hostCount)
  const assignments = tables
    .slice(0, assignedCount)
    .map(({ id }, index) => ({ tableId: id, crewMemberId: servers[index % servers.length] }))
  await call(api.floor.assign, { date: today(), assignments })
}

/** As the browser reckons it. */
function today(): string {
  const now = new Date()
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

type Figures = Record<string, number>

/** From what asked for the floor until all tables are there. */
async function readOpening(page: Page, how: string): Promise<Figures> {
  await page.waitForFunction(() => window.grid.all !== undefined, undefined, { polling: 500 })
  const { grid, longTasks } = await page.evaluate(() => ({ grid: window.grid, longTasks: window.longTasks }))
  const { from, first = Number.NaN, all = Number.NaN } = grid
  const tasks = longTasks.flatMap(({ end, ms }) => (end > from && end <= all ? ms : []))
  return {
    [`${how}: first table, in ms`]: first - from,
    [`${how}: all tables, in ms`]: all - from,
    [`${how}: longest task, in ms`]: Math.max(0, ...tasks),
  }
}

/** The longest task while something is done on the page, and its frames. */
async function watchWork(page: Page, name: string, work: () => Promise<unknown>): Promise<Figures> {
  await page.evaluate(() => {
    window.longTasks = []
    window.frameTimes = [performance.now()]
    const record = (now: number): void => {
      if (window.frameTimes.length === 0) return
      window.frameTimes.push(now)
      requestAnimationFrame(record)
    }
    requestAnimationFrame(record)
  })
  await work()
  const { tasks, times } = await page.evaluate(() => {
    const seen = { tasks: window.longTasks.map(({ ms }) => ms), times: window.frameTimes }
    window.frameTimes = []
    return seen
  })
  const frames = times.slice(2).map((time, index) => time - (times[index + 1] ?? time))
  return {
    [`${name}: longest task, in ms`]: Math.max(0, ...tasks),
    [`${name}: frames in a second`]: (1000 * frames.length) / frames.reduce((sum, ms) => sum + ms, 0),
    [`${name}: late frames, in %`]: (100 * frames.filter((ms) => ms > lateMs).length) / frames.length,
  }
}

async function scrollThrough(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page)
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  const distance = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)
  for (const yDistance of [-distance, distance])
    await devTools.send('Input.synthesizeScrollGesture', {
      x: width / 2,
      y: height / 2,
      yDistance,
      speed: 4000,
      preventFling: true,
    })
}

/** One person's tables are found by their name. */
async function filter(page: Page): Promise<void> {
  await page.locator('css=input[type=search][aria-label="Find tables"]').focus()
  for (const letter of 'server 29') await page.keyboard.press(letter, { delay: 200 })
  await page.waitForFunction(
    (all) => {
      const { length } = document.querySelectorAll('[data-cell$=delete]')
      return length > 0 && length < all
    },
    tableCount / 5,
    { polling: 300 },
  )
}

/** All tables are shown again. */
async function clearFilter(page: Page): Promise<Figures> {
  await page.keyboard.press('ControlOrMeta+A')
  await page.evaluate(() => {
    window.grid = { from: performance.now() }
  })
  await page.keyboard.press('Backspace')
  return readOpening(page, 'filter cleared')
}

async function slowDown(page: Page): Promise<void> {
  await page.addInitScript(watchGrid, tableCount)
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
}

async function measure(setup: Setup, viewport: { width: number; height: number }): Promise<Figures> {
  const page = await openAsOwner(setup, '/admin-dashboard/floor', viewport, slowDown)
  const byAddress = await readOpening(page, 'opened by its address')
  await page.waitForLoadState('networkidle')
  const scrolling = await watchWork(page, 'scrolled to the end and back', () => scrollThrough(page))
  const filtering = await watchWork(page, 'filtered', () => filter(page))
  const clearing = await clearFilter(page)
  await page.context().close()

  const other = await openAsOwner(setup, '/admin-dashboard/codes', viewport, slowDown)
  const link = other.locator('css=a[href$="/admin-dashboard/floor"]:visible').first()
  const menu = other.getByRole('button', { name: 'All sections' })
  await link.or(menu).first().waitFor()
  if (await menu.isVisible()) await menu.click()
  await other.waitForLoadState('networkidle')
  await link.click()
  const byLink = await readOpening(other, 'opened from another section')
  await other.context().close()
  return { ...byAddress, ...byLink, ...scrolling, ...filtering, ...clearing }
}

async function compare(versions: Record<string, Setup>, runs: number): Promise<void> {
  for (const setup of Object.values(versions)) await fillFloor(setup)
  for (const [size, viewport] of Object.entries(viewports)) {
    const results = Object.keys(versions).map((): Figures[] => [])
    // The first run, in which the server compiles its code, does not count.
    for (let run = 0; run <= runs; run++)
      for (const [index, setup] of Object.values(versions).entries()) {
        const result = await measure(setup, viewport)
        if (run > 0) results[index]?.push(result)
      }
    const [before = [], now = []] = results
    const rows = Object.keys(before[0] ?? {}).map((figure) => {
      const of = (measured: Figures[]): number[] => measured.map((each) => each[figure] ?? Number.NaN)
      const ratios = of(now).map((value, index) => value / (of(before)[index] ?? Number.NaN))
      return [
        figure,
        ...[...results.map(of), ...(now.length > 0 ? [ratios] : [])].map((all) => formatSpread(all)),
      ]
    })
    console.log(
      `\n${markdownTable([size, ...Object.keys(versions), ...(now.length > 0 ? ['ratio'] : [])], rows)}`,
    )
  }
}

const [runs = '7', other] = process.argv.slice(2)
console.log(
  `${tableCount} tables, ${crewCount} crew members, ${hostCount} of them Hosts; 4× slower CPU, ${runs} runs`,
)
await withBrowser(async (setup) => {
  if (other === undefined) await compare({ this: setup }, Number(runs))
  else
    await withBrowser(
      (otherSetup) => compare({ other: otherSetup, this: setup }, Number(runs)),
      resolve(other),
    )
})
