import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { openSql } from '../../bench/load/bulk-sql.ts'
import { post } from '../../bench/load/http-client.ts'
import { actAsBrowser, PageScreen, type Seat } from '../../bench/load/page-screen.ts'
import { openSeats } from '../../bench/load/seats.ts'
import { restaurantName } from '../../bench/systems/system-under-test.ts'
import { freshDatabase } from '../support/database.ts'
import { freePort } from '../support/ports.ts'
import { type ServerProcess, startServer } from '../support/servers/server-process.ts'

type Op =
  | { op: 'lose'; screen: number }
  | { op: 'return'; screen: number }
  | { op: 'tap'; restaurant: number; table: number; node: number }
  | { op: 'accept' | 'complete'; screen: number; which: number }
  | { op: 'sign out'; screen: number }
  | { op: 'kill'; node: number }

const engine = process.env['TEST_DATABASE_URL'] ? 'PostgreSQL' : 'SQLite'
const nodes = engine === 'PostgreSQL' ? 2 : 1
const restaurants = 2
const screensAtOnce = 10
const tables = 3
const histories = 3

const screen = fc.nat(screensAtOnce - 1)
const node = fc.nat(nodes - 1)
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ op: fc.constantFrom('lose', 'lose', 'return'), screen }) },
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('tap' as const),
      restaurant: fc.nat(restaurants - 1),
      table: fc.nat(tables - 1),
      node,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constantFrom('accept', 'complete'), screen, which: fc.nat(5) }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('sign out' as const), screen }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('kill' as const), node }) },
)
/** What stands in one list is done at the same time. */
const history = fc.array(fc.array(op, { minLength: 1, maxLength: 6 }), { minLength: 5, maxLength: 10 })

const describeRequest = ({ id, tableNumber, state, asks, seen, level }: ServiceRequest): string =>
  [id, tableNumber, state, asks, seen, level].join(' ')

const storedRequests = (name: string): string => `
  select q.id || ' ' || q.table_number || ' ' || case when q.accepted_at is null then 'waiting' else 'accepted' end
    || ' ' || q.asks || ' ' || q.seen || ' ' || q.level as id
  from service_request q join restaurant r on r.id = q.restaurant_id
  where q.closed_at is null and r.name = '${name}'`

it(`screens show what is stored, whoever returns, signs out or dies meanwhile, on ${engine}`, async () => {
  const database = await freshDatabase()
  const ports = await Promise.all(Array.from({ length: nodes }, freePort))
  const startNode = (port: number) => startServer(database.url, { PORT: `${port}` })
  const servers = new Map<number, ServerProcess>()
  for (const port of ports) servers.set(port, await startNode(port))
  const origin = (number: number) => servers.get(ports[number % nodes] ?? 0)?.url ?? ''
  const stopActing = actAsBrowser()
  const seats = await openSeats(origin(0), database.url, { restaurants, screens: histories * screensAtOnce })
  const sql = await openSql(database.url)
  const opened: PageScreen[] = []
  const restarts = new Map<number, Promise<void>>()

  /** Once the node that was killed is back, if it could not be reached. */
  async function reach<T>(task: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await task()
      } catch (error) {
        if (restarts.size === 0) throw error
        await Promise.all(restarts.values())
      }
    }
  }

  /** The node is back at the same place a moment later. */
  async function kill(port: number): Promise<void> {
    const restart = async () => {
      await servers.get(port)?.kill()
      servers.set(port, await startNode(port))
      restarts.delete(port)
    }
    if (!restarts.has(port)) restarts.set(port, restart())
    await restarts.get(port)
  }

  async function tap(restaurant: number, table: number, node: number): Promise<void> {
    const body = {
      id: randomUUID(),
      restaurantId: restaurantName(restaurant),
      tableNumber: `${table + 1}`,
      serviceType: 'drinks',
    }
    const { status } = await reach(() => post(new URL('/api/service-requests', origin(node)), {}, body))
    expect([200, 201]).toContain(status)
  }

  async function signOut({ origin, cookie }: Seat): Promise<void> {
    const url = new URL('/api/logout', origin)
    const answer = await reach(() => fetch(url, { headers: { cookie }, redirect: 'manual' }))
    expect(answer.status).toBe(302)
  }

  async function perform(screens: PageScreen[], op: Op): Promise<void> {
    const chosen = 'screen' in op ? screens[op.screen] : undefined
    switch (op.op) {
      case 'lose':
        return chosen?.drop()
      case 'return':
        return chosen?.goOnline()
      case 'tap':
        return tap(op.restaurant, op.table, op.node)
      case 'kill':
        return kill(ports[op.node] ?? 0)
      case 'sign out':
        return chosen && signOut(chosen.seat)
      default: {
        const { id } = chosen?.requests[op.which % chosen.requests.length] ?? {}
        // Whoever has signed out meanwhile can do nothing, and a request that is already completed cannot be accepted.
        if (id !== undefined) await chosen?.[op.op](id).catch(() => {})
      }
    }
  }

  async function expectStored(screens: PageScreen[]): Promise<void> {
    for (const each of screens) {
      const stored = () => sql.ids(storedRequests(each.seat.restaurantName))
      // Gives up before the requests call everybody, which would show a screen that it has missed something.
      await expect
        .poll(async () => [each.requests.map(describeRequest).toSorted(), (await stored()).toSorted()])
        .toSatisfy(([shown, rows]) => JSON.stringify(shown) === JSON.stringify(rows))
    }
  }

  try {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const from = opened.length
        const screens = seats
          .slice(from, from + screensAtOnce)
          .map((seat, index) => new PageScreen({ ...seat, origin: origin(index) }))
        opened.push(...screens)
        await Promise.all(screens.map((each) => each.whole()))
        for (const ops of steps) await Promise.all(ops.map((op) => perform(screens, op)))
        const gone = new Set(
          steps.flat().flatMap((op) => (op.op === 'sign out' ? (screens[op.screen] ?? []) : [])),
        )
        const staying = screens.filter((each) => !gone.has(each))
        await Promise.all(staying.map((each) => each.whole()))
        // Before anything else comes, which would do so too.
        await expectStored(staying)
        await expect.poll(() => [...gone].every(({ isSignedOut }) => isSignedOut)).toBe(true)
        const told = [...gone].map(({ traffic }) => traffic.received)
        for (let restaurant = 0; restaurant < restaurants; restaurant++) await tap(restaurant, 0, restaurant)
        await expectStored(staying)
        expect([...gone].map(({ traffic }) => traffic.received)).toEqual(told)
        for (const each of screens) each.close()
      }),
      { numRuns: histories, endOnFailure: true },
    )
    for (const server of servers.values()) expect(server.lines).toEqual([])
  } finally {
    for (const each of opened) each.close()
    stopActing()
    await sql.close()
    await Promise.all([...servers.values()].map((server) => server.stop()))
    await database.drop()
  }
})
