import type { PushAction, PushActionReply } from '#contract/push.ts'
import * as pushSubscriptions from '../../storage/push/push-subscriptions.ts'
import * as requests from '../../storage/requests/requests.ts'
import type { Actor } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import * as chosenMember from '../crew/chosen-member.ts'
import type { Ctx } from '../ctx.ts'
import { conflict, notFound, Refusal, unauthenticated } from '../errors.ts'
import * as crewRequests from '../requests/crew-requests.ts'
import { tooLate } from '../requests/late-taps.ts'
import { read } from '../transaction.ts'

/**
 * A button of a notification, tapped without opening the page: acts in the name that gets alerts on this device.
 * Repeats change nothing and get the same answer.
 */
export async function act(ctx: Ctx, actor: Actor, input: PushAction): Promise<PushActionReply> {
  const { restaurantId } = authorizeInRestaurant(actor, 'push.act')
  const member = await loadMemberOfDevice(ctx, actor, restaurantId, input.endpoint)
  const actingMember: Actor = { ...actor, crewMember: member }
  const { requestId: id, ageMs } = input
  if (input.action === 'complete') await crewRequests.complete(ctx, actingMember, { id, ageMs })
  else await crewRequests.accept(ctx, actingMember, { id, ageMs })

  const row = await requests.findCurrent(read(ctx), restaurantId, id)
  if (!row) throw notFound('Request')
  const isOwn =
    input.action === 'complete'
      ? row.closedAs === 'completed'
      : row.closedAt === null && row.acceptedAt !== null && row.acceptedBy === (member?.id ?? null)
  if (!isOwn) throw tooLate(row)
  const body = input.action === 'complete' ? 'Done' : 'You’re on it'
  return { title: `Table ${requests.presentTable(row)}`, body }
}

/** Null for a device without a chosen name. */
async function loadMemberOfDevice(
  ctx: Ctx,
  actor: Actor,
  restaurantId: string,
  endpoint: string,
): Promise<Actor['crewMember']> {
  if (actor.sessionId === null) throw unauthenticated()
  const device = await pushSubscriptions.findOwn(read(ctx), restaurantId, endpoint, actor.sessionId)
  if (device?.audience !== 'crew') throw conflict('Alerts have ended on this phone. Open Tableside to go on.')
  const { crewMemberId } = device
  if (crewMemberId === null) return null
  const member = await chosenMember.find(ctx, actor, crewMemberId)
  if (member?.id !== crewMemberId)
    throw new Refusal('pin_required', 'Open Tableside and choose your name again')
  return member
}
