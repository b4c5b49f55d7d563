import type { Ctx } from '../../core/ports.ts'
import {
  recordHeartbeat,
  heartbeatIntervalMs,
  recordListeningChange,
  resumeHistory,
} from '../../core/presence/listening.ts'

/**
 * Keeps a record of when anybody listened. Every node notes what it knows of all nodes, and what is noted already is
 * not noted again; two that come at once say the same, and are ordered by their time.
 */
export function createListeningLog(
  ctx: Ctx,
  options: { severalNodes: boolean },
  /** Somebody had been listening there since then when a node stopped, and may be no more. */
  interrupted: (restaurantId: string, since: number) => void,
) {
  /** Where somebody listens, as it was noted. */
  const recorded = new Set<string>()
  /** Whose note could not be written. */
  const unwritten = new Set<string>()
  let queue = enqueue(Promise.resolve(), async () => {
    const { periods, haveEnded } = await resumeHistory(ctx, !options.severalNodes)
    for (const { restaurantId, since } of periods) {
      if (!haveEnded) recorded.add(restaurantId)
      interrupted(restaurantId, since)
    }
  })
  const timer = setInterval(() => {
    for (const restaurantId of [...recorded, ...unwritten]) presenceChanged(restaurantId)
    if (recorded.size > 0) queue = enqueue(queue, () => recordHeartbeat(ctx))
  }, heartbeatIntervalMs)

  /** Notes are written in the order in which things happened. */
  function enqueue(before: Promise<void>, work: () => Promise<void>): Promise<void> {
    return before.then(work).catch((error: unknown) => ctx.log.error({ error }, 'listening not recorded'))
  }

  function presenceChanged(restaurantId: string): void {
    const { listening } = ctx.presence(restaurantId)
    if (recorded.has(restaurantId) === listening && !unwritten.has(restaurantId)) return
    if (listening) recorded.add(restaurantId)
    else recorded.delete(restaurantId)
    unwritten.add(restaurantId)
    const at = ctx.now()
    queue = enqueue(queue, async () => {
      await recordListeningChange(ctx, restaurantId, listening, at)
      unwritten.delete(restaurantId)
    })
  }

  return {
    /** The presence of this restaurant may have changed. */
    changed: presenceChanged,
    /** Resolves when everything is written. */
    stop(): Promise<void> {
      clearInterval(timer)
      return queue
    },
  }
}
