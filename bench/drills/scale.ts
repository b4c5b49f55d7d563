/**
 * The cost sheet: what a restaurant costs among few and among many, on SQLite and PostgreSQL.
 *
 * node bench/drills/scale.ts [--quick] [--systems sqlite,postgresql] [--restaurants 10,1000,10000,100000]
 */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { serviceTypes } from '#contract/requests/requests.ts'
import { startApp } from '../../src/server/app.ts'
import { readConfig } from '../../src/server/config.ts'
import { removeExpiredData } from '../../src/server/core/retention/retention.ts'
import { cpuMeter, divide } from '../load/cpu-meter.ts'
import { post } from '../load/http-client.ts'
import { cpuTimeMs, describeMachine } from '../load/machine.ts'
import { actAsBrowser, PageScreen } from '../load/page-screen.ts'
import { fillRestaurants } from '../load/scale-fill.ts'
import { crewPerRestaurant, openSeats, tablesPerRestaurant } from '../load/seats.ts'
import { formatFigure, markdownTable, percentile } from '../load/statistics.ts'
import { inspectorOptions, memoryOf } from '../memory.ts'
import { findPostgres } from '../systems/postgres.ts'
import { restaurantName, type SystemUnderTest } from '../systems/system-under-test.ts'
import { postgresql, sqlite } from '../systems/systems.ts'
import { startTableside } from '../systems/tableside.ts'

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    systems: { type: 'string', default: 'sqlite,postgresql' },
    restaurants: { type: 'string' },
  },
})
const { quick } = options
const sizes = (options.restaurants ?? (quick ? '10,1000' : '10,1000,10000,100000')).split(',').map(Number)
/** Restaurants with open crew screens, in which something happens. */
const mostStaffed = quick ? 20 : 200
const perSecond = 20
const acceptedAfterMs = 1000
const completedAfterMs = 2000
/** Longer than a minute: some tasks run as rarely. */
const idleMs = quick ? 5000 : 65_000
const shortIdleMs = quick ? 3000 : 20_000
const [warmUpMs, loadMs] = quick ? [2000, 6000] : [5000, 30_000]
const settleMs = 1000
const mostSettleMs = 240_000
const calmSeconds = 3
const calmBelowMs = 60
/** In all restaurants together, so that the largest is filled within minutes. */
const mostRequests = 1_000_000
const requestsEach = (restaurants: number) => Math.min(10_000, mostRequests / restaurants)

type Result = {
  basePerRestaurant: number
  perRequest: number
  startMs: number
  /** Until it has nothing to do. */
  settledMs: number
  startCpuMs: number
  /** Memory of the server without screens, in bytes. */
  resident: number
  heap: number
  /** Processor time as a share of a core, without screens. */
  idleServer: number
  idleDatabase: number
  perScreen: number
  perStaffed: number
  idlePerScreen: number
  cpuServer: number
  cpuDatabase: number
  arrival: { p50: number; p99: number }
  answer: { p50: number; p99: number }
  /** Durations of PostgreSQL's statements but COMMIT, in milliseconds. */
  statements: { p50: number; p99: number; slowest: number }
  retention: { ms: number; cpuMs: number; longestTurnMs: number }
}

const note = (progress: string) => console.error(`${new Date().toTimeString().slice(0, 8)} ${progress}`)
const folder = mkdtempSync(join(tmpdir(), 'tableside-scale-'))
const machine = describeMachine(folder)
const postgres = options.systems.includes('postgresql') ? await findPostgres(folder) : null
actAsBrowser()

