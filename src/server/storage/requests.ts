import type { ClosedRequest, ServiceRequest } from '#contract/requests.ts'
import { sql } from 'kysely'
import { defineStatement } from './engine/statement.ts'
import type { Db } from './engine/types.ts'
import { hasRow } from './rows.ts'
import type { Schema } from './schema.ts'

export type RequestRow = Schema['serviceRequest']

/** The request as defined by the contract. Guests get less: see `toGuestRequest`. */
export function toRequest(row: RequestRow): ServiceRequest {
  return {
    id: row.id,
    tableNumber: row.tableNumber,
    serviceType: row.serviceType,
    timestamp: row.createdAt,
    state: row.acceptedAt === null ? 'waiting' : 'accepted',
    asks: row.asks,
    acceptedBy: row.acceptedAt === null ? null : { id: row.acceptedBy, name: row.acceptedByName ?? 'Crew' },
    seen: row.seen,
    crew: row.crew === '' ? [] : row.crew.split(' '),
    level: row.level === 0 ? 0 : row.level === 1 ? 1 : 2,
    verified: row.verified === 1,
    ...(row.stillWaiting > 0 && { stillWaiting: row.stillWaiting, stillWaitingAt: unansweredSince(row) }),
  }
}

const unansweredSince = ({ stillWaitingAt, acceptedAt }: RequestRow): number | null =>
  stillWaitingAt !== null && acceptedAt !== null && acceptedAt > stillWaitingAt ? null : stillWaitingAt

type NewRequest = Pick<
  RequestRow,
  | 'id'
  | 'tableId'
  | 'tableNumber'
  | 'tableKey'
  | 'serviceType'
  | 'createdAt'
  | 'localDay'
  | 'verified'
  | 'crew'
  | 'level'
  | 'nextLevelAt'
>

const givenColumns = [
  'restaurantId',
  'id',
  'tableId',
  'tableNumber',
  'tableKey',
  'serviceType',
  'createdAt',
  'localDay',
  'verified',
  'crew',
  'level',
  'nextLevelAt',
] as const

const requestColumns = [
  'serviceRequest.restaurantId',
  'serviceRequest.id',
  'serviceRequest.tableId',
  'serviceRequest.tableNumber',
  'serviceRequest.tableKey',
  'serviceRequest.serviceType',
  'serviceRequest.createdAt',
  'serviceRequest.localDay',
  'serviceRequest.asks',
  'serviceRequest.lastAskedAt',
  'serviceRequest.seen',
  'serviceRequest.seenAt',
  'serviceRequest.level',
  'serviceRequest.nextLevelAt',
  'serviceRequest.verified',
  'serviceRequest.crew',
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
  'serviceRequest.pushedLevel',
  'serviceRequest.stillWaiting',
  'serviceRequest.stillWaitingAt',
] as const

/**
 * A table has at most one open request for each service: asking again is added to it. The row that comes back has
 * another id than the given one when they were merged.
 */
export async function insertOrMerge(db: Db, restaurantId: string, request: NewRequest): Promise<RequestRow> {
  const [row] = await db.run(insertOrMergeRequest, { ...request, restaurantId })
  if (!row) throw new Error('A request was neither stored nor merged')
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
    createdAt: 'bigint',
    localDay: 'text',
    verified: 'integer',
    crew: 'text',
    level: 'integer',
    nextLevelAt: 'bigint',
  },
  match: ['restaurantId', 'tableKey', 'serviceType'],
  query: (db) =>
    db
      .insertInto('serviceRequest')
      .columns([...givenColumns, 'lastAskedAt', 'asks', 'seen', 'pushedLevel', 'stillWaiting'])
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
          ])
          .where(sql.lit(true)),
      )
      .onConflict((c) =>
        c
          .columns(['restaurantId', 'tableKey', 'serviceType'])
          .where('closedAt', 'is', null)
          .doUpdateSet((e) => ({
            asks: e('serviceRequest.asks', '+', e.lit(1)),
            lastAskedAt: e.ref('excluded.lastAskedAt'),
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

export async function find(db: Db, restaurantId: string, id: string): Promise<RequestRow | undefined> {
  const [row] = await db.run(findRequest, { restaurantId, id })
  return row
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
          .onRef('serviceRequest.id', '=', 'input.id')
          .onRef('serviceRequest.restaurantId', sameRestaurant, 'input.restaurantId'),
      )
      .select('input.n')
      .select(requestColumns),
})

/** Whether the table has an open request for the same service. */
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

const selectOpen = (db: Db, restaurantId: string) =>
  db.selectFrom('serviceRequest').where('restaurantId', '=', restaurantId).where('closedAt', 'is', null)

/** Oldest first. */
export async function listOpen(db: Db, restaurantId: string, tableKey?: string): Promise<RequestRow[]> {
  const open = selectOpen(db, restaurantId).selectAll().orderBy('createdAt').orderBy('id')
  return (tableKey === undefined ? open : open.where('tableKey', '=', tableKey)).execute()
}

/** The last requests that were completed, or cancelled while somebody was on the way, latest first. */
export async function listRecentlyClosed(
  db: Db,
  restaurantId: string,
  limit: number,
): Promise<ClosedRequest[]> {
  const rows = await db
    .selectFrom('serviceRequest')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where((e) => e.or([e('closedAs', '=', 'completed'), e('acceptedAt', 'is not', null)]))
    .where('closedAt', 'is not', null)
    .orderBy('closedAt', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    request: toRequest(row),
    closedAt: row.closedAt ?? 0,
    ...(row.closedAs === 'cancelled'
      ? { by: null, cancelled: true }
      : { by: { id: row.closedBy, name: row.closedByName ?? 'Crew' } }),
  }))
}

