import * as devices from '../../storage/push-subscriptions.ts'
import * as alarm from '../../storage/listening-alarm.ts'
import * as requests from '../../storage/requests.ts'
import type { Ctx } from '../ports.ts'
import { nobodyListeningNotification, somebodyListeningNotification } from '../push/notifications.ts'

/**
 * Nobody hears the guests of a restaurant any more, where somebody had been listening since then. When they all
 * signed out and no guest waits, the shift is over.
 */
export async function raise(
  ctx: Ctx,
  restaurantId: string,
  { since, onPurpose }: { since: number; onPurpose: boolean },
): Promise<void> {
  if (!ctx.hasDevices(restaurantId)) return
  await ctx.pusher.storeAndSend(async (db) => {
    const managers = await devices.listForManagers(db, restaurantId, ctx.now())
    if (managers.length === 0) return []
    if (onPurpose && !(await requests.hasOpen(db, restaurantId))) return []
    if (!(await alarm.raise(db, restaurantId, { at: ctx.now(), since }))) return []
    return ctx.pusher.notify(db, restaurantId, managers, nobodyListeningNotification)
  })
}

export async function lower(ctx: Ctx, restaurantId: string): Promise<void> {
  if (!ctx.hasDevices(restaurantId)) return
  await ctx.pusher.storeAndSend(async (db) =>
    (await alarm.lower(db, restaurantId))
      ? ctx.pusher.withdraw(db, restaurantId, somebodyListeningNotification)
      : [],
  )
}
