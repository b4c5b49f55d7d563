/**
 * Crew screens by the thousand: they return at once after an outage, work, and are idle; beside socket.io.
 *
 * node bench/storm.ts [--quick] [--systems sqlite,postgresql,socket.io] [--screens 500,3000] [--parts return,work,idle]
 */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type CpuTimes, cpuMeter, divide } from './load/cpu-meter.ts'
import { type CrewScreens, prepareScreens } from './load/crew-screens.ts'
import { describeMachine } from './load/machine.ts'
import { actAsBrowser } from './load/page-screen.ts'
import { formatFigure, formatSpread, markdownTable, percentile, Series } from './load/statistics.ts'
import { inspectorOptions, memoryOf } from './memory.ts'
import type { Guest, SystemUnderTest } from './systems/system-under-test.ts'
import { findSystems, peer, postgresql, sqlite } from './systems/systems.ts'

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    systems: { type: 'string', default: 'sqlite,postgresql,socket.io' },
    screens: { type: 'string' },
    parts: { type: 'string', default: 'return,work,idle' },
  },
})
const { quick } = options
const named: Record<string, string> = { sqlite, postgresql, 'socket.io': peer }
const parts = options.parts.split(',')
const sizes = options.screens?.split(',').map(Number) ?? (quick ? [500] : [500, 3000, 10_000])
const idleSizes = options.screens?.split(',').map(Number) ?? (quick ? [1000] : [3000, 10_000])
const rounds = quick ? 1 : 3
const restaurants = 100
const openRequestsPerRestaurant = 10
const settleMs = 1000
const giveUpAfterMs = 60_000
/** The level at which a request has called everybody. */
const managerLevel = 2
/** On PostgreSQL, where the database needs the same two cores, the largest storm says little. */
const mostOnPostgres = 3000

/** Each screen's file and socket, and the server's own files. */
const spareFiles = 500

const work = {
  screensPerRestaurant: 20,
  requests: quick ? 100 : 400,
  perSecond: 25,
  returnsPerRequest: 1.1,
  idleMs: 6000,
}
const completeAfterMs = 1000
const idle = { settleMs: quick ? 6000 : 15_000, measureMs: quick ? 6000 : 30_000 }

type StormResult = {
  p50: number
  p99: number
  last: number
  /** The share of screens that had their lists before we gave up. */
  whole: number
  cpu: CpuTimes
  received: number
  sent: number
  attempts: number
}

const note = (progress: string) => console.error(`${new Date().toTimeString().slice(0, 8)} ${progress}`)

const root = join(import.meta.dirname, '..')
const folder = await mkdtemp(join(tmpdir(), 'tableside-storm-'))
const machine = describeMachine(folder)
const available = await findSystems(folder)
const systems = options.systems
  .split(',')
  .map((name) => named[name] ?? name)
  .filter((name) => available.has(name))
warnOfFileLimit(Math.max(...sizes, ...idleSizes))
actAsBrowser()

/** All screens lose their network at the same moment, and it comes back at once. */
async function storm(system: SystemUnderTest, crowd: CrewScreens): Promise<StormResult> {
  const { screens } = crowd
  const sum = (figure: (screen: (typeof screens)[number]) => number) =>
    screens.reduce((total, screen) => total + figure(screen), 0)
  const before = {
    received: sum(({ traffic }) => traffic.received),
    sent: sum(({ traffic }) => traffic.sent),
    connections: sum(({ traffic }) => traffic.connections),
  }
  const cpu = cpuMeter(system)
  const start = performance.now()
  const lost = Promise.all(screens.map((screen) => screen.lost()))
  for (const screen of screens) screen.drop()
  await lost
  for (const screen of screens) screen.goOnline()
  const times: number[] = []
  const all = Promise.all(
    screens.map(async (screen) => {
      await screen.whole()
      times.push(performance.now() - start)
    }),
  )
  await Promise.race([all, setTimeout(giveUpAfterMs)])
  const whole = times.length / screens.length
  while (times.length < screens.length) times.push(Number.POSITIVE_INFINITY)
  await setTimeout(settleMs)
  const wrong = screens.filter(
    ({ isWhole, requests }) => isWhole && requests.length !== openRequestsPerRestaurant,
  )
  if (wrong.length > 0) throw new Error(`${wrong.length} screens returned with the wrong list`)
  return {
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    last: Math.max(...times),
    whole,
    cpu: divide(cpu(), screens.length),
    received: (sum(({ traffic }) => traffic.received) - before.received) / screens.length,
    sent: (sum(({ traffic }) => traffic.sent) - before.sent) / screens.length,
    attempts: (sum(({ traffic }) => traffic.connections) - before.connections) / screens.length,
  }
}

