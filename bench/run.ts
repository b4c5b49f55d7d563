import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatFigure, formatSpread, markdownTable } from './statistics.ts'
import { LoadGenerator, type LoadResult, restaurants, screensPerRestaurant } from './load-generator.ts'
import { describeMachine } from './machine.ts'
import { idleSockets, inspectorOptions, memoryPerSocket, type PerSocket } from './memory.ts'
import { findPostgres } from './postgres.ts'
import { startSocketIo } from './socket-io.ts'
import { openStorm, stormScreens } from './reconnect-storm.ts'
import type { SystemUnderTest, Transport } from './system-under-test.ts'
import { startTableside } from './tableside.ts'

const quick = process.argv.includes('--quick')
const rounds = quick ? 1 : 3
const guestsAtOnce = [1, 16, 64, 256]
const perSecond = 100
const transports: Transport[] = ['live', 'http']
const competitor = 'socket.io'

/** The results of all rounds for each system and setting. */
class Series<T> {
  #rounds = new Map<string, T[]>()

  add(system: string, setting: string, result: T): void {
    const key = `${system} ${setting}`
    this.#rounds.set(key, [...(this.#rounds.get(key) ?? []), result])
  }

  values(system: string, setting: string, figure: (result: T) => number): number[] {
    return (this.#rounds.get(`${system} ${setting}`) ?? []).map(figure)
  }

  /** Round by round, so that other load on the machine affects both sides. */
  ratio(system: string, setting: string, figure: (result: T) => number): number[] {
    const competitors = this.values(competitor, setting, figure)
    return this.values(system, setting, figure).map(
      (value, index) => value / (competitors[index] ?? Number.NaN),
    )
  }
}

const print = (text: string) => console.log(`${text}\n`)

const root = join(import.meta.dirname, '..')
if (!existsSync(join(root, 'dist/manifest.json'))) {
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: 'ignore' })
}
const folder = await mkdtemp(join(tmpdir(), 'tableside-bench-'))
print(`# ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`)
print(`${describeMachine(folder)}.`)
const postgres = await findPostgres(folder)
print(
  postgres ? `${postgres.version}.` : 'No PostgreSQL: neither BENCH_DATABASE_URL nor /usr/lib/postgresql.',
)

type StartSystem = (nodeOptions?: string[]) => Promise<SystemUnderTest>
let files = 0
const starters: StartSystem[] = [
  (options) =>
    startTableside(
      'Tableside, SQLite',
      `file:${join(folder, `${++files}`, 'tableside.db')}`,
      restaurants,
      options,
    ),
  ...(postgres
    ? [
        async (options?: string[]) =>
          startTableside('Tableside, PostgreSQL', await postgres.database(), restaurants, options),
      ]
    : []),
  (options) => startSocketIo(competitor, join(folder, `${++files}.db`), options),
]

const systems: SystemUnderTest[] = []
for (const start of starters) systems.push(await start())
const names = systems.map(({ name }) => name)
const ownNames = names.filter((name) => name !== competitor)

/** Another order each round, so that no system always comes first. */
const rotate = <T>(items: T[], round: number): T[] => {
  const first = round % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}

const loads: LoadGenerator[] = []
for (const system of systems) loads.push(await LoadGenerator.open(system))
const closedLoopResults = new Series<LoadResult>()
const openLoopResults = new Series<LoadResult>()
for (let round = 0; round < rounds; round++) {
  for (const transport of transports) {
    for (const guests of guestsAtOnce) {
      for (const load of rotate(loads, round)) {
        closedLoopResults.add(
          load.system.name,
          `${transport} ${guests}`,
          await load.closedLoop(transport, guests, 200, 800),
        )
      }
    }
    for (const load of rotate(loads, round)) {
      openLoopResults.add(load.system.name, transport, await load.openLoop(transport, perSecond, 200, 1000))
    }
  }
}
for (const load of loads) load.close()

const storms = await Promise.all(systems.map(async (system) => ({ system, storm: await openStorm(system) })))
const stormResults = new Series<number>()
for (let round = 0; round < rounds; round++) {
  for (const { system, storm } of rotate(storms, round)) stormResults.add(system.name, '', await storm.run())
}
for (const { storm } of storms) storm.close()
for (const system of systems) await system.stop()

const memory = new Series<PerSocket>()
for (const start of starters) {
  const system = await start(inspectorOptions)
  memory.add(system.name, '', await memoryPerSocket(system))
  await system.stop()
}
await postgres?.stop()
await rm(folder, { recursive: true, force: true })

const head = [...names, ...ownNames.map((name) => `${name} ÷ ${competitor}`)]
function compare(
  settings: string[],
  series: Series<LoadResult>,
  figure: (result: LoadResult) => number,
  unit: string,
) {
  return settings.map((setting) => [
    setting,
    ...names.map((name) => formatSpread(series.values(name, setting, figure), unit)),
    ...ownNames.map((name) => formatSpread(series.ratio(name, setting, figure), '×')),
  ])
}
const settings = transports.flatMap((transport) => guestsAtOnce.map((guests) => `${transport} ${guests}`))

print(
  `## Durable requests per second\n\n${restaurants} restaurants with ${screensPerRestaurant} crew screens each.`,
)
print(
  markdownTable(
    ['guests at once', ...head],
    compare(settings, closedLoopResults, (result) => result.perSecond, ''),
  ),
)
print('## Guest → crew screen under that load, in milliseconds')
print(
  markdownTable(
    ['median', ...head],
    compare(settings, closedLoopResults, ({ screen }) => screen.p50, ''),
  ),
)
print(
  markdownTable(
    ['99th percentile', ...head],
    compare(settings, closedLoopResults, ({ screen }) => screen.p99, ''),
  ),
)
print('## Processor time of the server for one request and its completion, in milliseconds')
print(
  markdownTable(
    ['guests at once', ...head],
    compare(settings, closedLoopResults, ({ cpu }) => cpu, ''),
  ),
)
print(`## At ${perSecond} requests per second, in milliseconds`)
const atRate = (label: string, figure: (result: LoadResult) => number) =>
  compare(transports, openLoopResults, figure, '').map(([transport = '', ...cells]) => [
    `${transport}: ${label}`,
    ...cells,
  ])
print(
  markdownTable(
    ['', ...head],
    [
      ...atRate('guest → crew screen, median', ({ screen }) => screen.p50),
      ...atRate('guest → crew screen, 99th', ({ screen }) => screen.p99),
      ...atRate('guest → stored and answered, median', ({ answer }) => answer.p50),
      ...atRate('guest → stored and answered, 99th', ({ answer }) => answer.p99),
    ],
  ),
)
print(`## ${stormScreens} crew screens lose their connection at once`)
print(
  markdownTable(
    ['', ...head],
    [
      [
        'until all have their list again, in milliseconds',
        ...names.map((name) => formatSpread(stormResults.values(name, '', (durationMs) => durationMs))),
        ...ownNames.map((name) =>
          formatSpread(
            stormResults.ratio(name, '', (durationMs) => durationMs),
            '×',
          ),
        ),
      ],
    ],
  ),
)
print(`## Memory of one idle crew screen, in kB (of ${idleSockets})`)
const kB = (figure: (perSocket: PerSocket) => number) =>
  names.map((name) => formatFigure((memory.values(name, '', figure)[0] ?? Number.NaN) / 1000))
print(
  markdownTable(
    ['', ...names],
    [
      ['heap, after a garbage collection', ...kB(({ heap }) => heap)],
      ['resident', ...kB(({ resident }) => resident)],
    ],
  ),
)
process.exit(0)
