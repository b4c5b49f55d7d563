import type { Db } from '../../storage/engine/types.ts'
import * as messages from '../../storage/messages/messages.ts'
import type { MessageRow } from '../../storage/messages/messages.ts'
import type { Outgoing } from '../../storage/push/push-deliveries.ts'
import * as devices from '../../storage/push/push-subscriptions.ts'
import type { Ctx } from '../ctx.ts'
import { isTooLateToPush, pushLate } from '../push/late-pushes.ts'
import { messageNotification } from '../push/notifications.ts'

export async function notifyRecipient(ctx: Ctx, db: Db, row: MessageRow): Promise<Outgoing[]> {
  const { restaurantId, targetCrewId } = row
  const notification = messageNotification(row)
  if (!(await messages.claimPush(db, row)) || isTooLateToPush(ctx, row, notification)) return []
  const to = await devices.listForCrew(db, restaurantId, ctx.now(), [targetCrewId])
  return ctx.pusher.notify(db, restaurantId, to, notification)
}

/** Messages of which no push has begun, because the node that took them has ended. */
export const pushDueMessages = (ctx: Ctx): Promise<void> =>
  pushLate(ctx, messages.listPushDue, async (db, row) => {
    // Devices show the sender's last message only.
    const isReplaced = await messages.hasNewer(db, { ...row, createdAt: row.createdAt + 1 })
    if (!isReplaced) return notifyRecipient(ctx, db, row)
    await messages.claimPush(db, row)
    return []
  })