async function askEverywhere(system: SystemUnderTest): Promise<void> {
  for (let restaurant = 0; restaurant < restaurants; restaurant++) {
    for (let table = 1; table <= openRequestsPerRestaurant; table++) {
      const guest = await system.openGuest('http', restaurant, `${table}`)
      await guest.sendRequest({ id: randomUUID(), serviceType: 'check' })
    }
  }
}

/** Nobody accepts these requests, so screens are told of them again until they have called everybody. */
async function escalated({ screens }: CrewScreens): Promise<void> {
  const isCalling = ({ level = managerLevel }: { level?: number }) => level < managerLevel
  while (screens.some(({ requests }) => requests.some(isCalling))) await setTimeout(settleMs)
}

async function measureStorms(): Promise<Series<StormResult>> {
  const results = new Series<StormResult>()
  for (const name of systems) {
    const system = await available.start(name, { restaurants: 0 })
    const own = sizes.filter((size) => name !== postgresql || size <= mostOnPostgres)
    const crowd = await prepareScreens(system, { restaurants, most: Math.max(...own) })
    await askEverywhere(system)
    for (const size of own) {
      note(`${name}: ${size} screens return`)
      await crowd.open(size - crowd.screens.length)
      await escalated(crowd)
      await setTimeout(settleMs)
      for (let round = 0; round < rounds; round++) {
        const result = await storm(system, crowd)
        note(JSON.stringify(result, (_, value) => (typeof value === 'number' ? formatFigure(value) : value)))
        results.add(name, `${size}`, result)
      }
    }
    crowd.close()
    await system.stop()
  }
  return results
}

/** Requests that all screens of the restaurant see and one completes, while others return from short outages. */
async function measureWork(): Promise<Series<CpuTimes>> {
  const results = new Series<CpuTimes>()
  const { screensPerRestaurant, requests, perSecond, returnsPerRequest } = work
  for (const name of systems) {
    note(`${name}: work`)
    const system = await available.start(name, { restaurants: 0 })
    const most = restaurants * screensPerRestaurant
    const crowd = await prepareScreens(system, { restaurants, most })
    await crowd.open(most)
    const guests: Guest[] = []
    for (let restaurant = 0; restaurant < restaurants; restaurant++)
      guests.push(await system.openGuest('http', restaurant, '1'))
    await setTimeout(settleMs)
    const meter = cpuMeter(system)
    await setTimeout(work.idleMs)
    const idlePerMs = divide(meter(), work.idleMs)
    const start = performance.now()
    const done: Promise<void>[] = []
    let returns = 0
    for (let request = 0; request < requests; request++) {
      const id = randomUUID()
      const restaurant = request % restaurants
      const completer = crowd.screens[restaurant]
      done.push(
        (async () => {
          await guests[restaurant]?.sendRequest({ id, serviceType: 'check' })
          await setTimeout(completeAfterMs)
          await completer?.whole()
          await completer?.complete(id)
        })(),
      )
      for (; returns < request * returnsPerRequest; returns++) {
        const screen = crowd.screens[restaurants + ((returns * 7) % (most - restaurants))]
        if (!screen?.isWhole) continue
        const lost = screen.lost()
        screen.drop()
        void lost.then(() => screen.goOnline())
      }
      await setTimeout(1000 / perSecond)
    }
    await Promise.all(done)
    await setTimeout(settleMs)
    const used = meter()
    const durationMs = performance.now() - start
    results.add(name, '', {
      server: (used.server - idlePerMs.server * durationMs) / requests,
      database: (used.database - idlePerMs.database * durationMs) / requests,
      load: (used.load - idlePerMs.load * durationMs) / requests,
    })
    crowd.close()
    await system.stop()
  }
  return results
}

type IdleResult = { share: number; load: number; resident: number; heap: number }

async function measureIdle(): Promise<Series<IdleResult>> {
  const results = new Series<IdleResult>()
  for (const name of systems) {
    for (const size of idleSizes) {
      note(`${name}: ${size} idle screens`)
      const system = await available.start(name, { restaurants: 0, nodeOptions: inspectorOptions })
      const crowd = await prepareScreens(system, { restaurants, most: size + restaurants })
      // The first ones pay for what the server needs only once.
      await crowd.open(restaurants)
      const before = await memoryOf(system)
      await crowd.open(size)
      await setTimeout(idle.settleMs)
      const after = await memoryOf(system)
      const meter = cpuMeter(system)
      const start = performance.now()
      await setTimeout(idle.measureMs)
      const { server, load } = divide(meter(), performance.now() - start)
      const each = (bytes: number) => bytes / size / 1000
      results.add(name, `${size}`, {
        share: server * 100,
        load: load * 100,
        resident: each(after.rss - before.rss),
        heap: each(after.heapUsed + after.external - before.heapUsed - before.external),
      })
      crowd.close()
      await system.stop()
    }
  }
  return results
}

