import type { Db } from './engine/types.ts'
import type { Schema } from './schema.ts'

export type Change = Schema['listeningChange']
/** Somebody has been listening since then. */
export type ListeningPeriod = { restaurantId: string; since: number }

const lastChange = (db: Db, restaurantId: string) =>
  db
    .selectFrom('listeningChange')
    .select(['at', 'listening'])
    .where('restaurantId', '=', restaurantId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)

/** Nothing when it says the same as the change before it: every node notes what it sees. */
export async function recordChange(db: Db, change: Change): Promise<void> {
  const last = await lastChange(db, change.restaurantId).executeTakeFirst()
  if ((last?.listening ?? 0) !== change.listening)
    await db.insertInto('listeningChange').values(change).execute()
}

/** The restaurants where somebody listens, as far as was noted, and since when. */
export async function listCurrentPeriods(db: Db): Promise<ListeningPeriod[]> {
  const rows = await db
    .selectFrom('restaurant')
    .select('restaurant.id as restaurantId')
    .where(
      (e) =>
        e
          .selectFrom('listeningChange')
          .select('listening')
          .whereRef('listeningChange.restaurantId', '=', 'restaurant.id')
          .orderBy('at', 'desc')
          .orderBy('listeningChange.id', 'desc')
          .limit(1),
      '=',
      1,
    )
    .execute()
  return Promise.all(
    rows.map(async ({ restaurantId }) => {
      const last = await lastChange(db, restaurantId).executeTakeFirst()
      return { restaurantId, since: last?.at ?? 0 }
    }),
  )
}
