import type { Ctx, PushNotification } from '../ctx.ts'
import type { Tx } from '../transaction.ts'

/**
 * Takes a notification back in the transaction that ends its reason, so that no server that stops then leaves it on a
 * device. It is sent after COMMIT, and only where the restaurant has devices.
 */
export async function withdrawPush(
  ctx: Ctx,
  { db, afterCommit }: Tx,
  restaurantId: string,
  notification: PushNotification,
): Promise<void> {
  if (!ctx.hasDevices(restaurantId)) return
  const stored = await ctx.pusher.withdraw(db, restaurantId, notification)
  afterCommit(() => ctx.pusher.send(stored))
}
