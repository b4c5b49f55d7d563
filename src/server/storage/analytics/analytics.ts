import { sql } from 'kysely'
import type { QueryDb } from '../engine/types.ts'
import { isOwnNeedKey, type NeedKey, parseNeed, type StoredNeed } from '../requests/asked-need.ts'
import type { Schema } from '../schema.ts'

/** Includes `from`, excludes `to`. */
export type Span = { from: number; to: number }

/** One request and what became of it; the times of its events are in milliseconds after `created`. */
export type RequestRecord = {
  created: number
  type: NeedKey
  table: string
  asks: number
  seen: number | null
  /** The first acceptance that was not released. */
  accepted: number | null
  closed: number | null
  outcome: 'completed' | 'cancelled' | null
  /** Where it had another than its need had last. */
  targetMs?: number
}

type RecordWithAnswerer = RequestRecord & {
  /** Who accepted the request, or completed it without anybody having accepted it. */
  answerer: string | null
}

/** Oldest first. One index covers every column, and the aliases need no translation, so a season is read quickly. */
export async function listRecords(db: QueryDb, restaurantId: string, span: Span): Promise<RequestRecord[]> {
  return recordsQuery(db, restaurantId, span).execute()
}

/** When a guest asked for something for the first time, as far as it is kept. */
export async function findFirstCreatedAt(db: QueryDb, restaurantId: string): Promise<number | null> {
  const first = await db
    .selectFrom('serviceRequest')
    .select('createdAt')
    .where('restaurantId', '=', restaurantId)
    .orderBy('createdAt')
    .limit(1)
    .executeTakeFirst()
  return first?.createdAt ?? null
}

/** Slower, because the index does not cover who answered. */
export async function listRecordsWithAnswerer(
  db: QueryDb,
  restaurantId: string,
  span: Span,
): Promise<RecordWithAnswerer[]> {
  return recordsQuery(db, restaurantId, span).select(answerer).execute()
}

const answerer = sql<string | null>`case
  when service_request.answered_at is not null then service_request.answered_by
  when service_request.closed_as = 'completed' then service_request.closed_by end`.as('answerer')

const selectRequests = (db: QueryDb, restaurantId: string, { from, to }: Span) =>
  db
    .selectFrom('serviceRequest')
    .where('restaurantId', '=', restaurantId)
    .where('createdAt', '>=', from)
    .where('createdAt', '<', to)
    // It goes on as the request that it was merged into.
    .where('closedAs', 'is distinct from', 'merged')

const recordsQuery = (db: QueryDb, restaurantId: string, span: Span) =>
  selectRequests(db.withoutPlugins(), restaurantId, span)
    .select([
      'createdAt as created',
      'serviceType as type',
      'tableNumber as table',
      'asks',
      'closedAs as outcome',
    ])
    // Small numbers cost less to read than timestamps.
    .select((e) => [
      e('seenAt', '-', e.ref('createdAt')).as('seen'),
      e('answeredAt', '-', e.ref('createdAt')).as('accepted'),
      e('closedAt', '-', e.ref('createdAt')).as('closed'),
    ])
    .orderBy('createdAt')
    .$narrowType<Pick<RequestRecord, 'outcome'>>()

export type OwnNeeds = ReadonlyMap<NeedKey, StoredNeed>

/** The needs of the restaurant's own among the records, which are oldest first, each as it was called last. */
export async function findOwnNeeds(
  db: QueryDb,
  restaurantId: string,
  span: Span,
  records: readonly Pick<RequestRecord, 'type' | 'created'>[],
): Promise<OwnNeeds> {
  const lastAsked = new Map(records.filter(({ type }) => isOwnNeedKey(type)).map((r) => [r.type, r.created]))
  if (lastAsked.size === 0) return new Map()
  const rows = await selectRequests(db, restaurantId, span)
    .select(['serviceType', 'need'])
    .where('createdAt', 'in', [...new Set(lastAsked.values())])
    .where('serviceType', 'in', [...lastAsked.keys()])
    .where('need', 'is not', null)
    .orderBy('createdAt')
    .execute()
  return new Map(
    rows.flatMap((row) => {
      const need = parseNeed(row)
      return need ? [[row.serviceType, need] as const] : []
    }),
  )
}

/** The same records; each request has the target time that it was made with. */
export async function withOwnTargets<R extends RequestRecord>(
  db: QueryDb,
  restaurantId: string,
  span: Span,
  records: R[],
  ownNeeds: OwnNeeds,
): Promise<R[]> {
  if (ownNeeds.size === 0) return records
  const asLast = [...ownNeeds.values()].map((need) => JSON.stringify(need))
  const rows = await selectRequests(db, restaurantId, span)
    .select(['createdAt as created', 'serviceType as type', 'tableNumber as table', 'need'])
    .where('serviceType', 'in', [...ownNeeds.keys()])
    .where('need', 'not in', asLast)
    .execute()
  // A table has one open request for a need, so these name it.
  const keyOf = ({ created, type, table }: Pick<RequestRecord, 'created' | 'type' | 'table'>): string =>
    `${created} ${type} ${table}`
  const targets = new Map(rows.map((row) => [keyOf(row), parseNeed(row)?.targetMs]))
  return records.map((record) => {
    const targetMs = targets.get(keyOf(record))
    return targetMs === undefined ? record : { ...record, targetMs }
  })
}

