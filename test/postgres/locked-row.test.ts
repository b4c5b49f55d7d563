import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { anonymousActor } from '../../src/server/core/actor.ts'
import * as crewRequests from '../../src/server/core/requests/crew-requests.ts'
import * as requests from '../../src/server/core/requests/requests.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { freshDatabase } from '../support/database.ts'
import { deviceActor } from '../support/restaurants/device-actor.ts'

/** Half as long as a statement waits for a row that another transaction holds. */
const soonMs = 5_000
const tables = Array.from({ length: 9 }, (_, index) => `${index + 1}`)

async function start() {
  const { url, drop } = await freshDatabase()
  onTestFinished(drop)
  const app = await startTestApp({ databaseUrl: url, guestLimits: false })
  onTestFinished(() => app.stop())
  const holder = new Client(url)
  await holder.connect()
  onTestFinished(() => holder.end())
  /** The numbers of all restaurants in which something has happened to a request. */
  const holdStreams = async () => {
    await holder.query('begin')
    const { rowCount } = await holder.query(
      `select 1 from live_stream where restaurant_id in (select restaurant_id from service_request) for update`,
    )
    expect(rowCount).toBeGreaterThan(0)
  }
  const findWaiting = async () => {
    const { rowCount } = await holder.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rowCount
  }
  return { app, holdStreams, findWaiting, release: () => holder.query('commit') }
}

async function tap(app: TestApp, restaurantId: string, tableNumber: string): Promise<void> {
  const body = { id: randomUUID(), restaurantId, tableNumber, serviceType: 'check' } as const
  await app.browser().ok(api.requests.send, { body })
}

async function openRestaurants(app: TestApp, count: number): Promise<string[]> {
  const names: string[] = []
  while (names.length < count) names.push((await app.restaurant({ tables })).name)
  return names
}

/** How long each tap took, fastest first. */
async function timeTaps(
  app: TestApp,
  restaurants: readonly string[],
  rounds: number,
  meanwhile = () => {},
): Promise<number[]> {
  const durations: number[] = []
  for (let round = 0; round < rounds; round++) {
    meanwhile()
    await Promise.all(
      restaurants.map(async (name) => {
        const since = performance.now()
        await tap(app, name, tables[round % tables.length] ?? '1')
        durations.push(performance.now() - since)
      }),
    )
  }
  return durations.toSorted((a, b) => a - b)
}

it('stalls only its own restaurant when somebody holds a row of it', async () => {
  const { app, holdStreams, release } = await start()
  const [stalled = '', ...others] = await openRestaurants(app, 11)
  await tap(app, stalled, '1')
  await holdStreams()

  const waiting = tables.map((table) => tap(app, stalled, table))
  // These share a transaction with those that wait, and begin again after 400 ms.
  const first = await timeTaps(app, others, 1)
  expect(first.at(-1)).toBeLessThan(soonMs)
  const durations = await timeTaps(app, others, 20, () => void waiting.push(tap(app, stalled, '1')))
  expect(durations[Math.floor(durations.length * 0.99)]).toBeLessThan(1_000)
  const stored = await app.ctx.db.reader.selectFrom('serviceRequest').select('restaurantId').execute()
  expect(stored.length).toBe(1 + others.length * tables.length)

  await release()
  await Promise.all(waiting)
})

it('leaves the others a connection, whatever guests and crew do where somebody holds a row', async () => {
  const { app, holdStreams, findWaiting, release } = await start()
  const [first = '', second = '', ...others] = await openRestaurants(app, 4)
  const stalled = await Promise.all(
    [first, second].map(async (name) => {
      const crew = deviceActor(await app.idOf({ name }), `screen of ${name}`)
      const send = (index: number) =>
        requests.send(app.ctx, anonymousActor('local', `guest ${index} of ${name}`), {
          id: randomUUID(),
          restaurantId: name,
          tableNumber: tables[index] ?? '1',
          serviceType: 'check',
        })
      const sent = await Promise.all(Array.from({ length: 8 }, (_, index) => send(index)))
      return { name, crew, send, ids: sent.map(({ request }) => request.id) }
    }),
  )
  await holdStreams()

  const waiting = stalled.flatMap(({ name, crew, send, ids }) => [
    ...ids
      .slice(0, 4)
      .map((id, index) =>
        requests.cancel(app.ctx, anonymousActor('local', `guest ${index} of ${name}`), { id }),
      ),
    ...ids.slice(4, 6).map((id) => crewRequests.accept(app.ctx, crew, { id })),
    crewRequests.complete(app.ctx, crew, { id: ids[6] ?? '' }),
    crewRequests.markSeen(app.ctx, crew, { ids: ids.slice(7) }),
    send(8),
  ])
  await expect.poll(findWaiting).toBeGreaterThan(0)
  const durations = await timeTaps(app, others, 20)
  expect(durations.at(-1)).toBeLessThan(soonMs)

  await release()
  await Promise.all(waiting)
})
