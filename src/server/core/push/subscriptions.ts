import { setImmediate } from 'node:timers/promises'
import type { NewPushSubscription } from '#contract/push.ts'
import * as sessions from '../../storage/accounts/sessions.ts'
import * as crew from '../../storage/crew/crew.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as pushDeliveries from '../../storage/push/push-deliveries.ts'
import * as pushSubscriptions from '../../storage/push/push-subscriptions.ts'
import { type Actor, findGrant } from '../actor.ts'
import { authorize, authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { forbidden, notFound, Refusal, unauthenticated } from '../errors.ts'
import { read, write } from '../transaction.ts'

const devicesAtOnce = 2_000

/** Beyond these the devices seen longest ago are removed. */
const maxDevices = { perSession: 10, perRestaurant: 500 }

export async function key(ctx: Ctx, actor: Actor): Promise<{ publicKey: string }> {
  authorize(actor, 'push.key')
  return { publicKey: ctx.push.publicKey }
}

/** Devices repeat this whenever the app is opened. */
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
  const { id, previous } = await write(ctx, async ({ db }) => {
    const previous = await pushSubscriptions.findHolder(db, endpoint)
    const device = {
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
    }
    const id = await pushSubscriptions.put(db, device)
    if (previous && isTakenOver(previous, device)) await pushDeliveries.dropUnsentAlerts(db, previous)
    await pushSubscriptions.keepLatest(db, { sessionId }, maxDevices.perSession)
    await pushSubscriptions.keepLatest(db, { restaurantId }, maxDevices.perRestaurant)
    return { id, previous }
  })
  publishDevicesChanged(ctx, [restaurantId, previous?.restaurantId ?? restaurantId])
  return { id }
}

type Holder = Pick<pushSubscriptions.Device, 'restaurantId' | 'crewMemberId' | 'audience'>

/** What failed may be for the former person alone. Where nobody had chosen a name, it is for all who work there. */
const isTakenOver = (before: Holder, now: Holder): boolean =>
  before.restaurantId !== now.restaurantId ||
  before.audience !== now.audience ||
  (before.crewMemberId !== null && before.crewMemberId !== now.crewMemberId)

/** A crew login's device is that crew member's. On a shared device it is a name that a screen there could choose. */
async function resolveCrewMember(
  ctx: Ctx,
  db: Db,
  actor: Actor,
  restaurantId: string,
  crewMemberId: string | null,
): Promise<string | null> {
  const login = authorize(actor, 'contexts.setCrewMember') === 'own' ? findGrant(actor, 'crew') : undefined
  const id = crewMemberId ?? login?.subjectId ?? null
  if (id === null) return null
  const member = await crew.lock(db, restaurantId, id)
  if (!member) throw notFound('Crew member')
  if (login) {
    if (login.subjectId !== id) throw forbidden()
  } else if (member.pinHash !== null && actor.sessionId !== null) {
    const until = await sessions.findPinUnlock(db, actor.sessionId, id)
    if (until === undefined || until <= ctx.now()) throw new Refusal('pin_required', 'Please enter your PIN')
  } else if (member.pinHash === null && (await crew.find(db, restaurantId, id))?.pinRequired === 1)
    throw forbidden('Ask your manager for a PIN')
  return id
}

export async function unsubscribe(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'push.unsubscribe')
  const { sessionId } = actor
  if (sessionId === null) throw unauthenticated()
  const removed = await write(ctx, ({ db }) => pushSubscriptions.removeOwn(db, restaurantId, id, sessionId))
  if (!removed) throw notFound('Device')
  publishDevicesChanged(ctx, [restaurantId], { onPurpose: true })
}

export function publishDevicesChanged(
  ctx: Ctx,
  restaurantIds: string[],
  options: { onPurpose?: true } = {},
): void {
  ctx.bus.publish(
    [...new Set(restaurantIds)].map((restaurantId) => ({
      kind: 'devices-changed',
      restaurantId,
      ...options,
    })),
  )
}

export const listKnown = (ctx: Ctx, restaurantId: string): Promise<pushSubscriptions.KnownDevice[]> =>
  pushSubscriptions.listKnown(read(ctx), ctx.now(), restaurantId)

/** The devices of all restaurants, in parts, so that others read between them. */
export async function* listAllKnown(ctx: Ctx): AsyncGenerator<pushSubscriptions.KnownDevice[]> {
  for (let after: string | null = ''; after !== null;) {
    const part = await pushSubscriptions.listKnownAfter(read(ctx), ctx.now(), { after, limit: devicesAtOnce })
    yield part.devices
    after = part.last
    await setImmediate()
  }
}

export type { KnownDevice } from '../../storage/push/push-subscriptions.ts'