/** Locks the request until the transaction ends; undefined if it is closed. */
export async function lockOpen(db: Db, restaurantId: string, id: string): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set((e) => ({ asks: e.ref('asks') }))
    .executeTakeFirst()
}

export async function reduceAsks(
  db: Db,
  { restaurantId, id }: RequestRow,
  asks: number,
): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set((e) => ({ asks: e('asks', '-', asks) }))
    .executeTakeFirst()
}

/** Every transition is guarded by its own update instead of a lock: undefined when a condition no longer holds. */
export const updateOpen = (db: Db, restaurantId: string, id: string) =>
  db
    .updateTable('serviceRequest')
    .where('id', '=', id)
    .where('restaurantId', sameRestaurant, restaurantId)
    .where(isOpen)
    .returningAll()

/**
 * How a request that is named by its id is compared, so that PostgreSQL can only look it up by the id. It plans before the
 * tables are full, when any index that begins with the restaurant, or holds the open requests alone, looks as good.
 */
const sameRestaurant = 'is not distinct from'
const isOpen = sql<boolean>`coalesce(service_request.closed_at, 0) = 0`

/** What `pushedLevel` holds instead of a level while somebody is on the way and the guest still waits. */
export const reminderDue = 3
export const reminderSent = 4

type Person = { id: string | null; name: string | null }

export async function accept(
  db: Db,
  restaurantId: string,
  id: string,
  at: number,
  by: Person,
  acceptUntil: number,
): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set((e) => ({
      acceptedAt: at,
      acceptedBy: by.id,
      acceptedByName: by.name,
      acceptUntil,
      nextLevelAt: null,
      // An acceptance that expired was an answer too, so the first one is kept.
      answeredAt: e.fn.coalesce('answeredAt', e.val(at)),
      answeredBy: e.case().when('answeredAt', 'is', null).then(by.id).else(e.ref('answeredBy')).end(),
    }))
    .where('acceptedAt', 'is', null)
    .executeTakeFirst()
}

type EscalationTimes = Pick<RequestRow, 'nextLevelAt' | 'acceptUntil'> & { level?: number }

/** A colleague is on the way instead, and their devices are reminded. The first answer stays attributed as it was. */
export async function handOver(
  db: Db,
  { restaurantId, id, acceptedBy }: RequestRow,
  to: Person,
  at: number,
  acceptUntil: number,
): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set({
      acceptedAt: at,
      acceptedBy: to.id,
      acceptedByName: to.name,
      acceptUntil,
      pushedLevel: reminderDue,
    })
    .where('acceptedBy', '=', acceptedBy)
    .executeTakeFirst()
}

/** Releases an acceptance, which then counts as if the guest had received no answer. */
export async function release(
  db: Db,
  restaurantId: string,
  id: string,
  times: EscalationTimes,
  /** Only while this crew member is on the way. */
  crewMemberId?: string,
): Promise<RequestRow | undefined> {
  const released = updateOpen(db, restaurantId, id)
    .set({ ...clearedAcceptance, answeredAt: null, answeredBy: null, ...times })
    .where('acceptedAt', 'is not', null)
  return (
    crewMemberId === undefined ? released : released.where('acceptedBy', '=', crewMemberId)
  ).executeTakeFirst()
}

