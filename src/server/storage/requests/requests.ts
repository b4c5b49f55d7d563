import { sql } from 'kysely'
import { nameKey } from '#contract/primitives.ts'
import type { ClosedRequest, PastRequest, ServiceRequest } from '#contract/requests/requests.ts'
import { defineStatement, isOnly } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'
import { findStepEnd, hasRow, type Step } from '../rows.ts'
import type { Schema } from '../schema.ts'
import { toAskedNeed } from './asked-need.ts'
import { addNote } from './request-notes.ts'

export type RequestRow = Schema['serviceRequest']

/** The number of the table that it is wanted at. */
export const presentTable = ({ movedTo, tableNumber }: RequestRow): string => movedTo ?? tableNumber

/** The request as defined by the contract. Guests get less: see `toGuestRequest`. */
export function toRequest(row: RequestRow): ServiceRequest {
  return {
    id: row.id,
    tableNumber: presentTable(row),
    ...(row.movedTo !== null && { movedFrom: row.tableNumber }),
    ...toAskedNeed(row),
    ...(row.note !== null && { note: row.note }),
    timestamp: row.createdAt,
    state: row.acceptedAt === null ? 'waiting' : 'accepted',
    asks: row.asks,
    acceptedBy: row.acceptedAt === null ? null : { id: row.acceptedBy, name: row.acceptedByName ?? 'Crew' },
    ...(row.acceptedAt !== null && { acceptedAt: row.acceptedAt }),
    seen: row.seen,
    crew: row.crew === '' ? [] : row.crew.split(' '),
    ...(row.acceptedAt === null && row.called !== '' && { called: row.called.split(' ') }),
    level: row.level === 0 ? 0 : row.level === 1 ? 1 : 2,
    verified: row.verified === 1,
    ...(row.byButton === 1 && { byButton: true }),
    ...(row.expectedUntilMs !== null && {
      expected: { fromMs: row.expectedFromMs ?? 0, untilMs: row.expectedUntilMs },
    }),
    ...(row.stillWaiting > 0 && { stillWaiting: row.stillWaiting, stillWaitingAt: unansweredSince(row) }),
  }
}

export const unansweredSince = ({ stillWaitingAt, acceptedAt }: RequestRow): number | null =>
  stillWaitingAt !== null && acceptedAt !== null && acceptedAt > stillWaitingAt ? null : stillWaitingAt

type NewRequest = Pick<
  RequestRow,
  | 'id'
  | 'tableId'
  | 'tableNumber'
  | 'tableKey'
  | 'serviceType'
  | 'need'
  | 'choice'
  | 'note'
  | 'createdAt'
  | 'localDay'
  | 'verified'
  | 'byButton'
  | 'crew'
  | 'called'
  | 'level'
  | 'nextLevelAt'
  | 'expectedFromMs'
  | 'expectedUntilMs'
> & {
  /** The open request that it is to be added to, as far as is known. */
  openRequestId: string | null
}

const givenColumns = [
  'restaurantId',
  'id',
  'tableId',
  'tableNumber',
  'tableKey',
  'serviceType',
  'need',
  'choice',
  'note',
  'createdAt',
  'localDay',
  'verified',
  'byButton',
  'crew',
  'called',
  'level',
  'nextLevelAt',
  'expectedFromMs',
  'expectedUntilMs',
] as const

export const requestColumns = [
  'serviceRequest.restaurantId',
  'serviceRequest.id',
  'serviceRequest.tableId',
  'serviceRequest.tableNumber',
  'serviceRequest.tableKey',
  'serviceRequest.movedTo',
  'serviceRequest.serviceType',
  'serviceRequest.need',
  'serviceRequest.choice',
  'serviceRequest.note',
  'serviceRequest.noteAt',
  'serviceRequest.createdAt',
  'serviceRequest.localDay',
  'serviceRequest.asks',
  'serviceRequest.lastAskedAt',
  'serviceRequest.seen',
  'serviceRequest.seenAt',
  'serviceRequest.level',
  'serviceRequest.nextLevelAt',
  'serviceRequest.verified',
  'serviceRequest.byButton',
  'serviceRequest.crew',
  'serviceRequest.called',
  'serviceRequest.acceptedAt',
  'serviceRequest.acceptedBy',
  'serviceRequest.acceptedByName',
  'serviceRequest.acceptUntil',
  'serviceRequest.answeredAt',
  'serviceRequest.answeredBy',
  'serviceRequest.closedAt',
  'serviceRequest.closedAs',
  'serviceRequest.closedBy',
  'serviceRequest.closedByName',
  'serviceRequest.mergedInto',
  'serviceRequest.pushedLevel',
  'serviceRequest.stillWaiting',
  'serviceRequest.stillWaitingAt',
  'serviceRequest.expectedFromMs',
  'serviceRequest.expectedUntilMs',
] as const

