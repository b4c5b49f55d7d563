import { nameKey } from '#contract/primitives.ts'
import type { Db } from './database.ts'
import type { Schema } from './schema.ts'

export type Manager = Schema['manager']

/** True for the first who claims it, for ever. */
export async function claimFirst(db: Db, restaurantId: string, at: number): Promise<boolean> {
  const row = await db
    .updateTable('restaurant')
    .set({ managedSince: at })
    .where('id', '=', restaurantId)
    .where('managedSince', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The one whose credentials were set last. */
export async function findCurrent(db: Db, restaurantId: string): Promise<Manager | undefined> {
  return db
    .selectFrom('manager')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .orderBy('setAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function findByUsername(
  db: Db,
  restaurantId: string,
  username: string,
): Promise<Manager | undefined> {
  return db
    .selectFrom('manager')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('usernameKey', '=', nameKey(username))
    .executeTakeFirst()
}

/** Adds a manager, or gives the one of that username a new password. */
export async function set(db: Db, manager: Omit<Manager, 'usernameKey'>): Promise<{ id: string }> {
  return db
    .insertInto('manager')
    .values({ ...manager, usernameKey: nameKey(manager.username) })
    .onConflict((c) =>
      c.columns(['restaurantId', 'usernameKey']).doUpdateSet((e) => ({
        passwordHash: e.ref('excluded.passwordHash'),
        setAt: e.ref('excluded.setAt'),
      })),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
}
