import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { growthStates, measuredRestaurants, measureGrowth, openGrowth, openRequests } from './growth.ts'
import { drainMs, LoadGenerator, type LoadResult } from './load/load-generator.ts'
import { describeMachine } from './load/machine.ts'
import { climbLadder, limitMs } from './load/rate-ladder.ts'
import { formatFigure, formatSpread, markdownTable, median, Series } from './load/statistics.ts'
import { idleSockets, inspectorOptions, memoryPerSocket, type PerSocket } from './memory.ts'
import { openStorm, stormScreens } from './reconnect-storm.ts'
import type { SystemUnderTest } from './systems/system-under-test.ts'
import { findSystems, floor, peer, postgresql, sharingPeer, sqlite, twoNodes } from './systems/systems.ts'

/** All measurements against socket.io, as one page of Markdown. `--quick`: one short round of each. */
const quick = process.argv.includes('--quick')
const rounds = quick ? 1 : 3
const [warmUpMs, measureMs] = quick ? [100, 400] : [200, 800]
const ladderStepMs = quick ? 1000 : 3000
const full = quick ? { restaurants: 1000, requests: 20_000 } : { restaurants: 10_000, requests: 1_000_000 }
const restaurants = 20
const screensPerRestaurant = 10
const ladderScreens = 5
const guestsAtOnce = [1, 16, 64, 256]
const perSecond = 100
const transports = ['live', 'http'] as const
const settings = transports.flatMap((transport) =>
  guestsAtOnce.map((guests) => ({ transport, guests, name: `${transport} ${guests}` })),
)

type Figure = (result: LoadResult) => number
const identity = (value: number): number => value
const toMicroseconds = (ms: number): number => ms * 1000
const serverAndDatabase: Figure = ({ cpu }) => cpu.server + (Number.isNaN(cpu.database) ? 0 : cpu.database)

const note = (progress: string) => console.error(`${new Date().toTimeString().slice(0, 8)} ${progress}`)

/** Why figures are missing. */
const failures: string[] = []

/** A part that fails leaves its figures out: the others took minutes. */
async function attempt(part: string, run: () => Promise<void>): Promise<void> {
  note(part)
  try {
    await run()
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    note(`${part} failed: ${text}`)
    failures.push(`${part}: ${text}`)
  }
}

const root = join(import.meta.dirname, '..')
if (!existsSync(join(root, 'dist/manifest.json'))) {
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: 'ignore' })
}
const folder = await mkdtemp(join(tmpdir(), 'tableside-bench-'))
const machine = describeMachine(folder)
const available = await findSystems(folder)
const present = (...names: string[]): string[] => names.filter(available.has)
const own = present(sqlite, postgresql)
const compared = [...own, peer]
const loaded = [...compared, sharingPeer, floor]
const start = (name: string, nodeOptions: string[] = []) =>
  available.start(name, { restaurants, nodeOptions })

/** Another order each round, so that no system always comes first. */
function rotate<T>(items: readonly T[], round: number): T[] {
  const first = round % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}

const closedLoop = new Series<LoadResult>()
const openLoop = new Series<LoadResult>()
const storms = new Series<number>()
const memory = new Series<PerSocket>()
const ladders: string[][] = []
const growth: string[][] = []

async function measureLoad(systems: SystemUnderTest[]): Promise<void> {
  const loads: LoadGenerator[] = []
  for (const system of systems)
    loads.push(await LoadGenerator.open(system, { restaurants, screensPerRestaurant, transports }))
  for (let round = 0; round < rounds; round++) {
    note(`load, round ${round + 1} of ${rounds}`)
    for (const { transport, guests, name } of settings) {
      for (const load of rotate(loads, round))
        closedLoop.add(load.system.name, name, await load.closedLoop(transport, guests, warmUpMs, measureMs))
    }
    for (const transport of transports) {
      for (const load of rotate(loads, round))
        openLoop.add(
          load.system.name,
          transport,
          await load.openLoop(transport, perSecond, warmUpMs, measureMs),
        )
    }
  }
  for (const load of loads) load.close()
}

