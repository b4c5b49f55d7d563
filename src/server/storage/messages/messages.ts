import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type MessageRow = Schema['teamMessage']

/** Undefined when the id is already stored. */
export async function insert(
  db: Db,
  message: Omit<MessageRow, 'deletedAt'>,
): Promise<MessageRow | undefined> {
  return db
    .insertInto('teamMessage')
    .values(message)
    .onConflict((c) => c.columns(['restaurantId', 'id']).doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function find(db: Db, restaurantId: string, id: string): Promise<MessageRow | undefined> {
  return db
    .selectFrom('teamMessage')
    .selectAll()
    .where((e) => e.and({ restaurantId, id }))
    .executeTakeFirst()
}

const updateExisting = (db: Db, restaurantId: string, id: string) =>
  db
    .updateTable('teamMessage')
    .where((e) => e.and({ restaurantId, id }))
    .where('deletedAt', 'is', null)
    .returningAll()

/** Whether the message exists; it cannot be removed until the transaction ends. */
export const lockExisting = (db: Db, restaurantId: string, id: string): Promise<boolean> =>
  hasRow(updateExisting(db, restaurantId, id).set({ deletedAt: null }))

/** Whether the sender has written to the same colleague since. */
export const hasNewer = (
  db: Db,
  { restaurantId, id, senderCrewId, targetCrewId, createdAt }: MessageRow,
): Promise<boolean> =>
  hasRow(
    db
      .selectFrom('teamMessage')
      .select('id')
      .where((e) => e.and({ restaurantId, senderCrewId, targetCrewId }))
      .where('createdAt', '>=', createdAt)
      .where('id', '!=', id)
      .where('deletedAt', 'is', null)
      .limit(1),
  )

/** From or to this crew member, newest first. */
export async function listFor(
  db: Db,
  restaurantId: string,
  crewMemberId: string,
  limit: number,
): Promise<MessageRow[]> {
  // Side by side, because each has an index: there may be years of messages.
  const latest = (side: 'senderCrewId' | 'targetCrewId') =>
    db
      .selectFrom('teamMessage')
      .selectAll()
      .where('restaurantId', '=', restaurantId)
      .where(side, '=', crewMemberId)
      .where('deletedAt', 'is', null)
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
  const [sent, received] = [await latest('senderCrewId'), await latest('targetCrewId')]
  const byId = new Map([...sent, ...received].map((row) => [row.id, row]))
  return [...byId.values()]
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    .slice(0, limit)
}

export async function remove(
  db: Db,
  restaurantId: string,
  id: string,
  senderCrewId: string,
  deletedAt: number,
): Promise<MessageRow | undefined> {
  return updateExisting(db, restaurantId, id)
    .set({ deletedAt })
    .where('senderCrewId', '=', senderCrewId)
    .executeTakeFirst()
}
