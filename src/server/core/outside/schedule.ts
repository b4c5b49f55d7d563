import type { Db } from '../../storage/engine/types.ts'
import * as outsideAlerts from '../../storage/outside/outside-alerts.ts'
import * as outsideChannels from '../../storage/outside/outside-channels.ts'
import type { RequestRow } from '../../storage/requests/requests.ts'
import type { Ctx } from '../ctx.ts'

/**
 * Call in the transaction that raises a request to the manager's level, or lets it wait there again: if nobody answers,
 * the next is outside. `joined`: a request that goes on in this one, for which they are alerted no later.
 */
export async function scheduleOutsideAlerts(
  ctx: Ctx,
  db: Db,
  { restaurantId, id: requestId, level }: RequestRow,
  joined?: Pick<RequestRow, 'id'>,
): Promise<void> {
  if (level < 2) return
  const afterMs = await outsideChannels.findDelay(db, restaurantId)
  if (afterMs === null) return
  const joinedDueAt = joined && (await outsideAlerts.findFirstDue(db, { restaurantId, requestId: joined.id }))
  const dueAt = Math.min(ctx.now() + afterMs, joinedDueAt ?? Infinity)
  await outsideAlerts.schedule(db, { restaurantId, requestId, dueAt }, ctx.newId)
}
