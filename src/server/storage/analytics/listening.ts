import type { ExpressionBuilder } from 'kysely'
import { minuteMs } from '#contract/durations.ts'
import type { QueryDb } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'
import type { Span } from './analytics.ts'

type ChangeRow = Schema['listeningChange']
export type ListeningChange = Pick<ChangeRow, 'at' | 'listening'>
/** Somebody has been listening since then. */
export type ListeningPeriod = { restaurantId: string; since: number }

/** The clocks of several servers differ by less. */
const clockToleranceMs = minuteMs

const listeningChanges = (db: QueryDb, restaurantId: string) =>
  db.selectFrom('listeningChange').select(['at', 'listening']).where('restaurantId', '=', restaurantId)

const lastListeningChange = (db: QueryDb, restaurantId: string) =>
  listeningChanges(db, restaurantId).orderBy('at', 'desc').orderBy('id', 'desc').limit(1)

/** In their order. Leaves out what the last change says already: every node records what it sees. */
export async function recordChanges(db: QueryDb, changes: readonly ChangeRow[], now: number): Promise<void> {
  const restaurantIds = changes.map(({ restaurantId }) => restaurantId)
  const rows = await db
    .selectFrom('restaurant')
    .select('restaurant.id as restaurantId')
    .select((e) => [
      lastChangeIn(e).select('listening').as('listening'),
      lastChangeIn(e).select('at').as('at'),
    ])
    .where('restaurant.id', 'in', restaurantIds)
    .execute()
  const known = new Map(rows.map(({ restaurantId, listening }) => [restaurantId, listening ?? 0]))
  const added = changes.filter(({ restaurantId, listening }) => {
    const before = known.get(restaurantId)
    known.set(restaurantId, listening)
    // Undefined for a restaurant that is gone.
    return before !== undefined && before !== listening
  })
  if (added.length === 0) return
  for (const { restaurantId, at } of rows) {
    const first = added.find((change) => change.restaurantId === restaurantId)
    if (first && (at ?? 0) > now + clockToleranceMs) await bringBack(db, first)
  }
  await db.insertInto('listeningChange').values(added).execute()
}

/** What lies ahead is from before the clock was set back: it comes right before this change, in its order. */
async function bringBack(db: QueryDb, { restaurantId, at }: ChangeRow): Promise<void> {
  await db
    .updateTable('listeningChange')
    .set({ at: at - 1 })
    .where('restaurantId', '=', restaurantId)
    .where('at', '>', at)
    .execute()
}

const lastChangeIn = (e: ExpressionBuilder<Schema, 'restaurant'>) =>
  e
    .selectFrom('listeningChange')
    .whereRef('listeningChange.restaurantId', '=', 'restaurant.id')
    .orderBy('at', 'desc')
    .orderBy('listeningChange.id', 'desc')
    .limit(1)

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
    .select((e) => lastChangeIn(e).select('at').as('since'))
    .where((e) => lastChangeIn(e).select('listening'), '=', 1)
    .execute()
  return rows.map(({ restaurantId, since }) => ({ restaurantId, since: since ?? 0 }))
}

/** Which of these restaurants had nobody listening, and their managers told. */
export async function listAlarmed(db: QueryDb, restaurantIds: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('listeningAlarm')
    .select('restaurantId')
    .where('restaurantId', 'in', restaurantIds)
    .where('raisedAt', 'is not', null)
    .execute()
  return rows.map(({ restaurantId }) => restaurantId)
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
