import { hourMs, minuteMs, secondMs } from '#contract/durations.ts'
import { outsideChannelKinds } from '#contract/outside/outside-alerts.ts'
import { undoWindowMs } from '#contract/requests/requests.ts'
import * as endings from '../../storage/accounts/restaurant-endings.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import type { Db } from '../../storage/engine/types.ts'
import type { OutsideAlert } from '../../storage/outside/outside-alerts.ts'
import * as outsideAlerts from '../../storage/outside/outside-alerts.ts'
import type { OutsideChannel } from '../../storage/outside/outside-channels.ts'
import * as outsideChannels from '../../storage/outside/outside-channels.ts'
import type { OutsideEvent } from '../../storage/outside/outside-events.ts'
import * as outsideEvents from '../../storage/outside/outside-events.ts'
import * as transitions from '../../storage/requests/request-transitions.ts'
import * as requests from '../../storage/requests/requests.ts'
import type { RequestRow } from '../../storage/requests/requests.ts'
import type { Ctx } from '../ctx.ts'
import { read, write } from '../transaction.ts'
import { findEvents } from './events.ts'
import { eventMessage, sendOutside, unansweredMessage } from './messages.ts'

/** How long one message may take before another node may send it. */
const leaseMs = 30 * secondMs
/** After which a channel goes to the end of the queue. */
const maxPerLease = 5
/** A guest who has waited so long is helped by no message. */
const giveUpAfterMs = 30 * minuteMs
/** After the first failures in a row; then every five minutes. */
const retryDelaysMs = [5 * secondMs, 15 * secondMs, 45 * secondMs, 2 * minuteMs]

/** How long one event of a webhook waits after each of its failures; after the last it is given up. */
const eventRetryMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  6 * hourMs,
  12 * hourMs,
]

/** How many channels are sent to at once; those that failed last time never take the place of others. */
const lanes = outsideChannelKinds.flatMap((kind) => {
  // All mails go to the operator's one server.
  const limit = kind === 'email' ? 8 : 100
  return [
    { kind, failing: 0, limit },
    { kind, failing: 1, limit: limit / 4 },
  ]
})
type Lane = (typeof lanes)[number]

const retryDelay = (failures: number): number => retryDelaysMs[failures - 1] ?? 5 * minuteMs

/** Sends stored alerts and events to the channels that are due, one message after the other to each. */
export class OutsideAlertSender {
  #ctx: () => Ctx
  #running = new Map<Lane, number>()

  constructor(ctx: () => Ctx) {
    this.#ctx = ctx
  }