async function measureStorms(systems: SystemUnderTest[]): Promise<void> {
  const opened: { name: string; storm: Awaited<ReturnType<typeof openStorm>> }[] = []
  for (const system of systems)
    opened.push({ name: system.name, storm: await openStorm(system, restaurants) })
  for (let round = 0; round < rounds; round++)
    for (const { name, storm } of rotate(opened, round)) storms.add(name, '', await storm.run())
  for (const { storm } of opened) storm.close()
}

async function measureMemory(name: string): Promise<void> {
  const system = await start(name, inspectorOptions)
  try {
    memory.add(name, '', await memoryPerSocket(system))
  } finally {
    await system.stop()
  }
}

async function measureLadder(name: string): Promise<void> {
  const system = await start(name)
  try {
    const load = await LoadGenerator.open(system, {
      restaurants,
      screensPerRestaurant: ladderScreens,
      transports: ['new phone'],
    })
    const { held, failed } = await climbLadder(load, ladderStepMs)
    load.close()
    const figures = [held.perSecond, held.p99, failed.perSecond, failed.p99]
    ladders.push([name, ...figures.map((figure) => formatFigure(figure)), `${failed.refused}`])
  } finally {
    await system.stop()
  }
}

async function measureGrowthOf(name: string): Promise<void> {
  const loads = await openGrowth(() => available.start(name, { restaurants: measuredRestaurants }), full)
  const results = new Series<LoadResult>()
  try {
    for (let round = 0; round < rounds; round++)
      for (const state of rotate(growthStates, round))
        results.add(state, '', await measureGrowth(loads[state], measureMs))
  } finally {
    for (const load of Object.values(loads)) {
      load.close()
      await load.system.stop()
    }
  }
  for (const part of ['server', 'database'] as const) {
    const figure = ({ cpu }: LoadResult) => cpu[part]
    if (results.values('empty', '', figure).some(Number.isNaN)) continue
    growth.push([
      `${name}: ${part}`,
      formatSpread(results.values('empty', '', figure).map(toMicroseconds)),
      formatSpread(results.ratios('full', 'empty', '', figure), '×'),
      formatSpread(results.ratios('many open', 'empty', '', figure), '×'),
    ])
  }
}

const systems: SystemUnderTest[] = []
for (const name of loaded) systems.push(await start(name))
await attempt('load', () => measureLoad(systems))
await attempt('reconnection storm', () =>
  measureStorms(systems.filter(({ name }) => compared.includes(name))),
)
for (const system of systems) await system.stop()
for (const name of compared) await attempt(`memory, ${name}`, () => measureMemory(name))
for (const name of present(sqlite, postgresql, twoNodes, peer, sharingPeer))
  await attempt(`ladder, ${name}`, () => measureLadder(name))
for (const name of own) await attempt(`growth, ${name}`, () => measureGrowthOf(name))
await available.stop()
await rm(folder, { recursive: true, force: true })

const others = loaded.filter((name) => name !== peer)
const ratioRow = <T>(label: string, series: Series<T>, setting: string, figure: (result: T) => number) => [
  label,
  ...others.map((name) => formatSpread(series.ratios(name, peer, setting, figure), '×')),
]
const valueRow = <T>(label: string, series: Series<T>, setting: string, figure: (result: T) => number) => [
  label,
  ...loaded.map((name) => formatSpread(series.values(name, setting, figure))),
]
const loadRows = (figure: Figure) => settings.map(({ name }) => valueRow(name, closedLoop, name, figure))
const rateRows = (label: string, figure: Figure) =>
  transports.map((transport) => valueRow(`${transport}: ${label}`, openLoop, transport, figure))
const table = (title: string, columns: string[], rows: string[][]) =>
  `#### ${title}\n\n${markdownTable(['', ...columns], rows)}`

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
const commit = `commit ${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '--untracked-files=no') && ' with changes'}`
const loadTime = median(
  loaded.flatMap((name) => closedLoop.values(name, 'live 256', ({ cpu }) => toMicroseconds(cpu.load))),
)

