import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Guest, Screen, SystemUnderTest } from '../bench/system-under-test.ts'
import { median } from '../bench/statistics.ts'
import { startTableside } from '../bench/tableside.ts'
import { freshDatabase } from './support/database.ts'
import { startPostgresCounter } from './support/postgres-counter.ts'
import type { ServerCounts } from './support/request-counts.ts'

/** What one tap or completion may use. Counts do not depend on the machine, and so they show what noise would hide. */
type Cost = {
  statements: number
  /** Only PostgreSQL has any. */
  roundTrips: number
  commits: number
  /** Statements that tell other nodes, for which no guest waits. */
  signals: number
  /** Processor time of the server, in units of `calibrate()`. The widest margin, because machines differ. */
  cpu: number
}

type Operation = 'tap' | 'completion'
type Costs = Record<Operation, Record<number, Cost>>

/** At most so much, by the number of guests at once. */
const bounds: Record<'SQLite' | 'PostgreSQL', Costs> = {
  SQLite: {
    tap: {
      1: { statements: 8, roundTrips: 0, commits: 1, signals: 0, cpu: 3 },
      16: { statements: 7, roundTrips: 0, commits: 0.5, signals: 0, cpu: 2 },
      256: { statements: 5.8, roundTrips: 0, commits: 0.15, signals: 0, cpu: 1.5 },
    },
    completion: {
      1: { statements: 8, roundTrips: 0, commits: 1, signals: 0, cpu: 2 },
      16: { statements: 7, roundTrips: 0, commits: 0.5, signals: 0, cpu: 1.2 },
      256: { statements: 5.8, roundTrips: 0, commits: 0.2, signals: 0, cpu: 1 },
    },
  },
  PostgreSQL: {
    tap: {
      1: { statements: 6, roundTrips: 3, commits: 1, signals: 1, cpu: 3 },
      16: { statements: 2.5, roundTrips: 1.2, commits: 0.35, signals: 0.4, cpu: 1 },
      256: { statements: 0.8, roundTrips: 0.4, commits: 0.1, signals: 0.15, cpu: 1 },
    },
    // One of the round trips is for the session. At most 64 share a transaction: each screen's messages are carried out one
    // after another.
    completion: {
      1: { statements: 6, roundTrips: 3, commits: 1, signals: 1, cpu: 3 },
      16: { statements: 3.5, roundTrips: 2.5, commits: 0.4, signals: 0.4, cpu: 1 },
      256: { statements: 2, roundTrips: 1.5, commits: 0.3, signals: 0.3, cpu: 1 },
    },
  },
}

/** How many requests a guest alone sends. */
const requestsAlone = 32
/** How many requests each number of guests sends. */
const requestCounts = [
  { guests: 16, requests: 96 },
  { guests: 256, requests: 256 },
]
const restaurants = 4
/** So many that none sends more messages in a burst than the server allows. */
const screensPerRestaurant = 16
const tables = 40
const phones = 256
const engine = process.env['TEST_DATABASE_URL'] ? 'PostgreSQL' : 'SQLite'