  async sendDue(): Promise<void> {
    try {
      await findEvents(this.#ctx())
    } finally {
      // Alerts go out whatever becomes of the rest.
      const ctx = this.#ctx()
      for (const { kind, failing } of await outsideChannels.listDueKinds(read(ctx), ctx.now())) {
        const lane = lanes.find((each) => each.kind === kind && each.failing === failing)
        const free = lane ? lane.limit - (this.#running.get(lane) ?? 0) : 0
        if (lane && free > 0) await this.#startDue(lane, free)
      }
    }
  }

  async #startDue(lane: Lane, free: number): Promise<void> {
    const ctx = this.#ctx()
    const now = ctx.now()
    const due = await outsideChannels.listDue(read(ctx), lane, now, free)
    if (due.length === 0) return
    const leased = await write(ctx, async ({ db }) => {
      const mine: OutsideChannel[] = []
      for (const channel of due) {
        const leasedChannel = await outsideChannels.leaseDue(db, channel, now, ctx.now() + leaseMs)
        if (leasedChannel) mine.push(leasedChannel)
      }
      return mine
    })
    for (const channel of leased) {
      this.#count(lane, 1)
      ctx.background(() => sendAllDue(ctx, channel).finally(() => this.#count(lane, -1)))
    }
  }

  #count(lane: Lane, change: number): void {
    this.#running.set(lane, (this.#running.get(lane) ?? 0) + change)
  }
}

/** Until there is none left, one fails, or others are to have their turn. */
async function sendAllDue(ctx: Ctx, channel: OutsideChannel): Promise<void> {
  let leased: OutsideChannel | undefined = channel
  let retryAt: number | null = null
  for (let sent = 0; leased && retryAt === null && sent < maxPerLease; sent++) {
    const current: OutsideChannel = leased
    const alert = await outsideAlerts.findDue(read(ctx), current, ctx.now())
    const event = alert ? undefined : await outsideEvents.findDue(read(ctx), current, ctx.now())
    if (alert) retryAt = await sendOne(ctx, current, alert)
    else if (event) retryAt = await sendEvent(ctx, current, event)
    else break
    // The lease must not end during the next message.
    if (retryAt === null)
      leased = await write(ctx, ({ db }) => outsideChannels.lease(db, current, ctx.now() + leaseMs))
  }
  const last = leased
  if (last) await write(ctx, ({ db }) => outsideAlerts.release(db, last, retryAt))
}

/** Returns when to try again after a failure. */
async function sendOne(ctx: Ctx, channel: OutsideChannel, alert: OutsideAlert): Promise<number | null> {
  const request = await requests.find(read(ctx), alert.restaurantId, alert.requestId)
  const restaurant = await restaurants.findById(read(ctx), alert.restaurantId)
  const isClosed = request !== undefined && request.closedAt !== null
  if (isClosed || (await whenToAskAgain(ctx, read(ctx), alert, request)) !== null) {
    await write(ctx, ({ db }) => postponeOrDrop(ctx, db, alert))
    return null
  }
  const now = ctx.now()
  const isNeeded = channel.getsAlerts === 1 && alert.dueAt > now - giveUpAfterMs
  if (!request || !isNeeded || !restaurant || (await endings.isDeleted(read(ctx), restaurant.id))) {
    await write(ctx, ({ db }) => outsideAlerts.markDone(db, alert, now))
    return null
  }
  const occasion = { id: alert.id, at: alert.dueAt, restaurantName: restaurant.name }
  const { problem } = await ctx.trace(`outside ${channel.kind}`, () =>
    sendOutside(ctx, channel, unansweredMessage(request, occasion, now)),
  )
  if (problem !== null) ctx.metrics.retried('outside')
  return write(ctx, async ({ db }) => {
    if (problem !== null)
      ctx.log.warn({ kind: channel.kind, channel: channel.id, problem }, 'could not send an alert outside')
    // Locks the channel before its alert, as whoever schedules one does.
    const recorded = await outsideChannels.recordOutcome(db, channel, { at: ctx.now(), problem })
    if (problem === null) await outsideAlerts.markDone(db, alert, ctx.now())
    return problem === null ? null : ctx.now() + retryDelay(recorded?.failures ?? 1)
  })
}

/** Returns when to try the channel again after a failure. */
async function sendEvent(ctx: Ctx, channel: OutsideChannel, event: OutsideEvent): Promise<number | null> {
  const { problem } = await ctx.trace('outside event', () => sendOutside(ctx, channel, eventMessage(event)))
  const at = ctx.now()
  const retryMs = problem === null ? undefined : eventRetryMs[event.attempts]
  if (retryMs !== undefined) ctx.metrics.retried('outside')
  return write(ctx, async ({ db }) => {
    if (problem !== null) ctx.log.warn({ channel: channel.id, problem }, 'could not tell a webhook')
    const retryAt = retryMs === undefined ? null : at + retryMs
    // Locks the channel before its event, as whoever stores one does.
    const recorded = await outsideChannels.recordOutcome(db, channel, { at, problem })
    await outsideEvents.recordAttempt(db, event, { at, problem, retryAt })
    return problem === null ? null : at + retryDelay(recorded?.failures ?? 1)
  })
}

/**
 * With the lock, whoever gives the request back or opens it again at the same moment does so before, and then it is as
 * they left it, or after, and schedules the alert again.
 */
async function postponeOrDrop(ctx: Ctx, db: Db, alert: OutsideAlert): Promise<void> {
  const request = await transitions.lock(db, alert.restaurantId, alert.requestId)
  if (!request) return
  const again = await whenToAskAgain(ctx, db, alert, request)
  if (again !== null) await outsideAlerts.postpone(db, alert, again)
  else if (request.closedAt !== null) await outsideAlerts.remove(db, alert)
}

/**
 * While somebody is on the way, nobody outside is alerted; should they not come, the wait begins again when their
 * acceptance expires. Who gives the request back sooner brings it forward. A completion may still be undone.
 */
async function whenToAskAgain(
  ctx: Ctx,
  db: Db,
  { restaurantId }: OutsideAlert,
  request: RequestRow | undefined,
): Promise<number | null> {
  if (!request) return null
  const { closedAt, acceptedAt, acceptUntil } = request
  if (closedAt !== null) return closedAt > ctx.now() - undoWindowMs ? closedAt + undoWindowMs : null
  if (acceptedAt === null) return null
  const afterMs = await outsideChannels.findDelay(db, restaurantId)
  return afterMs === null ? null : Math.max(acceptUntil ?? 0, ctx.now()) + afterMs
}
