import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { round, spread, table } from './figures.ts'
import { House, type Result, restaurants, screensEach } from './load.ts'
import { describeMachine } from './machine.ts'
import { idleSockets, inspected, memoryPerSocket, type PerSocket } from './memory.ts'
import { findPostgres } from './postgres.ts'
import { startSocketIo } from './socket-io.ts'
import { openStorm, stormScreens } from './storm.ts'
import type { System, Transport } from './system.ts'
import { startTableside } from './tableside.ts'

const quick = process.argv.includes('--quick')
const rounds = quick ? 1 : 3
const guestsAtOnce = [1, 16, 64, 256]
const perSecond = 100
const transports: Transport[] = ['live', 'http']
const peer = 'socket.io'

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
    const other = this.of(peer, setting, figure)
    return this.of(system, setting, figure).map((value, index) => value / (other[index] ?? Number.NaN))
  }
}

const say = (text: string) => console.log(`${text}\n`)

const root = join(import.meta.dirname, '..')
if (!existsSync(join(root, 'dist/manifest.json'))) {
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: 'ignore' })
}
const folder = await mkdtemp(join(tmpdir(), 'tableside-bench-'))
say(`# ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`)
say(`${describeMachine(folder)}.`)
const postgres = await findPostgres(folder)
say(
  postgres
    ? `${postgres.version}.`
    : 'No PostgreSQL here: neither BENCH_DATABASE_URL nor /usr/lib/postgresql.',
)

type Start = (nodeOptions?: string[]) => Promise<System>
let files = 0
const starts: Start[] = [
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
  (options) => startSocketIo(peer, join(folder, `${++files}.db`), options),
]

const systems: System[] = []
for (const start of starts) systems.push(await start())
const names = systems.map(({ name }) => name)
const own = names.filter((name) => name !== peer)

/** Another order each round: nobody is always the first. */
const inTurn = <T>(all: T[], turn: number): T[] => {
  const first = turn % all.length
  return [...all.slice(first), ...all.slice(0, first)]
}

const houses: House[] = []
for (const system of systems) houses.push(await House.open(system))
const closed = new Series<Result>()
const open = new Series<Result>()
for (let turn = 0; turn < rounds; turn++) {
  for (const transport of transports) {
    for (const guests of guestsAtOnce) {
      for (const house of inTurn(houses, turn)) {
        closed.add(
          house.system.name,
          `${transport} ${guests}`,
          await house.closedLoop(transport, guests, 200, 800),
        )
      }
    }
    for (const house of inTurn(houses, turn)) {
      open.add(house.system.name, transport, await house.openLoop(transport, perSecond, 200, 1000))
    }
  }
}
for (const house of houses) house.close()

const storms = await Promise.all(systems.map(async (system) => ({ system, storm: await openStorm(system) })))
const storm = new Series<number>()
for (let turn = 0; turn < rounds; turn++) {
  for (const { system, storm: one } of inTurn(storms, turn)) storm.add(system.name, '', await one.strike())
}
for (const { storm: one } of storms) one.close()
for (const system of systems) await system.stop()

const memory = new Series<PerSocket>()
for (const start of starts) {
  const system = await start(inspected)
  memory.add(system.name, '', await memoryPerSocket(system))
  await system.stop()
}
await postgres?.stop()
await rm(folder, { recursive: true, force: true })

const head = [...names, ...own.map((name) => `${name} ÷ ${peer}`)]
function compare(
  settings: string[],
  series: Series<Result>,
  figure: (result: Result) => number,
  unit: string,
) {
  return settings.map((setting) => [
    setting,
    ...names.map((name) => spread(series.of(name, setting, figure), unit)),
    ...own.map((name) => spread(series.ratio(name, setting, figure), '×')),
  ])
}
const settings = transports.flatMap((transport) => guestsAtOnce.map((guests) => `${transport} ${guests}`))

say(`## Durable requests per second\n\n${restaurants} restaurants with ${screensEach} crew screens each.`)
say(
  table(
    ['guests at once', ...head],
    compare(settings, closed, (result) => result.perSecond, ''),
  ),
)
say('## Guest → crew screen under that load, in milliseconds')
say(
  table(
    ['median', ...head],
    compare(settings, closed, ({ screen }) => screen.p50, ''),
  ),
)
say(
  table(
    ['99th percentile', ...head],
    compare(settings, closed, ({ screen }) => screen.p99, ''),
  ),
)
say('## Processor of the server for one request and its completion, in milliseconds')
say(
  table(
    ['guests at once', ...head],
    compare(settings, closed, ({ cpu }) => cpu, ''),
  ),
)
say(`## At ${perSecond} requests a second, in milliseconds`)
const atRate = (label: string, figure: (result: Result) => number) =>
  compare(transports, open, figure, '').map(([transport = '', ...cells]) => [
    `${transport}: ${label}`,
    ...cells,
  ])
say(
  table(
    ['', ...head],
    [
      ...atRate('guest → crew screen, median', ({ screen }) => screen.p50),
      ...atRate('guest → crew screen, 99th', ({ screen }) => screen.p99),
      ...atRate('guest → stored and answered, median', ({ answer }) => answer.p50),
      ...atRate('guest → stored and answered, 99th', ({ answer }) => answer.p99),
    ],
  ),
)
say(`## ${stormScreens} crew screens drop at once and come back`)
say(
  table(
    ['', ...head],
    [
      [
        'until all have their list, in milliseconds',
        ...names.map((name) => spread(storm.of(name, '', (took) => took))),
        ...own.map((name) =>
          spread(
            storm.ratio(name, '', (took) => took),
            '×',
          ),
        ),
      ],
    ],
  ),
)
say(`## Memory of one idle crew screen, in kB (of ${idleSockets})`)
const kB = (figure: (per: PerSocket) => number) =>
  names.map((name) => round((memory.of(name, '', figure)[0] ?? Number.NaN) / 1000))
say(
  table(
    ['', ...names],
    [
      ['heap, after a collection', ...kB(({ heap }) => heap)],
      ['resident', ...kB(({ resident }) => resident)],
    ],
  ),
)
process.exit(0)
