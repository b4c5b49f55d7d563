import type { Event } from '../../ports/bus.ts'
import type { Db } from '../../storage/engine/types.ts'
import type { Delivery, Outgoing } from '../../storage/push/push-deliveries.ts'
import * as deliveries from '../../storage/push/push-deliveries.ts'
import type { Device } from '../../storage/push/push-subscriptions.ts'
import * as requestNotifications from '../../storage/push/request-notifications.ts'
import type { Ctx, PushNotification, PushQueue } from '../ctx.ts'
import { read, write } from '../transaction.ts'
import { DeliverySender } from './delivery-sender.ts'
import { toPayload } from './notifications.ts'
import { syncRequestNotifications } from './request-notifications.ts'

const dueBatchSize = 200

export class Pusher implements PushQueue {
  #ctx: () => Ctx
  #sender: DeliverySender
  /** Restaurants whose requests have changed since the last sync. */
  #changedRestaurants = new Set<string>()

  constructor(ctx: () => Ctx) {
    this.#ctx = ctx
    this.#sender = new DeliverySender(ctx)
  }

  /** A commit listener. Costs nothing where there are no devices. */
  onCommit(events: readonly Event[]): void {
    const ctx = this.#ctx()
    for (const { topic, message } of events) {
      const { restaurantId } = topic
      if (!requestMessageTypes.has(message.type) || !ctx.hasDevices(restaurantId)) continue
      if (this.#changedRestaurants.size === 0) ctx.background(() => this.#syncChanged())
      this.#changedRestaurants.add(restaurantId)
    }
  }

  async #syncChanged(): Promise<void> {
    // Everything announced in the same turn of the event loop is synced together.
    await new Promise((resolve) => setImmediate(resolve))
    const restaurantIds = [...this.#changedRestaurants]
    this.#changedRestaurants.clear()
    await Promise.all(
      restaurantIds.map((restaurantId) => syncRequestNotifications(this.#ctx(), restaurantId)),
    )
  }

  async sendDue(): Promise<void> {
    const ctx = this.#ctx()
    if (!ctx.hasDevices()) return
    await syncRequestNotifications(ctx)
    // What waits for a push service that does not answer is due again meanwhile, and must not hide what comes after it.
    const limit = dueBatchSize + this.#sender.countSending()
    const due = await deliveries.listDue(read(ctx), ctx.now(), limit)
    const unsent = due.filter((delivery) => !this.#sender.isSending(delivery)).slice(0, dueBatchSize)
    if (unsent.length === 0) return
    const claimed = await write(ctx, async ({ db }) => {
      const claim = this.#sender.newClaim()
      const mine: Delivery[] = []
      for (const delivery of unsent)
        if (delivery.until <= ctx.now()) await deliveries.settle(db, delivery)
        else if (await deliveries.claim(db, delivery, claim)) mine.push({ ...delivery, ...claim })
      return deliveries.withDevices(db, mine)
    })
    this.#sender.send(claimed)
  }

  async storeAndSend(task: (db: Db) => Promise<Outgoing[]>): Promise<void> {
    this.#sender.send(await write(this.#ctx(), ({ db }) => task(db)))
  }

  send(outgoing: Outgoing[]): void {
    this.#sender.send(outgoing)
  }

  sendInBackground(restaurantId: string, task: (db: Db) => Promise<Outgoing[]>): void {
    const ctx = this.#ctx()
    if (ctx.hasDevices(restaurantId)) ctx.background(() => this.storeAndSend(task))
  }

  async notify(
    db: Db,
    restaurantId: string,
    devicesToTell: Device[],
    notification: PushNotification,
  ): Promise<Outgoing[]> {
    const ctx = this.#ctx()
    const devices = devicesToTell.filter((device) => !this.#sender.isBehind(device))
    const leftOut = devicesToTell.filter((device) => !devices.includes(device))
    if (leftOut.length > 0) {
      ctx.log.warn(
        { restaurantId, devices: leftOut.length },
        'a push service is far behind: nothing more is sent to it',
      )
      // It would come after what takes its place.
      await deliveries.dropUnsent(db, restaurantId, notification.tag, leftOut)
    }
    if (devices.length === 0) return []
    const now = ctx.now()
    const { tag, urgency, ttlMs } = notification
    const context = {
      publicUrl: ctx.settings.publicUrl,
      waiting: await requestNotifications.countWaiting(db, restaurantId),
    }
    const payloads = {
      crew: JSON.stringify(toPayload(notification, 'crew', context)),
      manager: JSON.stringify(toPayload(notification, 'manager', context)),
    }
    // Another node is sending these devices something under this tag: this delivery waits until that claim expires.
    const claimsElsewhere = new Map(
      (await deliveries.listByTag(db, restaurantId, tag))
        .filter((delivery) => this.#sender.isClaimedElsewhere(delivery))
        .map(({ subscriptionId, nextAt, sender }) => [subscriptionId, { nextAt, sender }]),
    )
    const claim = this.#sender.newClaim()
    const outgoing = devices.map((device) => ({
      device,
      delivery: {
        restaurantId,
        subscriptionId: device.id,
        tag,
        id: ctx.newId(),
        payload: payloads[device.audience],
        urgency,
        until: now + ttlMs,
        stays: staysOn(device, notification) ? 1 : 0,
        attempts: 0,
        audience: device.audience,
        crewMemberId: device.crewMemberId,
        ...(claimsElsewhere.get(device.id) ?? claim),
      },
    }))
    await deliveries.put(
      db,
      outgoing.map(({ delivery }) => delivery),
    )
    return outgoing.filter(({ device }) => !claimsElsewhere.has(device.id))
  }

  async withdraw(db: Db, restaurantId: string, notification: PushNotification): Promise<Outgoing[]> {
    const sent = await deliveries.withDevices(
      db,
      await deliveries.listByTag(db, restaurantId, notification.tag),
    )
    const devices = sent.map(({ device }) => device)
    return this.notify(db, restaurantId, devices, notification)
  }
}

/** What is withdrawn stays with whoever is on the way, as "You’re on it". */
const staysOn = ({ crewMemberId }: Device, { kind, request }: PushNotification): boolean =>
  kind === 'alert' ||
  (request?.state === 'accepted' && crewMemberId !== null && request.acceptedBy === crewMemberId)

const requestMessageTypes: ReadonlySet<string> = new Set([
  'new-request',
  'request-updated',
  'request-completed',
])
