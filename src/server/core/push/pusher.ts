import type { Db } from '../../storage/engine/types.ts'
import type { Device } from '../../storage/push-subscriptions.ts'
import * as devices from '../../storage/push-subscriptions.ts'
import type { Outgoing } from '../../storage/push-deliveries.ts'
import * as deliveries from '../../storage/push-deliveries.ts'
import * as requests from '../../storage/request-notifications.ts'
import type { Ctx, PushQueue } from '../ports.ts'
import type { Event } from '../topics.ts'
import { read, write } from '../transaction.ts'
import { publishDevicesChanged } from './subscriptions.ts'
import { type PushNotification, toPayload } from './notifications.ts'
import { syncRequestNotifications } from './request-notifications.ts'
import { Semaphore } from './semaphore.ts'

const seconds = 1_000

/** How long a try may take before another node may try; the push service gets 10 seconds. */
const claimTimeoutMs = 15 * seconds
const attemptTimeoutMs = 10 * seconds
/** Between one try and the next; after the last it is given up. */
const retryDelaysMs = [2 * seconds, 8 * seconds, 30 * seconds]
/** To one push service; most installations' devices all have the same. */
const maxConcurrency = 128
const dueBatchSize = 200

/**
 * Sends to devices what is stored for them, and nothing else: what a node that died, or a push service that was
 * down, left unsent is sent by the rounds.
 */
export class Pusher implements PushQueue {
  #ctx: () => Ctx
  /** Restaurants with request news that the next look is for. */
  #news = new Set<string>()
  /** What goes to one device under one tag goes in its order. */
  #sending = new Map<string, Promise<void>>()
  #turns = new Semaphore(maxConcurrency)
  #node: string | undefined

  constructor(ctx: () => Ctx) {
    this.#ctx = ctx
  }

