import { minuteMs, secondMs } from '#contract/durations.ts'
import type { Delivery, Outgoing } from '../../storage/push/push-deliveries.ts'
import * as deliveries from '../../storage/push/push-deliveries.ts'
import type { Device } from '../../storage/push/push-subscriptions.ts'
import * as pushSubscriptions from '../../storage/push/push-subscriptions.ts'
import type { Ctx } from '../ctx.ts'
import { Semaphore } from '../tasks/semaphore.ts'
import { read, write } from '../transaction.ts'
import { publishDevicesChanged } from './subscriptions.ts'

/** How long an attempt may take before another node may try. */
const claimTimeoutMs = 15 * secondMs
/** How long the push service gets to answer. */
const attemptTimeoutMs = 10 * secondMs
/** A device that still cannot be reached after the last one does not count as listening. */
const firstRetriesMs = [2 * secondMs, 8 * secondMs, 30 * secondMs]
/** From then on, for as long as the notification is worth sending. */
const laterRetryMs = minuteMs
/** Per push service; in most installations all devices use the same one. */
const maxConcurrency = 128
/** How many deliveries of one restaurant wait for one push service: more than a restaurant has in its worst minute. */
const maxWaiting = 4_000

/** Sends stored deliveries to the push services, and stores the outcome of each. */
export class DeliverySender {
  #ctx: () => Ctx
  /** The last delivery under way for each device and tag: they are sent one after another. */
  #lastSent = new Map<string, Promise<void>>()
  #semaphore = new Semaphore(maxConcurrency)
  /** How many are under way, by restaurant and push service. */
  #waiting = new Map<string, number>()
  #nodeId: string | undefined

  constructor(ctx: () => Ctx) {
    this.#ctx = ctx
  }

  /** What marks a delivery as being sent by this node. */
  newClaim(): { sender: string; nextAt: number } {
    this.#nodeId ??= this.#ctx().newId()
    return { sender: this.#nodeId, nextAt: this.#ctx().now() + claimTimeoutMs }
  }

  isClaimedElsewhere({ sender, nextAt }: Delivery): boolean {
    return sender !== null && sender !== this.#nodeId && (nextAt ?? 0) > this.#ctx().now()
  }

  isSending(delivery: Delivery): boolean {
    return this.#lastSent.has(orderKey(delivery))
  }

  countSending(): number {
    return this.#lastSent.size
  }

  /** Whether so many deliveries wait for the device's push service that one more would come too late. */
  isBehind(device: Device): boolean {
    return (this.#waiting.get(lineOf(device)) ?? 0) >= maxWaiting
  }

  /** Returns at once; the sending goes on in the background. */
  send(outgoing: Outgoing[]): void {
    if (outgoing.length === 0) return
    this.#ctx().background(async () => {
      await Promise.all(outgoing.map((each) => this.#sendInOrder(each)))
    })
  }

  async #sendInOrder(outgoing: Outgoing): Promise<void> {
    const { subscriptionId } = outgoing.delivery
    const key = orderKey(outgoing.delivery)
    const line = lineOf(outgoing.device)
    const { host } = new URL(outgoing.device.endpoint)
    this.#waiting.set(line, (this.#waiting.get(line) ?? 0) + 1)
    const previous = this.#lastSent.get(key) ?? Promise.resolve()
    const sent = previous
      .then(() => this.#semaphore.run(host, () => this.#attempt(outgoing)))
      // It is tried again when its claim expires; the next delivery does not wait for that.
      .catch((error: unknown) => this.#ctx().log.error({ error, subscriptionId }, 'could not send a push'))
    this.#lastSent.set(key, sent)
    await sent
    const waiting = (this.#waiting.get(line) ?? 0) - 1
    if (waiting > 0) this.#waiting.set(line, waiting)
    else this.#waiting.delete(line)
    if (this.#lastSent.get(key) === sent) this.#lastSent.delete(key)
  }

  async #attempt(outgoing: Outgoing): Promise<void> {
    const ctx = this.#ctx()
    if (!(await this.#isStillToBeSent(outgoing))) return
    const { delivery, device } = outgoing
    const ttl = Math.ceil((delivery.until - ctx.now()) / secondMs)
    if (ttl <= 0) return write(ctx, ({ db }) => deliveries.settle(db, delivery))
    const topic = ctx.secrets.digest(delivery.tag).slice(0, 32)
    const { payload, urgency } = delivery
    const outcome = await ctx.trace('push', () => ctx.push.send(device, { payload, topic, urgency, ttl }))
    if (outcome === 'sent') return write(ctx, ({ db }) => deliveries.settle(db, delivery))
    if (outcome === 'gone') return this.#removeDevice(device)
    return this.#recordFailure(delivery, device)
  }

  /**
   * The delivery may have waited long: its device must not have been signed out, it must not have been replaced, and no
   * other node may be sending it.
   */
  async #isStillToBeSent(outgoing: Outgoing): Promise<boolean> {
    const ctx = this.#ctx()
    const { delivery } = outgoing
    const row = await deliveries.findToSend(read(ctx), outgoing, ctx.now())
    if (row?.id !== delivery.id || row.nextAt !== delivery.nextAt) return false
    if (row.nextAt !== null && row.nextAt - ctx.now() > attemptTimeoutMs) return true
    const claim = this.newClaim()
    return write(ctx, ({ db }) => deliveries.claim(db, delivery, claim))
  }

  async #removeDevice(device: Device): Promise<void> {
    const ctx = this.#ctx()
    if (!(await write(ctx, ({ db }) => pushSubscriptions.removeGone(db, device)))) return
    ctx.log.info(describeDevice(device), 'removed a device that its push service no longer knows')
    publishDevicesChanged(ctx, [device.restaurantId])
  }

  async #recordFailure(delivery: Delivery, device: Device): Promise<void> {
    const ctx = this.#ctx()
    const delay = firstRetriesMs[delivery.attempts]
    const retryAt = ctx.now() + (delay ?? laterRetryMs)
    const isWorthRetrying = retryAt < delivery.until
    if (isWorthRetrying) ctx.metrics.retried('push')
    else ctx.log.warn(describeDevice(device), 'gave up sending a push')
    const isNewlyUnreachable = await write(ctx, async ({ db }) => {
      if (isWorthRetrying) await deliveries.markFailed(db, delivery, retryAt)
      else await deliveries.settle(db, delivery)
      return delay === undefined && pushSubscriptions.markUnreachable(db, device)
    })
    if (isNewlyUnreachable) publishDevicesChanged(ctx, [device.restaurantId])
  }
}

const orderKey = ({ subscriptionId, tag }: Delivery): string => `${subscriptionId} ${tag}`

const lineOf = ({ restaurantId, endpoint }: Device): string => `${restaurantId} ${new URL(endpoint).host}`

const describeDevice = ({ id, endpoint }: Device) => ({ subscriptionId: id, host: new URL(endpoint).host })
