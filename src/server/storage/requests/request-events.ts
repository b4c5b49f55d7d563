import { sql } from 'kysely'
import { defineStatement, isOnly } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'
import type { Schema } from '../schema.ts'
import { isOpen, sameRestaurant } from './requests.ts'

export type RequestEvent = Schema['requestEvent']

/** Fails with a unique violation when an event with the same id is already stored. */
export async function append(db: Db, events: readonly RequestEvent[]): Promise<void> {
  await db.runAll(appendEvent, events)
}

const eventColumns = [
  'restaurantId',
  'id',
  'requestId',
  'at',
  'kind',
  'actorKind',
  'actorId',
  'actorName',
] as const

const eventInput = {
  restaurantId: 'text',
  id: 'text',
  requestId: 'text',
  at: 'bigint',
  kind: 'text',
  actorKind: 'text',
  actorId: 'text',
  actorName: 'text',
} as const

const appendEvent = defineStatement<RequestEvent, Pick<RequestEvent, 'restaurantId' | 'id'>>({
  name: 'append-event',
  input: eventInput,
  match: ['restaurantId', 'id'],
  query: (db) =>
    db
      .insertInto('requestEvent')
      .columns(eventColumns)
      .expression((e) => e.selectFrom('input').select(eventColumns))
      .returning(['restaurantId', 'id']),
})

/** Stores those of the events that are not stored yet and whose requests are open, and returns these. */
export async function appendToOpen(db: Db, events: readonly RequestEvent[]): Promise<RequestEvent[]> {
  const stored = await db.runAll(appendEventToOpen, events)
  return events.filter((_, index) => stored[index]?.length === 1)
}

const appendEventToOpen = defineStatement<RequestEvent, Pick<RequestEvent, 'restaurantId' | 'id'>>({
  name: 'append-event-to-open',
  input: eventInput,
  match: ['restaurantId', 'id'],
  query: (db) =>
    db
      .insertInto('requestEvent')
      .columns(eventColumns)
      .expression((e) =>
        e
          .selectFrom('input')
          .innerJoin('serviceRequest', (j) =>
            j
              .on(isOnly('serviceRequest.id', 'input.requestId'))
              .onRef('serviceRequest.restaurantId', sameRestaurant, 'input.restaurantId'),
          )
          .select(eventColumns.map((column) => `input.${column}` as const))
          .where(isOpen),
      )
      .onConflict((c) => c.columns(['restaurantId', 'id']).doNothing())
      .returning(['restaurantId', 'id']),
})

/** The asks of this guest's device that it has not taken back, by request. A request it asked for is always included. */
export async function listAsksBy(
  db: Db,
  restaurantId: string,
  guestIds: readonly string[],
  requestIds: string[],
): Promise<Map<string, string[]>> {
  const asks = new Map<string, string[]>()
  if (requestIds.length === 0 || guestIds.length === 0) return asks
  const rows = await db
    .selectFrom('requestEvent')
    .select(['requestId', 'id', 'kind'])
    .where('restaurantId', '=', restaurantId)
    .where('requestId', 'in', requestIds)
    .where('kind', 'in', ['created', 'asked', 'taken_back'])
    .where('actorKind', '=', 'guest')
    .where('actorId', 'in', guestIds)
    .execute()
  const takenBack = new Set(rows.filter(({ kind }) => kind === 'taken_back').map(({ id }) => id))
  for (const { requestId, id, kind } of rows) {
    if (kind === 'taken_back') continue
    const left = takenBack.has(takenBackId(id)) ? [] : [id]
    asks.set(requestId, [...(asks.get(requestId) ?? []), ...left])
  }
  return asks
}

export type Ask = Pick<RequestEvent, 'id' | 'at' | 'actorId'>

/** Everybody's asks of a request that were not taken back. */
export async function listAsks(db: Db, restaurantId: string, requestId: string): Promise<Ask[]> {
  const rows = await db
    .selectFrom('requestEvent')
    .select(['id', 'kind', 'at', 'actorId'])
    .where((e) => e.and({ restaurantId, requestId }))
    .where('kind', 'in', ['created', 'asked', 'taken_back'])
    .orderBy('at')
    .orderBy('id')
    .execute()
  const takenBack = new Set(rows.filter(({ kind }) => kind === 'taken_back').map(({ id }) => id))
  return rows
    .filter(({ id, kind }) => kind !== 'taken_back' && !takenBack.has(takenBackId(id)))
    .map(({ id, at, actorId }) => ({ id, at, actorId }))
}

