import { sql } from 'kysely'
import { defineStatement } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'
import { countRows, removeStep, type Step } from '../rows.ts'
import type { Schema } from '../schema.ts'

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

/** Of these devices, at all tables. */
export async function listOf(db: Db, restaurantId: string, guestIds: readonly string[]): Promise<Visit[]> {
  if (guestIds.length === 0) return []
  return db
    .selectFrom('guestVisit')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('guestId', 'in', guestIds)
    .execute()
}

/** The devices that have sent requests here during visits that began then. */
export const countStarted = (
  db: Db,
  { restaurantId, tableKey }: Pick<Visit, 'restaurantId' | 'tableKey'>,
  { from, before }: { from: number; before: number },
): Promise<number> =>
  countRows(
    db
      .selectFrom('guestVisit')
      .where((e) => e.and({ restaurantId, tableKey }))
      .where('startedAt', '>=', from)
      .where('startedAt', '<', before),
  )

/** Keeps the visit that is already stored. */
export async function begin(db: Db, visit: Visit): Promise<void> {
  await db.run(beginVisit, visit)
}

/** When the last of the visits at this table began that began later than that; 0 without any. */
export async function findLastStart(
  db: Db,
  { restaurantId, tableKey }: Pick<Visit, 'restaurantId' | 'tableKey'>,
  after: number,
): Promise<number> {
  const row = await db
    .selectFrom('guestVisit')
    .select('startedAt')
    .where((e) => e.and({ restaurantId, tableKey }))
    .where('startedAt', '>', after)
    .orderBy('startedAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.startedAt ?? 0
}

const visitKey = ['restaurantId', 'guestId', 'tableKey'] as const

const beginVisit = defineStatement<Visit, Pick<Visit, (typeof visitKey)[number]>>({
  name: 'begin-visit',
  input: { restaurantId: 'text', guestId: 'text', tableKey: 'text', startedAt: 'bigint' },
  match: visitKey,
  query: (db) =>
    db
      .insertInto('guestVisit')
      .columns([...visitKey, 'startedAt'])
      .expression((e) =>
        e
          .selectFrom('input')
          .select([...visitKey, 'startedAt'])
          .where(sql.lit(true)),
      )
      .onConflict((c) => c.columns(visitKey).doNothing())
      .returning(visitKey),
})

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

export const removeStarted = (db: Db, step: Step): Promise<number> =>
  removeStep(db, 'guestVisit', 'startedAt', step)
