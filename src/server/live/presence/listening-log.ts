import type { Ctx } from '../../core/ctx.ts'
import {
  heartbeatIntervalMs,
  recordHeartbeat,
  type ListeningChange,
  recordListeningChanges,
  resumeHistory,
} from '../../core/presence/listening.ts'
import { SerialQueue } from '../serial-queue.ts'

/**
 * Records when anybody listened. Every node records what it knows about all nodes; a change that is recorded already
 * is not recorded again, and simultaneous ones agree and are ordered by their time.
 */
export function createListeningLog(
  ctx: Ctx,
  { severalNodes }: { severalNodes: boolean },
  /** Somebody had been listening since `since` when a node stopped, and may no longer be. */
  onInterrupted: (restaurantId: string, since: number) => void,
) {
  /** Restaurants where somebody listens, according to the record. */
  const recorded = new Set<string>()
  /** Restaurants whose last change is not written yet. */
  const unwritten = new Set<string>()
  /** The changes that the next transaction writes. */
  const waiting: ListeningChange[] = []
  const writes = new SerialQueue((error) => ctx.log.error({ error }, 'could not record who listens'))
  writes.add(async () => {
    const { periods, haveEnded } = await resumeHistory(ctx, !severalNodes)
    for (const { restaurantId, since } of periods) {
      if (!haveEnded) recorded.add(restaurantId)
      onInterrupted(restaurantId, since)
    }
  })
  const timer = setInterval(() => {
    for (const restaurantId of [...recorded, ...unwritten]) presenceChanged(restaurantId)
    if (recorded.size > 0) writes.add(() => recordHeartbeat(ctx))
  }, heartbeatIntervalMs)

  function presenceChanged(restaurantId: string): void {
    const { listening } = ctx.presence(restaurantId)
    if (recorded.has(restaurantId) === listening && !unwritten.has(restaurantId)) return
    if (listening) recorded.add(restaurantId)
    else recorded.delete(restaurantId)
    unwritten.add(restaurantId)
    if (waiting.length === 0) writes.add(() => writeWaiting(waiting.splice(0)))
    waiting.push({ restaurantId, isListening: listening, at: ctx.now() })
  }

  async function writeWaiting(changes: readonly ListeningChange[]): Promise<void> {
    await recordListeningChanges(ctx, changes)
    for (const { restaurantId } of changes) unwritten.delete(restaurantId)
  }

  return {
    /** The restaurant's presence may have changed. */
    presenceChanged,
    /** Resolves when everything is written. */
    stop(): Promise<void> {
      clearInterval(timer)
      return writes.whenDone()
    },
  }
}
