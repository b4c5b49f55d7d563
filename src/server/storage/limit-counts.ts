import { sql } from 'kysely'
import { minuteMs } from '#contract/durations.ts'
import type { Db } from './engine/types.ts'
import { removeStep, type Step } from './rows.ts'

export type LimitUse = { limitName: string; keyDigest: string; max: number; windowMs: number; now: number }

/** How far the clocks of two servers may differ. */
const clockToleranceMs = minuteMs

/** Until when a window counts that goes on now: one that ends later began before a clock was set back. */
export const latestEnd = ({ now, windowMs }: Pick<LimitUse, 'now' | 'windowMs'>): number =>
  now + windowMs + clockToleranceMs

/** Counts one attempt; false if the limit is reached, which simultaneous attempts cannot exceed either. */
export async function countOne(
  db: Db,
  { limitName, keyDigest, max, windowMs, now }: LimitUse,
): Promise<boolean> {
  const endsAt = sql.ref<number>('limitCount.endsAt')
  const isOver = sql<boolean>`(${endsAt} <= ${now} or ${endsAt} > ${latestEnd({ now, windowMs })})`
  const row = await db
    .insertInto('limitCount')
    .values({ limitName, keyDigest, count: 1, endsAt: now + windowMs })
    .onConflict((conflict) =>
      conflict
        .columns(['limitName', 'keyDigest'])
        .doUpdateSet((e) => ({
          count: sql<number>`case when ${isOver} then 1 else ${e.ref('limitCount.count')} + 1 end`,
          endsAt: sql<number>`case when ${isOver} then ${e.ref('excluded.endsAt')} else ${endsAt} end`,
        }))
        .where((e) => e.or([isOver, e('limitCount.count', '<', max)])),
    )
    .returning('count')
    .executeTakeFirst()
  return row !== undefined
}

type Key = Pick<LimitUse, 'limitName' | 'keyDigest'>
type Found = { count: number; endsAt: number }

export async function find(db: Db, { limitName, keyDigest }: Key): Promise<Found | undefined> {
  return db
    .selectFrom('limitCount')
    .select(['count', 'endsAt'])
    .where('limitName', '=', limitName)
    .where('keyDigest', '=', keyDigest)
    .executeTakeFirst()
}

/** Until the end of the transaction nobody else counts it. */
export async function lock(db: Db, { limitName, keyDigest }: Key): Promise<Found | undefined> {
  return db
    .updateTable('limitCount')
    .set((e) => ({ count: e.ref('count') }))
    .where('limitName', '=', limitName)
    .where('keyDigest', '=', keyDigest)
    .returning(['count', 'endsAt'])
    .executeTakeFirst()
}

export async function remove(db: Db, { limitName, keyDigest }: Key): Promise<void> {
  await db
    .deleteFrom('limitCount')
    .where('limitName', '=', limitName)
    .where('keyDigest', '=', keyDigest)
    .execute()
}

export const removeEnded = (db: Db, step: Step): Promise<number> =>
  removeStep(db, 'limitCount', 'endsAt', step)