const page = [
  `# ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${commit}`,
  `${machine}; ${available.database}. ${quick ? 'One short round' : `Median of ${rounds} alternating rounds (minimum–maximum)`}. One request is a guest's request and its completion; with ${restaurants} restaurants of ${screensPerRestaurant} crew screens each that is 24 messages out. The load generator shares the processor with the servers and takes ${formatFigure(loadTime)} µs of it for one request (live 256, median of the systems).`,
  '## Compared with socket.io with one commit per request',
  markdownTable(
    ['÷ socket.io', ...others],
    [
      ...settings
        .filter(({ guests }) => guests > 1)
        .map(({ name }) =>
          ratioRow(`requests per second, ${name}`, closedLoop, name, (result) => result.perSecond),
        ),
      ...transports.map((transport) =>
        ratioRow(
          `processor time with the database, ${transport} 256`,
          closedLoop,
          `${transport} 256`,
          serverAndDatabase,
        ),
      ),
      ...transports.map((transport) =>
        ratioRow(
          `guest → crew screen at ${perSecond}/s, median, ${transport}`,
          openLoop,
          transport,
          ({ screen }) => screen.p50,
        ),
      ),
    ],
  ),
  ...(failures.length > 0 ? [`Not measured: ${failures.join('; ')}.`] : []),
  `## Highest rate with a 99th percentile below ${limitMs} ms`,
  `Over HTTP, each request the first of a new phone, ${ladderScreens} crew screens per restaurant; guest → answer and guest → every crew screen, from the moment at which the request was due. Nobody may be refused.`,
  markdownTable(
    ['', 'requests per second', 'p99 in ms', 'first rate that failed', 'p99 in ms', 'refused'],
    ladders,
  ),
  '## Growth',
  `Processor time for one request, live 64, in ${measuredRestaurants} restaurants.`,
  markdownTable(
    [
      '',
      'nothing stored, in µs',
      `${formatFigure(full.restaurants)} restaurants, ${formatFigure(full.requests)} requests ÷ nothing`,
      `${openRequests} open requests in each restaurant ÷ nothing`,
    ],
    growth,
  ),
  '<details><summary>All figures</summary>',
  table(
    'Durable requests per second, by guests at once',
    loaded,
    loadRows((result) => result.perSecond),
  ),
  table(
    'Guest → crew screen under that load: median, in ms',
    loaded,
    loadRows(({ screen }) => screen.p50),
  ),
  table(
    'The same: 99th percentile',
    loaded,
    loadRows(({ screen }) => screen.p99),
  ),
  table(
    'Processor time for one request, in µs',
    loaded,
    (['server', 'database', 'load'] as const).flatMap((part) =>
      settings.map(({ name }) =>
        valueRow(`${part === 'load' ? 'load generator' : part}, ${name}`, closedLoop, name, ({ cpu }) =>
          toMicroseconds(cpu[part]),
        ),
      ),
    ),
  ),
  table(`At ${perSecond} requests per second, in ms`, loaded, [
    ...rateRows('guest → crew screen, median', ({ screen }) => screen.p50),
    ...rateRows('guest → crew screen, 99th', ({ screen }) => screen.p99),
    ...rateRows('guest → stored and answered, median', ({ answer }) => answer.p50),
    ...rateRows('guest → stored and answered, 99th', ({ answer }) => answer.p99),
  ]),
  table(`Refused in a round, or not completed within ${drainMs / 1000} s`, loaded, [
    ...loadRows(({ refused }) => refused),
    ...rateRows(`at ${perSecond} requests per second`, ({ refused }) => refused),
  ]),
  table('Crew screens', loaded, [
    valueRow(`${stormScreens} lose their connection: all have their list again, in ms`, storms, '', identity),
    valueRow(`heap of an idle one, in kB (of ${idleSockets})`, memory, '', ({ heap }) => heap / 1000),
    valueRow('its resident memory, in kB', memory, '', ({ resident }) => resident / 1000),
  ]),
  '</details>',
]
console.log(page.join('\n\n'))
process.exit(failures.length > 0 ? 1 : 0)
