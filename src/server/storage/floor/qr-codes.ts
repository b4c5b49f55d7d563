import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type StoredCode = Schema['qrCode']

export async function find(db: Db, restaurantId: string): Promise<StoredCode | undefined> {
  return db.selectFrom('qrCode').selectAll().where('restaurantId', '=', restaurantId).executeTakeFirst()
}

export const exists = (db: Db, restaurantId: string): Promise<boolean> =>
  hasRow(db.selectFrom('qrCode').select('restaurantId').where('restaurantId', '=', restaurantId))

/** Replaces the restaurant's previous one. */
export async function save(db: Db, code: StoredCode): Promise<void> {
  const { restaurantId: _, ...drawn } = code
  await db
    .insertInto('qrCode')
    .values(code)
    .onConflict((c) => c.column('restaurantId').doUpdateSet(drawn))
    .execute()
}

/** True if this call removed it, which is the case for only one of two taps. */
export const remove = (db: Db, restaurantId: string): Promise<boolean> =>
  hasRow(db.deleteFrom('qrCode').where('restaurantId', '=', restaurantId).returning('restaurantId'))
