/**
 * What a shift costs the device of the crew: the processor time of an open Crew Dashboard in Chromium, in real time.
 * `node bench/crew-shift.ts [minutes]` after a build: how long each part takes, 5 without a number.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Locator } from 'playwright-core'
import { hourMs, minuteMs } from '#contract/durations.ts'
import { createRequestSender, openCrew, withBrowser } from './load/browser.ts'
import { formatFigure, markdownTable } from './load/statistics.ts'

const minutes = Number(process.argv[2] ?? 5)
const openRequests = 20
/** 40 tables that each need something every 15 minutes, as in the Friday rush. */
const msBetweenRequests = (15 * minuteMs) / 40
/** Somebody says "On my way", and has brought it. */
const acceptedAfterMs = 8_000
const completedAfterMs = 70_000
/** Lets the page finish what it does only once: its sound, its lazy parts, the first minute of each age. */
const settleMs = 70_000
const shiftMs = 8 * hourMs

type Spent = { renderer: number; chromium: number; layouts: number; styles: number; tasks: number }

/** The page ignores a tap on a ticket that has just moved there, as one that was meant for another. */
async function tapUntilGone(button: Locator): Promise<void> {
  let isGone = false
  while (!isGone) {
    await button.tap()
    isGone = await button.waitFor({ state: 'hidden', timeout: 1_000 }).then(
      () => true,
      () => false,
    )
  }
}

/** In seconds of processor time since the start, and counts. */
async function readSpent(system: CDPSession, session: CDPSession): Promise<Spent> {
  const { processInfo } = await system.send('SystemInfo.getProcessInfo')
  const { metrics } = await session.send('Performance.getMetrics')
  const metric = (name: string): number => metrics.find((each) => each.name === name)?.value ?? 0
  const cpu = (types: readonly string[] | null): number =>
    processInfo
      .filter(({ type }) => types === null || types.includes(type))
      .reduce((sum, { cpuTime }) => sum + cpuTime, 0)
  return {
    renderer: cpu(['renderer']),
    chromium: cpu(null),
    layouts: metric('LayoutCount'),
    styles: metric('RecalcStyleCount'),
    tasks: metric('TaskDuration'),
  }
}

await withBrowser(async (setup) => {
  const { browser, url } = setup
  const sendRequest = createRequestSender(url, ['drinks', 'food', 'check'])
  const page = await openCrew(setup, { width: 390, height: 844 })
  await page.getByText('0 Active', { exact: true }).waitFor()
  // The first touch switches the sound on, which stays ready for the whole shift.
  await page.touchscreen.tap(200, 700)
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const system = await browser.newBrowserCDPSession()

  const measure = async (name: string, task: () => Promise<void>): Promise<string[]> => {
    const [before, from] = [await readSpent(system, session), performance.now()]
    await task()
    const [after, ms] = [await readSpent(system, session), performance.now() - from]
    const share = (key: 'renderer' | 'chromium' | 'tasks'): number => ((after[key] - before[key]) * 1000) / ms
    const perMinute = (key: 'layouts' | 'styles'): string =>
      formatFigure(((after[key] - before[key]) * minuteMs) / ms)
    const percent = (of: number): string => `${formatFigure(of * 100)} %`
    return [
      name,
      percent(share('tasks')),
      percent(share('renderer')),
      percent(share('chromium')),
      `${formatFigure((share('renderer') * shiftMs) / 1000)} s`,
      perMinute('styles'),
      perMinute('layouts'),
    ]
  }
  const idle = async (): Promise<void> => await sleep(minutes * minuteMs)

  await sleep(10_000)
  const nothingOpen = await measure('no open request', idle)
  const service = await measure('service', async () => {
    const until = performance.now() + minutes * minuteMs
    const work: Promise<void>[] = []
    const serve = async (): Promise<void> => {
      const table = await sendRequest()
      const ticket = page
        .locator('.ticket')
        .filter({ has: page.getByRole('heading', { name: `Table ${table}`, exact: true }) })
      await sleep(acceptedAfterMs)
      await tapUntilGone(ticket.getByRole('button', { name: 'On my way' }))
      await sleep(completedAfterMs - acceptedAfterMs)
      await tapUntilGone(ticket.getByRole('button', { name: 'Mark Complete' }))
    }
    while (performance.now() < until) {
      work.push(serve())
      await sleep(msBetweenRequests)
    }
    await Promise.all(work)
    await page.getByText('0 Active', { exact: true }).waitFor()
  })
  for (let count = 0; count < openRequests; count++) await sendRequest()
  await page.getByText(`${openRequests} Active`, { exact: true }).waitFor()
  await sleep(settleMs)
  const manyOpen = await measure(`${openRequests} open requests, nobody comes`, idle)

  console.log(
    `${minutes} minutes each, in real time; a request every ${msBetweenRequests / 1000} s in service\n`,
  )
  console.log(
    markdownTable(
      [
        '',
        'main thread',
        'renderer',
        'all of Chromium',
        'renderer in 8 h',
        'styles per min',
        'layouts per min',
      ],
      [nothingOpen, service, manyOpen],
    ),
  )
})
