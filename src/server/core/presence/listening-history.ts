import * as listening from '../../storage/listening-changes.ts'
import * as settings from '../../storage/settings.ts'
import type { Ctx } from '../ports.ts'
import { read, write } from '../transaction.ts'

/** While anybody listens, the installation writes that it is alive so often, in milliseconds. */
export const heartbeatIntervalMs = 30_000

/** No node was alive for so long: whoever listened listens no more. */
const heartbeatTimeoutMs = 3 * heartbeatIntervalMs

const heartbeatSetting = 'listening-beat'

export const recordHeartbeat = (ctx: Ctx): Promise<void> =>
  write(ctx, (db) => settings.put(db, heartbeatSetting, String(ctx.now())))

/** The last listening screen of a restaurant went away, or one came back. */
export async function recordListeningChange(
  ctx: Ctx,
  restaurantId: string,
  isListening: boolean,
  at: number,
): Promise<void> {
  const change = { restaurantId, id: ctx.newId(), at, listening: isListening ? 1 : 0 }
  await write(ctx, (db) => listening.recordChange(db, change))
}

/**
 * What a node does first. When it is the only one, or all others have long been silent, nobody has listened since
 * the last beat, and that is noted now; else somebody may listen through another node. Tells where somebody had been
 * listening when it was noted last, and since when.
 */
export async function resumeHistory(
  ctx: Ctx,
  alone: boolean,
): Promise<{ spells: listening.ListeningPeriod[]; areEnded: boolean }> {
  const spells = await listening.listCurrentPeriods(read(ctx))
  const lastBeat = Number(await settings.get(read(ctx), heartbeatSetting)) || 0
  if (!alone && ctx.now() - lastBeat < heartbeatTimeoutMs) return { spells, areEnded: false }
  for (const { restaurantId, since } of spells)
    await recordListeningChange(ctx, restaurantId, false, Math.max(since, lastBeat))
  return { spells, areEnded: true }
}