// Other work on the machine can only add processor time, so a failure is measured again.
it(
  `takes few statements, round trips, commits and little processor time on ${engine}`,
  { retry: 2 },
  async () => {
    const database = await freshDatabase()
    const counter = engine === 'PostgreSQL' ? await startPostgresCounter(database.url) : null
    const system = await startTableside(engine, counter?.url ?? database.url, {
      restaurants,
      nodeOptions: ['--import', join(import.meta.dirname, 'support/request-counts.ts')],
    })
    const [server] = system.servers
    if (!server) throw new Error('No server was started')
    const crowd = await openCrowd(system)

    const countUse = async (): Promise<Cost> => {
      const { cpuMs, ...counts } = (await server.sendMessage('count')) as ServerCounts
      return { roundTrips: 0, signals: 0, ...(counter?.counts() ?? counts), cpu: cpuMs }
    }
    async function costOf<T>(requests: number, work: () => Promise<T>): Promise<{ cost: Cost; result: T }> {
      const before = await countUse()
      const result = await work()
      const after = await countUse()
      const perRequest = (part: keyof Cost) => (after[part] - before[part]) / requests
      const cost = {
        statements: perRequest('statements'),
        roundTrips: perRequest('roundTrips'),
        commits: perRequest('commits'),
        signals: perRequest('signals'),
        cpu: perRequest('cpu') / calibrationMs,
      }
      return { cost, result }
    }

    await system.openConnections(phones)
    // The first tap of each phone begins a visit, and compiles the server's code.
    await crowd.complete(phones, await crowd.tap(phones, phones))
    const calibrationMs = calibrate()
    const costs: Costs = { tap: {}, completion: {} }
    const alone: Record<Operation, Cost[]> = { tap: [], completion: [] }
    for (let phone = 0; phone < requestsAlone; phone++) {
      const tap = await costOf(1, () => crowd.tap(1, 1, phone))
      const completion = await costOf(1, () => crowd.complete(1, tap.result))
      alone.tap.push(tap.cost)
      alone.completion.push(completion.cost)
    }
    // The median: a mean of a few requests would include what the server does every second anyway.
    costs.tap[1] = medianCost(alone.tap)
    costs.completion[1] = medianCost(alone.completion)
    for (const { guests, requests } of requestCounts) {
      const tap = await costOf(requests, () => crowd.tap(guests, requests))
      const completion = await costOf(requests, () => crowd.complete(guests, tap.result))
      costs.tap[guests] = tap.cost
      costs.completion[guests] = completion.cost
    }
    crowd.close()
    await system.stop()
    await counter?.stop()
    await database.drop()

    expect(server.lines).toEqual([])
    expect(excesses(costs)).toEqual([])
    // A guest alone needs a commit for each request, so they are counted.
    expect([costs.tap[1], costs.completion[1]].map((cost) => cost?.commits)).toEqual([1, 1])
  },
)

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
  return {
    tap: (atOnce: number, count: number, firstPhone = 0) =>
      runAtOnce(atOnce, count, async (index): Promise<SentRequest> => {
        const phone = firstPhone + index
        const id = randomUUID()
        // Two phones at one table ask for different things.
        const serviceType = phone < restaurants * tables ? 'drinks' : 'check'
        await guests[phone]?.sendRequest({ id, serviceType })
        return { id, restaurant: phone % restaurants }
      }),
    complete: (atOnce: number, sent: SentRequest[]) =>
      runAtOnce(atOnce, sent.length, async (index) => {
        const { id, restaurant } = sent[index] ?? { id: '', restaurant: 0 }
        const screen = Math.floor(index / restaurants) % screensPerRestaurant
        await screens[restaurant]?.[screen]?.complete(id)
      }),
    close() {
      for (const client of [...guests, ...screens.flat()]) client.close()
    },
  }
}

/** So many workers share the tasks; each begins the next as soon as the last is done. */
async function runAtOnce<T>(
  atOnce: number,
  count: number,
  task: (index: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let index = next++; index < count; index = next++) results[index] = await task(index)
    }),
  )
  return results
}

/**
 * The processor time of some fixed work of the kind that a server does, in milliseconds. Measured over all rounds together,
 * because some systems count processor time in steps as long as one round takes.
 */
function calibrate(): number {
  const rounds = 10
  const before = process.threadCpuUsage()
  for (let round = 0; round < rounds; round++) {
    let text = '{"tableNumber":"7","serviceType":"drinks","asks":1,"crew":[],"verified":false}'
    for (let copies = 0; copies < 2000; copies++) {
      const copy = { ...JSON.parse(text), id: createHash('sha256').update(text).digest('hex') }
      text = JSON.stringify(copy)
    }
  }
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000 / rounds
}

function medianCost(costs: Cost[]): Cost {
  const of = (part: keyof Cost) => median(costs.map((cost) => cost[part]))
  return {
    statements: of('statements'),
    roundTrips: of('roundTrips'),
    commits: of('commits'),
    signals: of('signals'),
    cpu: of('cpu'),
  }
}

function excesses(costs: Costs): string[] {
  const found: string[] = []
  for (const operation of ['tap', 'completion'] as const) {
    for (const [guests, bound] of Object.entries(bounds[engine][operation])) {
      for (const part of ['statements', 'roundTrips', 'commits', 'signals', 'cpu'] as const) {
        const cost = costs[operation][Number(guests)]?.[part] ?? Number.NaN
        if (!(cost <= bound[part]))
          found.push(`${part} of a ${operation}, ${guests} at once: ${cost}, at most ${bound[part]}`)
      }
    }
  }
  return found
}
