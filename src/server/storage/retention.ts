import type { ExpressionBuilder } from 'kysely'
import type { Db, QueryDb } from './engine/types.ts'
import type { Schema } from './schema.ts'

export type RetentionRow = Schema['retention']

export const find = (db: QueryDb, restaurantId: string): Promise<RetentionRow | undefined> =>
  db.selectFrom('retention').selectAll().where('restaurantId', '=', restaurantId).executeTakeFirst()

/** Ends a removal that is under way: the rest is removed by what is set now. */
export async function set(
  db: Db,
  restaurantId: string,
  set: Pick<RetentionRow, 'requestDays' | 'messageDays' | 'logDays' | 'undo' | 'runAt'>,
): Promise<void> {
  const changed = { ...set, leasedUntil: null }
  const removed = { requestsRemovedBefore: null, messagesRemovedBefore: null, logRemovedBefore: null }
  await db
    .insertInto('retention')
    .values({ restaurantId, ...removed, ...changed })
    .onConflict((c) => c.column('restaurantId').doUpdateSet(changed))
    .execute()
}

const isFree = (now: number) => (e: ExpressionBuilder<Schema, 'retention'>) =>
  e.or([e('leasedUntil', 'is', null), e('leasedUntil', '<=', now)])

/** Where something may be too old and nobody removes it yet, the longest due first. */
export async function listDue(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('retention')
    .select('restaurantId')
    .where('runAt', '<=', now)
    .where(isFree(now))
    .orderBy('runAt')
    .limit(limit)
    .execute()
  return rows.map(({ restaurantId }) => restaurantId)
}

/**
 * What is to be removed now, by one node at a time: undefined if another one has begun, or it is no longer due. `held` is
 * the end of the lease that this node has.
 */
export const lease = (
  db: Db,
  restaurantId: string,
  { now, held, until }: { now: number; held: number | null; until: number },
): Promise<RetentionRow | undefined> =>
  db
    .updateTable('retention')
    .set({ leasedUntil: until })
    .where('restaurantId', '=', restaurantId)
    .where('runAt', '<=', now)
    .where((e) => e.or([isFree(now)(e), ...(held === null ? [] : [e('leasedUntil', '=', held)])]))
    .returningAll()
    .executeTakeFirst()

/** Call it in the transaction that leased it. */
export async function settle(
  db: Db,
  restaurantId: string,
  settled: Partial<Omit<RetentionRow, 'restaurantId'>>,
): Promise<void> {
  await db.updateTable('retention').set(settled).where('restaurantId', '=', restaurantId).execute()
}

type Before = { before: number; limit: number }

/** Closed ones with all their events. Returns how many. */
export async function removeRequests(
  db: Db,
  restaurantId: string,
  { before, closedBefore, limit }: Before & { closedBefore: number },
): Promise<number> {
  const rows = await db
    .selectFrom('serviceRequest')
    .select('id')
    .where('restaurantId', '=', restaurantId)
    .where('createdAt', '<', before)
    .where('closedAt', '<', closedBefore)
    .orderBy('createdAt')
    .limit(limit)
    .execute()
  if (rows.length === 0) return 0
  const ids = rows.map(({ id }) => id)
  await db
    .deleteFrom('requestEvent')
    .where('restaurantId', '=', restaurantId)
    .where('requestId', 'in', ids)
    .execute()
  await db
    .deleteFrom('serviceRequest')
    .where('restaurantId', '=', restaurantId)
    .where('id', 'in', ids)
    .execute()
  return rows.length
}

/** Keeps the last change from before: it says whether somebody listened at that moment. */
export async function removeListening(
  db: Db,
  restaurantId: string,
  { before, limit }: Before,
): Promise<number> {
  const rows = await db
    .selectFrom('listeningChange')
    .select(['id', 'at'])
    .where('restaurantId', '=', restaurantId)
    .where('at', '<', before)
    .orderBy('at')
    .orderBy('id')
    .limit(limit + 1)
    .execute()
  const ids = rows.slice(0, -1).map(({ id }) => id)
  if (ids.length === 0) return 0
  await db
    .deleteFrom('listeningChange')
    .where('restaurantId', '=', restaurantId)
    .where('id', 'in', ids)
    .execute()
  return ids.length
}

/** Who worked where: whole days. */
export async function removeAssignments(
  db: Db,
  restaurantId: string,
  { day, limit }: { day: string; limit: number },
): Promise<number> {
  const rows = await db
    .selectFrom('tableAssignment')
    .select('date')
    .where('restaurantId', '=', restaurantId)
    .where('date', '<', day)
    .orderBy('date')
    .limit(limit)
    .execute()
  const last = rows.at(-1)?.date
  if (last === undefined) return 0
  await db
    .deleteFrom('tableAssignment')
    .where('restaurantId', '=', restaurantId)
    .where('date', '<=', last)
    .execute()
  await db
    .deleteFrom('plannedDay')
    .where('restaurantId', '=', restaurantId)
    .where('date', '<=', last)
    .execute()
  return rows.length
}

export async function removeMessages(
  db: Db,
  restaurantId: string,
  { before, limit }: Before,
): Promise<number> {
  const messages = await db
    .deleteFrom('teamMessage')
    .where('restaurantId', '=', restaurantId)
    .where('id', 'in', (e) =>
      e
        .selectFrom('teamMessage')
        .select('id')
        .where('restaurantId', '=', restaurantId)
        .where('createdAt', '<', before)
        .orderBy('createdAt')
        .limit(limit),
    )
    .executeTakeFirst()
  const notes = await db
    .deleteFrom('managerNote')
    .where('restaurantId', '=', restaurantId)
    .where('createdAt', '<', before)
    .executeTakeFirst()
  return Number(messages.numDeletedRows) + Number(notes.numDeletedRows)
}

/** Removes calls to a role that somebody has taken. */
export async function removeCalls(db: Db, restaurantId: string, { before, limit }: Before): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('roleCall')
    .where('restaurantId', '=', restaurantId)
    .where('id', 'in', (e) =>
      e
        .selectFrom('roleCall')
        .select('id')
        .where('restaurantId', '=', restaurantId)
        .where('createdAt', '<', before)
        .where('nextAlertAt', 'is', null)
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** The oldest ones only are looked at: ids are in chronological order. */
export async function removeEntries(
  db: Db,
  restaurantId: string,
  { before, limit }: Before,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('auditEntry')
    .where('restaurantId', '=', restaurantId)
    .where('at', '<', before)
    .where('id', 'in', (e) =>
      e
        .selectFrom('auditEntry')
        .select('id')
        .where('restaurantId', '=', restaurantId)
        .orderBy('id')
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** When the oldest request, message and entry of the log are from. */
export async function findOldest(
  db: Db,
  restaurantId: string,
): Promise<{ requests: number | null; messages: number | null; log: number | null }> {
  const first = (table: 'serviceRequest' | 'teamMessage') =>
    db
      .selectFrom(table)
      .select('createdAt as at')
      .where('restaurantId', '=', restaurantId)
      .orderBy('createdAt')
      .limit(1)
      .executeTakeFirst()
  const entry = await db
    .selectFrom('auditEntry')
    .select('at')
    .where('restaurantId', '=', restaurantId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  const [request, message] = [await first('serviceRequest'), await first('teamMessage')]
  return { requests: request?.at ?? null, messages: message?.at ?? null, log: entry?.at ?? null }
}