/** For an acceptance by somebody who cannot be reached. Their answer still counts. */
export async function withdrawAcceptance(
  db: Db,
  { restaurantId, id, acceptedAt }: RequestRow,
  times: EscalationTimes,
): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set({ ...clearedAcceptance, ...times })
    .where('acceptedAt', '=', acceptedAt)
    .executeTakeFirst()
}

export const clearedAcceptance = { acceptedAt: null, acceptedBy: null, acceptedByName: null, pushedLevel: -1 }

export async function close(
  db: Db,
  restaurantId: string,
  id: string,
  at: number,
  as: 'completed' | 'cancelled',
  by: Person,
): Promise<RequestRow | undefined> {
  const closing = { restaurantId, id, at, as, byId: by.id, byName: by.name }
  const [row] = await db.run(closeRequest, closing)
  return row
}

type Closing = {
  restaurantId: string
  id: string
  at: number
  as: 'completed' | 'cancelled'
  byId: string | null
  byName: string | null
}

const closeRequest = defineStatement<Closing, RequestRow>({
  name: 'close-request',
  input: { restaurantId: 'text', id: 'text', at: 'bigint', as: 'text', byId: 'text', byName: 'text' },
  match: ['restaurantId', 'id'],
  query: (db) =>
    db
      .updateTable('serviceRequest')
      .from('input')
      .set((e) => ({
        closedAt: e.ref('input.at'),
        closedAs: e.ref('input.as'),
        closedBy: e.ref('input.byId'),
        closedByName: e.ref('input.byName'),
        nextLevelAt: null,
        acceptUntil: null,
      }))
      .whereRef('serviceRequest.id', '=', 'input.id')
      .whereRef('serviceRequest.restaurantId', sameRestaurant, 'input.restaurantId')
      .where(isOpen)
      .returning(requestColumns),
})

/** Only a request that was completed at `since` or later. */
export async function reopen(
  db: Db,
  restaurantId: string,
  id: string,
  since: number,
  times: EscalationTimes,
): Promise<RequestRow | undefined> {
  return db
    .updateTable('serviceRequest')
    .set((e) => ({
      closedAt: null,
      closedAs: null,
      closedBy: null,
      closedByName: null,
      // Devices were notified at this level before, and whoever reopens it is looking at it.
      pushedLevel: e
        .case()
        .when('acceptedAt', 'is', null)
        .then(e.ref('level'))
        .else(e.ref('pushedLevel'))
        .end(),
      ...times,
    }))
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .where('closedAs', '=', 'completed')
    .where('closedAt', '>=', since)
    .returningAll()
    .executeTakeFirst()
}

export async function incrementSeen(
  db: Db,
  restaurantId: string,
  id: string,
  at: number,
): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set((e) => ({ seen: e('seen', '+', 1), seenAt: e.fn.coalesce('seenAt', e.val(at)) }))
    .executeTakeFirst()
}

/**
 * The guest still waits: raises the request one level, up to the manager, and lets devices alert once more. Only while
 * the request is as it was read, and only if the guest did not say so after `since`.
 */
export async function recordStillWaiting(
  db: Db,
  { restaurantId, id, level, acceptedAt }: RequestRow,
  { at, since, nextLevelAt }: { at: number; since: number; nextLevelAt: number | null },
): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set((e) => ({
      level: Math.min(level + 1, 2),
      nextLevelAt,
      stillWaiting: e('stillWaiting', '+', 1),
      stillWaitingAt: at,
      pushedLevel: acceptedAt === null ? -1 : reminderDue,
    }))
    .where('level', '=', level)
    .where('acceptedAt', acceptedAt === null ? 'is' : '=', acceptedAt)
    .where((e) => e.or([e('stillWaitingAt', 'is', null), e('stillWaitingAt', '<=', since)]))
    .executeTakeFirst()
}

/**
 * Reassigns a request that nobody has accepted; its level stays. The new crew's devices are notified, unless those
 * of all crew were.
 */
export async function reassignCrew(
  db: Db,
  restaurantId: string,
  id: string,
  crew: string,
): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set((e) => ({
      crew,
      pushedLevel: e.case().when('level', '=', 0).then(-1).else(e.ref('pushedLevel')).end(),
    }))
    .where('acceptedAt', 'is', null)
    .executeTakeFirst()
}

/** A guest's call names no restaurant. Guests choose the ids, so two restaurants may have the same one. */
export async function findInAnyRestaurant(db: Db, id: string): Promise<RequestRow[]> {
  return db.selectFrom('serviceRequest').selectAll().where('id', '=', id).limit(5).execute()
}
