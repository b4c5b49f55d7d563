import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type OwnerNotice = Schema['ownerNotice']

export async function insert(db: Db, notice: OwnerNotice): Promise<void> {
  await db.insertInto('ownerNotice').values(notice).execute()
}

/** Newest first. */
export async function list(db: Db, restaurantId: string): Promise<OwnerNotice[]> {
  return db
    .selectFrom('ownerNotice')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(20)
    .execute()
}

/** False when there is no such notice. */
export async function remove(db: Db, restaurantId: string, id: string): Promise<boolean> {
  return hasRow(
    db
      .deleteFrom('ownerNotice')
      .where((e) => e.and({ restaurantId, id }))
      .returning('id'),
  )
}
