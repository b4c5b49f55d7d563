import type {
  ConfirmedSubscription,
  PaymentConfig,
  PlanChoice,
  PortalLink,
  SandboxConfirmation,
  SandboxSetup,
  Subscription,
  SubscriptionAction,
  SubscriptionConfirmation,
  SubscriptionSetup,
} from '#contract/billing.ts'
import type { Call } from '#contract/permissions.ts'
import * as billing from '../storage/billing.ts'
import type { Db } from '../storage/database.ts'
import * as owners from '../storage/owners.ts'
import * as restaurants from '../storage/restaurants.ts'
import { type Actor, mayIn } from './actor.ts'
import { type Lock, locked } from './billing-lock.ts'
import { type Ctx, read, write } from './context.ts'
import { conflict, invalid, notFound, Refusal } from './errors.ts'
import type { Setup, Snapshot } from './payments.ts'
import {
  actionsOf,
  currentOf,
  isActiveStatus,
  isLive,
  isReplaceable,
  noticeOf,
} from './subscription-status.ts'

const minutes = 60_000
const hours = 60 * minutes

/** The provider forgets idempotency keys after 24 hours. */
const attemptMs = 23 * hours
/** What an owner looks at in passing is not older than this. */
const freshMs = minutes

const exists = () => conflict('A subscription already exists')
const noneYet = () => conflict('There is no subscription yet')

/** What people see as Active. */
export async function isActive(ctx: Ctx, db: Db, restaurantId: string): Promise<boolean> {
  if (!ctx.settings.billing) return true
  const stored = await billing.find(db, ctx.payments.ledger, restaurantId)
  return stored !== undefined && isActiveStatus(stored.status)
}

/** The customer's id at the provider, if it has one. */
export async function customerId(ctx: Ctx, db: Db, restaurantId: string): Promise<string | undefined> {
  if (!ctx.settings.billing) return undefined
  const customer = await billing.customer(db, restaurantId)
  return customer?.provider === ctx.payments.ledger && customer.deletedAt === null
    ? customer.customerId
    : undefined
}

export async function config(ctx: Ctx, actor: Actor): Promise<PaymentConfig> {
  mayIn(actor, 'GET /api/payment-config')
  if (!ctx.settings.billing) return { provider: 'off', publishableKey: null }
  const { provider, publishableKey } = ctx.payments
  return { provider, publishableKey }
}

