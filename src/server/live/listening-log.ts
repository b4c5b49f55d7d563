import type { Ctx } from '../core/ports.ts'
import { beat, beatMs, note, resume } from '../core/listening.ts'

/**
 * Keeps a record of when anybody listened. Every node notes what it knows of all nodes, and what is noted already is
 * not noted again; two that come at once say the same, and are ordered by their time.
 */
export function keepListeningLog(
  ctx: Ctx,
  options: { severalNodes: boolean },
  /** Somebody had been listening there since then when a node stopped, and may be no more. */
  interrupted: (restaurantId: string, since: number) => void,
) {
  /** Where somebody listens, as it was noted. */
  const noted = new Set<string>()
  /** Whose note could not be written. */
  const doubtful = new Set<string>()
  let last = inTurn(Promise.resolve(), async () => {
    const { spells, areOver } = await resume(ctx, !options.severalNodes)
    for (const { restaurantId, since } of spells) {
      if (!areOver) noted.add(restaurantId)
      interrupted(restaurantId, since)
    }
  })
  const timer = setInterval(() => {
    for (const restaurantId of [...noted, ...doubtful]) changed(restaurantId)
    if (noted.size > 0) last = inTurn(last, () => beat(ctx))
  }, beatMs)

  /** Notes are written in the order in which things happened. */
  function inTurn(before: Promise<void>, work: () => Promise<void>): Promise<void> {
    return before.then(work).catch((error: unknown) => ctx.log.error({ error }, 'listening not recorded'))
  }

  function changed(restaurantId: string): void {
    const { listening } = ctx.presence(restaurantId)
    if (noted.has(restaurantId) === listening && !doubtful.has(restaurantId)) return
    if (listening) noted.add(restaurantId)
    else noted.delete(restaurantId)
    doubtful.add(restaurantId)
    const at = ctx.now()
    last = inTurn(last, async () => {
      await note(ctx, restaurantId, listening, at)
      doubtful.delete(restaurantId)
    })
  }

  return {
    /** The presence of this restaurant may have changed. */
    changed,
    /** Resolves when everything is written. */
    stop(): Promise<void> {
      clearInterval(timer)
      return last
    },
  }
}
