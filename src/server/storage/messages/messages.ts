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

/**
 * Ends its wait for a push, for one of several nodes. False for the others, and where the message is removed; until the
 * transaction ends it cannot be.
 */
export async function claimPush(db: Db, { restaurantId, id }: MessageRow): Promise<boolean> {
  const claimed = await db
    .updateTable('teamMessage')
    .set({ pushDueAt: null })
    .where((e) => e.and({ restaurantId, id }))
    .where('pushDueAt', 'is not', null)
    .returning('deletedAt')
    .executeTakeFirst()
  return claimed?.deletedAt === null
}

/** In all restaurants, longest due first. */
export async function listPushDue(db: Db, now: number, limit: number): Promise<MessageRow[]> {
  return db
    .selectFrom('teamMessage')
    .selectAll()
    .where('pushDueAt', '<=', now)
    .orderBy('pushDueAt')
    .limit(limit)
    .execute()
}

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

/** When the two last wrote to each other, if that was not before; then it was just now, or the clock was set back since. */
export async function findLastSince(
  db: Db,
  {
    restaurantId,
    senderCrewId,
    targetCrewId,
  }: Pick<MessageRow, 'restaurantId' | 'senderCrewId' | 'targetCrewId'>,
  now: number,
): Promise<number | null> {
  const both = [senderCrewId, targetCrewId]
  const row = await db
    .selectFrom('teamMessage')
    .select('createdAt')
    .where('restaurantId', '=', restaurantId)
    .where('createdAt', '>=', now)
    .where('senderCrewId', 'in', both)
    .where('targetCrewId', 'in', both)
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.createdAt ?? null
}

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
  return db
    .updateTable('teamMessage')
    .set({ deletedAt })
    .where((e) => e.and({ restaurantId, id, senderCrewId }))
    .where('deletedAt', 'is', null)
    .returningAll()
    .executeTakeFirst()
}
