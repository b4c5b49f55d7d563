import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { chromium, type Page } from 'playwright-core'
import { findBrowser } from '../../test/e2e/support/find-browser.ts'
import { freePort } from '../../test/support/ports.ts'
import { startServer } from '../../test/support/servers/server-process.ts'
import { countLostAndDoubled, countWrongLists, startGuests } from '../load/guests.ts'
import { PageScreen, type Seat } from '../load/page-screen.ts'
import { openSeats } from '../load/seats.ts'
import { formatFigure, markdownTable, percentile } from '../load/statistics.ts'
import { type Drill, runDrill } from './drill.ts'

/**
 * The only server is away for 30 seconds while guests go on asking and crews go on completing: once with many screens,
 * then with pages in Chromium, half of which stay open while the others are opened again meanwhile. One after the other,
 * because Chromium would take the processor time that the server has for the screens, which have their own.
 */
const { values: options } = parseArgs({
  options: { screens: { type: 'string', default: '200' }, pages: { type: 'string', default: '6' } },
})
const [screenCount, pageCount] = [Number(options.screens), Number(options.pages)]
const restaurants = 20
const requestsPerSecond = 50
const awayMs = 30_000
const warmUpMs = 10_000
const settleMs = 60_000

await runDrill(drill)

type Crowd = { screens: number; pages: number }

async function drill({ postgres, databaseUrl, stops }: Drill): Promise<void> {
  await measureReturn(databaseUrl, stops, { screens: screenCount, pages: 0 })
  if (pageCount > 0)
    await measureReturn(await postgres.database(), stops, { screens: restaurants, pages: pageCount })
}

async function measureReturn(databaseUrl: string, stops: Drill['stops'], crowd: Crowd): Promise<void> {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const start = () => startServer(databaseUrl, { PORT: `${port}`, HOST: 'localhost', PUBLIC_URL: origin })
  let server = await start()
  stops.push(() => server.stop())

  const seats = await openSeats(origin, databaseUrl, { restaurants, screens: crowd.screens + crowd.pages })
  const pages = await openPages(seats.splice(crowd.screens), stops)
  const screens = seats.map((seat) => new PageScreen(seat))
  await Promise.all(screens.map((screen) => screen.whole()))
  const guests = startGuests(origin, screens, { restaurants, perSecond: requestsPerSecond })
  await sleep(warmUpMs)

  await server.stop()
  const reopened = pages.filter((_, index) => index % 2 === 0)
  await Promise.all([sleep(awayMs), ...reopened.map((page) => page.reload())])
  server = await start()
  const returnedAt = performance.now()
  const timeOf = async (whole: Promise<unknown>): Promise<number> => {
    await whole
    return Math.max(performance.now() - returnedAt, 0)
  }
  const ofScreens = crowd.pages > 0 ? 'screens beside the pages' : 'screens'
  const groups = {
    [ofScreens]: screens.map((screen) => timeOf(screen.whole())),
    'pages in Chromium, left open': pages
      .filter((page) => !reopened.includes(page))
      .map((page) => timeOf(isLive(page))),
    'pages in Chromium, opened meanwhile': reopened.map((page) => timeOf(isLive(page))),
  }
  const rows: string[][] = []
  for (const [name, times] of Object.entries(groups)) {
    const all = await Promise.all(times)
    if (all.length === 0) continue
    rows.push([
      name,
      `${all.length}`,
      ...[0.5, 0.99, 1].map((share) => formatFigure(percentile(all, share) / 1000)),
    ])
  }
  await sleep(warmUpMs)
  await guests.stop()
  const client = new Client(databaseUrl)
  await client.connect()
  for (let tries = 0; tries < 20 && (await countWrongLists(client, screens)) > 0; tries++) await sleep(500)
  const { lost, doubled } = await countLostAndDoubled(client, guests.taps)
  const { rows: open } = await client.query('select id from service_request where closed_at is null')
  console.log(markdownTable(['whole after the return', 'number', 'p50 in s', 'p99', 'last'], rows))
  console.log(
    `\nRequests: ${guests.taps.length}, lost: ${lost}, doubled: ${doubled}; completions lost: ${open.length}. Screens whose list differs from the rows: ${await countWrongLists(client, screens)}.\n`,
  )
  await client.end()
  for (const screen of screens) screen.close()
  await server.stop()
}

async function openPages(seats: Seat[], stops: Drill['stops']): Promise<Page[]> {
  if (seats.length === 0) return []
  const { path, env } = findBrowser()
  const browser = await chromium.launch({
    executablePath: path,
    env,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  stops.push(() => browser.close())
  return await Promise.all(
    seats.map(async ({ origin, cookie }) => {
      const context = await browser.newContext()
      const [name = '', value = ''] = cookie.split('=')
      await context.addCookies([{ name, value, url: origin }])
      const page = await context.newPage()
      await page.goto(`${origin}/waiter`)
      await isLive(page)
      while (!(await page.evaluate(async () => (await caches.match('/waiter')) !== undefined)))
        await sleep(100)
      return page
    }),
  )
}

function isLive(page: Page): Promise<void> {
  return page.getByText('Live', { exact: true }).waitFor({ timeout: settleMs })
}
