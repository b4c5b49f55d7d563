import { CompiledQuery } from 'kysely'
import { defineStatement } from '../../src/server/storage/engine/statement.ts'
import type { Db } from '../../src/server/storage/engine/types.ts'
import type { Schema } from '../../src/server/storage/schema.ts'
import type { Restaurant } from '../restaurant.ts'
import { type Move, readMoves } from '../seats.ts'

/** What is stored after a step, read from the tables themselves. */
export type Evidence = {
  restaurant: Restaurant
  now: number
  requests: Schema['serviceRequest'][]
  events: Schema['requestEvent'][]
  /** The last number of the staff's stream. */
  lastSeq: number
  /** The events of a request, in the order of their times. */
  eventsOf: (requestId: string) => readonly Schema['requestEvent'][]
  /** The pushes that wait to be sent, or sent again. */
  unsent: Schema['pushDelivery'][]
  /** Of parties; none where no party moves. */
  moves: readonly Move[]
  /** Whether a node may not have found yet what it was not told. */
  mayBeBehind: boolean
}

/** `about`: the id of the tap or request, or else the name of the screen or device, of which a promise does not hold. */
export type Breach = { about: string; problem: string }

/** Finds each breach of one promise; nothing where it holds. */
export type Checker = (evidence: Evidence) => Breach[] | Promise<Breach[]>

/** A node that was told nothing compares its streams with the rows this often, and needs a moment for it. */
export const foundMs = 6_000

export async function readEvidence(restaurant: Restaurant): Promise<Evidence> {
  const { server, time } = restaurant.world
  const rows = await readRows(restaurant)
  const { events, lastSeq } = rows
  if (lastSeq !== restaurant.stream.lastSeq) restaurant.stream = { lastSeq, since: time.now() }
  const changedAt = Math.max(restaurant.stream.since, ...events.map(({ at }) => at))
  const isRecent = (at: number) => time.now() - at < foundMs
  return {
    ...rows,
    restaurant,
    now: time.now(),
    mayBeBehind: isRecent(server.troubledAt) && isRecent(changedAt),
  }
}

type OfRestaurant = { restaurantId: string }

const inRestaurant = { input: { restaurantId: 'text' }, match: 'n' } as const

const selectRequests = defineStatement<OfRestaurant, Schema['serviceRequest'] & { n: number }>({
  ...inRestaurant,
  name: 'all-requests',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('serviceRequest as r', 'r.restaurantId', 'input.restaurantId')
      .select('input.n')
      .selectAll('r'),
})

const selectEvents = defineStatement<OfRestaurant, Schema['requestEvent'] & { n: number }>({
  ...inRestaurant,
  name: 'all-events',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('requestEvent as e', 'e.restaurantId', 'input.restaurantId')
      .select('input.n')
      .selectAll('e')
      .orderBy('at'),
})

const selectStream = defineStatement<OfRestaurant, { lastSeq: number; n: number }>({
  ...inRestaurant,
  name: 'staff-stream',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('liveStream as s', 's.restaurantId', 'input.restaurantId')
      .where('s.name', '=', 'staff')
      .select(['input.n', 's.lastSeq']),
})

const selectUnsent = defineStatement<OfRestaurant, Schema['pushDelivery'] & { n: number }>({
  ...inRestaurant,
  name: 'unsent-pushes',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('pushDelivery as p', 'p.restaurantId', 'input.restaurantId')
      .where('p.nextAt', 'is not', null)
      .select('input.n')
      .selectAll('p'),
})

type Rows = Pick<Evidence, 'requests' | 'events' | 'eventsOf' | 'lastSeq' | 'unsent' | 'moves'>

const dataVersion = CompiledQuery.raw('pragma data_version')

/** What was read last, through which connection, and which version of the file that was. */
const lastRead = new WeakMap<Restaurant, { db: Db; version: number; rows: Rows }>()

/** Reads the tables again only if anything was written to the file since. */
async function readRows(restaurant: Restaurant): Promise<Rows> {
  const db = restaurant.world.server.app.ctx.db.reader
  // SQLite changes it when another connection commits, and this one only reads.
  const { rows: versions } = await db.executeQuery<{ dataVersion: number }>(dataVersion)
  const version = versions[0]?.dataVersion ?? Number.NaN
  const last = lastRead.get(restaurant)
  if (last?.db === db && last.version === version) return last.rows
  const { id: restaurantId } = restaurant
  const requests = await db.run(selectRequests, { restaurantId })
  const events = await db.run(selectEvents, { restaurantId })
  const [stream] = await db.run(selectStream, { restaurantId })
  const unsent = await db.run(selectUnsent, { restaurantId })
  const byRequest = Map.groupBy(events, ({ requestId }) => requestId)
  const eventsOf = (requestId: string) => byRequest.get(requestId) ?? []
  const moves = restaurant.moves ? await readMoves(restaurant) : []
  const rows = { requests, events, eventsOf, lastSeq: stream?.lastSeq ?? 0, unsent, moves }
  lastRead.set(restaurant, { db, version, rows })
  return rows
}
