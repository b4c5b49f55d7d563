import type { Span } from './analytics.ts'
import type { QueryDb } from './engine/types.ts'
import { hasRow } from './rows.ts'
import type { Schema } from './schema.ts'

type ChangeRow = Schema['listeningChange']
export type ListeningChange = Pick<ChangeRow, 'at' | 'listening'>
/** Somebody has been listening since then. */
export type ListeningPeriod = { restaurantId: string; since: number }

const listeningChanges = (db: QueryDb, restaurantId: string) =>
  db.selectFrom('listeningChange').select(['at', 'listening']).where('restaurantId', '=', restaurantId)

const lastListeningChange = (db: QueryDb, restaurantId: string) =>
  listeningChanges(db, restaurantId).orderBy('at', 'desc').orderBy('id', 'desc').limit(1)

/** Does nothing when the last change says the same: every node records what it sees. */
export async function recordChange(db: QueryDb, change: ChangeRow): Promise<void> {
  const last = await lastListeningChange(db, change.restaurantId).executeTakeFirst()
  if ((last?.listening ?? 0) !== change.listening)
    await db.insertInto('listeningChange').values(change).execute()
}

/** Oldest first. */
export async function listChanges(
  db: QueryDb,
  restaurantId: string,
  { from, to }: Span,
): Promise<ListeningChange[]> {
  return listeningChanges(db, restaurantId)
    .where('at', '>=', from)
    .where('at', '<', to)
    .orderBy('at')
    .orderBy('id')
    .execute()
}

/** The change that was in effect at this instant. */
export async function findChangeAt(
  db: QueryDb,
  restaurantId: string,
  at: number,
): Promise<ListeningChange | undefined> {
  return lastListeningChange(db, restaurantId).where('at', '<=', at).executeTakeFirst()
}

/** The restaurants where somebody listens, according to the last change. */
export async function listCurrentPeriods(db: QueryDb): Promise<ListeningPeriod[]> {
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
      const last = await lastListeningChange(db, restaurantId).executeTakeFirst()
      return { restaurantId, since: last?.at ?? 0 }
    }),
  )
}

/**
 * True for the one caller that raises the alarm. An alarm raised before `since`, when somebody began to listen, is over.
 */
export async function raiseAlarm(
  db: QueryDb,
  restaurantId: string,
  { at, since }: { at: number; since: number },
): Promise<boolean> {
  return hasRow(
    db
      .insertInto('listeningAlarm')
      .values({ restaurantId, raisedAt: at })
      .onConflict((c) =>
        c
          .column('restaurantId')
          .doUpdateSet({ raisedAt: at })
          .where((e) =>
            e.or([e('listeningAlarm.raisedAt', 'is', null), e('listeningAlarm.raisedAt', '<', since)]),
          ),
      )
      .returning('restaurantId'),
  )
}

/** True for the one caller that lowers the alarm. */
export async function lowerAlarm(db: QueryDb, restaurantId: string): Promise<boolean> {
  return hasRow(
    db
      .updateTable('listeningAlarm')
      .set({ raisedAt: null })
      .where('restaurantId', '=', restaurantId)
      .where('raisedAt', 'is not', null)
      .returning('restaurantId'),
  )
}
