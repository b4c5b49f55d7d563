import type { OutsideChannelKind } from '#contract/outside/outside-alerts.ts'
import type { Db } from '../engine/types.ts'
import { countRows, hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type OutsideChannel = Schema['outsideChannel']

/** Null when nobody outside is alerted. */
export async function findDelay(db: Db, restaurantId: string): Promise<number | null> {
  const row = await db
    .selectFrom('outsideAlertSetting')
    .select('afterMs')
    .where('restaurantId', '=', restaurantId)
    .executeTakeFirst()
  return row?.afterMs ?? null
}

export async function setDelay(db: Db, restaurantId: string, afterMs: number | null): Promise<void> {
  if (afterMs === null)
    await db.deleteFrom('outsideAlertSetting').where('restaurantId', '=', restaurantId).execute()
  else
    await db
      .insertInto('outsideAlertSetting')
      .values({ restaurantId, afterMs })
      .onConflict((c) => c.column('restaurantId').doUpdateSet({ afterMs }))
      .execute()
}

/** Until when everything was found that any webhook is to be told of; null if no webhook is told anything. */
export async function findLookedUntil(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom('outsideChannel')
    .select((e) => e.fn.min('lookedUntil').as('lookedUntil'))
    .where('topics', 'is not', null)
    .executeTakeFirst()
  return row?.lookedUntil ?? null
}

type NewChannel = Pick<
  OutsideChannel,
  'restaurantId' | 'id' | 'kind' | 'address' | 'secret' | 'createdAt' | 'confirmedAt'
>

export async function insert(db: Db, channel: NewChannel): Promise<OutsideChannel> {
  return db
    .insertInto('outsideChannel')
    .values({
      ...channel,
      codeProof: null,
      codeExpiresAt: null,
      codeTries: 0,
      nextAt: null,
      leasedUntil: null,
      failing: 0,
      failures: 0,
      lastAt: null,
      lastProblem: null,
      getsAlerts: 1,
      reportAt: null,
      reportedWeek: null,
      topics: null,
      lookedUntil: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Oldest first. */
export async function list(db: Db, restaurantId: string): Promise<OutsideChannel[]> {
  return db
    .selectFrom('outsideChannel')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

export async function count(db: Db, restaurantId: string): Promise<number> {
  return countRows(db.selectFrom('outsideChannel').where('restaurantId', '=', restaurantId))
}

export async function find(db: Db, restaurantId: string, id: string): Promise<OutsideChannel | undefined> {
  return db
    .selectFrom('outsideChannel')
    .selectAll()
    .where((e) => e.and({ restaurantId, id }))
    .executeTakeFirst()
}

/** Undefined when there is no such channel. */
export async function remove(db: Db, restaurantId: string, id: string): Promise<OutsideChannel | undefined> {
  return db
    .deleteFrom('outsideChannel')
    .where((e) => e.and({ restaurantId, id }))
    .returningAll()
    .executeTakeFirst()
}

type ChannelRef = Pick<OutsideChannel, 'restaurantId' | 'id'>

const updateOne = (db: Db, { restaurantId, id }: ChannelRef) =>
  db.updateTable('outsideChannel').where((e) => e.and({ restaurantId, id }))

/** Replaces the previous one. */
export async function setCode(
  db: Db,
  channel: ChannelRef,
  { codeProof, codeExpiresAt }: { codeProof: string; codeExpiresAt: number },
): Promise<void> {
  await updateOne(db, channel)
    .set({ codeProof, codeExpiresAt, codeTries: 0 })
    .where('confirmedAt', 'is', null)
    .execute()
}

/**
 * Counts an attempt before the digits are checked, so that simultaneous attempts cannot exceed `maxAttempts`. Undefined
 * when there is no code to try.
 */
export async function countAttempt(
  db: Db,
  channel: ChannelRef,
  maxAttempts: number,
  now: number,
): Promise<OutsideChannel | undefined> {
  return updateOne(db, channel)
    .set((e) => ({ codeTries: e('codeTries', '+', 1) }))
    .where('codeExpiresAt', '>', now)
    .where('codeTries', '<', maxAttempts)
    .returningAll()
    .executeTakeFirst()
}

/** False when the code was used or replaced meanwhile. */
export async function confirm(
  db: Db,
  { restaurantId, id, codeProof }: OutsideChannel,
  now: number,
): Promise<boolean> {
  return hasRow(
    updateOne(db, { restaurantId, id })
      .set({
        confirmedAt: now,
        codeProof: null,
        codeExpiresAt: null,
        failing: 0,
        failures: 0,
        lastAt: null,
        lastProblem: null,
      })
      .where('codeProof', '=', codeProof)
      .returning('id'),
  )
}

/** The kinds of which any channel is due, and whether those failed last time. */
export async function listDueKinds(db: Db, now: number): Promise<Pick<OutsideChannel, 'kind' | 'failing'>[]> {
  return db
    .selectFrom('outsideChannel')
    .select(['kind', 'failing'])
    .distinct()
    .where('nextAt', '<=', now)
    .execute()
}

/** Channels of one kind that are due and that nobody is sending to, longest due first. */
export async function listDue(
  db: Db,
  { kind, failing }: { kind: OutsideChannelKind; failing: number },
  now: number,
  limit: number,
): Promise<OutsideChannel[]> {
  return db
    .selectFrom('outsideChannel')
    .selectAll()
    .where((e) => e.and({ kind, failing }))
    .where('nextAt', '<=', now)
    .where((e) => e.or([e('leasedUntil', 'is', null), e('leasedUntil', '<=', now)]))
    .orderBy('nextAt')
    .limit(limit)
    .execute()
}

/** Only one of several nodes succeeds; should it die, the channel is free again at `until`. */
export async function lease(
  db: Db,
  channel: OutsideChannel,
  until: number,
): Promise<OutsideChannel | undefined> {
  return leasing(db, channel, until).executeTakeFirst()
}

/** The same, unless another node has had the whole turn since the channel was found: then it is due later, if at all. */
export async function leaseDue(
  db: Db,
  channel: OutsideChannel,
  now: number,
  until: number,
): Promise<OutsideChannel | undefined> {
  return leasing(db, channel, until).where('nextAt', '<=', now).executeTakeFirst()
}

const leasing = (
  db: Db,
  { leasedUntil, ...channel }: ChannelRef & Pick<OutsideChannel, 'leasedUntil'>,
  until: number,
) =>
  updateOne(db, channel)
    .set({ leasedUntil: until })
    .where('leasedUntil', leasedUntil === null ? 'is' : '=', leasedUntil)
    .returningAll()

/** What the last attempt, or a test, showed. */
export async function recordOutcome(
  db: Db,
  channel: ChannelRef,
  { at, problem }: { at: number; problem: string | null },
): Promise<OutsideChannel | undefined> {
  return updateOne(db, channel)
    .set((e) => ({
      lastAt: at,
      lastProblem: problem,
      failing: problem === null ? 0 : 1,
      failures: problem === null ? 0 : e('failures', '+', 1),
    }))
    .returningAll()
    .executeTakeFirst()
}

/** Undefined when there is no such channel. */
export async function change(
  db: Db,
  channel: ChannelRef,
  changed: Partial<Pick<OutsideChannel, 'getsAlerts' | 'reportAt' | 'topics' | 'lookedUntil'>>,
): Promise<OutsideChannel | undefined> {
  return updateOne(db, channel).set(changed).returningAll().executeTakeFirst()
}

/** Channels whose weekly report is due, longest overdue first. Those of a deleted restaurant wait until it is restored. */
export async function listReportsDue(db: Db, now: number, limit: number): Promise<OutsideChannel[]> {
  return db
    .selectFrom('outsideChannel')
    .selectAll()
    .where('reportAt', '<=', now)
    .where('restaurantId', 'not in', (e) =>
      e.selectFrom('restaurantEnding').select('restaurantId').where('kind', '=', 'deleted'),
    )
    .orderBy('reportAt')
    .limit(limit)
    .execute()
}

/** Only one of several nodes succeeds; should it die, the report is due again at `until`. */
export async function claimReport(
  db: Db,
  { restaurantId, id, reportAt }: OutsideChannel,
  until: number,
): Promise<OutsideChannel | undefined> {
  return updateOne(db, { restaurantId, id })
    .set({ reportAt: until })
    .where('reportAt', '=', reportAt)
    .returningAll()
    .executeTakeFirst()
}

/** Changes nothing if the owner has turned the reports off, or off and on, meanwhile. */
export async function settleReport(
  db: Db,
  { restaurantId, id, reportAt }: OutsideChannel,
  settled: Pick<OutsideChannel, 'reportAt' | 'reportedWeek'>,
): Promise<void> {
  await updateOne(db, { restaurantId, id }).set(settled).where('reportAt', '=', reportAt).execute()
}
