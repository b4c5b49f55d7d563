import { nameKey } from '#contract/primitives.ts'
import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type Manager = Schema['manager']

/** True for the first claim only, for ever. */
export async function claimManagement(db: Db, restaurantId: string, at: number): Promise<boolean> {
  return hasRow(
    db
      .updateTable('restaurant')
      .set({ managedSince: at })
      .where('id', '=', restaurantId)
      .where('managedSince', 'is', null)
      .returning('id'),
  )
}

/** The current one first, which is the one whose credentials were set last. */
export async function list(db: Db, restaurantId: string): Promise<Manager[]> {
  return db
    .selectFrom('manager')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .orderBy('setAt', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

export async function find(db: Db, restaurantId: string, id: string): Promise<Manager | undefined> {
  return db
    .selectFrom('manager')
    .selectAll()
    .where((e) => e.and({ restaurantId, id }))
    .executeTakeFirst()
}

const updateOne = (db: Db, restaurantId: string, id: string) =>
  db.updateTable('manager').where((e) => e.and({ restaurantId, id }))

/** Locks the row until the transaction ends. */
export async function lock(db: Db, restaurantId: string, id: string): Promise<Manager | undefined> {
  return updateOne(db, restaurantId, id)
    .set((e) => ({ username: e.ref('username') }))
    .returningAll()
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

/** Undefined when the username is taken. */
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

/** False when the manager has been removed, or the password changed meanwhile. */
export async function changePassword(
  db: Db,
  { restaurantId, id, passwordHash: before }: Manager,
  { passwordHash, setAt }: Pick<Manager, 'passwordHash' | 'setAt'>,
): Promise<boolean> {
  return hasRow(
    updateOne(db, restaurantId, id)
      .set({ passwordHash, setAt })
      .where('passwordHash', '=', before)
      .returning('id'),
  )
}

/** False when the manager was removed. */
export async function resetPassword(
  db: Db,
  restaurantId: string,
  id: string,
  passwordHash: string,
): Promise<boolean> {
  return hasRow(updateOne(db, restaurantId, id).set({ passwordHash }).returning('id'))
}

/** Undefined when there is no such manager. */
export const remove = (db: Db, restaurantId: string, id: string): Promise<Manager | undefined> =>
  db
    .deleteFrom('manager')
    .where((e) => e.and({ restaurantId, id }))
    .returningAll()
    .executeTakeFirst()
