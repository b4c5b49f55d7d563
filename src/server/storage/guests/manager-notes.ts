import type { Db } from '../engine/types.ts'
import { removeStep, type Step } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type NoteRow = Schema['managerNote']

/** Undefined when the id is already stored. */
export const insert = (db: Db, row: NoteRow): Promise<NoteRow | undefined> =>
  db
    .insertInto('managerNote')
    .values(row)
    .onConflict((c) => c.columns(['restaurantId', 'id']).doNothing())
    .returningAll()
    .executeTakeFirst()

export const find = (db: Db, restaurantId: string, id: string): Promise<NoteRow | undefined> =>
  db
    .selectFrom('managerNote')
    .selectAll()
    .where((e) => e.and({ restaurantId, id }))
    .executeTakeFirst()

/** Open ones before closed ones, and of the open those with the printed code first: a flood hides none of them. */
export const list = (db: Db, restaurantId: string, limit: number): Promise<NoteRow[]> =>
  db
    .selectFrom('managerNote')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .orderBy((e) =>
      e
        .case()
        .when('closedAt', 'is not', null)
        .then(e.lit(2))
        .when('verified', '=', e.lit(0))
        .then(e.lit(1))
        .else(e.lit(0))
        .end(),
    )
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** What this device has written since then, oldest first. */
export const listOwn = (
  db: Db,
  { restaurantId, guestIds }: { restaurantId: string; guestIds: readonly string[] },
  since: number,
): Promise<NoteRow[]> =>
  db
    .selectFrom('managerNote')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('guestId', 'in', guestIds)
    .where('createdAt', '>=', since)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()

const updateOne = (db: Db, restaurantId: string, id: string) =>
  db
    .updateTable('managerNote')
    .where((e) => e.and({ restaurantId, id }))
    .returningAll()

/** Ends its wait for a push; undefined for all but one of several nodes. */
export const claimPush = (db: Db, restaurantId: string, id: string): Promise<NoteRow | undefined> =>
  updateOne(db, restaurantId, id)
    .set({ pushDueAt: null })
    .where('pushDueAt', 'is not', null)
    .executeTakeFirst()

/** In all restaurants, longest due first. */
export const listPushDue = (db: Db, now: number, limit: number): Promise<NoteRow[]> =>
  db
    .selectFrom('managerNote')
    .selectAll()
    .where('pushDueAt', '<=', now)
    .orderBy('pushDueAt')
    .limit(limit)
    .execute()

/** Undefined when a manager has seen it before. */
export const markSeen = (
  db: Db,
  restaurantId: string,
  id: string,
  seenAt: number,
): Promise<NoteRow | undefined> =>
  updateOne(db, restaurantId, id).set({ seenAt }).where('seenAt', 'is', null).executeTakeFirst()

/** Undefined when somebody looks after it already, or has. */
export const take = (
  db: Db,
  restaurantId: string,
  id: string,
  taken: { takenAt: number; takenBy: string | null },
): Promise<NoteRow | undefined> =>
  updateOne(db, restaurantId, id)
    .set((e) => ({ ...taken, seenAt: e.fn.coalesce('seenAt', e.val(taken.takenAt)) }))
    .where('takenAt', 'is', null)
    .where('closedAt', 'is', null)
    .executeTakeFirst()

/** Undefined when it is closed already. */
export const close = (
  db: Db,
  restaurantId: string,
  id: string,
  closed: Pick<NoteRow, 'closedAt' | 'answer' | 'tableKey' | 'tableNumber' | 'placedAt'>,
): Promise<NoteRow | undefined> =>
  updateOne(db, restaurantId, id).set(closed).where('closedAt', 'is', null).executeTakeFirst()

export async function changePlace(
  db: Db,
  restaurantId: string,
  ids: readonly string[],
  place: Pick<NoteRow, 'tableKey' | 'tableNumber' | 'verified' | 'placedAt'>,
): Promise<void> {
  await db
    .updateTable('managerNote')
    .set(place)
    .where('restaurantId', '=', restaurantId)
    .where('id', 'in', ids)
    .where('closedAt', 'is', null)
    .execute()
}

export const removeWritten = (db: Db, step: Step): Promise<number> =>
  removeStep(db, 'managerNote', 'createdAt', step)
