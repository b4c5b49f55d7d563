import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type DeviceCode = Schema['deviceCode']

/** Replaces the restaurant's previous code, used or not. */
export async function put(db: Db, code: DeviceCode): Promise<void> {
  const { restaurantId: _, ...rest } = code
  await db
    .insertInto('deviceCode')
    .values(code)
    .onConflict((c) => c.column('restaurantId').doUpdateSet(rest))
    .execute()
}

export async function find(db: Db, restaurantId: string, id: string): Promise<DeviceCode | undefined> {
  return db
    .selectFrom('deviceCode')
    .selectAll()
    .where((e) => e.and({ restaurantId, id }))
    .executeTakeFirst()
}

/** The code behind a link, while it can be used. */
export async function findByToken(db: Db, tokenHash: string, now: number): Promise<DeviceCode | undefined> {
  return db
    .selectFrom('deviceCode')
    .selectAll()
    .where('tokenHash', '=', tokenHash)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
}

/**
 * Counts an attempt before the digits are checked, so that simultaneous attempts cannot exceed `maxAttempts`. Undefined
 * when there is no code to try.
 */
export async function countAttempt(
  db: Db,
  restaurantId: string,
  maxAttempts: number,
  now: number,
): Promise<DeviceCode | undefined> {
  return db
    .updateTable('deviceCode')
    .set((e) => ({ tries: e('tries', '+', 1) }))
    .where('restaurantId', '=', restaurantId)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now)
    .where('tries', '<', maxAttempts)
    .returningAll()
    .executeTakeFirst()
}

/** True for the first device only. */
export async function markUsed(
  db: Db,
  { restaurantId, id }: DeviceCode,
  used: { at: number; by: string },
): Promise<boolean> {
  return hasRow(
    db
      .updateTable('deviceCode')
      .set({ usedAt: used.at, usedBy: used.by })
      .where((e) => e.and({ restaurantId, id }))
      .where('usedAt', 'is', null)
      .where('expiresAt', '>', used.at)
      .returning('id'),
  )
}

/** False when there is no such code, or it was used. */
export async function cancel(db: Db, restaurantId: string, id: string): Promise<boolean> {
  return hasRow(
    db
      .deleteFrom('deviceCode')
      .where((e) => e.and({ restaurantId, id }))
      .where('usedAt', 'is', null)
      .returning('id'),
  )
}

/** Removes unused codes: all of the restaurant's, or one maker's. */
export async function revoke(db: Db, restaurantId: string, madeBy?: string): Promise<void> {
  let query = db.deleteFrom('deviceCode').where('restaurantId', '=', restaurantId).where('usedAt', 'is', null)
  if (madeBy !== undefined) query = query.where('madeBy', '=', madeBy)
  await query.execute()
}
