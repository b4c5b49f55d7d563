import { deletionGraceMs } from '#contract/deleted-items.ts'
import { dayMs, hourMs, minuteMs } from '#contract/durations.ts'
import { visitDurationMs } from '#contract/requests/requests.ts'
import * as passkeys from '../../storage/accounts/passkeys.ts'
import * as sessions from '../../storage/accounts/sessions.ts'
import * as deletedItems from '../../storage/deleted-items.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as managerNotes from '../../storage/guests/manager-notes.ts'
import * as visits from '../../storage/guests/visits.ts'
import * as limitCounts from '../../storage/limit-counts.ts'
import * as outsideAlerts from '../../storage/outside/outside-alerts.ts'
import * as outsideEvents from '../../storage/outside/outside-events.ts'
import * as deliveries from '../../storage/push/push-deliveries.ts'
import * as partyMoves from '../../storage/requests/party-moves.ts'
import * as requests from '../../storage/requests/requests.ts'
import * as settings from '../../storage/settings.ts'
import { cancelOrphanedRequests, eraseDueRestaurants } from '../accounts/restaurants/restaurant-endings.ts'
import type { Ctx } from '../ctx.ts'
import { read, write } from '../transaction.ts'

/** What guests wrote may be about their health. */
const noteRetentionMs = dayMs
/** What guests wrote to the manager, and the log of what webhooks were told. An owner may keep the former for less. */
const writtenRetentionMs = 30 * dayMs
/** Longer than any request waits: a request that was sent outside is not sent again. */
const outsideAlertRetentionMs = 7 * dayMs
/** So that a device can still withdraw what it shows. */
const deliveryRetentionMs = dayMs
/** Visits are kept for a while after they end, so that guests can be told that theirs is over. */
const visitRetentionMs = 2 * visitDurationMs

const rowsPerTransaction = 500

/** Where the installation keeps when the last run began. */
const lastRunSetting = 'retention'
const pauseMs = 9 * minuteMs
/** How far the clocks of two servers may differ. */
const clockToleranceMs = hourMs

/** Removes about `limit` rows of one kind and returns how many; fewer than `limit` once nothing is left. */
type RemoveRows = (db: Db, now: number, limit: number) => Promise<number>

/** Most sensitive first. */
const expiredKinds: RemoveRows[] = [
  (db, now, limit) => requests.eraseNotes(db, { until: now - noteRetentionMs, limit }),
  (db, now, limit) => managerNotes.removeWritten(db, { until: now - writtenRetentionMs, limit }),
  (db, now, limit) => outsideEvents.removeDone(db, { until: now - writtenRetentionMs, limit }),
  (db, now, limit) => outsideEvents.removePast(db, { until: now - writtenRetentionMs, limit }),
  (db, now, limit) => outsideAlerts.removeDone(db, { until: now - outsideAlertRetentionMs, limit }),
  (db, now, limit) => deliveries.removeExpired(db, { until: now - deliveryRetentionMs, limit }),
  (db, now) => deliveries.removeUndeliverable(db, now),
  (db, now, limit) => visits.removeStarted(db, { until: now - visitRetentionMs, limit }),
  (db, now, limit) => partyMoves.removeOld(db, { until: now - visitRetentionMs, limit }),
  (db, now, limit) => passkeys.removeExpiredChallenges(db, { until: now, limit }),
  (db, now, limit) => limitCounts.removeEnded(db, { until: now, limit }),
  (db, now, limit) => deletedItems.removeItems(db, { until: now - deletionGraceMs, limit }),
  (db, now, limit) => deletedItems.removeAssignments(db, { until: now - deletionGraceMs, limit }),
]

/**
 * Removes data that can no longer be used, or may no longer be kept. A part that fails, such as a restaurant with
 * a locked row, does not stop the others, and is reported at the end. A server that stops leaves the rest to the next run.
 */
export async function removeExpiredData(ctx: Ctx): Promise<void> {
  const failures: unknown[] = []
  for (const remove of [
    ...expiredKinds.map((removeRows) => () => removeInSteps(ctx, removeRows)),
    removeExpiredSessions,
    cancelOrphanedRequests,
    eraseDueRestaurants,
  ]) {
    if (ctx.stopping.aborted) break
    await remove(ctx).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * Each minute in every process, of which one does it, at most ten minutes after the last run began. A run that takes
 * longer may be joined by another process.
 */
export async function removeExpiredDataIfDue(ctx: Ctx): Promise<void> {
  // Another one takes the turn.
  if (ctx.stopping.aborted) return
  if (await takeTurn(ctx)) await removeExpiredData(ctx)
}

async function takeTurn(ctx: Ctx): Promise<boolean> {
  const now = ctx.now()
  const before = (await settings.get(read(ctx), lastRunSetting)) ?? '0'
  const lastRun = Number(before)
  // One that began in the future was begun by a clock that was wrong.
  if (lastRun <= now + clockToleranceMs && now < lastRun + pauseMs) return false
  return write(ctx, async ({ db }) => {
    await settings.putIfAbsent(db, lastRunSetting, before)
    return settings.replace(db, lastRunSetting, { before: [before], after: String(now) })
  })
}

/** However many there are, others can write in between, and no statement runs into PostgreSQL's time limit. */
async function removeInSteps(ctx: Ctx, removeRows: RemoveRows): Promise<void> {
  const now = ctx.now()
  const removeNext = (): Promise<number> => write(ctx, ({ db }) => removeRows(db, now, rowsPerTransaction))
  do {
    if (ctx.stopping.aborted) return
  } while ((await removeNext()) >= rowsPerTransaction)
}

/** Every restaurant has some, so they are removed in parts, between which others write. */
async function removeExpiredSessions(ctx: Ctx): Promise<void> {
  const now = ctx.now()
  const removeNext = (after: string): Promise<string | null> =>
    write(ctx, ({ db }) => sessions.removeExpired(db, now, { after, limit: rowsPerTransaction }))
  for (let last: string | null = ''; last !== null;) {
    if (ctx.stopping.aborted) return
    last = await removeNext(last)
  }
}
