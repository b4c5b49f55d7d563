import type {
  PaymentConfig,
  PlanChoice,
  PortalLink,
  Subscription,
  SubscriptionAction,
} from '#contract/billing.ts'
import type { Operation } from '#contract/permissions.ts'
import * as billing from '../../storage/billing.ts'
import type { Db } from '../../storage/engine/types.ts'
import type { Actor } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import * as audit from '../audit/audit.ts'
import { type Lease, withLease } from './billing-lease.ts'
import type { Ctx } from '../ports.ts'
import { read, write } from '../transaction.ts'
import { conflict, notFound, Refusal } from '../errors.ts'
import type { SubscriptionSnapshot } from '../ports.ts'
import { requireGrantStillValid } from '../accounts/sessions.ts'
import {
  findCustomerId,
  nextSnapshotTime,
  refreshWithLease,
  saveSnapshot,
  refresh,
} from './subscription-sync.ts'
import { allowedActions, isActiveStatus, isLive, statusNotice } from './subscription-status.ts'

/** What an owner looks at in passing is not older than this. */
const maxAgeMs = 60_000

/** What people see as Active. */
export async function isActive(ctx: Ctx, db: Db, restaurantId: string): Promise<boolean> {
  if (!ctx.settings.billing) return true
  const stored = await billing.find(db, ctx.payments.ledger, restaurantId)
  return stored !== undefined && isActiveStatus(stored.status)
}

export async function getConfig(ctx: Ctx, actor: Actor): Promise<PaymentConfig> {
  authorizeInRestaurant(actor, 'billing.config')
  if (!ctx.settings.billing) return { provider: 'off', publishableKey: null }
  const { provider, publishableKey } = ctx.payments
  return { provider, publishableKey }
}

/**
 * What the owner's screen shows; asked anew when it is old or must be fresh,
 * and as it was last known when nobody answers.
 */
export async function getSubscription(
  ctx: Ctx,
  actor: Actor,
  { fresh }: { fresh: boolean },
): Promise<Subscription> {
  const { restaurantId } = authorizeInRestaurant(actor, 'billing.subscription')
  const stored = await billing.find(read(ctx), ctx.payments.ledger, restaurantId)
  if (ctx.settings.billing && stored && (fresh || stored.asOf < ctx.now() - maxAgeMs)) {
    try {
      await refreshWithLease(ctx, restaurantId)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
  return loadSubscription(ctx, restaurantId)
}

async function loadSubscription(ctx: Ctx, restaurantId: string): Promise<Subscription> {
  if (!ctx.settings.billing)
    return { ...noSubscription, provider: 'off', subscriptionStatus: 'active', actions: [] }
  const { provider, ledger } = ctx.payments
  const stored = await billing.find(read(ctx), ledger, restaurantId)
  if (!stored)
    return {
      ...noSubscription,
      provider,
      subscriptionStatus: 'inactive',
      actions: allowedActions(null, false),
    }
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
    notice: statusNotice(status),
    actions: allowedActions(status, cancelAtPeriodEnd),
    unfinished: status === 'incomplete' && setupIntentId !== null ? { setupIntentId, priceId } : null,
  }
}

const noSubscription = {
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
  changeSubscription(ctx, actor, 'billing.cancel', 'cancel', async (stored) =>
    isLive(stored.status) && stored.cancelAtPeriodEnd === 1
      ? null
      : () => ctx.payments.cancelAtPeriodEnd(stored.subscriptionId),
  )

/** Takes a cancellation back while the period lasts. */
export const resume = (ctx: Ctx, actor: Actor): Promise<Subscription> =>
  changeSubscription(ctx, actor, 'billing.resume', 'resume', async (stored) =>
    isActiveStatus(stored.status) && stored.cancelAtPeriodEnd === 0
      ? null
      : () => ctx.payments.resume(stored.subscriptionId),
  )

export const changePlan = (ctx: Ctx, actor: Actor, { planType }: PlanChoice): Promise<Subscription> =>
  changeSubscription(ctx, actor, 'billing.changePlan', 'change-plan', async ({ subscriptionId }) => {
    await ctx.payments.prices()
    return () => ctx.payments.changePlan(subscriptionId, planType)
  })

/** `plan` says what to do, or null when it is done already. */
async function changeSubscription(
  ctx: Ctx,
  actor: Actor,
  operation: Operation,
  action: Exclude<SubscriptionAction, 'portal' | 'subscribe'>,
  plan: (stored: billing.Subscription) => Promise<(() => Promise<SubscriptionSnapshot>) | null>,
): Promise<Subscription> {
  const restaurantId = authorizeBilling(ctx, actor, operation)
  return withActorLease(ctx, actor, operation, restaurantId, async (lock) => {
    await refresh(ctx, restaurantId)
    const stored = await billing.find(read(ctx), ctx.payments.ledger, restaurantId)
    if (!stored) throw conflict('There is no subscription yet')
    const work = await plan(stored)
    if (work) {
      if (!allowedActions(stored.status, stored.cancelAtPeriodEnd === 1).includes(action)) {
        throw conflict('Your subscription does not allow this now')
      }
      await lock.renew()
      const asOf = await nextSnapshotTime(ctx, restaurantId)
      await saveSnapshot(ctx, restaurantId, asOf, await work())
      await write(ctx, (db) => audit.record(ctx, db, actor, restaurantId, `subscription.${action}`))
    }
    return loadSubscription(ctx, restaurantId)
  })
}

export async function getPortalLink(ctx: Ctx, actor: Actor): Promise<PortalLink> {
  const restaurantId = authorizeBilling(ctx, actor, 'billing.portal')
  return { url: await ctx.payments.portal(await requireCustomer(ctx, restaurantId)) }
}

export async function advanceSandbox(ctx: Ctx, actor: Actor): Promise<Subscription> {
  const restaurantId = authorizeBilling(ctx, actor, 'billing.advanceSandbox')
  const { sandbox } = ctx.payments
  if (!sandbox) throw notFound('Sandbox')
  const customer = await requireCustomer(ctx, restaurantId)
  return withLease(ctx, restaurantId, async () => {
    await sandbox.advance(customer)
    await refresh(ctx, restaurantId)
    return loadSubscription(ctx, restaurantId)
  })
}

/** The customer of a restaurant that has, or had, a subscription. */
async function requireCustomer(ctx: Ctx, restaurantId: string): Promise<string> {
  const customer = await findCustomerId(ctx, read(ctx), restaurantId)
  const stored = await billing.find(read(ctx), ctx.payments.ledger, restaurantId)
  if (customer === undefined || !stored) throw conflict('There is no subscription yet')
  return customer
}

/** Billing waits, for the lock and for the provider: the login has to stand still when the provider is to act. */
export const withActorLease = <T>(
  ctx: Ctx,
  actor: Actor,
  operation: Operation,
  restaurantId: string,
  work: (lock: Lease) => Promise<T>,
): Promise<T> => withLease(ctx, restaurantId, work, (db) => requireGrantStillValid(ctx, db, actor, operation))

export function authorizeBilling(ctx: Ctx, actor: Actor, operation: Operation): string {
  const { restaurantId } = authorizeInRestaurant(actor, operation)
  if (!ctx.settings.billing) throw new Refusal('not_found', 'Billing is off')
  return restaurantId
}
