import type { PersonRef } from '#contract/requests/requests.ts'
import * as transitions from '../../storage/requests/request-transitions.ts'
import * as requests from '../../storage/requests/requests.ts'
import { type Actor, crewAttribution, eventAttribution, isStaff } from '../actor.ts'
import type { Announce, Ctx } from '../ctx.ts'
import { notFound } from '../errors.ts'
import type { Tx } from '../transaction.ts'
import { type Attribution, recordEvent, requestTopics } from './request-events.ts'

/** The transaction that changes a request, and who changes it. */
export type RequestChange = {
  ctx: Ctx
  tx: Tx
  actor: Actor
  restaurantId: string
  id: string
}

/** The first tap closes the request; later ones succeed and change nothing. */
export async function closeRequest(
  { ctx, tx, actor, restaurantId, id }: RequestChange,
  as: 'completed' | 'cancelled',
): Promise<void> {
  const byStaff = isStaff(actor) && as === 'completed'
  const by = byStaff ? crewAttribution(actor) : null
  const closed = await transitions.close(
    tx.db,
    restaurantId,
    id,
    ctx.now(),
    as,
    by ?? { id: null, name: null },
  )
  if (!closed) {
    const current = await requests.findCurrent(tx.db, restaurantId, id)
    if (!current) throw notFound('Request')
    if (current.id === id && current.closedAt !== null) return
    // It was merged, or opened again since.
    return closeRequest({ ctx, tx, actor, restaurantId, id: current.id }, as)
  }
  recordEvent(ctx, tx, eventAttribution(actor), closed, as)
  announceClosed(tx.announce, closed, { by, ...(as === 'cancelled' && { cancelled: true }) })
}

/** Cancels what is open in a restaurant where nobody works any more. */
export async function cancelAllOpen(
  ctx: Ctx,
  tx: Tx,
  { restaurantId, by }: { restaurantId: string; by: Attribution },
): Promise<void> {
  const nobody = { id: null, name: null }
  const ids = (await requests.listOpen(tx.db, restaurantId)).map(({ id }) => id)
  for (const { id } of await transitions.lockOpen(tx.db, restaurantId, ids)) {
    const closed = await transitions.close(tx.db, restaurantId, id, ctx.now(), 'cancelled', nobody)
    if (!closed) continue
    recordEvent(ctx, tx, by, closed, 'cancelled')
    announceClosed(tx.announce, closed, { by: null, cancelled: true })
  }
}

function announceClosed(
  announce: Announce,
  closed: requests.RequestRow,
  how: { by: PersonRef | null; cancelled?: true },
): void {
  for (const topic of requestTopics(closed))
    announce(topic, { type: 'request-completed', id: closed.id, ...how })
}
