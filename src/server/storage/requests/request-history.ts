import type { QueryDb } from '../engine/types.ts'
import type { Schema } from '../schema.ts'

/** For comparing what is stored of requests with their events, in whole installations. */

const stateColumns = [
  'id',
  'createdAt',
  'asks',
  'lastAskedAt',
  'seen',
  'seenAt',
  'acceptedAt',
  'acceptedBy',
  'answeredAt',
  'closedAt',
  'closedAs',
  'closedBy',
  'stillWaiting',
  'stillWaitingAt',
  'level',
  'movedTo',
] as const

export type RequestState = Pick<Schema['serviceRequest'], (typeof stateColumns)[number]>

const eventColumns = ['requestId', 'id', 'at', 'kind', 'actorId'] as const

export type StateEvent = Pick<Schema['requestEvent'], (typeof eventColumns)[number]>

export async function listRestaurantIds(db: QueryDb): Promise<string[]> {
  const rows = await db.selectFrom('restaurant').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

export async function countRequests(db: QueryDb): Promise<number> {
  const row = await db
    .selectFrom('serviceRequest')
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count
}

/** Some of a restaurant's requests, in the order of their ids. */
export const listStates = (
  db: QueryDb,
  restaurantId: string,
  { after, limit }: { after: string; limit: number },
): Promise<RequestState[]> =>
  db
    .selectFrom('serviceRequest')
    .select(stateColumns)
    .where('restaurantId', '=', restaurantId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()

/** The events of the requests from one id to another. */
export const listEventsBetween = (
  db: QueryDb,
  restaurantId: string,
  { from, to }: { from: string; to: string },
): Promise<StateEvent[]> =>
  db
    .selectFrom('requestEvent')
    .select(eventColumns)
    .where('restaurantId', '=', restaurantId)
    .where('requestId', '>=', from)
    .where('requestId', '<=', to)
    .execute()
