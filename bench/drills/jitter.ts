import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type CpuTimes, cpuMeter, divide } from '../load/cpu-meter.ts'
import { type CrewScreens, prepareScreens } from '../load/crew-screens.ts'
import type { CrewScreen } from '../load/peer-screen.ts'
import { tablesPerRestaurant } from '../load/seats.ts'
import { formatFigure, markdownTable, percentile } from '../load/statistics.ts'
import type { SystemUnderTest } from '../systems/system-under-test.ts'
import { findSystems, peer, sqlite } from '../systems/systems.ts'
import { runAlone } from './drill.ts'

/**
 * Screens that lose their network again and again, without a goodbye, while guests ask: how much of it each screen
 * shows, and how soon it has its lists after its return. Beside socket.io, whose screens get their list on each return
 * as ours do, or only once.
 */
const { values: options } = parseArgs({
  options: {
    screens: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '2' },
  },
})
const screenCount = Number(options.screens)
const measureMs = Number(options.seconds) * 1_000
const rounds = Number(options.rounds)
const restaurants = Math.max(1, screenCount / 10)
const requestsPerSecond = 50
const onlineMs = 15_000
const awayMs = 2_000
/** Longer than anybody is away: by then every screen should show the request. */
const openMs = 5_000
const settleMs = 5_000

const peerWithoutLists = `${peer}, no list on return`
type Result = {
  /** From the network's return until the screen has its lists, in milliseconds. */
  returns: number[]
  /** How often a screen of its restaurant should show a request, and did. */
  expected: number
  shown: number
  refused: number
  /** Screens whose list was wrong in the end, after the network had held for a while. */
  wrong: number
  cpu: CpuTimes
}

await runAlone(async (stops, folder) => {
  const systems = await findSystems(folder)
  stops.push(() => systems.stop())
  const results = new Map<string, Result[]>()
  for (let round = 0; round < rounds; round++)
    for (const name of [sqlite, peer, peerWithoutLists]) {
      const system = await systems.start(name === peerWithoutLists ? peer : name, { restaurants: 0 })
      const crowd = await prepareScreens(system, {
        restaurants,
        most: screenCount + restaurants,
        peersGetLists: name === peerWithoutLists ? 'once' : 'on each connection',
      })
      await crowd.open(screenCount + restaurants)
      results.set(name, [...(results.get(name) ?? []), await measure(system, crowd)])
      crowd.close()
      await system.stop()
    }
  report(results)
})

async function measure(system: SystemUnderTest, { screens }: CrewScreens): Promise<Result> {
  const result = {
    returns: [],
    expected: 0,
    shown: 0,
    refused: 0,
    wrong: 0,
    cpu: { server: 0, database: 0, load: 0 },
  }
  const meter = cpuMeter(system)
  const ends = performance.now() + measureMs
  // The first screen of each restaurant completes its requests, and keeps its connection.
  const jittery = screens.slice(restaurants)
  const jitters = jittery.map((screen) => jitter(screen, ends, result))
  const asked: Promise<void>[] = []
  for (let number = 0; performance.now() < ends; number++) {
    asked.push(ask(system, screens, number, result))
    await sleep(1_000 / requestsPerSecond)
  }
  await Promise.all([...jitters, ...asked])
  result.cpu = divide(meter(), measureMs / 1_000)
  await sleep(settleMs)
  // Every request is completed by now.
  result.wrong = jittery.filter(({ requests }) => requests.length > 0).length
  return result
}

/** Half as long to half as long again. */
function about(ms: number): number {
  return ms * (0.5 + Math.random())
}

async function jitter(screen: CrewScreen, ends: number, { returns }: { returns: number[] }): Promise<void> {
  await sleep(Math.random() * onlineMs)
  while (performance.now() < ends) {
    const lost = screen.lost()
    screen.goOffline()
    await Promise.all([lost, sleep(about(awayMs))])
    const returnedAt = performance.now()
    screen.goOnline()
    await screen.whole()
    returns.push(performance.now() - returnedAt)
    await sleep(about(onlineMs))
  }
}

/** A guest asks. Five seconds later it is counted who shows that; then it is completed. */
async function ask(
  system: SystemUnderTest,
  screens: readonly CrewScreen[],
  number: number,
  result: Pick<Result, 'expected' | 'shown' | 'refused'>,
): Promise<void> {
  const restaurant = number % restaurants
  const table = (Math.floor(number / restaurants) % tablesPerRestaurant) + 1
  const id = randomUUID()
  const guest = await system.openGuest('new phone', restaurant, `${table}`)
  try {
    await guest.sendRequest({ id, serviceType: 'check' })
  } catch {
    result.refused++
    return
  }
  await sleep(openMs)
  for (let at = restaurants + restaurant; at < screens.length; at += restaurants) {
    result.expected++
    if (screens[at]?.requests.some((request) => request.id === id)) result.shown++
  }
  await screens[restaurant]?.complete(id)
}

function report(results: ReadonlyMap<string, Result[]>): void {
  console.log(
    `${screenCount} screens of ${restaurants} restaurants, each cut about every ${onlineMs / 1_000} s and away for about ${awayMs / 1_000} s; ${requestsPerSecond} requests per second, for ${measureMs / 1_000} s; ${rounds} rounds in turns.\n`,
  )
  const inSeconds = (ms: number): string => formatFigure(ms / 1_000)
  const rows = [...results].map(([name, all]) => {
    const returns = all.flatMap((each) => each.returns)
    const sum = (figure: (result: Result) => number) => all.reduce((total, each) => total + figure(each), 0)
    return [
      name,
      returns.length.toLocaleString('en'),
      `${((sum(({ shown }) => shown) / sum(({ expected }) => expected)) * 100).toFixed(2)} %`,
      ...[0.5, 0.99, 1].map((share) => inSeconds(percentile(returns, share))),
      `${sum(({ wrong }) => wrong)}`,
      `${sum(({ refused }) => refused)}`,
      inSeconds(sum(({ cpu }) => cpu.server) / all.length),
    ]
  })
  console.log(
    markdownTable(
      [
        '',
        'returns',
        `shown within ${openMs / 1_000} s`,
        'whole after the return: p50 in s',
        'p99',
        'last',
        'wrong lists in the end',
        'requests refused',
        'server’s processor time for a second, in s',
      ],
      rows,
    ),
  )
}
