import type { Db } from './engine/types.ts'
import type { Device } from './push-subscriptions.ts'
import type { Schema } from './schema.ts'

export type Delivery = Schema['pushDelivery']

/** What is to be sent, and where. */
export type Outgoing = { delivery: Delivery; device: Device }

/** Takes the place of whatever the device was sent, or was to be sent, under this tag. */
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
      })),
    )
    .execute()
}

/** What the device was told last under this tag, or is to be told. */
export async function find(
  db: Db,
  { restaurantId, tag, subscriptionId }: Delivery,
): Promise<Delivery | undefined> {
  return db
    .selectFrom('pushDelivery')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('tag', '=', tag)
    .where('subscriptionId', '=', subscriptionId)
    .executeTakeFirst()
}

/** Of every device that got, or was to get, this tag. */
export async function listByTag(db: Db, restaurantId: string, tag: string): Promise<Delivery[]> {
  return db
    .selectFrom('pushDelivery')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('tag', '=', tag)
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

/** Of several nodes one tries it now; it is tried again at `nextAt` should that one die. */
export async function claim(
  db: Db,
  delivery: Delivery,
  claimed: { sender: string; nextAt: number },
): Promise<boolean> {
  const row = await updateDelivery(db, delivery)
    .set(claimed)
    .where('nextAt', '=', delivery.nextAt)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** It is tried no more. What may be on the device by now is remembered, to be withdrawn. */
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
    .where('restaurantId', '=', restaurantId)
    .where('tag', '=', tag)
    .where('subscriptionId', '=', subscriptionId)
    .where('id', '=', id)
    .execute()
}

/** Unless it has another content by now. */
const updateDelivery = (db: Db, { restaurantId, tag, subscriptionId, id }: Delivery) =>
  db
    .updateTable('pushDelivery')
    .where('restaurantId', '=', restaurantId)
    .where('tag', '=', tag)
    .where('subscriptionId', '=', subscriptionId)
    .where('id', '=', id)

/** With their devices; a delivery whose device is gone is left out. */
export async function withDevices(db: Db, deliveries: Delivery[]): Promise<Outgoing[]> {
  const ids = [...new Set(deliveries.map(({ subscriptionId }) => subscriptionId))]
  if (ids.length === 0) return []
  const devices = await db.selectFrom('pushSubscription').selectAll().where('id', 'in', ids).execute()
  const byId = new Map(devices.map((device) => [device.id, device]))
  return deliveries.flatMap((delivery) => {
    const device = byId.get(delivery.subscriptionId)
    return device?.restaurantId === delivery.restaurantId ? [{ delivery, device }] : []
  })
}

/** What no device shows any more, or can. */
export async function removeExpired(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('pushDelivery')
    .where((e) =>
      e.or([
        e('until', '<', now - 24 * 3_600_000),
        e.not(
          e.exists(
            e
              .selectFrom('pushSubscription')
              .select('id')
              .whereRef('pushSubscription.restaurantId', '=', 'pushDelivery.restaurantId')
              .whereRef('pushSubscription.id', '=', 'pushDelivery.subscriptionId'),
          ),
        ),
      ]),
    )
    .execute()
}
