import type { ExpressionBuilder } from 'kysely'
import type { Db } from '../engine/types.ts'
import { hasRow, removeStep, type Step } from '../rows.ts'
import type { Schema } from '../schema.ts'
import { type Device, signedInSubscriptions } from './push-subscriptions.ts'

export type Delivery = Schema['pushDelivery']

export type Outgoing = { delivery: Delivery; device: Device }

/** Replaces whatever the device was sent, or was to be sent, under the same tag. */
export async function put(db: Db, deliveries: Delivery[]): Promise<void> {
  if (deliveries.length === 0) return
  await db
    .insertInto('pushDelivery')
    .values(deliveries)
    .onConflict((c) =>
      c.columns(['restaurantId', 'tag', 'subscriptionId']).doUpdateSet((e) => ({
        id: e.ref('excluded.id'),
        payload: e.ref('excluded.payload'),
        urgency: e.ref('excluded.urgency'),
        until: e.ref('excluded.until'),
        stays: e.ref('excluded.stays'),
        attempts: 0,
        nextAt: e.ref('excluded.nextAt'),
        sender: e.ref('excluded.sender'),
        audience: e.ref('excluded.audience'),
        crewMemberId: e.ref('excluded.crewMemberId'),
      })),
    )
    .execute()
}

/** The last delivery to the same device under the same tag, unless the device may no longer get it. */
export async function findToSend(
  db: Db,
  { delivery: { restaurantId, tag, subscriptionId }, device: { audience } }: Outgoing,
  now: number,
): Promise<Pick<Delivery, 'id' | 'nextAt'> | undefined> {
  return signedInSubscriptions(db, audience, now)
    .innerJoin('pushDelivery', (join) =>
      join
        .onRef('pushDelivery.restaurantId', '=', 'pushSubscription.restaurantId')
        .onRef('pushDelivery.subscriptionId', '=', 'pushSubscription.id'),
    )
    .select(['pushDelivery.id', 'pushDelivery.nextAt'])
    .where('pushSubscription.restaurantId', '=', restaurantId)
    .where('pushSubscription.id', '=', subscriptionId)
    .where('pushDelivery.tag', '=', tag)
    .where(isForHolder)
    .executeTakeFirst()
}

/**
 * Whoever has taken a device over since it was looked up is not sent what was meant for its former holder, but what
 * withdraws something that the device may be showing. What was stored while nobody had chosen a name is for anybody.
 */
const isForHolder = (e: ExpressionBuilder<Schema, 'pushDelivery' | 'pushSubscription'>) =>
  e.or([
    e('pushDelivery.stays', '=', 0),
    e('pushDelivery.audience', 'is', null),
    e.and([
      e('pushDelivery.audience', '=', e.ref('pushSubscription.audience')),
      e.or([
        e('pushDelivery.crewMemberId', 'is', null),
        e('pushDelivery.crewMemberId', '=', e.ref('pushSubscription.crewMemberId')),
      ]),
    ]),
  ])

/** The last delivery under this tag to each device, whether sent or not. */
export async function listByTag(db: Db, restaurantId: string, tag: string): Promise<Delivery[]> {
  return db
    .selectFrom('pushDelivery')
    .selectAll()
    .where((e) => e.and({ restaurantId, tag }))
    .execute()
}

export async function listDue(db: Db, now: number, limit: number): Promise<Delivery[]> {
  return db
    .selectFrom('pushDelivery')
    .selectAll()
    .where('nextAt', '<=', now)
    .orderBy('nextAt')
    .limit(limit)
    .execute()
}

/** How many are to be sent, and when the first of them is due. */
export async function measureQueue(db: Db): Promise<{ messages: number; firstAt: number | null }> {
  return db
    .selectFrom('pushDelivery')
    .select((e) => [e.fn.countAll<number>().as('messages'), e.fn.min('nextAt').as('firstAt')])
    .where('nextAt', 'is not', null)
    .executeTakeFirstOrThrow()
}

