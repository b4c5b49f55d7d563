import { dayMs } from '#contract/durations.ts'
import { visitDurationMs } from '#contract/requests.ts'
import * as deliveries from '../storage/push-deliveries.ts'
import * as messages from '../storage/messages.ts'
import * as passkeys from '../storage/passkeys.ts'
import * as sessions from '../storage/sessions.ts'
import * as visits from '../storage/visits.ts'
import type { Ctx } from './ports.ts'
import { write } from './transaction.ts'

const messageRetentionMs = 30 * dayMs

/** Removes data that can no longer be used, or may no longer be kept. */
export async function removeExpiredData(ctx: Ctx): Promise<void> {
  const now = ctx.now()
  await write(ctx, async (db) => {
    await sessions.removeExpired(db, now)
    await deliveries.removeExpired(db, now)
    await passkeys.removeExpiredChallenges(db, now)
    await messages.removeSentBefore(db, now - messageRetentionMs)
    // Visits are kept for a while after they end, so that guests can be told that theirs is over.
    await visits.removeStartedBefore(db, now - 2 * visitDurationMs)
  })
}
