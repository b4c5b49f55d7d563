import type { Db } from '../../storage/engine/types.ts'
import * as requests from '../../storage/requests.ts'
import { type Actor, crewAttribution, grantKinds, eventAttribution } from '../actor.ts'
import type { Announce, Ctx } from '../ports.ts'
import { notFound } from '../errors.ts'
import { recordEvent, requestTopics } from './request-events.ts'

/** The transaction that changes a request, and who changes it. */
export type RequestChange = {
  ctx: Ctx
  db: Db
  announce: Announce
  actor: Actor
  restaurantId: string
  id: string
}

/** The first tap closes the request; later ones change nothing and are no error. */
export async function closeRequest(
  { ctx, db, announce, actor, restaurantId, id }: RequestChange,
  as: 'completed' | 'cancelled',
): Promise<void> {
  const byStaff = grantKinds(actor).length > 0 && as === 'completed'
  const by = byStaff ? crewAttribution(actor) : null
  const closed = await requests.close(db, restaurantId, id, ctx.now(), as, by ?? { id: null, name: null })
  if (!closed) {
    if (!(await requests.find(db, restaurantId, id))) throw notFound('Request')
    return
  }
  recordEvent(ctx, eventAttribution(actor), closed, as)
  const message = {
    type: 'request-completed' as const,
    id,
    by,
    ...(as === 'cancelled' && { cancelled: true as const }),
  }
  for (const topic of requestTopics(closed)) announce(topic, message)
}
