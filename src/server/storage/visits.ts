import type { Db } from './engine/types.ts'
import type { Schema } from './schema.ts'

type Visit = Schema['guestVisit']

/** When this device's visit at this table began. */
export async function findStart(db: Db, visit: Omit<Visit, 'startedAt'>): Promise<number | undefined> {
  const row = await db
    .selectFrom('guestVisit')
    .select('startedAt')
    .where('restaurantId', '=', visit.restaurantId)
    .where('guestId', '=', visit.guestId)
    .where('tableKey', '=', visit.tableKey)
    .executeTakeFirst()
  return row?.startedAt
}

/** Keeps the visit that is already stored. */
export async function begin(db: Db, visit: Visit): Promise<void> {
  await db
    .insertInto('guestVisit')
    .values(visit)
    .onConflict((c) => c.columns(['restaurantId', 'guestId', 'tableKey']).doNothing())
    .execute()
}

/** Changes nothing where no visit is stored. */
export async function restart(db: Db, { startedAt, ...visit }: Visit): Promise<void> {
  await db
    .updateTable('guestVisit')
    .set({ startedAt })
    .where('restaurantId', '=', visit.restaurantId)
    .where('guestId', '=', visit.guestId)
    .where('tableKey', '=', visit.tableKey)
    .execute()
}

export async function removeStartedBefore(db: Db, time: number): Promise<void> {
  await db.deleteFrom('guestVisit').where('startedAt', '<', time).execute()
}
