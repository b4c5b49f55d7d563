import type { Db } from './engine/types.ts'
import type { Schema } from './schema.ts'

export type MessageRow = Schema['teamMessage']

/** Nothing when this id was stored before. */
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
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Whether it is there; it cannot be removed until this transaction ends. */
export async function lockExisting(db: Db, restaurantId: string, id: string): Promise<boolean> {
  const row = await db
    .updateTable('teamMessage')
    .set({ deletedAt: null })
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Whether its sender has written to the same colleague again. */
export async function hasNewer(
  db: Db,
  { restaurantId, id, senderCrewId, targetCrewId, createdAt }: MessageRow,
): Promise<boolean> {
  const row = await db
    .selectFrom('teamMessage')
    .select('id')
    .where('restaurantId', '=', restaurantId)
    .where('senderCrewId', '=', senderCrewId)
    .where('targetCrewId', '=', targetCrewId)
    .where('createdAt', '>=', createdAt)
    .where('id', '!=', id)
    .where('deletedAt', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** From or to this crew member, newest first. */
export async function listFor(
  db: Db,
  restaurantId: string,
  crewMemberId: string,
  limit: number,
): Promise<MessageRow[]> {
  return db
    .selectFrom('teamMessage')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('deletedAt', 'is', null)
    .where((e) => e.or([e('senderCrewId', '=', crewMemberId), e('targetCrewId', '=', crewMemberId)]))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function remove(
  db: Db,
  restaurantId: string,
  id: string,
  senderCrewId: string,
  deletedAt: number,
) {
  return db
    .updateTable('teamMessage')
    .set({ deletedAt })
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .where('senderCrewId', '=', senderCrewId)
    .where('deletedAt', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

export async function removeSentBefore(db: Db, createdBefore: number): Promise<void> {
  await db.deleteFrom('teamMessage').where('createdAt', '<', createdBefore).execute()
}