function warnOfFileLimit(screens: number): void {
  const limit = Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }))
  if (limit < screens + spareFiles)
    note(
      `At most ${limit} files may be open: too few for ${screens} screens. Raise the limit (ulimit -n) first.`,
    )
}

const storms = parts.includes('return') ? await measureStorms() : null
const worked = parts.includes('work') ? await measureWork() : null
const idled = parts.includes('idle') ? await measureIdle() : null
await available.stop()
await rm(folder, { recursive: true, force: true })

const others = systems.filter((name) => name !== peer)
function row<T>(label: string, series: Series<T>, setting: string, figure: (result: T) => number): string[] {
  return [label, ...systems.map((name) => formatSpread(series.values(name, setting, figure)))]
}
function ratioRow<T>(
  label: string,
  series: Series<T>,
  setting: string,
  figure: (result: T) => number,
): string[] {
  return [label, ...others.map((name) => formatSpread(series.ratios(name, peer, setting, figure), '×'))]
}
const withDatabase = ({ server, database }: CpuTimes) => server + (Number.isNaN(database) ? 0 : database)

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
const commit = `commit ${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '--untracked-files=no') && ' with changes'}`

const page = [
  `# ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${commit}`,
  `${machine}; ${available.database}. ${rounds === 1 ? 'One short round' : `Median of ${rounds} rounds (minimum–maximum)`}. Screens of ${restaurants} restaurants, each signed in by itself, with ${openRequestsPerRestaurant} open requests per restaurant. The load generator shares the processor with the servers, so processor time says more than time.`,
  ...(systems.includes(peer) && others.length > 0
    ? [
        '## Compared with socket.io',
        markdownTable(
          ['÷ socket.io', ...others],
          [
            ...(storms
              ? sizes.flatMap((size) => [
                  ratioRow(
                    `${size} return at once: the last has its list`,
                    storms,
                    `${size}`,
                    ({ last }) => last,
                  ),
                  ratioRow(
                    `${size} return at once: processor time with the database`,
                    storms,
                    `${size}`,
                    ({ cpu }) => withDatabase(cpu),
                  ),
                ])
              : []),
            ...(idled
              ? idleSizes.flatMap((size) => [
                  ratioRow(`${size} idle: processor time`, idled, `${size}`, ({ share }) => share),
                  ratioRow(`${size} idle: resident memory`, idled, `${size}`, ({ resident }) => resident),
                ])
              : []),
          ],
        ),
      ]
    : []),
  ...(storms
    ? sizes.flatMap((size) => [
        `## ${formatFigure(size)} screens return at once, each with its lists`,
        markdownTable(
          ['', ...systems],
          [
            row('from the cut to the list, median, in ms', storms, `${size}`, ({ p50 }) => p50),
            row('99th percentile', storms, `${size}`, ({ p99 }) => p99),
            row('the last', storms, `${size}`, ({ last }) => last),
            row(
              `whole within ${giveUpAfterMs / 1000} s, in %`,
              storms,
              `${size}`,
              ({ whole }) => whole * 100,
            ),
            row('server’s processor time each, in ms', storms, `${size}`, ({ cpu }) => cpu.server),
            row('database’s', storms, `${size}`, ({ cpu }) => cpu.database),
            row('load generator’s', storms, `${size}`, ({ cpu }) => cpu.load),
            row('messages from the server each', storms, `${size}`, ({ received }) => received),
            row('messages to the server each', storms, `${size}`, ({ sent }) => sent),
            row('connections each', storms, `${size}`, ({ attempts }) => attempts),
          ],
        ),
      ])
    : []),
  ...(worked
    ? [
        '## Work',
        `${work.screensPerRestaurant} screens per restaurant, ${work.perSecond} requests per second; each is shown by all screens and completed by one, and ${work.returnsPerRequest} other screens return for each. Without what the idle screens cost.`,
        markdownTable(
          ['processor time for one, in ms', ...systems],
          [
            row('server', worked, '', ({ server }) => server),
            row('database', worked, '', ({ database }) => database),
            row('load generator', worked, '', ({ load }) => load),
          ],
        ),
      ]
    : []),
  ...(idled
    ? [
        '## Idle',
        markdownTable(
          ['', ...systems],
          idleSizes.flatMap((size) => [
            row(
              `${formatFigure(size)} screens: share of a core, in %`,
              idled,
              `${size}`,
              ({ share }) => share,
            ),
            row('resident memory each, in kB', idled, `${size}`, ({ resident }) => resident),
            row('heap each, in kB', idled, `${size}`, ({ heap }) => heap),
            row('load generator: share of a core, in %', idled, `${size}`, ({ load }) => load),
          ]),
        ),
      ]
    : []),
]
console.log(page.join('\n\n'))
process.exit(0)
