import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Comparison, formatComparison } from './comparison-page.ts'
import { growthStates, measuredRestaurants, measureGrowth, openGrowth } from './growth.ts'
import { LoadGenerator, type LoadResult } from './load/load-generator.ts'
import { describeMachine } from './load/machine.ts'
import { climbLadder } from './load/rate-ladder.ts'
import { Series } from './load/statistics.ts'
import { inspectorOptions, memoryPerSocket } from './memory.ts'
import { openStorm } from './reconnect-storm.ts'
import type { SystemUnderTest, Transport } from './systems/system-under-test.ts'
import {
  findSystems,
  floor,
  peer,
  postgresPeer,
  postgresql,
  sharingPeer,
  sqlite,
  twoNodes,
} from './systems/systems.ts'

/**
 * All measurements against socket.io, as one page of Markdown. One system at a time is alive, in turns.
 *
 * node bench/run.ts [--quick] [--rounds 3] [--ms 3000] [--systems sqlite,socket.io] [--parts load,ladder]
 *   [--loads "live 16,http at 100"]
 */
const named: Record<string, string> = {
  sqlite,
  postgresql,
  'two-nodes': twoNodes,
  'socket.io': peer,
  'socket.io-postgresql': postgresPeer,
  'socket.io-shared': sharingPeer,
  'socket.io-nothing': floor,
}
const { values: options } = parseArgs({
  options: {
    /** One short round of each. */
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    ms: { type: 'string' },
    systems: { type: 'string', default: Object.keys(named).join() },
    loads: { type: 'string' },
    parts: { type: 'string', default: 'load,storm,memory,ladder,growth' },
  },
})
const { quick } = options
const rounds = Number(options.rounds ?? (quick ? 1 : 3))
const measureMs = Number(options.ms ?? (quick ? 400 : 3000))
/** Before each measurement, and, for the code to be compiled, of each server. */
const [settleMs, warmUpMs] = quick ? [100, 300] : [300, 3000]
const ladderStepMs = quick ? 1000 : 3000
const growthMs = quick ? measureMs : Math.max(measureMs, 5000)
const full = quick ? { restaurants: 1000, requests: 20_000 } : { restaurants: 10_000, requests: 1_000_000 }
const restaurants = 20
const screensPerRestaurant = 10
const ladderScreens = 5
const perSecond = 100
const transports = ['live', 'http'] as const
const isChosen = (load: string): boolean => options.loads?.split(',').includes(load) ?? true
const closedLoop = (transport: Transport, guests: number) => ({
  transport,
  guests,
  name: `${transport} ${guests}`,
  accepts: false,
})
const settings = [
  ...[1, 16].map((guests) => closedLoop('live', guests)),
  { ...closedLoop('live', 16), name: 'live 16 with On my way', accepts: true },
  ...[64, 256].map((guests) => closedLoop('live', guests)),
  ...[16, 256].map((guests) => closedLoop('http', guests)),
].filter(({ name }) => isChosen(name))
const steady = transports.filter((transport) => isChosen(`${transport} at ${perSecond}`))

const note = (progress: string) => console.error(`${new Date().toTimeString().slice(0, 8)} ${progress}`)

const folder = await mkdtemp(join(tmpdir(), 'tableside-bench-'))
const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })]
let stopped: Promise<void> | undefined
const stopEverything = (): Promise<void> =>
  (stopped ??= (async () => {
    for (const stop of stops.toReversed()) await stop()
  })())
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stopEverything().finally(() => process.exit(1)))

const parts = options.parts.split(',')
const chosen = options.systems.split(',').map((name) => named[name] ?? name)

const root = join(import.meta.dirname, '..')
const isBuilt = existsSync(join(root, 'dist/manifest.json'))
if (!isBuilt && [sqlite, postgresql, twoNodes].some((name) => chosen.includes(name)))
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: 'ignore' })

const available = await findSystems(folder, ['autovacuum=off']).catch(async (error: unknown) => {
  await stopEverything()
  throw error
})
stops.push(() => available.stop())

const present = (...names: string[]): string[] =>
  names.filter((name) => available.has(name) && chosen.includes(name))
const own = present(sqlite, postgresql)
const compared = present(sqlite, postgresql, peer)
const loaded = present(sqlite, postgresql, peer, postgresPeer, sharingPeer, floor)

const result: Comparison = {
  systems: loaded,
  settings,
  transports,
  numbers: {
    restaurants,
    screensPerRestaurant,
    ladderScreens,
    perSecond,
    rounds,
    measureMs,
    warmUpMs,
    growthMs,
    full,
  },
  isQuick: quick,
  machine: describeMachine(folder),
  database: available.database,
  closedLoop: new Series(),
  openLoop: new Series(),
  storms: new Series(),
  memory: new Series(),
  ladders: [],
  growth: [],
  failures: [],
}