async function measure(name: string, databaseUrl: string, restaurants: number): Promise<Result> {
  const staffed = Math.min(restaurants, mostStaffed)
  const start = () =>
    startTableside(name, databaseUrl, {
      restaurants: 0,
      nodeOptions: inspectorOptions,
      databasePid: name === postgresql ? (postgres?.pid ?? null) : null,
    })
  // The product makes its tables itself.
  await (await start()).stop()
  const empty = await sizeOf(databaseUrl)
  note(`${name}, ${restaurants}: filling`)
  const seats = await openSeats('', databaseUrl, {
    restaurants,
    screens: staffed * crewPerRestaurant,
    staffed,
  })
  let base = 0
  const filled = { restaurants, requestsEach: requestsEach(restaurants), staffed }
  await fillRestaurants(databaseUrl, filled, async () => {
    base = await sizeOf(databaseUrl)
  })
  const full = await sizeOf(databaseUrl)

  note(`${name}, ${restaurants}: starting`)
  const startedAt = performance.now()
  const system = await start()
  const startMs = performance.now() - startedAt
  const settledMs = await settle(system)
  const startCpuMs = processTime(system)
  await memoryOf(system)
  const meter = cpuMeter(system)
  await sleep(idleMs)
  const idle = divide(meter(), idleMs)
  const alone = await memoryOf(system)

  const origin = system.servers[0]?.url ?? ''
  const arrivals = createArrivals()
  const screens = seats.map((seat) => new PageScreenOf({ ...seat, origin }, (id) => arrivals.arrived(id)))
  const open = async (from: number, to: number) => {
    for (let at = from; at < to; at += 100) {
      const batch = screens.slice(at, Math.min(at + 100, to)).map((each) => each.open())
      await Promise.all(batch.map((screen) => screen.whole()))
    }
    await sleep(2 * settleMs)
    return memoryOf(system)
  }
  note(`${name}, ${restaurants}: ${screens.length} screens`)
  const one = await open(0, staffed)
  const all = await open(staffed, screens.length)
  const bytes = ({ heapUsed, external }: NodeJS.MemoryUsage) => heapUsed + external
  const perScreen = (bytes(all) - bytes(one)) / (screens.length - staffed)
  const perStaffed = (bytes(one) - bytes(alone)) / staffed - perScreen
  meter()
  await sleep(shortIdleMs)
  const withScreens = divide(meter(), shortIdleMs)

  note(`${name}, ${restaurants}: load`)
  const load = createLoad(origin, screens, { staffed, apart: Math.floor(restaurants / staffed), arrivals })
  await load.run(warmUpMs)
  arrivals.reset()
  meter()
  const from = performance.now()
  const lifecycles = await load.run(loadMs)
  const used = meter()
  const durationMs = performance.now() - from
  const result: Result = {
    basePerRestaurant: (base - empty) / restaurants,
    perRequest: (full - base) / (restaurants * filled.requestsEach),
    startMs,
    settledMs,
    startCpuMs,
    resident: alone.rss,
    heap: bytes(alone),
    idleServer: idle.server * 100,
    idleDatabase: idle.database * 100,
    perScreen,
    perStaffed,
    idlePerScreen: ((withScreens.server - idle.server) * 100) / screens.length,
    cpuServer: (used.server - withScreens.server * durationMs) / lifecycles,
    cpuDatabase: (used.database - withScreens.database * durationMs) / lifecycles,
    arrival: quantiles(arrivals.times),
    answer: quantiles(load.answers),
    statements: await timeStatements(databaseUrl, () => load.run(loadMs / 3)),
    retention: { ms: Number.NaN, cpuMs: Number.NaN, longestTurnMs: Number.NaN },
  }
  for (const screen of screens) screen.close()
  await system.stop()
  note(`${name}, ${restaurants}: retention`)
  result.retention = await measureRetention(databaseUrl)
  const problems = system.servers.flatMap(({ lines }) =>
    lines.filter((line) => line.includes('"level":"error"')),
  )
  if (problems.length > 0) note(`the server logged ${problems.length} errors: ${problems[0]}`)
  note(JSON.stringify(result, (_, value) => (typeof value === 'number' ? formatFigure(value) : value)))
  return result
}

const quantiles = (samples: number[]) => ({ p50: percentile(samples, 0.5), p99: percentile(samples, 0.99) })

/** Waits until the server has nothing to do; returns how long that took. */
async function settle(system: SystemUnderTest): Promise<number> {
  const start = performance.now()
  for (let calm = 0; calm < calmSeconds && performance.now() - start < mostSettleMs;) {
    const before = processTime(system)
    await sleep(1000)
    calm = processTime(system) - before < calmBelowMs ? calm + 1 : 0
  }
  return performance.now() - start
}

/** What the server does every ten minutes. The longest turn of the event loop is how long it keeps guests waiting. */
async function measureRetention(databaseUrl: string): Promise<Result['retention']> {
  const app = await startApp(readConfig({ DATABASE_URL: databaseUrl, PORT: '0', DEMO: 'off' }), {
    scheduler: 'manual',
  })
  await sleep(settleMs)
  await app.whenIdle()
  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  const start = performance.now()
  const before = process.cpuUsage()
  await removeExpiredData(app.ctx)
  const ms = performance.now() - start
  const { user, system } = process.cpuUsage(before)
  loop.disable()
  await app.close()
  return { ms, cpuMs: (user + system) / 1000, longestTurnMs: loop.max / 1e6 }
}