/**
 * How a request that is named by its id is compared, so that PostgreSQL can only look it up by the id. It plans before the
 * tables are full, when any index that begins with the restaurant, or holds the open requests alone, looks as good.
 */
export const sameRestaurant = 'is not distinct from'
export const isOpen = sql<boolean>`coalesce(service_request.closed_at, 0) = 0`

/** Which requests the inputs of a statement name. */
export const isNamed = sql<boolean>`${isOnly('serviceRequest.id', 'input.id')} and service_request.restaurant_id ${sql.raw(sameRestaurant)} input.restaurant_id`

/** Changes nothing. */
export const lockRequest = defineStatement<Pick<RequestRow, 'restaurantId' | 'id'>, RequestRow>({
  name: 'lock-request',
  input: { restaurantId: 'text', id: 'text' },
  match: ['restaurantId', 'id'],
  query: (db) =>
    db
      .updateTable('serviceRequest')
      .from('input')
      .set((e) => ({ asks: e.ref('serviceRequest.asks') }))
      .where(isNamed)
      .where(isOpen)
      .returning(requestColumns),
})

/**
 * A table has at most one open request for each need: asking again is added to it, with the latest choice and all notes.
 * Whoever has not scanned the code changes no choice of a request for which it was scanned. The row that comes back has another id than the given one when they were merged.
 */
export async function insertOrMerge(db: Db, restaurantId: string, request: NewRequest): Promise<RequestRow> {
  const row = await tryInsertOrMerge(db, restaurantId, request)
  if (row) return row
  const open = await selectOpen(db, restaurantId)
    .select('id')
    .where('tableKey', '=', request.tableKey)
    .where('serviceType', '=', request.serviceType)
    .executeTakeFirst()
  return insertOrMerge(db, restaurantId, { ...request, openRequestId: open?.id ?? null })
}

/**
 * Undefined when another request is open there than is known: to wait for one that was not locked with the others, in the
 * order of all, might be to wait in a circle.
 */
export async function tryInsertOrMerge(
  db: Db,
  restaurantId: string,
  request: NewRequest,
): Promise<RequestRow | undefined> {
  const [row] = await db.run(insertOrMergeRequest, { ...request, restaurantId })
  return row
}

const insertOrMergeRequest = defineStatement<NewRequest & { restaurantId: string }, RequestRow>({
  name: 'insert-or-merge-request',
  input: {
    restaurantId: 'text',
    id: 'text',
    tableId: 'text',
    tableNumber: 'text',
    tableKey: 'text',
    serviceType: 'text',
    need: 'text',
    choice: 'text',
    note: 'text',
    createdAt: 'bigint',
    localDay: 'text',
    verified: 'integer',
    byButton: 'integer',
    crew: 'text',
    called: 'text',
    level: 'integer',
    nextLevelAt: 'bigint',
    expectedFromMs: 'integer',
    expectedUntilMs: 'integer',
    openRequestId: 'text',
  },
  match: ['restaurantId', 'tableKey', 'serviceType'],
  locks: { with: lockRequest, row: { restaurantId: 'restaurantId', id: 'openRequestId' } },
  query: (db) =>
    db
      .insertInto('serviceRequest')
      .columns([...givenColumns, 'lastAskedAt', 'asks', 'seen', 'pushedLevel', 'stillWaiting', 'noteAt'])
      .expression((e) =>
        e
          .selectFrom('input')
          .select(givenColumns)
          .select((e) => [
            'createdAt as lastAskedAt',
            e.lit(1).as('asks'),
            e.lit(0).as('seen'),
            sql<number>`-1`.as('pushedLevel'),
            e.lit(0).as('stillWaiting'),
            e.case().when('note', 'is not', null).then(e.ref('createdAt')).end().as('noteAt'),
          ])
          .where((e) => {
            const open = e
              .selectFrom('serviceRequest as other')
              .select('other.id')
              .where(isOnly('other.restaurantId', 'input.restaurantId'))
              .whereRef('other.tableKey', '=', 'input.tableKey')
              .whereRef('other.serviceType', '=', 'input.serviceType')
              .where('other.closedAt', 'is', null)
            const known = e.fn.coalesce('input.openRequestId', e.val(''))
            return e(e.fn.coalesce(open, known), '=', known)
          }),
      )
      .onConflict((c) =>
        c
          .columns(['restaurantId', 'tableKey', 'serviceType'])
          .where('closedAt', 'is', null)
          .doUpdateSet((e) => ({
            asks: e('serviceRequest.asks', '+', e.lit(1)),
            lastAskedAt: e.ref('excluded.lastAskedAt'),
            need: e.ref('excluded.need'),
            choice: e
              .case()
              .when('excluded.verified', '<', e.ref('serviceRequest.verified'))
              .then(e.fn.coalesce('serviceRequest.choice', 'excluded.choice'))
              .else(e.fn.coalesce('excluded.choice', 'serviceRequest.choice'))
              .end(),
            note: addNote(
              { note: sql.ref('serviceRequest.note'), verified: sql.ref('serviceRequest.verified') },
              { note: sql.ref('excluded.note'), verified: sql.ref('excluded.verified') },
            ),
            noteAt: e.fn.coalesce('serviceRequest.noteAt', 'excluded.noteAt'),
            verified: e
              .case()
              .when('excluded.verified', '=', e.lit(1))
              .then(e.lit(1))
              .else(e.ref('serviceRequest.verified'))
              .end(),
          })),
      )
      .returning(requestColumns),
})