/** Only one of several nodes succeeds; should it die, the delivery is due again at `nextAt`. */
export async function claim(
  db: Db,
  delivery: Delivery,
  claim: { sender: string; nextAt: number },
): Promise<boolean> {
  return hasRow(updateDelivery(db, delivery).set(claim).where('nextAt', '=', delivery.nextAt).returning('id'))
}

/** Ends the attempts. What the device may be showing is kept, so that it can be withdrawn. */
export async function settle(db: Db, delivery: Delivery): Promise<void> {
  if (delivery.stays === 1) await updateDelivery(db, delivery).set({ nextAt: null, sender: null }).execute()
  else await remove(db, delivery)
}

export async function markFailed(db: Db, delivery: Delivery, nextAt: number): Promise<void> {
  await updateDelivery(db, delivery)
    .set({ nextAt, sender: null, attempts: delivery.attempts + 1 })
    .execute()
}

async function remove(db: Db, { restaurantId, tag, subscriptionId, id }: Delivery): Promise<void> {
  await db
    .deleteFrom('pushDelivery')
    .where((e) => e.and({ restaurantId, tag, subscriptionId, id }))
    .execute()
}

/** Takes back what these devices have not been sent yet under the tag. */
export async function dropUnsent(
  db: Db,
  restaurantId: string,
  tag: string,
  devices: readonly Pick<Device, 'id'>[],
): Promise<void> {
  await db
    .deleteFrom('pushDelivery')
    .where((e) => e.and({ restaurantId, tag }))
    .where(
      'subscriptionId',
      'in',
      devices.map(({ id }) => id),
    )
    .where('nextAt', 'is not', null)
    .execute()
}

/** Takes back what a device has not been sent yet. What withdraws something that it may be showing still goes to it. */
export async function dropUnsentAlerts(
  db: Db,
  { restaurantId, id: subscriptionId }: Pick<Device, 'restaurantId' | 'id'>,
): Promise<void> {
  await db
    .deleteFrom('pushDelivery')
    .where((e) => e.and({ restaurantId, subscriptionId, stays: 1 }))
    .where('nextAt', 'is not', null)
    .execute()
}

/** Changes nothing if the delivery has been replaced. */
const updateDelivery = (db: Db, { restaurantId, tag, subscriptionId, id }: Delivery) =>
  db.updateTable('pushDelivery').where((e) => e.and({ restaurantId, tag, subscriptionId, id }))

/** Adds the device to each delivery, and leaves out those whose device is gone. */
export async function withDevices(db: Db, deliveries: Delivery[]): Promise<Outgoing[]> {
  const ids = [...new Set(deliveries.map(({ subscriptionId }) => subscriptionId))]
  if (ids.length === 0) return []
  const devices = await db
    .selectFrom('pushSubscription')
    .selectAll()
    .where('restaurantId', 'in', [...new Set(deliveries.map(({ restaurantId }) => restaurantId))])
    .where('id', 'in', ids)
    .execute()
  const byId = new Map(devices.map((device) => [device.id, device]))
  return deliveries.flatMap((delivery) => {
    const device = byId.get(delivery.subscriptionId)
    return device?.restaurantId === delivery.restaurantId ? [{ delivery, device }] : []
  })
}

/** Removes deliveries that no device can be showing any more. */
export const removeExpired = (db: Db, step: Step): Promise<number> =>
  removeStep(db, 'pushDelivery', 'until', step)

/** Removes what nobody will send. What a device was sent before it was removed expires as all else does. */
export async function removeUndeliverable(db: Db, now: number): Promise<number> {
  const { numDeletedRows } = await undeliverable(db, now).executeTakeFirst()
  return Number(numDeletedRows)
}

/** What is due to devices that have been removed or taken over, found among the few that are to be sent. */
export const undeliverable = (db: Db, now: number) =>
  db
    .deleteFrom('pushDelivery')
    .where('nextAt', '<=', now)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('pushSubscription')
            .select('pushSubscription.id')
            .whereRef('pushSubscription.restaurantId', '=', 'pushDelivery.restaurantId')
            .whereRef('pushSubscription.id', '=', 'pushDelivery.subscriptionId')
            .where(isForHolder),
        ),
      ),
    )
