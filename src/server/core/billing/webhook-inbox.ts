import { dayMs, hourMs, minuteMs } from '#contract/durations.ts'
import * as billing from '../../storage/billing/billing.ts'
import * as events from '../../storage/billing/payment-events.ts'
import type { Ctx } from '../ctx.ts'
import { Refusal } from '../errors.ts'
import { read, write } from '../transaction.ts'
import { completeFor } from './complete-checkout.ts'
import { emailChanged, updateEmail } from './customer-email.ts'
import { endedStatuses } from './subscription-status.ts'
import { refreshWithLease, syncCustomer } from './subscription-sync.ts'

/** How long one attempt may take before another node may try. */
const claimTimeoutMs = 2 * minuteMs
/** After 1, 2, 4 … minutes, then every 6 hours: about three days in all. */
const maxAttempts = 20
const maxRetryDelayMs = 6 * hourMs
const retentionMs = 30 * dayMs

/**
 * Stores a webhook before it is answered. What it is about is asked of the provider afterwards and never taken from
 * the webhook itself, so webhooks may come twice, late and in any order.
 */
export async function receiveWebhook(ctx: Ctx, raw: Uint8Array, signature: string): Promise<void> {
  const event = ctx.payments.readEvent(raw, signature)
  if (!event) return
  const isNew = await write(ctx, ({ db }) =>
    events.insert(db, {
      provider: ctx.payments.ledger,
      eventId: event.id,
      type: event.type,
      objectId: event.objectId,
      customerId: event.customerId,
      livemode: event.livemode ? 1 : 0,
      receivedAt: ctx.now(),
      nextAt: ctx.now() + claimTimeoutMs,
    }),
  )
  if (isNew) ctx.background(() => processEvent(ctx, event.id))
}

async function processEvent(ctx: Ctx, eventId: string): Promise<void> {
  const { ledger } = ctx.payments
  const event = await events.find(read(ctx), ledger, eventId)
  if (!event || event.processedAt !== null) return
  try {
    await handleUnlessErased(ctx, event)
    await write(ctx, ({ db }) => events.markProcessed(db, ledger, eventId, ctx.now()))
  } catch (error) {
    const attempts = event.attempts + 1
    const delayMs = Math.min(minuteMs * 2 ** event.attempts, maxRetryDelayMs)
    const nextAt = attempts < maxAttempts ? ctx.now() + delayMs : null
    const message = error instanceof Error ? error.message : String(error)
    await write(ctx, ({ db }) => events.markFailed(db, ledger, eventId, { error: message, attempts, nextAt }))
    if (nextAt !== null) ctx.metrics.retried('payment')
    const { type } = event
    const details = { eventId, type, attempts, error }
    if (nextAt === null) ctx.log.error(details, 'payment event failed for good')
    else if (error instanceof Refusal) ctx.log.warn(details, 'payment event failed, will retry')
    else ctx.log.error(details, 'payment event failed, will retry')
  }
}

/** What fails because the restaurant has been erased meanwhile is about nothing any more. */
async function handleUnlessErased(ctx: Ctx, event: events.PaymentEvent): Promise<void> {
  const { type, objectId, customerId } = event
  if (type === 'charge.dispute.created') {
    ctx.log.warn({ disputeId: objectId }, 'charge disputed')
    return
  }
  const restaurantId = await findRestaurantId(ctx, customerId)
  if (restaurantId === undefined) return
  try {
    await handleEvent(ctx, restaurantId, event)
  } catch (error) {
    if ((await findRestaurantId(ctx, customerId)) !== undefined) throw error
  }
}

const findRestaurantId = async (ctx: Ctx, customerId: string | null): Promise<string | undefined> =>
  customerId === null ? undefined : billing.findRestaurantId(read(ctx), ctx.payments.ledger, customerId)

async function handleEvent(
  ctx: Ctx,
  restaurantId: string,
  { type, objectId }: events.PaymentEvent,
): Promise<void> {
  switch (type) {
    case 'setup_intent.setup_failed':
      return
    case 'setup_intent.succeeded':
      return completeUnlessRefused(ctx, restaurantId, objectId)
    case 'customer.deleted':
      return syncCustomer(ctx, restaurantId)
    case emailChanged:
      return updateEmail(ctx, restaurantId)
    default:
      return refreshWithLease(ctx, restaurantId)
  }
}

/** A refusal would only repeat itself: the owner sees the reason on the next visit. */
async function completeUnlessRefused(ctx: Ctx, restaurantId: string, setupIntentId: string): Promise<void> {
  try {
    await completeFor(ctx, restaurantId, setupIntentId)
  } catch (error) {
    const isFinal = error instanceof Refusal && error.code !== 'unavailable'
    if (!isFinal) throw error
    ctx.log.info({ setupIntentId, reason: error.message }, 'payment setup did not lead to a subscription')
  }
}

/** Retries events that failed, and those that a node received before it died; our own are tried first here. */
export async function retryDueEvents(ctx: Ctx): Promise<void> {
  const now = ctx.now()
  const due = await write(ctx, ({ db }) =>
    events.claimDue(db, ctx.payments.ledger, { now, until: now + claimTimeoutMs, limit: 50 }),
  )
  for (const eventId of due) await processEvent(ctx, eventId)
}

/** Refreshes subscriptions without a webhook for a day, and those whose period ended without one. */
export async function reconcileSubscriptions(ctx: Ctx): Promise<void> {
  const now = ctx.now()
  const restaurantIds = await billing.listStaleRestaurants(read(ctx), ctx.payments.ledger, {
    before: now - dayMs,
    now,
    ended: endedStatuses,
  })
  for (const restaurantId of restaurantIds) {
    try {
      await refreshWithLease(ctx, restaurantId)
    } catch (error) {
      ctx.log.warn({ restaurantId, error }, 'could not refresh a subscription')
    }
  }
  await write(ctx, ({ db }) => events.removeProcessedBefore(db, now - retentionMs))
}
