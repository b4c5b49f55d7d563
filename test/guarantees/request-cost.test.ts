import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Guest, Screen, SystemUnderTest } from '../../bench/systems/system-under-test.ts'
import { startTableside } from '../../bench/systems/tableside.ts'
import { freshDatabase } from '../support/database.ts'
import { startPostgresCounter } from '../support/postgres/postgres-counter.ts'
import type { ServerCounts } from '../support/request-counts.ts'

/**
 * What one tap, “On my way” or completion may use. Counts do not depend on the machine, and so they show what noise would hide;
 * processor time does, and is measured by `npm run bench`.
 */
type Cost = {
  statements: number
  /** Only PostgreSQL has any. */
  roundTrips: number
  commits: number
  /** Statements that tell other nodes, for which no guest waits. */
  signals: number
}

const operations = ['tap', 'acceptance', 'completion'] as const
type Operation = (typeof operations)[number]
type Costs = Record<Operation, Record<number, Cost>>

/** The most that one may cost, by the number of guests at once: little more than what a single group takes. */
const bounds: Record<'SQLite' | 'PostgreSQL', Costs> = {
  SQLite: {
    tap: {
      1: { statements: 8, roundTrips: 0, commits: 1, signals: 0 },
      16: { statements: 5.5, roundTrips: 0, commits: 0.07, signals: 0 },
      256: { statements: 5.15, roundTrips: 0, commits: 0.015, signals: 0 },
    },
    acceptance: {
      1: { statements: 9, roundTrips: 0, commits: 1, signals: 0 },
      16: { statements: 6.5, roundTrips: 0, commits: 0.07, signals: 0 },
      256: { statements: 6.2, roundTrips: 0, commits: 0.03, signals: 0 },
    },
    completion: {
      1: { statements: 8, roundTrips: 0, commits: 1, signals: 0 },
      16: { statements: 5.5, roundTrips: 0, commits: 0.07, signals: 0 },
      256: { statements: 5.2, roundTrips: 0, commits: 0.03, signals: 0 },
    },
  },
  PostgreSQL: {
    tap: {
      1: { statements: 6, roundTrips: 3, commits: 1, signals: 1 },
      16: { statements: 0.5, roundTrips: 0.25, commits: 0.07, signals: 0.07 },
      256: { statements: 0.15, roundTrips: 0.1, commits: 0.02, signals: 0.02 },
    },
    // One of the round trips is for the session, as for a completion.
    acceptance: {
      1: { statements: 7, roundTrips: 4, commits: 1, signals: 1 },
      16: { statements: 1, roundTrips: 0.5, commits: 0.13, signals: 0.13 },
      256: { statements: 0.3, roundTrips: 0.16, commits: 0.05, signals: 0.05 },
    },
    // At most 64 share a transaction: each screen's messages are carried out one
    // after another.
    completion: {
      1: { statements: 6, roundTrips: 3, commits: 1, signals: 1 },
      16: { statements: 1, roundTrips: 0.5, commits: 0.13, signals: 0.13 },
      256: { statements: 0.3, roundTrips: 0.16, commits: 0.05, signals: 0.05 },
    },
  },
}

/** How many guests tap at the same moment, and how often. */
const rounds = [
  { guests: 1, times: 32 },
  { guests: 16, times: 6 },
  { guests: 256, times: 3 },
]
const restaurants = 4
/** So many that none sends more messages in a burst than the server allows. */
const screensPerRestaurant = 16
const tables = 40
const phones = 256
const engine = process.env['TEST_DATABASE_URL'] ? 'PostgreSQL' : 'SQLite'