/** Begins to subscribe: gives the card form what it needs. Nothing is charged yet. */
export async function create(ctx: Ctx, actor: Actor, { planType }: PlanChoice): Promise<SubscriptionSetup> {
  const restaurantId = mayBill(ctx, actor, 'POST /api/create-subscription')
  return locked(ctx, restaurantId, async () => {
    await refresh(ctx, restaurantId)
    const stored = await billing.find(read(ctx), ctx.payments.ledger, restaurantId)
    if (stored && isLive(stored.status)) throw exists()
    const priceId = (await ctx.payments.prices())[planType]
    const attempt = await attemptFor(ctx, restaurantId, { plan: planType, priceId })
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
async function attemptFor(
  ctx: Ctx,
  restaurantId: string,
  { plan, priceId }: Pick<billing.Attempt, 'plan' | 'priceId'>,
): Promise<billing.Attempt> {
  const createdAfter = ctx.now() - attemptMs
  const open = await billing.openAttempt(read(ctx), restaurantId, { plan, priceId, createdAfter })
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
    if (open) await billing.supersede(db, restaurantId, open.id)
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
  const known = await customerId(ctx, read(ctx), restaurantId)
  if (known !== undefined) return known
  const { ledger } = ctx.payments
  const before = await billing.customer(read(ctx), restaurantId)
  const restaurant = await restaurants.findById(read(ctx), restaurantId)
  if (!restaurant) throw notFound('Restaurant')
  const owner = await owners.findByRestaurant(read(ctx), restaurantId)
  const made = await ctx.payments.createCustomer({
    restaurantId,
    name: restaurant.name,
    email: owner?.email ?? null,
    replaces: before?.provider === ledger ? before.customerId : null,
  })
  await write(ctx, (db) => billing.setCustomer(db, { restaurantId, provider: ledger, customerId: made }))
  return made
}

/** Subscribes with the card that was put in. Repeating it, also much later, gives the same subscription. */
export async function confirm(
  ctx: Ctx,
  actor: Actor,
  confirmation: SubscriptionConfirmation,
): Promise<ConfirmedSubscription> {
  const restaurantId = mayBill(ctx, actor, 'POST /api/confirm-subscription')
  return locked(ctx, restaurantId, (lock) => finish(ctx, restaurantId, confirmation, lock))
}

/** The same, for an owner whose browser never came back from putting in the card. */
export async function finishFor(ctx: Ctx, restaurantId: string, setupIntentId: string): Promise<void> {
  await locked(ctx, restaurantId, async (lock) => {
    const attempt = await billing.attemptOf(read(ctx), restaurantId, setupIntentId)
    if (attempt?.state !== 'open') return
    await finish(ctx, restaurantId, { setupIntentId, priceId: attempt.priceId }, lock)
  })
}

async function finish(
  ctx: Ctx,
  restaurantId: string,
  { setupIntentId, priceId }: SubscriptionConfirmation,
  lock: Lock,
): Promise<ConfirmedSubscription> {
  const stored = await billing.find(read(ctx), ctx.payments.ledger, restaurantId)
  if (
    stored?.setupIntentId === setupIntentId &&
    stored.priceId === priceId &&
    isActiveStatus(stored.status)
  ) {
    return { status: stored.status }
  }
  const { setup, customerId } = await ownSetup(ctx, restaurantId, setupIntentId)
  const plan = await planOf(ctx, setup, priceId)
  if (setup.status !== 'succeeded') {
    throw conflict(setup.problem ?? 'Your card has not been confirmed yet')
  }
  const asOf = await nextAsOf(ctx, restaurantId)
  const all = await ctx.payments.subscriptions(customerId)
  const same = all.find((one) => one.setupIntentId === setupIntentId)
  if (!same && all.some(({ status }) => isLive(status))) {
    await record(ctx, restaurantId, asOf, currentOf(all))
    throw exists()
  }
  if (!same) {
    for (const { id, status } of all) if (isReplaceable(status)) await ctx.payments.end(id)
    await lock.renew()
  }
  const { snapshot, clientSecret } = same
    ? await ctx.payments.subscription(same.id)
    : await ctx.payments.subscribe({ customerId, restaurantId, plan, setup: { ...setup, priceId } })
  await record(ctx, restaurantId, asOf, currentOf([...all.filter(({ id }) => id !== snapshot.id), snapshot]))
  await write(ctx, (db) => billing.settleAttempts(db, restaurantId, setupIntentId))
  const unpaid = snapshot.status === 'incomplete' && clientSecret !== null
  return { status: snapshot.status, ...(unpaid && { clientSecret }) }
}

/** Another restaurant's setup is none. */
async function ownSetup(
  ctx: Ctx,
  restaurantId: string,
  setupIntentId: string,
): Promise<{ setup: Setup; customerId: string }> {
  const own = await customerId(ctx, read(ctx), restaurantId)
  const setup = own === undefined ? undefined : await ctx.payments.setup(setupIntentId)
  if (!setup || own === undefined || setup.customerId !== own || setup.restaurantId !== restaurantId) {
    throw notFound('Payment setup')
  }
  return { setup, customerId: own }
}

/** The price must be the one that the owner was shown, and still cost what the plan costs. */
async function planOf(ctx: Ctx, setup: Setup, priceId: string): Promise<Snapshot['plan']> {
  const prices = await ctx.payments.prices()
  const plan = (['monthly', 'yearly'] as const).find((one) => prices[one] === priceId)
  if (plan === undefined || setup.priceId !== priceId) {
    throw invalid('This is not the price of the plan you chose')
  }
  return plan
}

/** Numbers the askings about a restaurant: what was asked for later wins, whichever answer comes last. */
async function nextAsOf(ctx: Ctx, restaurantId: string): Promise<number> {
  return Math.max(ctx.now(), (await billing.asOf(read(ctx), restaurantId)) + 1)
}

async function record(
  ctx: Ctx,
  restaurantId: string,
  asOf: number,
  snapshot: Snapshot | undefined,
): Promise<void> {
  const stored = await billing.find(read(ctx), ctx.payments.ledger, restaurantId)
  const row: billing.Subscription | undefined = snapshot
    ? {
        restaurantId,
        provider: ctx.payments.ledger,
        subscriptionId: snapshot.id,
        setupIntentId: snapshot.setupIntentId,
        status: snapshot.status,
        plan: snapshot.plan,
        priceId: snapshot.priceId,
        nextPlan: snapshot.nextPlan,
        currentPeriodEnd: snapshot.currentPeriodEnd,
        cancelAtPeriodEnd: snapshot.cancelAtPeriodEnd ? 1 : 0,
        asOf,
      }
    : // What the provider no longer knows has ended.
      stored && { ...stored, status: 'canceled', nextPlan: null, asOf }
  if (row) await write(ctx, (db) => billing.save(db, row))
}

/** Asks the provider how things stand. Call it under the lock. */
async function refresh(ctx: Ctx, restaurantId: string): Promise<void> {
  const customer = await customerId(ctx, read(ctx), restaurantId)
  if (customer === undefined) return
  const asOf = await nextAsOf(ctx, restaurantId)
  await record(ctx, restaurantId, asOf, currentOf(await ctx.payments.subscriptions(customer)))
}

/** The same under a lock of its own, for those who do it unasked. */
export const readAgain = (ctx: Ctx, restaurantId: string): Promise<void> =>
  locked(ctx, restaurantId, () => refresh(ctx, restaurantId))

/** The provider's customer may be gone: then so is its subscription, and the next one gets a new customer. */
export async function checkCustomer(ctx: Ctx, restaurantId: string): Promise<void> {
  await locked(ctx, restaurantId, async () => {
    const customer = await customerId(ctx, read(ctx), restaurantId)
    if (customer === undefined) return
    if (await ctx.payments.hasCustomer(customer)) return refresh(ctx, restaurantId)
    await record(ctx, restaurantId, await nextAsOf(ctx, restaurantId), undefined)
    await write(ctx, (db) => billing.markCustomerDeleted(db, customer, ctx.now()))
  })
}

/**
 * What the owner's screen shows; asked anew when it is old or must be fresh,
 * and as it was last known when nobody answers.
 */
export async function subscription(
  ctx: Ctx,
  actor: Actor,
  { fresh }: { fresh: boolean },
): Promise<Subscription> {
  const { restaurantId } = mayIn(actor, 'GET /api/subscription')
  const stored = await billing.find(read(ctx), ctx.payments.ledger, restaurantId)
  if (ctx.settings.billing && stored && (fresh || stored.asOf < ctx.now() - freshMs)) {
    try {
      await readAgain(ctx, restaurantId)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
  return view(ctx, restaurantId)
}

async function view(ctx: Ctx, restaurantId: string): Promise<Subscription> {
  if (!ctx.settings.billing) return { ...none, provider: 'off', subscriptionStatus: 'active', actions: [] }
  const { provider, ledger } = ctx.payments
  const stored = await billing.find(read(ctx), ledger, restaurantId)
  if (!stored) return { ...none, provider, subscriptionStatus: 'inactive', actions: actionsOf(null, false) }
  const { status, setupIntentId, priceId, plan, nextPlan, currentPeriodEnd } = stored
  const cancelAtPeriodEnd = stored.cancelAtPeriodEnd === 1
  return {
    provider,
    subscriptionStatus: isActiveStatus(status) ? 'active' : 'inactive',
    status,
    plan,
    nextPlan,
    currentPeriodEnd,
    cancelAtPeriodEnd,
    notice: noticeOf(status),
    actions: actionsOf(status, cancelAtPeriodEnd),
    unfinished: status === 'incomplete' && setupIntentId !== null ? { setupIntentId, priceId } : null,
  }
}

const none = {
  status: null,
  plan: null,
  nextPlan: null,
  currentPeriodEnd: null,
  cancelAtPeriodEnd: false,
  notice: null,
  unfinished: null,
} as const

/** Keeps what is paid for until the end of the period. */
export const cancel = (ctx: Ctx, actor: Actor): Promise<Subscription> =>
  manage(ctx, actor, 'POST /api/subscription/cancel', 'cancel', async (stored) =>
    isLive(stored.status) && stored.cancelAtPeriodEnd === 1
      ? null
      : () => ctx.payments.cancelAtPeriodEnd(stored.subscriptionId),
  )

/** Takes a cancellation back while the period lasts. */
export const resume = (ctx: Ctx, actor: Actor): Promise<Subscription> =>
  manage(ctx, actor, 'POST /api/subscription/resume', 'resume', async (stored) =>
    isActiveStatus(stored.status) && stored.cancelAtPeriodEnd === 0
      ? null
      : () => ctx.payments.resume(stored.subscriptionId),
  )

export const changePlan = (ctx: Ctx, actor: Actor, { planType }: PlanChoice): Promise<Subscription> =>
  manage(ctx, actor, 'POST /api/subscription/change-plan', 'change-plan', async ({ subscriptionId }) => {
    await ctx.payments.prices()
    return () => ctx.payments.changePlan(subscriptionId, planType)
  })

/** `plan` says what to do, or null when it is done already. */
async function manage(
  ctx: Ctx,
  actor: Actor,
  call: Call,
  action: SubscriptionAction,
  plan: (stored: billing.Subscription) => Promise<(() => Promise<Snapshot>) | null>,
): Promise<Subscription> {
  const restaurantId = mayBill(ctx, actor, call)
  return locked(ctx, restaurantId, async (lock) => {
    await refresh(ctx, restaurantId)
    const stored = await billing.find(read(ctx), ctx.payments.ledger, restaurantId)
    if (!stored) throw noneYet()
    const work = await plan(stored)
    if (work) {
      if (!actionsOf(stored.status, stored.cancelAtPeriodEnd === 1).includes(action)) {
        throw conflict('Your subscription does not allow this now')
      }
      await lock.renew()
      const asOf = await nextAsOf(ctx, restaurantId)
      await record(ctx, restaurantId, asOf, await work())
    }
    return view(ctx, restaurantId)
  })
}

export async function portal(ctx: Ctx, actor: Actor): Promise<PortalLink> {
  const restaurantId = mayBill(ctx, actor, 'POST /api/subscription/portal')
  return { url: await ctx.payments.portal(await subscriberOf(ctx, restaurantId)) }
}

/** The sandbox's part of the browser: puts a test card in. */
export async function confirmSandboxSetup(
  ctx: Ctx,
  actor: Actor,
  setupIntentId: string,
  confirmation: SandboxConfirmation,
): Promise<SandboxSetup> {
  const restaurantId = mayBill(ctx, actor, 'POST /api/sandbox/setup-intents/:id/confirm')
  if (!ctx.payments.sandbox) throw notFound('Sandbox')
  await ownSetup(ctx, restaurantId, setupIntentId)
  return ctx.payments.sandbox.confirm(setupIntentId, confirmation)
}

export async function advanceSandbox(ctx: Ctx, actor: Actor): Promise<Subscription> {
  const restaurantId = mayBill(ctx, actor, 'POST /api/sandbox/advance')
  const { sandbox } = ctx.payments
  if (!sandbox) throw notFound('Sandbox')
  const customer = await subscriberOf(ctx, restaurantId)
  return locked(ctx, restaurantId, async () => {
    await sandbox.advance(customer)
    await refresh(ctx, restaurantId)
    return view(ctx, restaurantId)
  })
}

/** The customer of a restaurant that has, or had, a subscription. */
async function subscriberOf(ctx: Ctx, restaurantId: string): Promise<string> {
  const customer = await customerId(ctx, read(ctx), restaurantId)
  const stored = await billing.find(read(ctx), ctx.payments.ledger, restaurantId)
  if (customer === undefined || !stored) throw noneYet()
  return customer
}

function mayBill(ctx: Ctx, actor: Actor, call: Call): string {
  const { restaurantId } = mayIn(actor, call)
  if (!ctx.settings.billing) throw new Refusal('not_found', 'Billing is off')
  return restaurantId
}
