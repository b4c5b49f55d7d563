import { sql } from 'kysely'
import type { RoleCall } from '#contract/crew/shift.ts'
import { defineStatement, isOnly } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type CallRow = Schema['roleCall']

export const toCall = (row: CallRow): RoleCall => ({
  id: row.id,
  role: row.role,
  messageKey: row.messageKey,
  tableNumber: row.tableNumber,
  from: { id: row.fromId, name: row.fromName },
  timestamp: row.createdAt,
  claimedBy: row.claimedAt === null ? null : { id: row.claimedBy, name: row.claimedByName ?? 'Crew' },
  alerts: row.alerts,
})

/** Undefined when the id is already stored. */
export async function insert(db: Db, call: CallRow): Promise<CallRow | undefined> {
  return db
    .insertInto('roleCall')
    .values(call)
    .onConflict((c) => c.columns(['restaurantId', 'id']).doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function find(db: Db, restaurantId: string, id: string): Promise<CallRow | undefined> {
  return db
    .selectFrom('roleCall')
    .selectAll()
    .where((e) => e.and({ restaurantId, id }))
    .executeTakeFirst()
}

/** Oldest first. */
export const listOpen = (db: Db, restaurantId: string): Promise<CallRow[]> =>
  db.run(openCalls, { restaurantId })

const openCalls = defineStatement<{ restaurantId: string }, CallRow & { n: number }>({
  name: 'open-calls',
  input: { restaurantId: 'text' },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('roleCall', (j) => j.on(isOnly('roleCall.restaurantId', 'input.restaurantId')))
      .select([
        'input.n',
        'roleCall.restaurantId',
        'id',
        'role',
        'messageKey',
        'tableNumber',
        'fromId',
        'fromName',
        'createdAt',
        'alerts',
        'nextAlertAt',
        'claimedAt',
        'claimedBy',
        'claimedByName',
      ])
      // By `role_call_open`, and once the restaurant is known: no index of all open calls says the same.
      .where(sql<boolean>`coalesce(role_call.claimed_at, 0) = case when input.n is not null then 0 end`)
      .orderBy('createdAt')
      .orderBy('id'),
})

const updateUnclaimed = (db: Db, restaurantId: string, id: string) =>
  db
    .updateTable('roleCall')
    .where((e) => e.and({ restaurantId, id }))
    .where('claimedAt', 'is', null)
    .returningAll()

/** Whether the call is unclaimed; it stays so until the transaction ends. */
export const lockUnclaimed = (db: Db, restaurantId: string, id: string): Promise<boolean> =>
  hasRow(updateUnclaimed(db, restaurantId, id).set({ claimedAt: null }))

/** The first claim wins; undefined for the others. */
export async function claim(
  db: Db,
  restaurantId: string,
  id: string,
  at: number,
  by: { id: string | null; name: string },
): Promise<CallRow | undefined> {
  return updateUnclaimed(db, restaurantId, id)
    .set({ claimedAt: at, claimedBy: by.id, claimedByName: by.name, nextAlertAt: null })
    .executeTakeFirst()
}

export async function listDue(db: Db, now: number, limit: number): Promise<CallRow[]> {
  return db
    .selectFrom('roleCall')
    .selectAll()
    .where('nextAlertAt', '<=', now)
    .orderBy('nextAlertAt')
    .limit(limit)
    .execute()
}

/** The number of alerts guards the update: each alert happens once, however many nodes find it due. */
export async function recordAlert(db: Db, call: CallRow, nextAlertAt: number): Promise<CallRow | undefined> {
  return updateUnclaimed(db, call.restaurantId, call.id)
    .set({ alerts: call.alerts + 1, nextAlertAt })
    .where('alerts', '=', call.alerts)
    .executeTakeFirst()
}
