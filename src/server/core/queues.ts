import { measureQueue } from '../storage/outside/outside-queue.ts'
import * as deliveries from '../storage/push/push-deliveries.ts'
import type { Ctx } from './ctx.ts'
import { read } from './transaction.ts'

/** What waits to be sent to sleeping phones, and as alerts and events to addresses outside, and for how long it has been due. */
export async function measureQueues(
  ctx: Ctx,
): Promise<{ name: string; messages: number; overdueMs: number }[]> {
  const [push, outside, webhook] = await Promise.all([
    deliveries.measureQueue(read(ctx)),
    measureQueue(read(ctx), 'outsideAlert'),
    measureQueue(read(ctx), 'outsideEvent'),
  ])
  const now = ctx.now()
  return Object.entries({ push, outside, webhook }).map(([name, { messages, firstAt }]) => ({
    name,
    messages,
    overdueMs: Math.max(0, now - (firstAt ?? now)),
  }))
}
