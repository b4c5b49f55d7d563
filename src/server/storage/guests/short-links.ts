import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

type ShortLink = Schema['shortLink']

export const list = (db: Db, restaurantId: string): Promise<ShortLink[]> =>
  db.selectFrom('shortLink').selectAll().where('restaurantId', '=', restaurantId).execute()

/** In any restaurant: the link names none. */
export const findByCode = (db: Db, code: string): Promise<ShortLink | undefined> =>
  db.selectFrom('shortLink').selectAll().where('code', '=', code).executeTakeFirst()

/** Returns those whose code was free. */
export const insert = (db: Db, links: readonly ShortLink[]): Promise<ShortLink[]> =>
  db
    .insertInto('shortLink')
    .values(links)
    .onConflict((c) => c.column('code').doNothing())
    .returningAll()
    .execute()

/** False when there is none. */
export const remove = (db: Db, restaurantId: string, tableId: string): Promise<boolean> =>
  hasRow(
    db
      .deleteFrom('shortLink')
      .where((e) => e.and({ restaurantId, tableId }))
      .returning('code'),
  )

export async function removeAll(db: Db, restaurantId: string): Promise<void> {
  await db.deleteFrom('shortLink').where('restaurantId', '=', restaurantId).execute()
}

/** Removes the links of tables that are gone for good. */
export async function removeOrphans(db: Db, restaurantId: string): Promise<void> {
  await db
    .deleteFrom('shortLink')
    .where('restaurantId', '=', restaurantId)
    .where('tableId', 'not in', (e) =>
      e.selectFrom('floorTable').select('id').where('restaurantId', '=', restaurantId),
    )
    .where('tableId', 'not in', (e) =>
      e.selectFrom('deletedItem').select('id').where('restaurantId', '=', restaurantId),
    )
    .execute()
}
