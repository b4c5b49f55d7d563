import { dayMs } from '#contract/durations.ts'
import { visitDurationMs } from '#contract/requests.ts'
import * as deliveries from '../storage/push-deliveries.ts'
import * as messages from '../storage/messages.ts'
import * as passkeys from '../storage/passkeys.ts'
import * as sessions from '../storage/sessions.ts'
import * as visits from '../storage/visits.ts'
import type { Ctx } from './ports.ts'
import { write } from './transaction.ts'

/** What colleagues wrote to each other is kept no longer. */
const messageRetentionMs = 30 * dayMs

/** Removes what can never be used again, or may be kept no longer. */
export async function removeExpiredData(ctx: Ctx): Promise<void> {
  const now = ctx.now()
  await write(ctx, async (db) => {
    await sessions.removeExpired(db, now)
    await deliveries.removeExpired(db, now)
    await passkeys.removeExpiredChallenges(db, now)
    await messages.removeSentBefore(db, now - messageRetentionMs)
    // An old visit is known to be over for a while, so that the guest can be told.
    await visits.removeStartedBefore(db, now - 2 * visitDurationMs)
  })
}
