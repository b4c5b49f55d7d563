import * as listening from '../storage/listening.ts'
import * as settings from '../storage/settings.ts'
import type { Ctx } from './ports.ts'
import { read, write } from './transaction.ts'

/** While anybody listens, the installation writes that it is alive so often, in milliseconds. */
export const beatMs = 30_000

/** No node was alive for so long: whoever listened listens no more. */
const goneMs = 3 * beatMs

const setting = 'listening-beat'

export const beat = (ctx: Ctx): Promise<void> =>
  write(ctx, (db) => settings.put(db, setting, String(ctx.now())))

/** The last listening screen of a restaurant went away, or one came back. */
export async function note(ctx: Ctx, restaurantId: string, isListening: boolean, at: number): Promise<void> {
  const change = { restaurantId, id: ctx.newId(), at, listening: isListening ? 1 : 0 }
  await write(ctx, (db) => listening.note(db, change))
}

/**
 * What a node does first. When it is the only one, or all others have long been silent, nobody has listened since
 * the last beat, and that is noted now; else somebody may listen through another node. Tells where somebody had been
 * listening when it was noted last, and since when.
 */
export async function resume(
  ctx: Ctx,
  alone: boolean,
): Promise<{ spells: listening.Spell[]; areOver: boolean }> {
  const spells = await listening.spells(read(ctx))
  const lastBeat = Number(await settings.get(read(ctx), setting)) || 0
  if (!alone && ctx.now() - lastBeat < goneMs) return { spells, areOver: false }
  for (const { restaurantId, since } of spells)
    await note(ctx, restaurantId, false, Math.max(since, lastBeat))
  return { spells, areOver: true }
}
