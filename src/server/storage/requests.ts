import type { ClosedRequest, ServiceRequest } from '#contract/requests.ts'
import type { Db } from './engine/types.ts'
import type { Schema } from './schema.ts'

export type RequestRow = Schema['serviceRequest']
export type RequestEvent = Schema['requestEvent']

/** How it looks to guests and crew. */
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

/**
 * The same need at the same table is one request while it is open: a second asking is added to it. What comes
 * back has another id than the one given when it merged.
 */
export async function insertOrMerge(db: Db, restaurantId: string, request: NewRequest): Promise<RequestRow> {
  return db
    .insertInto('serviceRequest')
    .values({
      ...request,
      restaurantId,
      asks: 1,
      lastAskedAt: request.createdAt,
      seen: 0,
      pushedLevel: -1,
      stillWaiting: 0,
    })
    .onConflict((c) =>
      c
        .columns(['restaurantId', 'tableKey', 'serviceType'])
        .where('closedAt', 'is', null)
        .doUpdateSet((e) => ({
          asks: e('serviceRequest.asks', '+', 1),
          lastAskedAt: e.ref('excluded.lastAskedAt'),
          verified: e
            .case()
            .when('excluded.verified', '=', 1)
            .then(1)
            .else(e.ref('serviceRequest.verified'))
            .end(),
        })),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** False when it was there already: the id is what makes it happen once. */
export async function appendEvent(db: Db, event: RequestEvent): Promise<boolean> {
  const row = await db
    .insertInto('requestEvent')
    .values(event)
    .onConflict((c) => c.columns(['restaurantId', 'id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function find(db: Db, restaurantId: string, id: string): Promise<RequestRow | undefined> {
  return db
    .selectFrom('serviceRequest')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The request that a guest's tap went into. */
export async function findByAsk(
  db: Db,
  restaurantId: string,
  askId: string,
): Promise<RequestRow | undefined> {
  return db
    .selectFrom('requestEvent')
    .innerJoin('serviceRequest', (j) =>
      j
        .onRef('serviceRequest.restaurantId', '=', 'requestEvent.restaurantId')
        .onRef('serviceRequest.id', '=', 'requestEvent.requestId'),
    )
    .selectAll('serviceRequest')
    .where('requestEvent.restaurantId', '=', restaurantId)
    .where('requestEvent.id', '=', askId)
    .executeTakeFirst()
}

/** Whether this table already waits for this. */
export async function isAlreadyOpen(
  db: Db,
  restaurantId: string,
  need: Pick<RequestRow, 'tableKey' | 'serviceType'>,
): Promise<boolean> {
  const row = await db
    .selectFrom('serviceRequest')
    .select('id')
    .where('restaurantId', '=', restaurantId)
    .where('tableKey', '=', need.tableKey)
    .where('serviceType', '=', need.serviceType)
    .where('closedAt', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

export async function hasOpen(db: Db, restaurantId: string): Promise<boolean> {
  const row = await db
    .selectFrom('serviceRequest')
    .select('id')
    .where('restaurantId', '=', restaurantId)
    .where('closedAt', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Oldest first. */
export async function listOpen(db: Db, restaurantId: string, tableKey?: string): Promise<RequestRow[]> {
  let query = db
    .selectFrom('serviceRequest')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('closedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('id')
  if (tableKey !== undefined) query = query.where('tableKey', '=', tableKey)
  return query.execute()
}

/** The last that were completed, or cancelled while somebody was on the way, latest first. */
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

/** What this guest's device asked for, by request: the taps that it has not taken back. */
export async function listAsksBy(
  db: Db,
  restaurantId: string,
  guestId: string,
  requestIds: string[],
): Promise<Map<string, string[]>> {
  const asks = new Map<string, string[]>()
  if (requestIds.length === 0) return asks
  const rows = await db
    .selectFrom('requestEvent')
    .select(['requestId', 'id', 'kind'])
    .where('restaurantId', '=', restaurantId)
    .where('requestId', 'in', requestIds)
    .where('kind', 'in', ['created', 'asked', 'taken_back'])
    .where('actorKind', '=', 'guest')
    .where('actorId', '=', guestId)
    .execute()
  const takenBack = new Set(rows.filter(({ kind }) => kind === 'taken_back').map(({ id }) => id))
  for (const { requestId, id, kind } of rows) {
    if (kind === 'taken_back') continue
    const left = takenBack.has(retractionId(id)) ? [] : [id]
    asks.set(requestId, [...(asks.get(requestId) ?? []), ...left])
  }
  return asks
}

export const retractionId = (askId: string): string => `back:${askId}`

/** Nothing else changes it until this transaction ends; nothing where it is over. */
export async function lockOpen(db: Db, restaurantId: string, id: string): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set((e) => ({ asks: e.ref('asks') }))
    .executeTakeFirst()
}

/** So many asks fewer. */
export async function reduceAsks(
  db: Db,
  { restaurantId, id }: RequestRow,
  asks: number,
): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set((e) => ({ asks: e('asks', '-', asks) }))
    .executeTakeFirst()
}

/** The guard of every transition is in its update, never a lock: nothing comes back when it did not hold. */
const updateOpen = (db: Db, restaurantId: string, id: string) =>
  db
    .updateTable('serviceRequest')
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .where('closedAt', 'is', null)
    .returningAll()

/** What `pushedLevel` says beside levels, while somebody is on the way. */
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
      // An acceptance that ran out answered the guest all the same, so the first one stays.
      answeredAt: e.fn.coalesce('answeredAt', e.val(at)),
      answeredBy: e.case().when('answeredAt', 'is', null).then(by.id).else(e.ref('answeredBy')).end(),
    }))
    .where('acceptedAt', 'is', null)
    .executeTakeFirst()
}

type EscalationTimes = Pick<RequestRow, 'nextLevelAt' | 'acceptUntil'> & { level?: number }

/** Somebody else is on the way now; the first answer stays whose it was. Their devices are told. */
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

/** Whoever is on the way takes it back: the guest has had no answer. */
export async function release(
  db: Db,
  restaurantId: string,
  id: string,
  times: EscalationTimes,
  /** Only while this one is on the way. */
  crewMemberId?: string,
): Promise<RequestRow | undefined> {
  const release = updateOpen(db, restaurantId, id)
    .set({ ...clearedAcceptance, answeredAt: null, answeredBy: null, ...times })
    .where('acceptedAt', 'is not', null)
  return (
    crewMemberId === undefined ? release : release.where('acceptedBy', '=', crewMemberId)
  ).executeTakeFirst()
}

/** Whoever is on the way is out of reach. That they answered stays. */
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

const clearedAcceptance = { acceptedAt: null, acceptedBy: null, acceptedByName: null, pushedLevel: -1 }

export async function close(
  db: Db,
  restaurantId: string,
  id: string,
  at: number,
  as: 'completed' | 'cancelled',
  by: Person,
): Promise<RequestRow | undefined> {
  return updateOpen(db, restaurantId, id)
    .set({
      closedAt: at,
      closedAs: as,
      closedBy: by.id,
      closedByName: by.name,
      nextLevelAt: null,
      acceptUntil: null,
    })
    .executeTakeFirst()
}

/** Only what was completed, and not longer ago than `since`. */
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
      // Devices were told at this level, and whoever takes it back looks at it.
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
 * The guest still waits: one level more urgent, up to the manager, and devices alert once more. Only while the request
 * is as it was seen; `since` is when the crew may have been told last.
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
 * Gives a request that nobody is on the way to to other crew; its level stays. Their devices were not told, unless
 * all crew's were.
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

/** In whatever restaurant: a guest's call names none. Ids are the guests' own, so two may be alike. */
export async function findInAnyRestaurant(db: Db, id: string): Promise<RequestRow[]> {
  return db.selectFrom('serviceRequest').selectAll().where('id', '=', id).limit(5).execute()
}
