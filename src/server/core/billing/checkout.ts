import type {
  ConfirmedSubscription,
  PlanChoice,
  SandboxConfirmation,
  SandboxSetup,
  SubscriptionConfirmation,
  SubscriptionSetup,
} from '#contract/billing.ts'
import * as billing from '../../storage/billing.ts'
import * as owners from '../../storage/owners.ts'
import * as restaurants from '../../storage/restaurants.ts'
import { type Actor, anonymousActor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { type Lease, withLease } from './billing-lease.ts'
import { withActorLease, authorizeBilling } from './billing.ts'
import type { Ctx } from '../ports.ts'
import { read, write } from '../transaction.ts'
import { conflict, invalid, notFound } from '../errors.ts'
import type { PaymentSetup, SubscriptionSnapshot } from '../ports.ts'
import { findCustomerId, nextSnapshotTime, saveSnapshot, refresh } from './subscription-sync.ts'
import { selectCurrent, isActiveStatus, isLive, isReplaceable } from './subscription-status.ts'

/** The provider forgets idempotency keys after 24 hours. */
const attemptLifetimeMs = 23 * 3_600_000

const subscriptionExists = () => conflict('A subscription already exists')

/** Begins to subscribe: gives the card form what it needs. Nothing is charged yet. */
export async function beginCheckout(
  ctx: Ctx,
  actor: Actor,
  { planType }: PlanChoice,
): Promise<SubscriptionSetup> {
  const operation = 'billing.create'
  const restaurantId = authorizeBilling(ctx, actor, operation)
  return withActorLease(ctx, actor, operation, restaurantId, async (lock) => {
    await refresh(ctx, restaurantId)
    const stored = await billing.find(read(ctx), ctx.payments.ledger, restaurantId)
    if (stored && isLive(stored.status)) throw subscriptionExists()
    const priceId = (await ctx.payments.prices())[planType]
    await lock.renew()
    const attempt = await findOrCreateAttempt(ctx, restaurantId, { plan: planType, priceId })
    const customerId = await ensureCustomer(ctx, restaurantId)
    const setup = await ctx.payments.createSetup({
      customerId,
      restaurantId,
      plan: planType,
      priceId,
      attemptId: attempt.id,
    })
    await write(ctx, (db) => billing.setSetupIntent(db, restaurantId, attempt.id, setup.id))
    return { clientSecret: setup.clientSecret, priceId }
  })
}

/** Stored before anything is made for it, so that whatever happens to the answer, asking again makes nothing twice. */
async function findOrCreateAttempt(
  ctx: Ctx,
  restaurantId: string,
  { plan, priceId }: Pick<billing.Attempt, 'plan' | 'priceId'>,
): Promise<billing.Attempt> {
  const createdAfter = ctx.now() - attemptLifetimeMs
  const open = await billing.findOpenAttempt(read(ctx), restaurantId, { plan, priceId, createdAfter })
  if (open && (open.setupIntentId === null || (await isUnused(ctx, open.setupIntentId)))) return open
  const attempt: billing.Attempt = {
    restaurantId,
    id: ctx.newId(),
    plan,
    priceId,
    setupIntentId: null,
    state: 'open',
    createdAt: ctx.now(),
  }
  await write(ctx, async (db) => {
    if (open) await billing.supersedeAttempt(db, restaurantId, open.id)
    await billing.insertAttempt(db, attempt)
  })
  return attempt
}

/** A card form cannot be shown a second time for a card that was put in already. */
async function isUnused(ctx: Ctx, setupIntentId: string): Promise<boolean> {
  const setup = await ctx.payments.setup(setupIntentId)
  return setup !== undefined && setup.status !== 'succeeded' && setup.status !== 'canceled'
}

async function ensureCustomer(ctx: Ctx, restaurantId: string): Promise<string> {
  const existing = await findCustomerId(ctx, read(ctx), restaurantId)
  if (existing !== undefined) return existing
  const { ledger } = ctx.payments
  const before = await billing.findCustomer(read(ctx), restaurantId)
  const restaurant = await restaurants.findById(read(ctx), restaurantId)
  if (!restaurant) throw notFound('Restaurant')
  const owner = await owners.findByRestaurant(read(ctx), restaurantId)
  const created = await ctx.payments.createCustomer({
    restaurantId,
    name: restaurant.name,
    email: owner?.email ?? null,
    replaces: before?.provider === ledger ? before.customerId : null,
  })
  await write(ctx, (db) => billing.setCustomer(db, { restaurantId, provider: ledger, customerId: created }))
  return created
}

/** Subscribes with the card that was put in. Repeating it, also much later, gives the same subscription. */
export async function confirm(
  ctx: Ctx,
  actor: Actor,
  confirmation: SubscriptionConfirmation,
): Promise<ConfirmedSubscription> {
  const operation = 'billing.confirm'
  const restaurantId = authorizeBilling(ctx, actor, operation)
  return withActorLease(ctx, actor, operation, restaurantId, (lock) =>
    completeCheckout(ctx, actor, restaurantId, confirmation, lock),
  )
}

/** The same, for an owner whose browser never came back from putting in the card. */
export async function completeFor(ctx: Ctx, restaurantId: string, setupIntentId: string): Promise<void> {
  await withLease(ctx, restaurantId, async (lock) => {
    const attempt = await billing.findAttempt(read(ctx), restaurantId, setupIntentId)
    if (attempt?.state !== 'open') return
    await completeCheckout(
      ctx,
      anonymousActor(),
      restaurantId,
      { setupIntentId, priceId: attempt.priceId },
      lock,
    )
  })
}

async function completeCheckout(
  ctx: Ctx,
  actor: Actor,
  restaurantId: string,
  { setupIntentId, priceId }: SubscriptionConfirmation,
  lock: Lease,
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
  const all = await ctx.payments.subscriptions(customerId)
  const same = all.find((one) => one.setupIntentId === setupIntentId)
  if (!same && all.some(({ status }) => isLive(status))) {
    await saveSnapshot(ctx, restaurantId, asOf, selectCurrent(all))
    throw subscriptionExists()
  }
  if (!same) {
    await lock.renew()
    for (const { id, status } of all) if (isReplaceable(status)) await ctx.payments.end(id)
    await lock.renew()
  }
  const { snapshot, clientSecret } = same
    ? await ctx.payments.subscription(same.id)
    : await ctx.payments.subscribe({ customerId, restaurantId, plan, setup: { ...setup, priceId } })
  await saveSnapshot(
    ctx,
    restaurantId,
    asOf,
    selectCurrent([...all.filter(({ id }) => id !== snapshot.id), snapshot]),
  )
  await write(ctx, async (db) => {
    await billing.settleAttempts(db, restaurantId, setupIntentId)
    if (!same) await audit.record(ctx, db, actor, restaurantId, 'subscription.start', { plan })
  })
  const unpaid = snapshot.status === 'incomplete' && clientSecret !== null
  return { status: snapshot.status, ...(unpaid && { clientSecret }) }
}

/** The sandbox's part of the browser: puts a test card in. */
export async function confirmSandboxSetup(
  ctx: Ctx,
  actor: Actor,
  setupIntentId: string,
  confirmation: SandboxConfirmation,
): Promise<SandboxSetup> {
  const restaurantId = authorizeBilling(ctx, actor, 'billing.confirmSandboxSetup')
  if (!ctx.payments.sandbox) throw notFound('Sandbox')
  await requireOwnSetup(ctx, restaurantId, setupIntentId)
  return ctx.payments.sandbox.confirm(setupIntentId, confirmation)
}

/** Another restaurant's setup is none. */
async function requireOwnSetup(
  ctx: Ctx,
  restaurantId: string,
  setupIntentId: string,
): Promise<{ setup: PaymentSetup; customerId: string }> {
  const own = await findCustomerId(ctx, read(ctx), restaurantId)
  const setup = own === undefined ? undefined : await ctx.payments.setup(setupIntentId)
  if (!setup || own === undefined || setup.customerId !== own || setup.restaurantId !== restaurantId) {
    throw notFound('Payment setup')
  }
  return { setup, customerId: own }
}

/** The price must be the one that the owner was shown, and still cost what the plan costs. */
async function requirePlan(
  ctx: Ctx,
  setup: PaymentSetup,
  priceId: string,
): Promise<SubscriptionSnapshot['plan']> {
  const prices = await ctx.payments.prices()
  const plan = (['monthly', 'yearly'] as const).find((one) => prices[one] === priceId)
  if (plan === undefined || setup.priceId !== priceId) {
    throw invalid('This is not the price of the plan you chose')
  }
  return plan
}
