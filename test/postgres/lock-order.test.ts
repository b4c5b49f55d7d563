import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { serviceTypes } from '#contract/requests/requests.ts'
import { type Actor, anonymousActor } from '../../src/server/core/actor.ts'
import * as shift from '../../src/server/core/crew/shift.ts'
import { Refusal } from '../../src/server/core/errors.ts'
import * as crewRequests from '../../src/server/core/requests/crew-requests.ts'
import * as partyMoves from '../../src/server/core/requests/moves/party-moves.ts'
import * as requests from '../../src/server/core/requests/requests.ts'
import { storeSightings } from '../../src/server/core/requests/sightings.ts'
import { Gatherer } from '../../src/server/core/tasks/gatherer.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { startPostgres } from '../support/postgres/postgres-cluster.ts'
import { deviceActor } from '../support/restaurants/device-actor.ts'

const tables = ['1', '2', '3', '4', '5', '6']
const rounds = 20

/** One that another node stores between two steps may lead to one; without a common order there are more than fifty. */
const fewCircles = 3

it('hardly ever waits in a circle, whatever two nodes do to the same requests at once', async () => {
  // Short, so that PostgreSQL finds a circle before a group gives up.
  const server = await startPostgres({ settings: { deadlock_timeout: '5ms' } })
  const start = async (): Promise<TestApp> => {
    const app = await startTestApp({ databaseUrl: server.url, guestLimits: false })
    app.ctx.sightings = new Gatherer(0, (...sightings) => storeSightings(app.ctx, ...sightings))
    return app
  }
  const nodes = [await start(), await start()]
  const [a] = nodes
  if (!a) throw new Error('No node')
  const restaurants = await Promise.all(
    ['Anchor', 'Beacon'].map(async (name) => {
      const { owner } = await a.restaurant({ name, tables })
      const member = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
      const id = await a.idOf({ name })
      const crew: Actor = { ...deviceActor(id), crewMember: member }
      return { name, id, crew }
    }),
  )

  const errors: unknown[] = []
  const attempt = async (work: Promise<unknown>): Promise<void> => {
    await work.catch((error: unknown) => {
      if (!(error instanceof Refusal)) errors.push(error)
    })
  }
  const tap = ({ ctx }: TestApp, restaurantId: string, tableNumber: string, index: number) =>
    requests.send(ctx, anonymousActor('local', `guest-${index}`), {
      id: randomUUID(),
      restaurantId,
      tableNumber,
      serviceType: serviceTypes[index % serviceTypes.length] ?? 'general',
    })

  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      restaurants.flatMap(({ name }) => tables.map((table, index) => attempt(tap(a, name, table, index)))),
    )
    const open = await a.ctx.db.reader
      .selectFrom('serviceRequest')
      .select(['id', 'restaurantId'])
      .where('closedAt', 'is', null)
      .execute()
    const everything = nodes.flatMap((node, turn) => {
      const { ctx } = node
      // Each node in another order, and what one closes the other one adds to.
      const inTurn = <T>(list: T[]): T[] => (turn === 0 ? list : list.toReversed())
      return inTurn(restaurants).flatMap(({ name, id: restaurantId, crew }) => {
        const ids = open.filter((row) => row.restaurantId === restaurantId).map(({ id }) => id)
        const [from = '1', to = '2'] = inTurn([tables[round % 6] ?? '1', tables[(round + 1) % 6] ?? '2'])
        return [
          ...inTurn(ids).flatMap((id, index) => [
            index % 3 === turn && (() => crewRequests.complete(ctx, crew, { id })),
            index % 2 === turn && (() => crewRequests.accept(ctx, crew, { id })),
          ]),
          ...inTurn(tables).map((table, index) => () => tap(node, name, table, turn ? 5 - index : index)),
          () =>
            crewRequests.markSeen(ctx, { ...crew, sessionId: `s-${turn}-${round}` }, { ids: inTurn(ids) }),
          () => shift.handOverRequests(ctx, crew, { toId: null }),
          () => partyMoves.moveParty(ctx, crew, { id: randomUUID(), from, to }),
        ]
      })
    })
    await Promise.all(everything.flatMap((work) => (work ? attempt(work()) : [])))
  }
  expect(errors).toEqual([])

  // What a connection has counted is told when it ends.
  await Promise.all(nodes.map((node) => node.stop()))
  const client = new Client(server.url)
  await client.connect()
  const { rows } = await client.query<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  )
  await client.end()
  expect(rows[0]?.deadlocks).toBeLessThan(fewCircles)
})