const processTime = (system: SystemUnderTest): number =>
  system.servers.reduce((sum, { pid }) => sum + cpuTimeMs(pid), 0)

async function sizeOf(databaseUrl: string): Promise<number> {
  if (databaseUrl.startsWith('file:')) return statSync(databaseUrl.slice('file:'.length)).size
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ size: string }>(
      'select pg_database_size(current_database()) as size',
    )
    return Number(rows[0]?.size)
  })
}

async function withClient<T>(databaseUrl: string, task: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(databaseUrl)
  await client.connect()
  try {
    return await task(client)
  } finally {
    await client.end()
  }
}

/** A crew page that is opened later. */
class PageScreenOf {
  readonly #open: () => PageScreen
  #page: PageScreen | null = null

  constructor(seat: ConstructorParameters<typeof PageScreen>[0], onArrival: (id: string) => void) {
    this.#open = () =>
      new PageScreen(seat, (message) => {
        if (message.type === 'new-request') onArrival(message.request.id)
      })
  }

  open(): PageScreen {
    return (this.#page ??= this.#open())
  }

  close(): void {
    this.#page?.close()
  }
}

type Arrivals = ReturnType<typeof createArrivals>

/** From a guest's tap to each crew screen of the restaurant. */
function createArrivals() {
  const sentAt = new Map<string, number>()
  const first = new Map<string, () => void>()
  let times: number[] = []
  return {
    get times() {
      return times
    },
    reset() {
      times = []
    },
    arrived(id: string) {
      times.push(performance.now() - (sentAt.get(id) ?? Number.NaN))
      first.get(id)?.()
      first.delete(id)
    },
    /** Resolves when the first screen shows it. */
    sent(id: string): Promise<void> {
      sentAt.set(id, performance.now())
      return new Promise((resolve) => first.set(id, resolve))
    },
  }
}

/** Requests one by one in all staffed restaurants, each the first of a new phone, shown by ten screens. */
function createLoad(
  origin: string,
  screens: PageScreenOf[],
  { staffed, apart, arrivals }: { staffed: number; apart: number; arrivals: Arrivals },
) {
  let sent = 0
  const answers: number[] = []

  async function live(number: number): Promise<void> {
    const restaurant = number % staffed
    const turn = Math.floor(number / staffed)
    const id = randomUUID()
    const shown = arrivals.sent(id)
    const at = performance.now()
    const { status, body } = await post(
      new URL('/api/service-requests', origin),
      { origin },
      {
        id,
        restaurantId: restaurantName(restaurant * apart),
        tableNumber: `${(turn % tablesPerRestaurant) + 1}`,
        // Another one each time, so that nobody repeats a request.
        serviceType: serviceTypes[(turn + Math.floor(turn / tablesPerRestaurant)) % serviceTypes.length],
      },
    )
    if (status !== 201) throw new Error(`${status} ${body}`)
    answers.push(performance.now() - at)
    await shown
    const screen = screens[restaurant]?.open()
    await sleep(acceptedAfterMs)
    await screen?.accept(id)
    await sleep(completedAfterMs)
    await screen?.complete(id)
  }

  return {
    answers,
    /** Returns how many were asked for and completed. */
    async run(ms: number): Promise<number> {
      const lives: Promise<void>[] = []
      const start = performance.now()
      for (let count = 0; (count * 1000) / perSecond < ms; count++) {
        const waitMs = start + (count * 1000) / perSecond - performance.now()
        if (waitMs > 0) await sleep(waitMs)
        lives.push(live(sent++))
      }
      await Promise.all(lives)
      await sleep(settleMs)
      return lives.length
    },
  }
}

/** While the task runs, PostgreSQL logs how long each statement takes. */
async function timeStatements(
  databaseUrl: string,
  task: () => Promise<unknown>,
): Promise<Result['statements']> {
  const unknown = { p50: Number.NaN, p99: Number.NaN, slowest: Number.NaN }
  if (databaseUrl.startsWith('file:') || !postgres?.log) return unknown
  const { log } = postgres
  const before = (await readFile(log, 'utf8')).length
  const logFrom = (ms: number) =>
    withClient(databaseUrl, async (client) => {
      await client.query(`alter system set log_min_duration_statement = ${ms}`)
      await client.query('select pg_reload_conf()')
    })
  await logFrom(0)
  await task()
  await logFrom(-1)
  const times = [
    ...(await readFile(log, 'utf8'))
      .slice(before)
      .matchAll(/duration: ([\d.]+) ms {2}(?:execute [^:]*|statement): (?!COMMIT|BEGIN|commit|begin)/gu),
  ].map(([, ms]) => Number(ms))
  return { ...quantiles(times), slowest: Math.max(...times) }
}

const results: { name: string; restaurants: number; result: Result }[] = []
for (const restaurants of sizes) {
  if (options.systems.includes('sqlite')) {
    const place = join(folder, `sqlite-${restaurants}`)
    const result = await measure(sqlite, `file:${join(place, 'bench.db')}`, restaurants)
    results.push({ name: sqlite, restaurants, result })
    rmSync(place, { recursive: true })
  }
  if (postgres) {
    const url = await postgres.database()
    results.push({ name: postgresql, restaurants, result: await measure(postgresql, url, restaurants) })
    await dropDatabase(url)
  }
}

async function dropDatabase(url: string): Promise<void> {
  const server = new URL(url)
  const name = server.pathname.slice(1)
  server.pathname = '/postgres'
  await withClient(server.href, (client) => client.query(`drop database if exists ${name} with (force)`))
}

await postgres?.stop()
rmSync(folder, { recursive: true, force: true })

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
const columns = results.map(
  ({ name, restaurants }) => `${name.replace('Tableside, ', '')}, ${formatFigure(restaurants)}`,
)
const row = (label: string, figure: (result: Result, restaurants: number) => number): string[] => [
  label,
  ...results.map(({ result, restaurants }) => formatFigure(figure(result, restaurants))),
]
console.log(
  [
    `# ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, commit ${git('rev-parse', '--short', 'HEAD')}`,
    `${machine}; ${postgres?.version ?? 'no PostgreSQL'}. A restaurant has ${tablesPerRestaurant} tables, ${crewPerRestaurant} in its crew, 11 logins, today's assignments, 20 visits; up to ${mostStaffed} restaurants have ${crewPerRestaurant} crew screens each, in the others three phones have alerts. ${perSecond} requests a second, each the first of a new phone, shown on all screens, accepted and completed.`,
    markdownTable(
      ['', ...columns],
      [
        row('requests stored for each', (_, restaurants) => requestsEach(restaurants)),
        row('disk: a restaurant without requests, kB', ({ basePerRestaurant }) => basePerRestaurant / 1000),
        row('disk: a request with four events, kB', ({ perRequest }) => perRequest / 1000),
        row('start until it serves, s', ({ startMs }) => startMs / 1000),
        row('then busy for, s', ({ settledMs }) => settledMs / 1000),
        row('processor time until then, s', ({ startCpuMs }) => startCpuMs / 1000),
        row('resident memory without screens, MB', ({ resident }) => resident / 1e6),
        row('of it heap, MB', ({ heap }) => heap / 1e6),
        row('idle, without screens: share of a core, %', ({ idleServer }) => idleServer),
        row('the database’s', ({ idleDatabase }) => idleDatabase),
        row('memory of a crew screen, kB', ({ perScreen }) => perScreen / 1000),
        row('of a restaurant with screens, beside them, kB', ({ perStaffed }) => perStaffed / 1000),
        row('1,000 idle screens: share of a core, %', ({ idlePerScreen }) => idlePerScreen * 1000),
        row('a request, processor time of the server, ms', ({ cpuServer }) => cpuServer),
        row('of the database, ms', ({ cpuDatabase }) => cpuDatabase),
        row('guest → crew screen, p50, ms', ({ arrival }) => arrival.p50),
        row('p99, ms', ({ arrival }) => arrival.p99),
        row('guest → stored and answered, p50, ms', ({ answer }) => answer.p50),
        row('p99, ms', ({ answer }) => answer.p99),
        row('a statement of PostgreSQL, p50, ms', ({ statements }) => statements.p50),
        row('p99, ms', ({ statements }) => statements.p99),
        row('the slowest, ms', ({ statements }) => statements.slowest),
        row('retention every ten minutes, s', ({ retention }) => retention.ms / 1000),
        row('its processor time in the server, s', ({ retention }) => retention.cpuMs / 1000),
        row('longest turn of the event loop meanwhile, ms', ({ retention }) => retention.longestTurnMs),
      ],
    ),
  ].join('\n\n'),
)
process.exit(0)
