import type { ServiceType } from '#contract/requests.ts'
import { sql } from 'kysely'
import type { Db } from './engine/types.ts'
import type { Schema } from './schema.ts'

/** From the first instant on, until before the second. */
export type Span = { from: number; to: number }

/** What became of one request: the sum of its events. What happened to it is told in milliseconds after `created`. */
export type RequestRecord = {
  created: number
  type: ServiceType
  table: string
  asks: number
  seen: number | null
  /** Of the first acceptance that was not released. */
  accepted: number | null
  closed: number | null
  outcome: 'completed' | 'cancelled' | null
}

/** Who answered it: accepted it, or completed it when nobody had accepted it. */
type RecordWithAnswerer = RequestRecord & { answerer: string | null }

/**
 * Oldest first. Every column stands in one index, so a season's requests are read in one go; their names are such
 * that no row has to be translated.
 */
export async function listRecords(db: Db, restaurantId: string, span: Span): Promise<RequestRecord[]> {
  return recordsQuery(db, restaurantId, span).execute()
}

/** The same with who answered, which the index does not hold. */
export async function listRecordsWithAnswerer(
  db: Db,
  restaurantId: string,
  span: Span,
): Promise<RecordWithAnswerer[]> {
  return recordsQuery(db, restaurantId, span).select(answerer).execute()
}

const answerer = sql<string | null>`case
  when service_request.answered_at is not null then service_request.answered_by
  when service_request.closed_as = 'completed' then service_request.closed_by end`.as('answerer')

const recordsQuery = (db: Db, restaurantId: string, { from, to }: Span) =>
  db
    .withoutPlugins()
    .selectFrom('serviceRequest')
    .select([
      'createdAt as created',
      'serviceType as type',
      'tableNumber as table',
      'asks',
      'closedAs as outcome',
    ])
    // Small numbers cost less than instants.
    .select((e) => [
      e('seenAt', '-', e.ref('createdAt')).as('seen'),
      e('answeredAt', '-', e.ref('createdAt')).as('accepted'),
      e('closedAt', '-', e.ref('createdAt')).as('closed'),
    ])
    .where('restaurantId', '=', restaurantId)
    .where('createdAt', '>=', from)
    .where('createdAt', '<', to)
    .orderBy('createdAt')

export type Escalation = {
  request: string
  kind: 'escalated' | 'still_waiting'
  created: number
  table: string
  answerer: string | null
}

/** Each time that a request of this span was escalated, or its guest was still waiting. */
export async function listEscalations(
  db: Db,
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
      // Written out as it stands in the index, which is used for nothing else.
      .where(sql<boolean>`request_event.kind in ('escalated', 'still_waiting')`)
      .where('serviceRequest.createdAt', '>=', from)
      .where('serviceRequest.createdAt', '<', to)
      .$narrowType<{ kind: Escalation['kind'] }>()
      .execute()
  )
}

export type Assignment = { date: string; table: string; tableKey: string; crewMemberId: string; name: string }

/** Who worked which table; the host stand is none. */
export async function listAssignments(
  db: Db,
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
  db: Db,
  restaurantId: string,
  { from, to }: Span,
  limit: number,
): Promise<RequestRow[]> {
  return db
    .selectFrom('serviceRequest')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('createdAt', '>=', from)
    .where('createdAt', '<', to)
    .orderBy('createdAt', 'desc')
    .limit(limit)
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
  tableKey: string
  type: ServiceType
  answerer: string | null
  events: EventRow[]
}

const batchSize = 500

/** The requests of this span with everything that happened to them, oldest first. */
export async function listRequestsWithEvents(
  db: Db,
  restaurantId: string,
  { from, to }: Span,
): Promise<RequestWithEvents[]> {
  const requests = await db
    .selectFrom('serviceRequest')
    .select(['id', 'tableNumber as table', 'tableKey', 'serviceType as type'])
    .select(answerer)
    .where('restaurantId', '=', restaurantId)
    .where('createdAt', '>=', from)
    .where('createdAt', '<', to)
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

async function listEvents(db: Db, restaurantId: string, requestIds: string[]): Promise<EventRow[]> {
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