/** Closed ones, with all that became of them. */
export async function insertPast(db: Db, rows: RequestRow[]): Promise<void> {
  await db.insertInto('serviceRequest').values(rows).execute()
}

export async function find(db: Db, restaurantId: string, id: string): Promise<RequestRow | undefined> {
  const [row] = await db.run(findRequest, { restaurantId, id })
  return row
}

/** The request itself, or the one that it was merged into. */
export async function findCurrent(db: Db, restaurantId: string, id: string): Promise<RequestRow | undefined> {
  const row = await find(db, restaurantId, id)
  return row && row.mergedInto !== null ? findCurrent(db, restaurantId, row.mergedInto) : row
}

const findRequest = defineStatement<Pick<RequestRow, 'restaurantId' | 'id'>, RequestRow & { n: number }>({
  name: 'find-request',
  input: { restaurantId: 'text', id: 'text' },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('serviceRequest', (j) =>
        j
          .on(isOnly('serviceRequest.id', 'input.id'))
          .onRef('serviceRequest.restaurantId', sameRestaurant, 'input.restaurantId'),
      )
      .select('input.n')
      .select(requestColumns),
})

/** Whether the table has an open request for the same need. */
export const isAlreadyOpen = (
  db: Db,
  restaurantId: string,
  { tableKey, serviceType }: Pick<RequestRow, 'tableKey' | 'serviceType'>,
): Promise<boolean> =>
  hasRow(
    selectOpen(db, restaurantId)
      .select('id')
      .where('tableKey', '=', tableKey)
      .where('serviceType', '=', serviceType),
  )

export const hasOpen = (db: Db, restaurantId: string): Promise<boolean> =>
  hasRow(selectOpen(db, restaurantId).select('id').limit(1))

/** Which of these restaurants have open requests. */
export async function listWithOpen(db: Db, restaurantIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('serviceRequest')
    .select('restaurantId')
    .distinct()
    .where('restaurantId', 'in', [...restaurantIds])
    .where('closedAt', 'is', null)
    .execute()
  return rows.map(({ restaurantId }) => restaurantId)
}

/** All restaurants that have open requests. */
export async function listAllWithOpen(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('serviceRequest')
    .select('restaurantId')
    .distinct()
    .where('closedAt', 'is', null)
    .execute()
  return rows.map(({ restaurantId }) => restaurantId)
}

const selectOpen = (db: Db, restaurantId: string) =>
  db.selectFrom('serviceRequest').where('restaurantId', '=', restaurantId).where('closedAt', 'is', null)

/** Oldest first. */
export async function listOpen(db: Db, restaurantId: string, tableKey?: string): Promise<RequestRow[]> {
  const open = selectOpen(db, restaurantId).selectAll().orderBy('createdAt').orderBy('id')
  return (tableKey === undefined ? open : open.where('tableKey', '=', tableKey)).execute()
}

