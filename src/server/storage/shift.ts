import type { Break, RoleCall } from '#contract/shift.ts'
import type { Db } from './engine/types.ts'
import type { Schema } from './schema.ts'

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

/** Nothing when this id was stored before. */
export async function insertCall(db: Db, call: CallRow): Promise<CallRow | undefined> {
  return db
    .insertInto('roleCall')
    .values(call)
    .onConflict((c) => c.columns(['restaurantId', 'id']).doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function findCall(db: Db, restaurantId: string, id: string): Promise<CallRow | undefined> {
  return db
    .selectFrom('roleCall')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Oldest first. */
export async function listOpenCalls(db: Db, restaurantId: string): Promise<CallRow[]> {
  return db
    .selectFrom('roleCall')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('nextAlertAt', 'is not', null)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

/** Whether nobody has claimed it yet; nobody can until this transaction ends. */
export async function lockUnclaimed(db: Db, restaurantId: string, id: string): Promise<boolean> {
  const row = await db
    .updateTable('roleCall')
    .set({ claimedAt: null })
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .where('claimedAt', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The first claim wins. */
export async function claimCall(
  db: Db,
  restaurantId: string,
  id: string,
  at: number,
  by: { id: string | null; name: string },
): Promise<CallRow | undefined> {
  return db
    .updateTable('roleCall')
    .set({ claimedAt: at, claimedBy: by.id, claimedByName: by.name, nextAlertAt: null })
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .where('claimedAt', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

export async function listDueCalls(db: Db, now: number, limit: number): Promise<CallRow[]> {
  return db
    .selectFrom('roleCall')
    .selectAll()
    .where('nextAlertAt', '<=', now)
    .orderBy('nextAlertAt')
    .limit(limit)
    .execute()
}

/** Alerts once more: once for each time that is due, however many nodes see it. */
export async function recordAlert(db: Db, call: CallRow, nextAlertAt: number): Promise<CallRow | undefined> {
  return db
    .updateTable('roleCall')
    .set({ alerts: call.alerts + 1, nextAlertAt })
    .where('restaurantId', '=', call.restaurantId)
    .where('id', '=', call.id)
    .where('alerts', '=', call.alerts)
    .where('claimedAt', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

export async function listBreaks(db: Db, restaurantId: string): Promise<Break[]> {
  return db
    .selectFrom('crewBreak')
    .select(['crewMemberId', 'coverId'])
    .where('restaurantId', '=', restaurantId)
    .orderBy('crewMemberId')
    .execute()
}

export async function startBreak(db: Db, row: Schema['crewBreak']): Promise<void> {
  await db
    .insertInto('crewBreak')
    .values(row)
    .onConflict((c) =>
      c.columns(['restaurantId', 'crewMemberId']).doUpdateSet({ coverId: row.coverId, since: row.since }),
    )
    .execute()
}

/** Whoever this crew member covers for is covered by somebody else, or by everybody. */
export async function reassignCovers(
  db: Db,
  restaurantId: string,
  coverId: string,
  to: string | null,
): Promise<void> {
  await db
    .updateTable('crewBreak')
    .set((e) => ({
      coverId: e
        .case()
        .when('crewMemberId', '=', to ?? '')
        .then(null)
        .else(to)
        .end(),
    }))
    .where('restaurantId', '=', restaurantId)
    .where('coverId', '=', coverId)
    .execute()
}

/** False when there was none. */
export async function endBreak(db: Db, restaurantId: string, crewMemberId: string): Promise<boolean> {
  const row = await db
    .deleteFrom('crewBreak')
    .where('restaurantId', '=', restaurantId)
    .where('crewMemberId', '=', crewMemberId)
    .returning('crewMemberId')
    .executeTakeFirst()
  return row !== undefined
}
