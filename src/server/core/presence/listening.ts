import { secondMs } from '#contract/durations.ts'
import * as endings from '../../storage/accounts/restaurant-endings.ts'
import * as listening from '../../storage/analytics/listening.ts'
import * as pushSubscriptions from '../../storage/push/push-subscriptions.ts'
import * as requests from '../../storage/requests/requests.ts'
import * as settings from '../../storage/settings.ts'
import type { Ctx } from '../ctx.ts'
import { nobodyListeningNotification, somebodyListeningNotification } from '../push/notifications.ts'
import { read, write } from '../transaction.ts'

/** How often the installation records that it is alive, while anybody listens. */
export const heartbeatIntervalMs = 30 * secondMs

/** After this long without a heartbeat from any node, whoever was listening no longer is. */
const heartbeatTimeoutMs = 3 * heartbeatIntervalMs

const restaurantsAtOnce = 200

const heartbeatSetting = 'listening-beat'

export const recordHeartbeat = (ctx: Ctx): Promise<void> =>
  write(ctx, ({ db }) => settings.put(db, heartbeatSetting, String(ctx.now())))

/** The last listening screen of a restaurant went away, or one came back. */
export type ListeningChange = { restaurantId: string; isListening: boolean; at: number }

/** After a start they may be those of all restaurants, and guests' taps are waiting: many share a transaction. */
export async function recordListeningChanges(ctx: Ctx, changes: readonly ListeningChange[]): Promise<void> {
  for (const part of inParts(changes))
    await write(ctx, ({ db }) =>
      listening.recordChanges(
        db,
        part.map(({ restaurantId, isListening, at }) => ({
          restaurantId,
          id: ctx.newId(),
          at,
          listening: isListening ? 1 : 0,
        })),
        ctx.now(),
      ),
    )
}

const inParts = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / restaurantsAtOnce) }, (_, part) =>
    items.slice(part * restaurantsAtOnce, (part + 1) * restaurantsAtOnce),
  )

/**
 * Called when a node starts: returns where somebody was listening according to the last change, and since when. If no
 * other node can be alive, these periods ended with the last heartbeat, and that is recorded now.
 */
export async function resumeHistory(
  ctx: Ctx,
  isOnlyNode: boolean,
): Promise<{ periods: listening.ListeningPeriod[]; haveEnded: boolean }> {
  const periods = await listening.listCurrentPeriods(read(ctx))
  const lastHeartbeat = Number(await settings.get(read(ctx), heartbeatSetting)) || 0
  if (!isOnlyNode && ctx.now() - lastHeartbeat < heartbeatTimeoutMs) return { periods, haveEnded: false }
  await recordListeningChanges(
    ctx,
    periods.map(({ restaurantId, since }) => ({
      restaurantId,
      isListening: false,
      // Both lie ahead if the clock was set back.
      at: Math.min(Math.max(since, lastHeartbeat), ctx.now()),
    })),
  )
  return { periods, haveEnded: true }
}

/** The restaurants where guests were waiting when the node started. */
export const listWaiting = (ctx: Ctx): Promise<string[]> => requests.listAllWithOpen(read(ctx))

/**
 * Nobody listens in a restaurant any more where somebody had been listening since `since`. When they all signed out
 * and no guest waits, the shift is over and nobody is alarmed, nor when the owner has deleted the restaurant.
 */
export async function raise(
  ctx: Ctx,
  restaurantId: string,
  { since, onPurpose }: { since: number; onPurpose: boolean },
): Promise<void> {
  if (!ctx.hasDevices(restaurantId)) return
  await ctx.pusher.storeAndSend(async (db) => {
    const managers = await pushSubscriptions.listForManagers(db, restaurantId, ctx.now())
    if (managers.length === 0 || (await endings.isDeleted(db, restaurantId))) return []
    if (onPurpose && !(await requests.hasOpen(db, restaurantId))) return []
    if (!(await listening.raiseAlarm(db, restaurantId, { at: ctx.now(), since }))) return []
    return ctx.pusher.notify(db, restaurantId, managers, nobodyListeningNotification)
  })
  // Whoever came back meanwhile found no alarm to withdraw.
  if (ctx.presence(restaurantId).listening) await lowerAlarm(ctx, restaurantId)
}

/** Somebody listens there again. */
export async function lower(ctx: Ctx, restaurantIds: readonly string[]): Promise<void> {
  for (const part of inParts(restaurantIds.filter((restaurantId) => ctx.hasDevices(restaurantId))))
    for (const restaurantId of await listening.listAlarmed(read(ctx), part))
      await lowerAlarm(ctx, restaurantId)
}

async function lowerAlarm(ctx: Ctx, restaurantId: string): Promise<void> {
  await ctx.pusher.storeAndSend(async (db) =>
    (await listening.lowerAlarm(db, restaurantId))
      ? ctx.pusher.withdraw(db, restaurantId, somebodyListeningNotification)
      : [],
  )
}
