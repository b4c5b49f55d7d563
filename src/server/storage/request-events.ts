import { defineStatement } from './engine/statement.ts'
import type { Db } from './engine/types.ts'
import { hasRow } from './rows.ts'
import type { Schema } from './schema.ts'

export type RequestEvent = Schema['requestEvent']

/** False when an event with this id is already stored: that makes each event happen once. */
export const appendOnce = (db: Db, event: RequestEvent): Promise<boolean> =>
  hasRow(
    db
      .insertInto('requestEvent')
      .values(event)
      .onConflict((c) => c.columns(['restaurantId', 'id']).doNothing())
      .returning('id'),
  )

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

const appendEvent = defineStatement<RequestEvent, Pick<RequestEvent, 'restaurantId' | 'id'>>({
  name: 'append-event',
  input: {
    restaurantId: 'text',
    id: 'text',
    requestId: 'text',
    at: 'bigint',
    kind: 'text',
    actorKind: 'text',
    actorId: 'text',
    actorName: 'text',
  },
  match: ['restaurantId', 'id'],
  query: (db) =>
    db
      .insertInto('requestEvent')
      .columns(eventColumns)
      .expression((e) => e.selectFrom('input').select(eventColumns))
      .returning(['restaurantId', 'id']),
})

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
