import { secondMs } from '#contract/durations.ts'
import type { Db } from '../../storage/engine/types.ts'
import type { Outgoing } from '../../storage/push/push-deliveries.ts'
import type { Ctx, PushNotification } from '../ctx.ts'
import { read } from '../transaction.ts'

/** The node that stores what is to be pushed begins to push it at once. After this long any does: that one has ended. */
const graceMs = 5 * secondMs
const batchSize = 200

/** To be stored with what is to be pushed; null where nobody has alerts on. */
export const whenPushIsDue = (ctx: Ctx, restaurantId: string): number | null =>
  ctx.hasDevices(restaurantId) ? ctx.now() + graceMs : null

/** Pushes what `listDue` finds that no node has begun to push. */
export async function pushLate<Row>(
  ctx: Ctx,
  listDue: (db: Db, now: number, limit: number) => Promise<Row[]>,
  push: (db: Db, row: Row) => Promise<Outgoing[]>,
): Promise<void> {
  const due = await listDue(read(ctx), ctx.now(), batchSize)
  await Promise.all(due.map((row) => ctx.pusher.storeAndSend((db) => push(db, row))))
}

/** As late as a push that fails is given up. */
export const isTooLateToPush = (
  ctx: Ctx,
  { createdAt }: { createdAt: number },
  { ttlMs }: PushNotification,
): boolean => createdAt + ttlMs <= ctx.now()