/** What was wanted at the table and completed at `since` or later. */
export const listCompleted = (
  db: Db,
  restaurantId: string,
  tableKey: string,
  since: number,
): Promise<RequestRow[]> =>
  db
    .selectFrom('serviceRequest')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('closedAt', '>=', since)
    .where('tableKey', '=', tableKey)
    .where('closedAs', '=', 'completed')
    .orderBy('id')
    .execute()

/** What was asked for since then at a table, or by parties that have moved there, latest first. */
export async function listOfTable(
  db: Db,
  restaurantId: string,
  tableKey: string,
  since: number,
): Promise<PastRequest[]> {
  const rows = await db
    .selectFrom('serviceRequest')
    .select([
      'id',
      'serviceType',
      'need',
      'choice',
      'createdAt',
      'asks',
      'answeredAt',
      'closedAt',
      'closedAs',
    ])
    .select(['tableKey', 'tableNumber', 'movedTo'])
    .where('restaurantId', '=', restaurantId)
    .where((e) => e.or([e('tableKey', '=', tableKey), e('movedTo', 'is not', null)]))
    .where((e) => e.or([e('closedAs', 'is distinct from', 'merged'), e('movedTo', 'is not', null)]))
    .where('createdAt', '>=', since)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(200)
    .execute()
  return rows.flatMap((row) => {
    const { id, asks, createdAt, answeredAt, closedAt, closedAs, tableNumber, movedTo } = row
    const isAskedHere = movedTo === null || nameKey(tableNumber) === tableKey
    if (!isAskedHere && row.tableKey !== tableKey) return []
    return {
      id,
      ...toAskedNeed(row),
      asks,
      timestamp: createdAt,
      answeredAt,
      closedAt,
      ...(closedAs === 'cancelled' && { cancelled: true }),
      ...(movedTo !== null && (isAskedHere ? { movedTo } : { movedFrom: tableNumber })),
    }
  })
}

/**
 * The last requests that were completed, or cancelled while somebody was on the way, latest first: `limits.always` of
 * them, and up to `limits.most` that were closed after `limits.since`.
 */
export async function listRecentlyClosed(
  db: Db,
  restaurantId: string,
  limits: { always: number; most: number; since: number },
): Promise<ClosedRequest[]> {
  const rows = await db
    .selectFrom('serviceRequest')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where((e) =>
      e.or([
        e('closedAs', '=', 'completed'),
        e.and([e('closedAs', '=', 'cancelled'), e('acceptedAt', 'is not', null)]),
      ]),
    )
    .where('closedAt', 'is not', null)
    .orderBy('closedAt', 'desc')
    .limit(limits.most)
    .execute()
  const recent = rows.filter(({ closedAt }, index) => index < limits.always || (closedAt ?? 0) > limits.since)
  return recent.map((row) => ({
    request: toRequest(row),
    closedAt: row.closedAt ?? 0,
    ...(row.closedAs === 'cancelled'
      ? { by: null, cancelled: true }
      : { by: { id: row.closedBy, name: row.closedByName ?? 'Crew' } }),
  }))
}

/**
 * Where this guest's device asked for the request, last if there are several. A guest's call names no restaurant, and
 * guests choose the ids: others may have used the same one in any number of restaurants.
 */
export async function findRestaurantAsked(
  db: Db,
  guestIds: readonly string[],
  requestId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom((from) =>
      from
        .selectFrom('serviceRequest as request')
        .select('request.restaurantId')
        // As a join, PostgreSQL would read all events while it takes the tables for empty.
        .select((e) =>
          e
            .selectFrom('requestEvent as event')
            .select('event.at')
            .whereRef('event.restaurantId', '=', 'request.restaurantId')
            .whereRef('event.requestId', '=', 'request.id')
            .where('event.actorKind', '=', 'guest')
            .where('event.actorId', 'in', guestIds)
            .where('event.kind', 'in', ['created', 'asked'])
            .orderBy('event.at', 'desc')
            .limit(1)
            .as('askedAt'),
        )
        .where('request.id', '=', requestId)
        .as('found'),
    )
    .select('found.restaurantId')
    .where('found.askedAt', 'is not', null)
    .orderBy('found.askedAt', 'desc')
    .orderBy('found.restaurantId')
    .limit(1)
    .executeTakeFirst()
  return row?.restaurantId
}

export async function existsInAnyRestaurant(db: Db, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('serviceRequest')
    .select('id')
    .where('id', '=', id)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function eraseNotes(db: Db, step: Step): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('serviceRequest')
    .set({ note: null, noteAt: null })
    .where('noteAt', '<=', await findStepEnd(db, 'serviceRequest', 'noteAt', step))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