it(`takes few statements, round trips and commits on ${engine}`, async () => {
  const database = await freshDatabase()
  const counter = engine === 'PostgreSQL' ? await startPostgresCounter(database.url) : null
  const system = await startTableside(engine, counter?.url ?? database.url, {
    restaurants,
    nodeOptions: ['--import', join(import.meta.dirname, '../support/request-counts.ts')],
  })
  const [server] = system.servers
  if (!server) throw new Error('No server was started')
  const { pid } = server
  const crowd = await openCrowd(system)

  const countUse = async (): Promise<Cost> => {
    const counts = (await server.sendMessage('count')) as ServerCounts
    return { roundTrips: 0, signals: 0, ...(counter?.counts() ?? counts) }
  }
  async function costOf<T>(calls: () => Promise<T>[]): Promise<{ cost: Cost; results: T[] }> {
    const before = await countUse()
    const results = await sendTogether(pid, calls)
    const after = await countUse()
    const perRequest = (part: keyof Cost) => (after[part] - before[part]) / results.length
    const cost = {
      statements: perRequest('statements'),
      roundTrips: perRequest('roundTrips'),
      commits: perRequest('commits'),
      signals: perRequest('signals'),
    }
    return { cost, results }
  }

  await system.openConnections(phones)
  // The first tap of each phone begins a visit.
  await Promise.all(crowd.complete(await Promise.all(crowd.tap(0, phones)), 0))
  const costs: Costs = { tap: {}, acceptance: {}, completion: {} }
  for (const { guests, times } of rounds) {
    const taps: Cost[] = []
    const acceptances: Cost[] = []
    const completions: Cost[] = []
    for (let time = 0; time < times; time++) {
      const first = (time * guests) % phones
      const tap = await costOf(() => crowd.tap(first, guests))
      const acceptance = await costOf(() => crowd.accept(tap.results, first))
      const completion = await costOf(() => crowd.complete(tap.results, first))
      taps.push(tap.cost)
      acceptances.push(acceptance.cost)
      completions.push(completion.cost)
    }
    // The cheapest round: a group that splits in two, and what the server does every second anyway, only add to the cost.
    costs.tap[guests] = leastCost(taps)
    costs.acceptance[guests] = leastCost(acceptances)
    costs.completion[guests] = leastCost(completions)
  }
  crowd.close()
  await system.stop()
  await counter?.stop()
  await database.drop()

  expect(server.lines).toEqual([])
  expect(excesses(costs)).toEqual([])
  // A guest alone needs a commit for each request, so they are counted.
  expect(operations.map((operation) => costs[operation][1]?.commits)).toEqual([1, 1, 1])
})

/**
 * The server reads all of them in one turn of its event loop, so that chance does not decide how many share a
 * transaction: it stands still until they have been sent.
 */
async function sendTogether<T>(pid: number, calls: () => Promise<T>[]): Promise<T[]> {
  process.kill(pid, 'SIGSTOP')
  try {
    const answers = calls()
    // A call leaves within a few turns: its socket is chosen, perhaps opened, and written to.
    for (let turn = 0; turn < 10; turn++) await setImmediate()
    process.kill(pid, 'SIGCONT')
    return await Promise.all(answers)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

type SentRequest = { id: string; restaurant: number }

async function openCrowd(system: SystemUnderTest) {
  const guests: Guest[] = []
  for (let phone = 0; phone < phones; phone++) {
    const table = Math.floor(phone / restaurants) % tables
    guests.push(await system.openGuest('http', phone % restaurants, `${table + 1}`))
  }
  const screens: Screen[][] = []
  for (let restaurant = 0; restaurant < restaurants; restaurant++) {
    const opening = Array.from({ length: screensPerRestaurant }, () =>
      system.openScreen(restaurant, () => {}),
    )
    screens.push(await Promise.all(opening))
  }
  const screenFor = (restaurant: number, phone: number): Screen | undefined =>
    screens[restaurant]?.[Math.floor(phone / restaurants) % screensPerRestaurant]
  return {
    tap: (first: number, count: number) =>
      Array.from({ length: count }, async (_, index): Promise<SentRequest> => {
        const phone = first + index
        const id = randomUUID()
        // Two phones at one table ask for different things.
        const serviceType = phone < restaurants * tables ? 'drinks' : 'check'
        await guests[phone]?.sendRequest({ id, serviceType })
        return { id, restaurant: phone % restaurants }
      }),
    accept: (sent: SentRequest[], first: number) =>
      sent.map(async ({ id, restaurant }, index) => {
        await screenFor(restaurant, first + index)?.accept(id)
      }),
    complete: (sent: SentRequest[], first: number) =>
      sent.map(async ({ id, restaurant }, index) => {
        await screenFor(restaurant, first + index)?.complete(id)
      }),
    close() {
      for (const client of [...guests, ...screens.flat()]) client.close()
    },
  }
}

function leastCost(costs: Cost[]): Cost {
  const of = (part: keyof Cost) => Math.min(...costs.map((cost) => cost[part]))
  return {
    statements: of('statements'),
    roundTrips: of('roundTrips'),
    commits: of('commits'),
    signals: of('signals'),
  }
}

function excesses(costs: Costs): string[] {
  const found: string[] = []
  for (const operation of operations) {
    for (const [guests, bound] of Object.entries(bounds[engine][operation])) {
      for (const part of ['statements', 'roundTrips', 'commits', 'signals'] as const) {
        const cost = costs[operation][Number(guests)]?.[part] ?? Number.NaN
        if (!(cost <= bound[part]))
          found.push(`${operation}: ${part}, ${guests} at once: ${cost}, at most ${bound[part]}`)
      }
    }
  }
  return found
}