  /** A commit listener. Costs nothing where no device is. */
  onCommit(events: readonly Event[]): void {
    const ctx = this.#ctx()
    for (const { topic, message } of events) {
      const { restaurantId } = topic
      if (!requestMessageTypes.has(message.type) || !ctx.hasDevices(restaurantId)) continue
      if (this.#news.size === 0) ctx.background(() => this.#look())
      this.#news.add(restaurantId)
    }
  }

  async #look(): Promise<void> {
    // What is told in the same turn is looked at together.
    await new Promise((resolve) => setImmediate(resolve))
    const restaurantIds = [...this.#news]
    this.#news.clear()
    await Promise.all(
      restaurantIds.map((restaurantId) => syncRequestNotifications(this.#ctx(), restaurantId)),
    )
  }

  /** What was left: to be called every second. */
  async sendDue(): Promise<void> {
    const ctx = this.#ctx()
    if (!ctx.hasDevices()) return
    await syncRequestNotifications(ctx)
    const due = await deliveries.listDue(read(ctx), ctx.now(), dueBatchSize)
    // What waits for its turn here need not wait twice.
    const left = due.filter((one) => !this.#sending.has(deliveryKey(one)))
    if (left.length === 0) return
    const claimed = await write(ctx, async (db) => {
      const claim = { sender: this.#name(), nextAt: ctx.now() + claimTimeoutMs }
      const mine: deliveries.Delivery[] = []
      for (const one of left) if (await deliveries.claim(db, one, claim)) mine.push({ ...one, ...claim })
      return deliveries.withDevices(db, mine)
    })
    this.#send(claimed)
  }

  /** Stores what `work` gives back and whatever else it does in one transaction, then sends it. */
  async storeAndSend(work: (db: Db) => Promise<Outgoing[]>): Promise<void> {
    this.#send(await write(this.#ctx(), work))
  }

  /** Tells these devices, after what another node is just telling them; to be used inside `push`. */
  async notify(db: Db, restaurantId: string, to: Device[], notice: PushNotification): Promise<Outgoing[]> {
    if (to.length === 0) return []
    const ctx = this.#ctx()
    const now = ctx.now()
    const about = {
      publicUrl: ctx.settings.publicUrl,
      waiting: await requests.countWaiting(db, restaurantId),
    }
    const payloads = {
      crew: JSON.stringify(toPayload(notice, 'crew', about)),
      manager: JSON.stringify(toPayload(notice, 'manager', about)),
    }
    // That node is done with it by then, or died.
    const elsewhere = new Map(
      (await deliveries.listByTag(db, restaurantId, notice.tag))
        .filter(({ sender, nextAt }) => sender !== null && sender !== this.#name() && (nextAt ?? 0) > now)
        .map(({ subscriptionId, nextAt, sender }) => [subscriptionId, { nextAt, sender }]),
    )
    const mine = { nextAt: now + claimTimeoutMs, sender: this.#name() }
    const outgoing = to.map((device) => ({
      device,
      delivery: {
        restaurantId,
        subscriptionId: device.id,
        tag: notice.tag,
        id: ctx.newId(),
        payload: payloads[device.audience],
        urgency: notice.urgency,
        until: now + notice.ttlMs,
        stays: notice.kind === 'alert' ? 1 : 0,
        attempts: 0,
        ...(elsewhere.get(device.id) ?? mine),
      },
    }))
    await deliveries.put(
      db,
      outgoing.map(({ delivery }) => delivery),
    )
    return outgoing.filter(({ device }) => !elsewhere.has(device.id))
  }

  /** Tells every device that was told of it before. */
  async withdraw(db: Db, restaurantId: string, notice: PushNotification): Promise<Outgoing[]> {
    const handleCommittedEvents = await deliveries.withDevices(
      db,
      await deliveries.listByTag(db, restaurantId, notice.tag),
    )
    return this.notify(
      db,
      restaurantId,
      handleCommittedEvents.map(({ device }) => device),
      notice,
    )
  }

  /** Tells what it is at from what other nodes are at. */
  #name(): string {
    return (this.#node ??= this.#ctx().newId())
  }

  #send(outgoing: Outgoing[]): void {
    if (outgoing.length === 0) return
    this.#ctx().background(async () => {
      await Promise.all(outgoing.map((one) => this.#inTurn(one)))
    })
  }

  async #inTurn(outgoing: Outgoing): Promise<void> {
    const { subscriptionId } = outgoing.delivery
    const key = deliveryKey(outgoing.delivery)
    const { host } = new URL(outgoing.device.endpoint)
    const before = this.#sending.get(key) ?? Promise.resolve()
    const turn = before
      .then(() => this.#turns.run(host, () => this.#deliver(outgoing)))
      // It is tried again when its claim runs out; what comes after it does not wait for that.
      .catch((error: unknown) =>
        this.#ctx().log.error({ error, subscriptionId }, 'a push was not carried out'),
      )
    this.#sending.set(key, turn)
    await turn
    if (this.#sending.get(key) === turn) this.#sending.delete(key)
  }

  async #deliver({ delivery, device }: Outgoing): Promise<void> {
    const ctx = this.#ctx()
    if (!(await this.#isStillOurs(delivery))) return
    const ttl = Math.ceil((delivery.until - ctx.now()) / seconds)
    if (ttl <= 0) return write(ctx, (db) => deliveries.settle(db, delivery))
    const topic = ctx.secrets.digest(delivery.tag).slice(0, 32)
    const { payload, urgency } = delivery
    const outcome = await ctx.push.send(device, { payload, topic, urgency, ttl })
    if (outcome === 'sent') return write(ctx, (db) => deliveries.settle(db, delivery))
    if (outcome === 'gone') return this.#forget(device)
    const pause = retryDelaysMs[delivery.attempts]
    if (pause !== undefined) return write(ctx, (db) => deliveries.markFailed(db, delivery, ctx.now() + pause))
    ctx.log.warn({ subscriptionId: device.id, host: new URL(device.endpoint).host }, 'a push was given up')
    const unheard = await write(ctx, async (db) => {
      await deliveries.settle(db, delivery)
      return devices.markUnreachable(db, device)
    })
    if (unheard) publishDevicesChanged(ctx, [device.restaurantId])
  }

  /** It may have waited long: nothing else took its place, nobody else is at it, nor will be while it is tried. */
  async #isStillOurs(delivery: deliveries.Delivery): Promise<boolean> {
    const ctx = this.#ctx()
    const row = await deliveries.find(read(ctx), delivery)
    if (row?.id !== delivery.id || row.nextAt !== delivery.nextAt) return false
    const now = ctx.now()
    if (row.nextAt !== null && row.nextAt - now > attemptTimeoutMs) return true
    const claim = { sender: this.#name(), nextAt: now + claimTimeoutMs }
    return write(ctx, (db) => deliveries.claim(db, delivery, claim))
  }

  async #forget(device: Device): Promise<void> {
    const ctx = this.#ctx()
    if (!(await write(ctx, (db) => devices.removeGone(db, device)))) return
    ctx.log.info({ subscriptionId: device.id, host: new URL(device.endpoint).host }, 'a device is gone')
    publishDevicesChanged(ctx, [device.restaurantId])
  }
}

const deliveryKey = ({ subscriptionId, tag }: deliveries.Delivery): string => `${subscriptionId} ${tag}`

const requestMessageTypes: ReadonlySet<string> = new Set([
  'new-request',
  'request-updated',
  'request-completed',
])
