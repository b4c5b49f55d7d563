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

/** One list of rounds for each system and setting. */
class Series<T> {
  #rounds = new Map<string, T[]>()

  add(system: string, setting: string, result: T): void {
    const key = `${system} ${setting}`
    this.#rounds.set(key, [...(this.#rounds.get(key) ?? []), result])
  }

  of(system: string, setting: string, figure: (result: T) => number): number[] {
    return (this.#rounds.get(`${system} ${setting}`) ?? []).map(figure)
  }

  /** Round by round, so that what else the machine did weighs on both sides. */
  ratio(system: string, setting: string, figure: (result: T) => number): number[] {
    const other = this.of(competitor, setting, figure)
    return this.of(system, setting, figure).map((value, index) => value / (other[index] ?? Number.NaN))
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
  postgres
    ? `${postgres.version}.`
    : 'No PostgreSQL here: neither BENCH_DATABASE_URL nor /usr/lib/postgresql.',
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
const own = names.filter((name) => name !== competitor)

/** Another order each round: nobody is always the first. */
const rotated = <T>(all: T[], turn: number): T[] => {
  const first = turn % all.length
  return [...all.slice(first), ...all.slice(0, first)]
}

const houses: LoadGenerator[] = []
for (const system of systems) houses.push(await LoadGenerator.open(system))
const closedLoopResults = new Series<LoadResult>()
const openLoopResults = new Series<LoadResult>()
for (let turn = 0; turn < rounds; turn++) {
  for (const transport of transports) {
    for (const guests of guestsAtOnce) {
      for (const house of rotated(houses, turn)) {
        closedLoopResults.add(
          house.system.name,
          `${transport} ${guests}`,
          await house.closedLoop(transport, guests, 200, 800),
        )
      }
    }
    for (const house of rotated(houses, turn)) {
      openLoopResults.add(house.system.name, transport, await house.openLoop(transport, perSecond, 200, 1000))
    }
  }
}
for (const house of houses) house.close()

const storms = await Promise.all(systems.map(async (system) => ({ system, storm: await openStorm(system) })))
const storm = new Series<number>()
for (let turn = 0; turn < rounds; turn++) {
  for (const { system, storm: one } of rotated(storms, turn)) storm.add(system.name, '', await one.strike())
}
for (const { storm: one } of storms) one.close()
for (const system of systems) await system.stop()

const memory = new Series<PerSocket>()
for (const start of starters) {
  const system = await start(inspectorOptions)
  memory.add(system.name, '', await memoryPerSocket(system))
  await system.stop()
}
await postgres?.stop()
await rm(folder, { recursive: true, force: true })

const head = [...names, ...own.map((name) => `${name} ÷ ${competitor}`)]
function compare(
  settings: string[],
  series: Series<LoadResult>,
  figure: (result: LoadResult) => number,
  unit: string,
) {
  return settings.map((setting) => [
    setting,
    ...names.map((name) => formatSpread(series.of(name, setting, figure), unit)),
    ...own.map((name) => formatSpread(series.ratio(name, setting, figure), '×')),
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
print('## Processor of the server for one request and its completion, in milliseconds')
print(
  markdownTable(
    ['guests at once', ...head],
    compare(settings, closedLoopResults, ({ cpu }) => cpu, ''),
  ),
)
print(`## At ${perSecond} requests a second, in milliseconds`)
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
print(`## ${stormScreens} crew screens drop at once and come back`)
print(
  markdownTable(
    ['', ...head],
    [
      [
        'until all have their list, in milliseconds',
        ...names.map((name) => formatSpread(storm.of(name, '', (took) => took))),
        ...own.map((name) =>
          formatSpread(
            storm.ratio(name, '', (took) => took),
            '×',
          ),
        ),
      ],
    ],
  ),
)
print(`## Memory of one idle crew screen, in kB (of ${idleSockets})`)
const kB = (figure: (per: PerSocket) => number) =>
  names.map((name) => formatFigure((memory.of(name, '', figure)[0] ?? Number.NaN) / 1000))
print(
  markdownTable(
    ['', ...names],
    [
      ['heap, after a collection', ...kB(({ heap }) => heap)],
      ['resident', ...kB(({ resident }) => resident)],
    ],
  ),
)
process.exit(0)
