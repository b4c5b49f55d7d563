import type {
  ConfirmedSubscription,
  PlanChoice,
  SandboxConfirmation,
  SandboxSetup,
  SubscriptionConfirmation,
  SubscriptionSetup,
} from '#contract/billing.ts'
import { hourMs } from '#contract/durations.ts'
import * as owners from '../../storage/accounts/owners.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import * as billing from '../../storage/billing/billing.ts'
import type { Actor } from '../actor.ts'
import type { Ctx } from '../ctx.ts'
import { notFound } from '../errors.ts'
import { read, write } from '../transaction.ts'
import { authorizeBilling, withActorLease } from './billing.ts'
import { requireChargeable } from './chargeable.ts'
import { completeCheckout, requireOwnSetup, subscriptionExists } from './complete-checkout.ts'
import { isLive } from './subscription-status.ts'
import { findCustomerId, refresh } from './subscription-sync.ts'

/** The provider forgets idempotency keys after 24 hours. */
const attemptLifetimeMs = 23 * hourMs

/** Returns what the card form needs. Nothing is charged yet. */
export async function create(ctx: Ctx, actor: Actor, { planType }: PlanChoice): Promise<SubscriptionSetup> {
  const operation = 'billing.create'
  const restaurantId = authorizeBilling(ctx, actor, operation)
  return withActorLease(ctx, actor, operation, restaurantId, async (lease) => {
    await refresh(ctx, restaurantId)
    const stored = await billing.find(read(ctx), ctx.payments.ledger, restaurantId)
    if (stored && isLive(stored.status)) throw subscriptionExists()
    await requireChargeable(ctx, restaurantId)
    const priceId = (await ctx.payments.prices())[planType]
    await lease.renew()
    const attempt = await findOrCreateAttempt(ctx, restaurantId, { plan: planType, priceId })
    const customerId = await ensureCustomer(ctx, restaurantId)
    const setup = await ctx.payments.createSetup({
      customerId,
      restaurantId,
      plan: planType,
      priceId,
      attemptId: attempt.id,
    })
    await write(ctx, ({ db }) => billing.setSetupIntent(db, restaurantId, attempt.id, setup.id))
    return { clientSecret: setup.clientSecret, priceId }
  })
}

/** Stored before anything is created at the provider, so that repeating a request whose answer was lost is safe. */
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
  await write(ctx, async ({ db }) => {
    if (open) await billing.supersedeAttempt(db, restaurantId, open.id)
    await billing.insertAttempt(db, attempt)
  })
  return attempt
}

/** A card form cannot be shown again once its card was entered. */
async function isUnused(ctx: Ctx, setupIntentId: string): Promise<boolean> {
  const setup = await ctx.payments.setup(setupIntentId)
  return setup !== undefined && setup.status !== 'succeeded' && setup.status !== 'canceled'
}

async function ensureCustomer(ctx: Ctx, restaurantId: string): Promise<string> {
  const existing = await findCustomerId(ctx, read(ctx), restaurantId)
  if (existing !== undefined) return existing
  const { ledger } = ctx.payments
  const previous = await billing.findCustomer(read(ctx), restaurantId)
  const restaurant = await restaurants.findById(read(ctx), restaurantId)
  if (!restaurant) throw notFound('Restaurant')
  const owner = await owners.findByRestaurant(read(ctx), restaurantId)
  const customerId = await ctx.payments.createCustomer({
    restaurantId,
    name: restaurant.name,
    email: owner?.email ?? null,
    replaces: previous?.provider === ledger ? previous.customerId : null,
  })
  await write(ctx, ({ db }) => billing.setCustomer(db, { restaurantId, provider: ledger, customerId }))
  return customerId
}

export async function confirm(
  ctx: Ctx,
  actor: Actor,
  confirmation: SubscriptionConfirmation,
): Promise<ConfirmedSubscription> {
  const operation = 'billing.confirm'
  const restaurantId = authorizeBilling(ctx, actor, operation)
  return withActorLease(ctx, actor, operation, restaurantId, (lease) =>
    completeCheckout(ctx, actor, restaurantId, confirmation, lease),
  )
}

/** Enters a test card, as Stripe's card form does with a real one. */
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

/** Subscribes a demo restaurant, only where nobody is charged. */
export async function payInSandbox(ctx: Ctx, owner: Actor): Promise<void> {
  if (!ctx.settings.billing || ctx.payments.provider !== 'sandbox') return
  const { clientSecret, priceId } = await create(ctx, owner, { planType: 'monthly' })
  const [setupIntentId = ''] = clientSecret.split('_secret_')
  await confirmSandboxSetup(ctx, owner, setupIntentId, { clientSecret, testCard: 'ok' })
  await confirm(ctx, owner, { setupIntentId, priceId })
}
