import type { Delivery, DeliveryPage } from '#contract/outside/webhooks.ts'
import * as outsideEvents from '../../storage/outside/outside-events.ts'
import type { OutsideEvent } from '../../storage/outside/outside-events.ts'
import type { Actor } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { notFound } from '../errors.ts'
import { read, write } from '../transaction.ts'
import { requireChannel } from './channels.ts'

const pageSize = 50

export async function deliveries(
  ctx: Ctx,
  actor: Actor,
  { id: channelId, before }: { id: string; before?: string | undefined },
): Promise<DeliveryPage> {
  const { restaurantId } = authorizeInRestaurant(actor, 'outsideAlerts.deliveries')
  await requireChannel(ctx, restaurantId, channelId)
  const page = { before, limit: pageSize + 1 }
  const events = await outsideEvents.list(read(ctx), { restaurantId, channelId }, page)
  return { deliveries: events.slice(0, pageSize).map(toDelivery), hasOlder: events.length > pageSize }
}

const toDelivery = ({
  id,
  type,
  at,
  data,
  attempts,
  doneAt,
  lastAt,
  lastProblem,
}: OutsideEvent): Delivery => ({
  id,
  type,
  at,
  state: doneAt === null ? 'waiting' : lastProblem === null ? 'delivered' : 'failed',
  attempts,
  last: lastAt === null ? null : { at: lastAt, problem: lastProblem },
  data,
})

/** Also when it arrived before. */
export async function sendAgain(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<Delivery> {
  const { restaurantId } = authorizeInRestaurant(actor, 'outsideAlerts.sendAgain')
  await ctx.limits.take('outside-again', restaurantId)
  const event = await write(ctx, ({ db }) => outsideEvents.sendAgain(db, { restaurantId, id }, ctx.now()))
  if (!event) throw notFound('Delivery')
  return toDelivery(event)
}
