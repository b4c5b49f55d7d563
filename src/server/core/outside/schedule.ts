import type { Db } from '../../storage/engine/types.ts'
import * as outsideAlerts from '../../storage/outside/outside-alerts.ts'
import * as outsideChannels from '../../storage/outside/outside-channels.ts'
import type { RequestRow } from '../../storage/requests/requests.ts'
import type { Ctx } from '../ctx.ts'

/**
 * Call in the transaction that raises a request to the manager's level, or lets it wait there again: if nobody answers,
 * the next is outside.
 */
export async function scheduleOutsideAlerts(
  ctx: Ctx,
  db: Db,
  { restaurantId, id: requestId, level }: RequestRow,
): Promise<void> {
  if (level < 2) return
  const afterMs = await outsideChannels.findDelay(db, restaurantId)
  if (afterMs === null) return
  await outsideAlerts.schedule(db, { restaurantId, requestId, dueAt: ctx.now() + afterMs }, ctx.newId)
}
