import type { ConfirmedSubscription, SubscriptionConfirmation } from '#contract/billing.ts'
import type { PaymentSetup, SubscriptionSnapshot } from '../../ports/payments.ts'
import * as billing from '../../storage/billing/billing.ts'
import { type Actor, anonymousActor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import type { Ctx } from '../ctx.ts'
import { conflict, invalid, notFound } from '../errors.ts'
import { read, write } from '../transaction.ts'
import { type Lease, withLease } from './billing-lease.ts'
import { isChargeable, requireChargeable } from './chargeable.ts'
import { isActiveStatus, isLive, isReplaceable, selectCurrent } from './subscription-status.ts'
import { findCustomerId, nextSnapshotTime, saveSnapshot } from './subscription-sync.ts'

export const subscriptionExists = () => conflict('A subscription already exists')

/** Called when the provider says that the card was entered: the owner's browser may never have come back. */
export async function completeFor(ctx: Ctx, restaurantId: string, setupIntentId: string): Promise<void> {
  await withLease(ctx, restaurantId, async (lease) => {
    const attempt = await billing.findAttempt(read(ctx), restaurantId, setupIntentId)
    if (attempt?.state !== 'open' || !(await isChargeable(ctx, restaurantId))) return
    const confirmation = { setupIntentId, priceId: attempt.priceId }
    await completeCheckout(ctx, anonymousActor(), restaurantId, confirmation, lease)
  })
}

/** Subscribes with the card that was entered. Repeating it, even much later, returns the same subscription. */
export async function completeCheckout(
  ctx: Ctx,
  actor: Actor,
  restaurantId: string,
  { setupIntentId, priceId }: SubscriptionConfirmation,
  lease: Lease,
): Promise<ConfirmedSubscription> {
  const stored = await billing.find(read(ctx), ctx.payments.ledger, restaurantId)
  if (
    stored?.setupIntentId === setupIntentId &&
    stored.priceId === priceId &&
    isActiveStatus(stored.status)
  ) {
    return { status: stored.status }
  }
  const { setup, customerId } = await requireOwnSetup(ctx, restaurantId, setupIntentId)
  const plan = await requirePlan(ctx, setup, priceId)
  if (setup.status !== 'succeeded') {
    throw conflict(setup.problem ?? 'Your card has not been confirmed yet')
  }
  const asOf = await nextSnapshotTime(ctx, restaurantId)
  const subscriptions = await ctx.payments.subscriptions(customerId)
  const existing = subscriptions.find((subscription) => subscription.setupIntentId === setupIntentId)
  if (!existing && subscriptions.some(({ status }) => isLive(status))) {
    await saveSnapshot(ctx, restaurantId, asOf, selectCurrent(subscriptions))
    throw subscriptionExists()
  }
  if (!existing) {
    await requireChargeable(ctx, restaurantId)
    await lease.renew()
    for (const { id, status } of subscriptions) if (isReplaceable(status)) await ctx.payments.end(id)
    await lease.renew()
  }
  const { snapshot, clientSecret } = existing
    ? await ctx.payments.subscription(existing.id)
    : await ctx.payments.subscribe({ customerId, restaurantId, plan, setup: { ...setup, priceId } })
  const others = subscriptions.filter(({ id }) => id !== snapshot.id)
  await saveSnapshot(ctx, restaurantId, asOf, selectCurrent([...others, snapshot]))
  await write(ctx, async ({ db }) => {
    await billing.settleAttempts(db, restaurantId, setupIntentId)
    if (!existing) await audit.record(ctx, db, actor, restaurantId, 'subscription.start', { plan })
  })
  const isUnpaid = snapshot.status === 'incomplete' && clientSecret !== null
  return { status: snapshot.status, ...(isUnpaid && { clientSecret }) }
}

/** Another restaurant's setup counts as not found. */
export async function requireOwnSetup(
  ctx: Ctx,
  restaurantId: string,
  setupIntentId: string,
): Promise<{ setup: PaymentSetup; customerId: string }> {
  const customerId = await findCustomerId(ctx, read(ctx), restaurantId)
  const setup = customerId === undefined ? undefined : await ctx.payments.setup(setupIntentId)
  if (
    !setup ||
    customerId === undefined ||
    setup.customerId !== customerId ||
    setup.restaurantId !== restaurantId
  ) {
    throw notFound('Payment setup')
  }
  return { setup, customerId }
}

/** The price must be the one that the owner was shown, and still be the price of a plan. */
async function requirePlan(
  ctx: Ctx,
  setup: PaymentSetup,
  priceId: string,
): Promise<SubscriptionSnapshot['plan']> {
  const prices = await ctx.payments.prices()
  const plan = (['monthly', 'yearly'] as const).find((candidate) => prices[candidate] === priceId)
  if (plan === undefined || setup.priceId !== priceId) {
    throw invalid('This is not the price of the plan you chose')
  }
  return plan
}
