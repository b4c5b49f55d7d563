import type { Db } from './engine/types.ts'
import type { RequestRow } from './requests.ts'
import { hasRow } from './rows.ts'
import type { Schema } from './schema.ts'

export type RequestEvent = Schema['requestEvent']

/** False when an event with this id is already stored: that makes each event happen once. */
export const append = (db: Db, event: RequestEvent): Promise<boolean> =>
  hasRow(
    db
      .insertInto('requestEvent')
      .values(event)
      .onConflict((c) => c.columns(['restaurantId', 'id']).doNothing())
      .returning('id'),
  )

/** The request that a guest's tap was added to. */
export async function findRequestByAsk(
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

/** The asks of this guest's device that it has not taken back, by request. A request it asked for is always included. */
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
