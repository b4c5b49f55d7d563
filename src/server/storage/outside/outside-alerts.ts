import type { Db } from '../engine/types.ts'
import { hasRow, removeStep, type Step } from '../rows.ts'
import type { Schema } from '../schema.ts'
import type { OutsideChannel } from './outside-channels.ts'
import { dueNoLaterThan, firstDue } from './outside-queue.ts'

export type OutsideAlert = Schema['outsideAlert']

/**
 * Stores an alert for each confirmed channel of the restaurant that gets alerts; one that waits is due no later than
 * before. A request that was sent outside is not sent again.
 */
export async function schedule(
  db: Db,
  { restaurantId, requestId, dueAt }: Pick<OutsideAlert, 'restaurantId' | 'requestId' | 'dueAt'>,
  newId: () => string,
): Promise<void> {
  // Locks all of them, so that `release` sees the alert or ends before it.
  const channels = await db
    .updateTable('outsideChannel')
    .set(dueNoLaterThan(dueAt))
    .where('restaurantId', '=', restaurantId)
    .where('confirmedAt', 'is not', null)
    .where('getsAlerts', '=', 1)
    .returning('id')
    .execute()
  if (channels.length === 0) return
  await db
    .insertInto('outsideAlert')
    .values(
      channels.map(({ id: channelId }) => ({
        restaurantId,
        channelId,
        requestId,
        id: newId(),
        dueAt,
        doneAt: null,
      })),
    )
    .onConflict((c) =>
      c
        .columns(['restaurantId', 'channelId', 'requestId'])
        .doUpdateSet({ dueAt })
        .where('outsideAlert.doneAt', 'is', null)
        .where('outsideAlert.dueAt', '>', dueAt),
    )
    .execute()
}

/** When the first of the request's alerts that wait is due; null if none waits. */
export async function findFirstDue(
  db: Db,
  { restaurantId, requestId }: Pick<OutsideAlert, 'restaurantId' | 'requestId'>,
): Promise<number | null> {
  const row = await db
    .selectFrom('outsideAlert')
    .select((e) => e.fn.min('dueAt').as('dueAt'))
    .where((e) => e.and({ restaurantId, requestId }))
    .where('doneAt', 'is', null)
    .executeTakeFirst()
  return row?.dueAt ?? null
}

/** The channel's alert that has been due longest. */
export async function findDue(
  db: Db,
  { restaurantId, id: channelId }: OutsideChannel,
  now: number,
): Promise<OutsideAlert | undefined> {
  return db
    .selectFrom('outsideAlert')
    .selectAll()
    .where((e) => e.and({ restaurantId, channelId }))
    .where('doneAt', 'is', null)
    .where('dueAt', '<=', now)
    .orderBy('dueAt')
    .limit(1)
    .executeTakeFirst()
}

const updateOpen = (db: Db, { restaurantId, channelId, requestId }: OutsideAlert) =>
  db
    .updateTable('outsideAlert')
    .where((e) => e.and({ restaurantId, channelId, requestId }))
    .where('doneAt', 'is', null)

export async function markDone(db: Db, alert: OutsideAlert, doneAt: number): Promise<void> {
  await updateOpen(db, alert).set({ doneAt }).execute()
}

/** As if it had never been stored: unlike one that is done, it can be scheduled again. */
export async function remove(db: Db, { restaurantId, channelId, requestId }: OutsideAlert): Promise<void> {
  await db
    .deleteFrom('outsideAlert')
    .where((e) => e.and({ restaurantId, channelId, requestId }))
    .where('doneAt', 'is', null)
    .execute()
}

export async function postpone(db: Db, alert: OutsideAlert, dueAt: number): Promise<void> {
  await updateOpen(db, alert).set({ dueAt }).execute()
}

/** Ends this lease of the channel, which is due again with what it has to send, after a failure not before `retryAt`. */
export async function release(
  db: Db,
  { restaurantId, id, leasedUntil }: OutsideChannel,
  retryAt: number | null,
): Promise<void> {
  const channel = db.updateTable('outsideChannel').where((e) => e.and({ restaurantId, id }))
  // Locks the row first: an alert that is being scheduled meanwhile is found below, or sets the time afterwards.
  const released = hasRow(
    channel.set({ leasedUntil: null }).where('leasedUntil', '=', leasedUntil).returning('id'),
  )
  if (!(await released)) return
  const due = [
    await firstDue(db, 'outsideAlert', { restaurantId, id }),
    await firstDue(db, 'outsideEvent', { restaurantId, id }),
  ].filter((time) => time !== null)
  const first = due.length === 0 ? null : Math.min(...due)
  const nextAt = first === null ? null : Math.max(first, retryAt ?? first)
  await channel.set({ nextAt }).execute()
}

/** When a request no longer waits at the manager's level. */
export async function removeOpenOf(
  db: Db,
  { restaurantId, requestId }: Pick<OutsideAlert, 'restaurantId' | 'requestId'>,
): Promise<void> {
  await db
    .deleteFrom('outsideAlert')
    .where((e) => e.and({ restaurantId, requestId }))
    .where('doneAt', 'is', null)
    .execute()
}

/** When a request waits by itself again, whose alerts were due sooner together with another one. */
export async function restoreDue(
  db: Db,
  { restaurantId, requestId }: Pick<OutsideAlert, 'restaurantId' | 'requestId'>,
  { before, merged }: { before: number | null; merged: number | null },
): Promise<void> {
  if (before === null || merged === null || before <= merged) return
  await db
    .updateTable('outsideAlert')
    .set({ dueAt: before })
    .where((e) => e.and({ restaurantId, requestId, dueAt: merged }))
    .where('doneAt', 'is', null)
    .execute()
}

/** When nobody outside is to be alerted any more. */
export async function removeOpen(db: Db, restaurantId: string): Promise<void> {
  await db
    .deleteFrom('outsideAlert')
    .where('restaurantId', '=', restaurantId)
    .where('doneAt', 'is', null)
    .execute()
}

export const removeDone = (db: Db, step: Step): Promise<number> =>
  removeStep(db, 'outsideAlert', 'doneAt', step)
