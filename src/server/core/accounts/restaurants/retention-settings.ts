import {
  isShorter,
  type Retention,
  type RetentionChange,
  retentionKinds,
  type RetentionState,
} from '#contract/accounts/retention.ts'
import { hourMs } from '#contract/durations.ts'
import { mergeFields } from '#contract/merging.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as retention from '../../../storage/retention.ts'
import type { RetentionRow } from '../../../storage/retention.ts'
import type { Actor } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { authorizeInRestaurant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { firstWholeDay, localDay } from '../../dates.ts'
import { notFound } from '../../errors.ts'
import { mergeChange } from '../../merge-change.ts'
import { nightAfter } from '../../retention/retention-run.ts'
import { read, write } from '../../transaction.ts'
import { requireGrantStillValid } from '../sessions/sessions.ts'
import { listRemains } from './remains.ts'
import { restaurantOf } from './restaurants.ts'

/** For how long an owner can change their mind at least. */
const graceMs = 12 * hourMs

export async function state(ctx: Ctx, actor: Actor): Promise<RetentionState> {
  authorizeInRestaurant(actor, 'retention.state')
  const db = read(ctx)
  return loadState(ctx, db, await restaurantOf(db, actor))
}

/** What is kept for a shorter time from now on is removed in the next night but the one that begins soon. */
export async function set(ctx: Ctx, actor: Actor, change: RetentionChange): Promise<RetentionState> {
  const { restaurantId } = authorizeInRestaurant(actor, 'retention.set')
  return write(ctx, async ({ db }) => {
    await requireGrantStillValid(ctx, db, actor, 'retention.set')
    const restaurant = await restaurants.lock(db, restaurantId)
    if (!restaurant) throw notFound('Restaurant')
    const row = await retention.find(db, restaurantId)
    const before = toRetention(row)
    const wanted = mergeRetention(before, change)
    if (retentionKinds.some((kind) => wanted[kind] !== before[kind])) {
      await retention.set(db, restaurantId, {
        requestDays: wanted.requests,
        messageDays: wanted.messages,
        logDays: wanted.log,
        ...schedule(ctx, restaurant.timeZone, { row, before, wanted }),
      })
      await audit.record(ctx, db, actor, restaurantId, 'retention.set', wanted)
    }
    return loadState(ctx, db, restaurant)
  })
}

function mergeRetention(now: Retention, { was, ...wanted }: RetentionChange): Retention {
  return was ? mergeFields(mergeChange, now, was, wanted) : wanted
}

type Change = { row: RetentionRow | undefined; before: Retention; wanted: Retention }

function schedule(
  ctx: Ctx,
  timeZone: string,
  { row, before, wanted }: Change,
): Pick<RetentionRow, 'runAt' | 'undo'> {
  const isShortened = retentionKinds.some((kind) => isShorter(kind, wanted, before))
  const undo = row?.undo ?? (isShortened ? JSON.stringify(before) : null)
  const keepsAll = retentionKinds.every((kind) => wanted[kind] === null)
  const runAt = isShortened ? null : (row?.runAt ?? null)
  return {
    runAt: keepsAll ? null : (runAt ?? nightAfter(ctx.now() + graceMs, timeZone)),
    undo: undo === JSON.stringify(wanted) ? null : undo,
  }
}

export const toRetention = (row: RetentionRow | undefined): Retention => ({
  requests: row?.requestDays ?? null,
  messages: row?.messageDays ?? null,
  log: row?.logDays ?? null,
})

async function loadState(
  ctx: Ctx,
  db: Db,
  { id, timeZone }: restaurants.Restaurant,
): Promise<RetentionState> {
  const row = await retention.find(db, id)
  const oldest = await retention.findOldest(db, id)
  const dayOf = (at: number | null): string | null => (at === null ? null : localDay(at, timeZone))
  const wholeDayOf = (at: number | null = null): string | null =>
    at === null ? null : firstWholeDay(at, timeZone)
  const earliestRunAt = nightAfter(ctx.now() + graceMs, timeZone)
  const undo: Retention | null = row?.undo ? JSON.parse(row.undo) : null
  return {
    retention: toRetention(row),
    timeZone,
    oldest: {
      requests: dayOf(oldest.requests),
      messages: dayOf(oldest.messages),
      log: dayOf(oldest.log),
    },
    keptFrom: {
      requests: wholeDayOf(row?.requestsRemovedBefore),
      messages: wholeDayOf(row?.messagesRemovedBefore),
      log: wholeDayOf(row?.logRemovedBefore),
    },
    runAt: row?.runAt ?? null,
    earliestRun: { at: earliestRunAt, day: localDay(earliestRunAt, timeZone) },
    undo,
    remains: await listRemains(ctx, db, id),
  }
}
