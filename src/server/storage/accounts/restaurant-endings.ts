import type { Db } from '../engine/types.ts'
import { countRows, hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type RestaurantEnding = Schema['restaurantEnding']

/** False when it ends already. */
export const insert = (db: Db, ending: RestaurantEnding): Promise<boolean> =>
  hasRow(
    db
      .insertInto('restaurantEnding')
      .values(ending)
      .onConflict((c) => c.column('restaurantId').doNothing())
      .returning('restaurantId'),
  )

export const find = (db: Db, restaurantId: string): Promise<RestaurantEnding | undefined> =>
  db.selectFrom('restaurantEnding').selectAll().where('restaurantId', '=', restaurantId).executeTakeFirst()

/** Its owner has deleted it, and may still restore it. */
export const isDeleted = async (db: Db, restaurantId: string): Promise<boolean> =>
  (await find(db, restaurantId))?.kind === 'deleted'

/** Visitors' demos, unless their erasure has begun. */
export const countTrials = (db: Db): Promise<number> =>
  countRows(db.selectFrom('restaurantEnding').where('kind', '=', 'trial'))

/** It stays as it is until the transaction ends. Undefined when the restaurant does not end any more. */
export const lock = (db: Db, restaurantId: string): Promise<RestaurantEnding | undefined> =>
  db
    .updateTable('restaurantEnding')
    .set((e) => ({ eraseAt: e.ref('eraseAt') }))
    .where('restaurantId', '=', restaurantId)
    .returningAll()
    .executeTakeFirst()

/** False when its owner has not deleted it, or its erasure has begun. */
export const restore = (db: Db, restaurantId: string): Promise<boolean> =>
  hasRow(
    db
      .deleteFrom('restaurantEnding')
      .where((e) => e.and({ restaurantId, kind: 'deleted' }))
      .where('eraseAt', '>', erasureBegan)
      .returning('restaurantId'),
  )

/** Written to `eraseAt` once an erasure has begun, so that one that was interrupted is found again, and first. */
const erasureBegan = 0

export const isBeingErased = ({ eraseAt }: RestaurantEnding): boolean => eraseAt === erasureBegan

/** False when it is not due yet, or was restored. */
export const beginErasing = (db: Db, restaurantId: string, now: number): Promise<boolean> =>
  hasRow(
    db
      .updateTable('restaurantEnding')
      .set({ kind: 'deleted', eraseAt: erasureBegan })
      .where('restaurantId', '=', restaurantId)
      .where('eraseAt', '<=', now)
      .returning('restaurantId'),
  )

/** Also when it is not due, or not deleted at all. */
export async function beginErasingNow(db: Db, restaurantId: string): Promise<void> {
  const begun = { kind: 'deleted' as const, eraseAt: erasureBegan }
  await db
    .insertInto('restaurantEnding')
    .values({ restaurantId, ...begun })
    .onConflict((c) => c.column('restaurantId').doUpdateSet(begun))
    .execute()
}

/** Ends all its logins but one session's, with the devices that pushes go to. Returns the ids of the sessions. */
export async function signOutOthers(
  db: Db,
  restaurantId: string,
  exceptSession: string | null,
): Promise<string[]> {
  await db.deleteFrom('pushSubscription').where('restaurantId', '=', restaurantId).execute()
  const sessions = await db
    .deleteFrom('session')
    .where('restaurantId', '=', restaurantId)
    .where('id', '!=', exceptSession ?? '')
    .returning('id')
    .execute()
  return sessions.map(({ id }) => id)
}

/** Deleted restaurants with open requests. */
export async function listWaitedAt(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('restaurantEnding as x')
    .select('x.restaurantId')
    .where('x.kind', '=', 'deleted')
    .where((e) =>
      e.exists(
        e
          .selectFrom('serviceRequest as q')
          .select('q.id')
          .whereRef('q.restaurantId', '=', 'x.restaurantId')
          .where('q.closedAt', 'is', null),
      ),
    )
    .execute()
  return rows.map(({ restaurantId }) => restaurantId)
}

/** The oldest first. */
export async function listDue(db: Db, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('restaurantEnding')
    .select('restaurantId')
    .where('eraseAt', '<=', now)
    .orderBy('eraseAt')
    .execute()
  return rows.map(({ restaurantId }) => restaurantId)
}

/** Everything that belongs to the restaurant goes with its row. Returns the ids of its sessions. */
export async function erase(db: Db, restaurantId: string): Promise<string[]> {
  const sessions = await db
    .deleteFrom('session')
    .where('restaurantId', '=', restaurantId)
    .returning('id')
    .execute()
  await db.deleteFrom('restaurant').where('id', '=', restaurantId).execute()
  return sessions.map(({ id }) => id)
}
