import { nameKey } from '#contract/primitives.ts'
import type { Db } from './engine/types.ts'
import { countRows, hasRow } from './rows.ts'
import type { Schema } from './schema.ts'

export type Restaurant = Schema['restaurant']

/** By any name it ever had. */
export async function findByName(db: Db, name: string): Promise<Restaurant | undefined> {
  return db
    .selectFrom('restaurantName')
    .innerJoin('restaurant', 'restaurant.id', 'restaurantName.restaurantId')
    .selectAll('restaurant')
    .where('restaurantName.nameKey', '=', nameKey(name))
    .executeTakeFirst()
}

const updateOne = (db: Db, id: string) => db.updateTable('restaurant').where('id', '=', id)

export async function findById(db: Db, id: string): Promise<Restaurant | undefined> {
  return db.selectFrom('restaurant').selectAll().where('id', '=', id).executeTakeFirst()
}

/**
 * Locks the restaurant until the transaction ends. Operations that change tables, crew, assignments or breaks lock it
 * first, so that what they read stays true. Guests' taps do not wait for it.
 */
export async function lock(db: Db, id: string): Promise<Restaurant | undefined> {
  return updateOne(db, id)
    .set((e) => ({ name: e.ref('name') }))
    .returningAll()
    .executeTakeFirst()
}

/** The installation's only restaurant, if it has exactly one. */
export async function findOnly(db: Db): Promise<Restaurant | undefined> {
  const rows = await db.selectFrom('restaurant').selectAll().limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

export async function exists(db: Db): Promise<boolean> {
  return hasRow(db.selectFrom('restaurant').select('id').limit(1))
}

/** False when it is a current or former name of another restaurant. */
export async function rename(db: Db, id: string, name: string): Promise<boolean> {
  if (!(await takeName(db, id, name))) return false
  await updateOne(db, id).set({ name }).execute()
  return true
}

async function takeName(db: Db, id: string, name: string): Promise<boolean> {
  await db
    .insertInto('restaurantName')
    .values({ nameKey: nameKey(name), restaurantId: id })
    .onConflict((c) => c.column('nameKey').doNothing())
    .execute()
  return (await findByName(db, name))?.id === id
}

/** Former names and the current one. */
export async function countNames(db: Db, id: string): Promise<number> {
  return countRows(db.selectFrom('restaurantName').where('restaurantId', '=', id))
}

/** False when it is a current or former name of another restaurant. */
export async function insert(
  db: Db,
  restaurant: Omit<Restaurant, 'staffPasswordHash' | 'staffPasswordSetAt' | 'verifiedOnly' | 'pinRequired'>,
): Promise<boolean> {
  const unset = { staffPasswordHash: null, staffPasswordSetAt: null, verifiedOnly: 0, pinRequired: 0 }
  await db
    .insertInto('restaurant')
    .values({ ...restaurant, ...unset })
    .execute()
  return takeName(db, restaurant.id, restaurant.name)
}

export async function setTimeZone(db: Db, id: string, timeZone: string): Promise<void> {
  await updateOne(db, id).set({ timeZone }).execute()
}

export async function setSwitches(
  db: Db,
  id: string,
  switches: Partial<Pick<Restaurant, 'verifiedOnly' | 'pinRequired'>>,
): Promise<void> {
  await updateOne(db, id).set(switches).execute()
}

export async function raiseCodeGeneration(db: Db, id: string): Promise<void> {
  await updateOne(db, id)
    .set((e) => ({ codeGeneration: e('codeGeneration', '+', 1) }))
    .execute()
}

/** False when the staff password has been changed since it was read. */
export async function setStaffPassword(
  db: Db,
  { id, staffPasswordHash: before }: Restaurant,
  staffPasswordHash: string | null,
  at: number,
): Promise<boolean> {
  return hasRow(
    updateOne(db, id)
      .set({ staffPasswordHash, staffPasswordSetAt: staffPasswordHash === null ? null : at })
      .where('staffPasswordHash', before === null ? 'is' : '=', before)
      .returning('id'),
  )
}
