import { nameKey } from '#contract/primitives.ts'
import type { Db } from './database.ts'
import type { Schema } from './schema.ts'

export type Manager = Schema['manager']

/** True for the first who claims it, for ever. */
export async function claimFirst(
  db: Db,
  restaurantId: string,
  claim: { at: number; byDevice: boolean },
): Promise<boolean> {
  const row = await db
    .updateTable('restaurant')
    .set({ managedSince: claim.at, deviceSetUpAt: claim.byDevice ? claim.at : null })
    .where('id', '=', restaurantId)
    .where('managedSince', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function forgetDeviceSetUp(db: Db, restaurantId: string): Promise<void> {
  await db.updateTable('restaurant').set({ deviceSetUpAt: null }).where('id', '=', restaurantId).execute()
}

/** The current one, whose credentials were set last, first. */
export async function list(db: Db, restaurantId: string): Promise<Manager[]> {
  return db
    .selectFrom('manager')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .orderBy('setAt', 'desc')
    .orderBy('id', 'desc')
    .execute()
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

/** Nothing when the username is taken. */
export async function add(
  db: Db,
  manager: Omit<Manager, 'usernameKey'>,
): Promise<{ id: string } | undefined> {
  return db
    .insertInto('manager')
    .values({ ...manager, usernameKey: nameKey(manager.username) })
    .onConflict((c) => c.columns(['restaurantId', 'usernameKey']).doNothing())
    .returning('id')
    .executeTakeFirst()
}

/** Nothing when there is no such manager. */
export async function setPassword(
  db: Db,
  { restaurantId, username, passwordHash, setAt }: Omit<Manager, 'id' | 'usernameKey'>,
): Promise<{ id: string } | undefined> {
  return db
    .updateTable('manager')
    .set({ passwordHash, setAt })
    .where('restaurantId', '=', restaurantId)
    .where('usernameKey', '=', nameKey(username))
    .returning('id')
    .executeTakeFirst()
}

/** False when there is no such manager. */
export async function remove(db: Db, restaurantId: string, id: string): Promise<boolean> {
  const row = await db
    .deleteFrom('manager')
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
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