/** Those of the requests that were moved since then, or that others, with one of these asks, were merged into since then. */
export async function listArrivedSince(
  db: Db,
  restaurantId: string,
  { requestIds, askIds }: { requestIds: readonly string[]; askIds: readonly string[] },
  since: number,
): Promise<Set<string>> {
  if (requestIds.length === 0) return new Set()
  const moved = await db
    .selectFrom('requestEvent')
    .select('requestId')
    .where('restaurantId', '=', restaurantId)
    .where('requestId', 'in', requestIds)
    .where('kind', '=', 'moved')
    .where('at', '>=', since)
    .execute()
  const arrived = new Set(moved.map(({ requestId }) => requestId))
  for (const { mergedInto } of await listMergedSince(db, restaurantId, askIds, since)) arrived.add(mergedInto)
  return arrived
}

/** Those of the asks whose request was merged into another one since then, and into which. */
export async function listMergedSince(
  db: Db,
  restaurantId: string,
  askIds: readonly string[],
  since: number,
): Promise<{ id: string; mergedInto: string }[]> {
  if (askIds.length === 0) return []
  return db
    .selectFrom('requestEvent as ask')
    .innerJoin('serviceRequest as given', (j) =>
      j.onRef('given.restaurantId', '=', 'ask.restaurantId').onRef('given.id', '=', 'ask.requestId'),
    )
    .select(['ask.id', 'given.mergedInto'])
    .where('ask.restaurantId', '=', restaurantId)
    .where('ask.id', 'in', askIds)
    .where('given.closedAt', '>=', since)
    .where('given.mergedInto', 'is not', null)
    .$narrowType<{ mergedInto: string }>()
    .execute()
}

/** When the request last came to another table. */
export async function findLastMove(db: Db, restaurantId: string, requestId: string): Promise<number | null> {
  const row = await db
    .selectFrom('requestEvent')
    .select((e) => e.fn.max('at').as('at'))
    .where((e) => e.and({ restaurantId, requestId, kind: 'moved' }))
    .executeTakeFirst()
  return row?.at ?? null
}

/** Whether somebody released the request, or undid its completion, since then. */
export async function wasTakenBack(
  db: Db,
  restaurantId: string,
  requestId: string,
  since: number,
): Promise<boolean> {
  const event = await db
    .selectFrom('requestEvent')
    .select('id')
    .where((e) => e.and({ restaurantId, requestId }))
    .where('kind', 'in', ['released', 'reopened'])
    .where('at', '>', since)
    .limit(1)
    .executeTakeFirst()
  return event !== undefined
}

const takenBackPrefix = 'back:'
export const takenBackId = (askId: string): string => takenBackPrefix + askId

export const movedAskId = (moveId: string, askId: string): string => `moved:${moveId}:${askId}`

/** The ask that one of a merged request repeats; null for every other one. */
export const repeatedAskId = (askId: string): string | null => /^moved:[^:]*:(.*)$/su.exec(askId)?.[1] ?? null

/** Instead of a move's id, for an ask that is taken out of its request for another one: that happens only once. */
export const givenAway = ''

/** Asks that were taken out of the request for another one, by their ids there, the last first. */
export async function listGivenAway(
  db: Db,
  restaurantId: string,
  requestId: string,
): Promise<Pick<RequestEvent, 'id' | 'requestId' | 'actorId'>[]> {
  const askId = sql<string>`substr(${sql.ref('back.id')}, ${sql.lit(takenBackPrefix.length + 1)})`
  const givenId = sql<string>`${sql.lit(movedAskId(givenAway, ''))} || ${askId}`
  const given = await db
    .selectFrom('requestEvent as back')
    .innerJoin('requestEvent as given', (j) =>
      j.onRef('given.restaurantId', '=', 'back.restaurantId').on((e) => e('given.id', '=', givenId)),
    )
    .select(['given.id', 'given.requestId', 'given.actorId'])
    .where('back.restaurantId', '=', restaurantId)
    .where('back.requestId', '=', requestId)
    .where('back.kind', '=', 'taken_back')
    .execute()
  // What has come back to the request and was given away again has the longer id.
  return given.toSorted((a, b) => b.id.length - a.id.length)
}