/** A part that fails leaves its figures out: the others took minutes. What it started is stopped. */
async function attempt(part: string, run: (started: AsyncDisposableStack) => Promise<void>): Promise<void> {
  if (stopped) return
  note(part)
  try {
    await using started = new AsyncDisposableStack()
    await run(started)
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    note(`${part} failed: ${text}`)
    result.failures.push(`${part}: ${text}`)
  }
}

/** Another order each round, so that no system always comes first. */
function rotate<T>(items: readonly T[], round: number): T[] {
  const first = round % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}

async function start(
  started: AsyncDisposableStack,
  name: string,
  nodeOptions: string[] = [],
): Promise<SystemUnderTest> {
  const system = await available.start(name, { restaurants, nodeOptions, screensAsPages: true })
  started.defer(() => system.stop())
  return system
}

async function openLoad(
  started: AsyncDisposableStack,
  system: SystemUnderTest,
  crowd: Parameters<typeof LoadGenerator.open>[1],
): Promise<LoadGenerator> {
  const load = await LoadGenerator.open(system, crowd)
  started.defer(() => load.close())
  return load
}

async function measureLoad(started: AsyncDisposableStack, name: string, round: number): Promise<void> {
  const system = await start(started, name)
  const load = await openLoad(started, system, { restaurants, screensPerRestaurant, transports })
  for (const transport of transports) await load.closedLoop(transport, 64, 0, warmUpMs / transports.length)
  for (const { transport, guests, name: setting, accepts } of settings)
    result.closedLoop.add(
      name,
      setting,
      await load.closedLoop(transport, guests, settleMs, measureMs, { accepts }),
      round,
    )
  for (const transport of steady)
    result.openLoop.add(
      name,
      transport,
      await load.openLoop(transport, perSecond, settleMs, measureMs),
      round,
    )
}

async function measureStorm(started: AsyncDisposableStack, name: string, round: number): Promise<void> {
  const storm = await openStorm(await start(started, name), restaurants)
  started.defer(() => storm.close())
  // In the first one the server compiles its code.
  await storm.run()
  result.storms.add(name, '', await storm.run(), round)
}

async function measureMemory(started: AsyncDisposableStack, name: string): Promise<void> {
  result.memory.add(name, '', await memoryPerSocket(await start(started, name, inspectorOptions)))
}

async function measureLadder(started: AsyncDisposableStack, name: string): Promise<void> {
  const load = await openLoad(started, await start(started, name), {
    restaurants,
    screensPerRestaurant: ladderScreens,
    transports: ['new phone'],
  })
  result.ladders.push({ name, ...(await climbLadder(load, ladderStepMs)) })
}

/** The three states are alive at once: they are one system, and are compared with each other. */
async function measureGrowthOf(started: AsyncDisposableStack, name: string): Promise<void> {
  const startOne = async () => {
    const system = await available.start(name, { restaurants: measuredRestaurants, screensAsPages: true })
    started.defer(() => system.stop())
    return system
  }
  const loads = await openGrowth(startOne, full)
  for (const load of Object.values(loads)) started.defer(() => load.close())
  const results = new Series<LoadResult>()
  // The first round, in which the servers compile their code, does not count.
  for (let round = -1; round < rounds; round++)
    for (const state of rotate(growthStates, round + 1)) {
      const measured = await measureGrowth(loads[state], growthMs)
      if (measured.refused > 0) throw new Error(`${state}: ${measured.refused} requests were refused`)
      if (round >= 0) results.add(state, '', measured, round)
    }
  result.growth.push({ name, results })
}

if (parts.includes('load'))
  for (let round = 0; round < rounds; round++)
    for (const name of rotate(loaded, round))
      await attempt(`load, round ${round + 1} of ${rounds}, ${name}`, (started) =>
        measureLoad(started, name, round),
      )
if (parts.includes('storm'))
  for (let round = 0; round < rounds; round++)
    for (const name of rotate(compared, round))
      await attempt(`reconnection storm, round ${round + 1} of ${rounds}, ${name}`, (started) =>
        measureStorm(started, name, round),
      )
if (parts.includes('memory'))
  for (const name of compared) await attempt(`memory, ${name}`, (started) => measureMemory(started, name))
if (parts.includes('ladder'))
  for (const name of present(sqlite, postgresql, twoNodes, peer, postgresPeer, sharingPeer))
    await attempt(`ladder, ${name}`, (started) => measureLadder(started, name))
if (parts.includes('growth'))
  for (const name of own) await attempt(`growth, ${name}`, (started) => measureGrowthOf(started, name))
await stopEverything()

console.log(formatComparison(result))
process.exit(result.failures.length > 0 ? 1 : 0)
