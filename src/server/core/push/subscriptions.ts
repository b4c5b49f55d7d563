import type { NewPushSubscription } from '#contract/push.ts'
import * as crew from '../../storage/crew.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as devices from '../../storage/push-subscriptions.ts'
import * as sessions from '../../storage/sessions.ts'
import { type Actor, findGrant } from '../actor.ts'
import { authorize, authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ports.ts'
import { read, write } from '../transaction.ts'
import { forbidden, notFound, Refusal, unauthenticated } from '../errors.ts'

/** Devices at most; the one looked at longest ago makes room. */
const maxDevices = { ofSession: 10, ofRestaurant: 500 }

export async function getPublicKey(ctx: Ctx, actor: Actor): Promise<{ publicKey: string }> {
  authorize(actor, 'push.key')
  return { publicKey: ctx.push.publicKey }
}

/** From now on this device is alerted. It tells so anew whenever it is looked at. */
export async function subscribe(
  ctx: Ctx,
  actor: Actor,
  { endpoint, keys, audience, crewMemberId }: NewPushSubscription,
): Promise<{ id: string }> {
  const { restaurantId } = authorizeInRestaurant(actor, 'push.subscribe')
  const { sessionId } = actor
  if (sessionId === null) throw unauthenticated()
  if (audience === 'manager' && !findGrant(actor, 'manager') && !findGrant(actor, 'owner')) throw forbidden()
  const now = ctx.now()
  const { id, before } = await write(ctx, async (db) => {
    const before = await devices.findRestaurantId(db, endpoint)
    const id = await devices.put(db, {
      restaurantId,
      id: ctx.newId(),
      sessionId,
      crewMemberId:
        audience === 'crew' ? await resolveCrewMember(ctx, db, actor, restaurantId, crewMemberId) : null,
      endpoint,
      ...keys,
      createdAt: now,
      audience,
      seenAt: now,
    })
    await devices.keepLatest(db, { sessionId }, maxDevices.ofSession)
    await devices.keepLatest(db, { restaurantId }, maxDevices.ofRestaurant)
    return { id, before }
  })
  publishDevicesChanged(ctx, [restaurantId, ...(before === undefined ? [] : [before])])
  return { id }
}

/** Whose device it is. A crew login's is that member's; a name with a PIN is for whoever gave it here. */
async function resolveCrewMember(
  ctx: Ctx,
  db: Db,
  actor: Actor,
  restaurantId: string,
  crewMemberId: string | null,
): Promise<string | null> {
  const login = authorize(actor, 'contexts.setCrewMember') === 'own' ? findGrant(actor, 'crew') : undefined
  const wanted = crewMemberId ?? login?.subjectId ?? null
  if (wanted === null) return null
  const member = await crew.lock(db, restaurantId, wanted)
  if (!member) throw notFound('Crew member')
  if (login) {
    if (login.subjectId !== wanted) throw forbidden()
  } else if (member.pinHash !== null && actor.sessionId !== null) {
    const until = await sessions.findPinUnlock(db, actor.sessionId, wanted)
    if (until === undefined || until <= ctx.now()) throw new Refusal('pin_required', 'Please enter your PIN')
  }
  return wanted
}

export async function unsubscribe(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'push.unsubscribe')
  const { sessionId } = actor
  if (sessionId === null) throw unauthenticated()
  const removed = await write(ctx, (db) => devices.removeOwn(db, restaurantId, id, sessionId))
  if (!removed) throw notFound('Device')
  publishDevicesChanged(ctx, [restaurantId], { onPurpose: true })
}

export function publishDevicesChanged(
  ctx: Ctx,
  restaurantIds: string[],
  how: { onPurpose?: true } = {},
): void {
  ctx.bus.publish(
    [...new Set(restaurantIds)].map((restaurantId) => ({ kind: 'devices-changed', restaurantId, ...how })),
  )
}

/** Of one restaurant, or of all: those whose login is good. */
export const listKnown = (ctx: Ctx, restaurantId?: string): Promise<devices.KnownDevice[]> =>
  devices.listKnown(read(ctx), ctx.now(), restaurantId)

export type { KnownDevice } from '../../storage/push-subscriptions.ts'
