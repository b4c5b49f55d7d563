import { deletionGraceMs } from '#contract/deleted-items.ts'
import { dayMs } from '#contract/durations.ts'
import { visitDurationMs } from '#contract/requests/requests.ts'
import * as passkeys from '../../storage/accounts/passkeys.ts'
import * as sessions from '../../storage/accounts/sessions.ts'
import * as deletedItems from '../../storage/deleted-items.ts'
import * as weeklyPattern from '../../storage/floor/weekly-pattern.ts'
import * as managerNotes from '../../storage/guests/manager-notes.ts'
import * as visits from '../../storage/guests/visits.ts'
import * as limitCounts from '../../storage/limit-counts.ts'
import * as outsideAlerts from '../../storage/outside/outside-alerts.ts'
import * as outsideEvents from '../../storage/outside/outside-events.ts'
import * as deliveries from '../../storage/push/push-deliveries.ts'
import * as partyMoves from '../../storage/requests/party-moves.ts'
import * as requests from '../../storage/requests/requests.ts'
import { cancelOrphanedRequests, eraseDueRestaurants } from '../accounts/restaurants/restaurant-endings.ts'
import type { Ctx } from '../ctx.ts'
import { write } from '../transaction.ts'

/** What guests wrote may be about their health. */
const noteRetentionMs = dayMs
/** What guests wrote to the manager, and the log of what webhooks were told. An owner may keep the former for less. */
const writtenRetentionMs = 30 * dayMs
/** Longer than any request waits: a request that was sent outside is not sent again. */
const outsideAlertRetentionMs = 7 * dayMs

const sessionsAtOnce = 500

/**
 * Removes data that can no longer be used, or may no longer be kept. A part that fails, such as a restaurant with
 * a locked row, does not stop the others, and is reported at the end.
 */
export async function removeExpiredData(ctx: Ctx): Promise<void> {
  const failures: unknown[] = []
  for (const remove of [
    cancelOrphanedRequests,
    eraseDueRestaurants,
    removeExpiredSessions,
    removeExpiredRows,
  ])
    await remove(ctx).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

async function removeExpiredRows(ctx: Ctx): Promise<void> {
  const now = ctx.now()
  await write(ctx, async ({ db }) => {
    await deliveries.removeExpired(db, now)
    await outsideAlerts.removeDoneBefore(db, now - outsideAlertRetentionMs)
    await outsideEvents.removeDoneBefore(db, now - writtenRetentionMs)
    await passkeys.removeExpiredChallenges(db, now)
    await limitCounts.removeEnded(db, now)
    await requests.eraseNotesBefore(db, now - noteRetentionMs)
    await weeklyPattern.removeDeletedBefore(db, now - deletionGraceMs)
    await deletedItems.removeBefore(db, now - deletionGraceMs)
    await managerNotes.removeWrittenBefore(db, now - writtenRetentionMs)
    // Visits are kept for a while after they end, so that guests can be told that theirs is over.
    await visits.removeStartedBefore(db, now - 2 * visitDurationMs)
    await partyMoves.removeBefore(db, now - 2 * visitDurationMs)
  })
}

/** Every restaurant has some, so they are removed in parts, between which others write. */
async function removeExpiredSessions(ctx: Ctx): Promise<void> {
  const now = ctx.now()
  const removeNext = (after: string): Promise<string | null> =>
    write(ctx, ({ db }) => sessions.removeExpired(db, now, { after, limit: sessionsAtOnce }))
  for (let last = await removeNext(''); last !== null;) last = await removeNext(last)
}