export type Escalation = {
  request: string
  kind: 'escalated' | 'still_waiting'
  created: number
  table: string
  answerer: string | null
}

/** Every escalation and every "still waiting" of requests created in this span. */
export async function listEscalations(
  db: QueryDb,
  restaurantId: string,
  { from, to }: Span,
): Promise<Escalation[]> {
  return (
    db
      .withoutPlugins()
      .selectFrom('requestEvent')
      .innerJoin('serviceRequest', (j) =>
        j
          .onRef('serviceRequest.restaurantId', '=', 'requestEvent.restaurantId')
          .onRef('serviceRequest.id', '=', 'requestEvent.requestId'),
      )
      .select([
        'requestEvent.requestId as request',
        'requestEvent.kind as kind',
        'serviceRequest.createdAt as created',
        'serviceRequest.tableNumber as table',
      ])
      .select(answerer)
      .where('requestEvent.restaurantId', '=', restaurantId)
      .where('requestEvent.at', '>=', from)
      // Must match the condition of the partial index word for word.
      .where(sql<boolean>`request_event.kind in ('escalated', 'still_waiting')`)
      .where('serviceRequest.closedAs', 'is distinct from', 'merged')
      .where('serviceRequest.createdAt', '>=', from)
      .where('serviceRequest.createdAt', '<', to)
      .$narrowType<{ kind: Escalation['kind'] }>()
      .execute()
  )
}

export type Assignment = { date: string; table: string; tableKey: string; crewMemberId: string; name: string }

/** Who worked which table, without the host stand. */
export async function listAssignments(
  db: QueryDb,
  restaurantId: string,
  days: { from: string; to: string },
): Promise<Assignment[]> {
  return db
    .selectFrom('tableAssignment')
    .innerJoin('floorTable', (j) =>
      j
        .onRef('floorTable.restaurantId', '=', 'tableAssignment.restaurantId')
        .onRef('floorTable.id', '=', 'tableAssignment.tableId'),
    )
    .innerJoin('crewMember', (j) =>
      j
        .onRef('crewMember.restaurantId', '=', 'tableAssignment.restaurantId')
        .onRef('crewMember.id', '=', 'tableAssignment.crewMemberId'),
    )
    .select([
      'tableAssignment.date',
      'floorTable.tableNumber as table',
      'floorTable.numberKey as tableKey',
      'tableAssignment.crewMemberId',
      'crewMember.name',
    ])
    .where('tableAssignment.restaurantId', '=', restaurantId)
    .where('tableAssignment.date', '>=', days.from)
    .where('tableAssignment.date', '<=', days.to)
    .where('floorTable.category', '=', 'table')
    .orderBy('tableAssignment.date')
    .orderBy('floorTable.numberKey')
    .execute()
}

export type RequestRow = Schema['serviceRequest']

/** Newest first. */
export async function listLatest(
  db: QueryDb,
  restaurantId: string,
  span: Span,
  limit: number,
): Promise<RequestRow[]> {
  return selectRequests(db, restaurantId, span)
    .selectAll()
    .orderBy('createdAt', 'desc')
    .limit(limit)
    .execute()
}

/** With what the guest was told. */
export type ToldRecord = Pick<RequestRecord, 'created' | 'type' | 'closed' | 'outcome'> & {
  expectedUntilMs: number | null
}

/** Newest first. */
export async function listLatestRecords(
  db: QueryDb,
  restaurantId: string,
  span: Span,
  limit: number,
): Promise<ToldRecord[]> {
  return selectRequests(db, restaurantId, span)
    .select(['createdAt as created', 'serviceType as type', 'closedAs as outcome', 'expectedUntilMs'])
    .select((e) => e('closedAt', '-', e.ref('createdAt')).as('closed'))
    .orderBy('createdAt', 'desc')
    .limit(limit)
    .$narrowType<Pick<RequestRecord, 'outcome'>>()
    .execute()
}

type EventRow = {
  requestId: string
  kind: Schema['requestEvent']['kind']
  at: number
  actorKind: Schema['requestEvent']['actorKind']
  actorId: string | null
  actorName: string | null
}

export type RequestWithEvents = {
  id: string
  table: string
  type: NeedKey
  need: string | null
  answerer: string | null
  events: EventRow[]
}

const batchSize = 500

/** Oldest first. */
export async function listRequestsWithEvents(
  db: QueryDb,
  restaurantId: string,
  span: Span,
): Promise<RequestWithEvents[]> {
  const requests = await selectRequests(db, restaurantId, span)
    .select(['id', 'tableNumber as table', 'serviceType as type', 'need'])
    .select(answerer)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  const byId = new Map(
    requests.map((request): [string, RequestWithEvents] => [request.id, { ...request, events: [] }]),
  )
  for (let start = 0; start < requests.length; start += batchSize) {
    const ids = requests.slice(start, start + batchSize).map(({ id }) => id)
    for (const event of await listEvents(db, restaurantId, ids)) byId.get(event.requestId)?.events.push(event)
  }
  return [...byId.values()]
}

async function listEvents(db: QueryDb, restaurantId: string, requestIds: string[]): Promise<EventRow[]> {
  return db
    .selectFrom('requestEvent')
    .select(['requestId', 'kind', 'at', 'actorKind', 'actorId', 'actorName'])
    .where('restaurantId', '=', restaurantId)
    .where('requestId', 'in', requestIds)
    .orderBy('requestId')
    .orderBy('at')
    .orderBy('id')
    .execute()
}
