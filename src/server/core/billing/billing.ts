import type {
  PaymentConfig,
  PlanChoice,
  PortalLink,
  Subscription,
  SubscriptionAction,
} from '#contract/billing.ts'
import { minuteMs } from '#contract/durations.ts'
import type { Operation } from '#contract/permissions.ts'
import type { SubscriptionSnapshot } from '../../ports/payments.ts'
import * as billing from '../../storage/billing/billing.ts'
import type { Db } from '../../storage/engine/types.ts'
import { requireGrantStillValid } from '../accounts/sessions/sessions.ts'
import type { Actor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { conflict, notFound, Refusal } from '../errors.ts'
import { read, write } from '../transaction.ts'
import { type Lease, withLease } from './billing-lease.ts'
import { isChargeable, requireChargeable } from './chargeable.ts'
import { allowedActions, isActiveStatus, isLive, statusNotice } from './subscription-status.ts'
import {
  findCustomerId,
  nextSnapshotTime,
  refresh,
  refreshWithLease,
  saveSnapshot,
} from './subscription-sync.ts'

/** A stored subscription that is older than this is refreshed when it is shown. */
const maxAgeMs = minuteMs

export async function isActive(ctx: Ctx, db: Db, restaurantId: string): Promise<boolean> {
  if (!ctx.settings.billing) return true
  const stored = await billing.find(db, ctx.payments.ledger, restaurantId)
  return stored !== undefined && isActiveStatus(stored.status)
}

export async function requireSubscription(ctx: Ctx, restaurantId: string): Promise<void> {
  if (!(await isActive(ctx, read(ctx), restaurantId))) {
    throw new Refusal('payment_required', 'Subscription Required')
  }
}

export async function config(ctx: Ctx, actor: Actor): Promise<PaymentConfig> {
  authorizeInRestaurant(actor, 'billing.config')
  if (!ctx.settings.billing) return { provider: 'off', publishableKey: null }
  const { provider, publishableKey } = ctx.payments
  return { provider, publishableKey }
}

/**
 * Refreshed from the provider when it is old or must be fresh, and as last known when the provider does not answer. A
 * first payment is not stored yet while its answer is under way, so only the provider knows of it.
 */
export async function subscription(
  ctx: Ctx,
  actor: Actor,
  { fresh }: { fresh: boolean },
): Promise<Subscription> {
  const { restaurantId } = authorizeInRestaurant(actor, 'billing.subscription')
  const isRefreshed = await refreshIfDue(ctx, restaurantId, fresh)
  const subscription = await loadSubscription(ctx, restaurantId)
  return fresh && !isRefreshed ? { ...subscription, outOfDate: true } : subscription
}

/** Returns false if the provider did not answer. */
async function refreshIfDue(ctx: Ctx, restaurantId: string, fresh: boolean): Promise<boolean> {
  if ((await findCustomerId(ctx, read(ctx), restaurantId)) === undefined) return true
  const stored = await billing.find(read(ctx), ctx.payments.ledger, restaurantId)
  if (!fresh && !(stored && stored.asOf < ctx.now() - maxAgeMs)) return true
  try {
    await refreshWithLease(ctx, restaurantId)
    return true
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return false
  }
}

async function loadSubscription(ctx: Ctx, restaurantId: string): Promise<Subscription> {
  if (!ctx.settings.billing)
    return { ...noSubscription, provider: 'off', subscriptionStatus: 'active', actions: [] }
  const { provider, ledger } = ctx.payments
  const stored = await billing.find(read(ctx), ledger, restaurantId)
  const chargeable = await isChargeable(ctx, restaurantId)
  const actionsOf = (...state: Parameters<typeof allowedActions>): SubscriptionAction[] =>
    allowedActions(...state).filter((action) => chargeable || !charging.has(action))
  if (!stored)
    return { ...noSubscription, provider, subscriptionStatus: 'inactive', actions: actionsOf(null, false) }
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
    actions: actionsOf(status, cancelAtPeriodEnd),
    unfinished:
      status === 'incomplete' && setupIntentId !== null && chargeable ? { setupIntentId, priceId } : null,
  }
}

/** Refused for demos that somebody could be charged for, and until a deleted restaurant is restored. */
const charging: ReadonlySet<SubscriptionAction> = new Set(['subscribe', 'resume', 'change-plan'])

const noSubscription = {
  status: null,
  plan: null,
  nextPlan: null,
  currentPeriodEnd: null,
  cancelAtPeriodEnd: false,
  notice: null,
  unfinished: null,
} as const

/** At the end of the period that is paid for. */
export const cancel = (ctx: Ctx, actor: Actor): Promise<Subscription> =>
  changeSubscription(ctx, actor, 'billing.cancel', 'cancel', async (stored) =>
    isLive(stored.status) && stored.cancelAtPeriodEnd === 1
      ? null
      : () => ctx.payments.cancelAtPeriodEnd(stored.subscriptionId),
  )

/** Undoes a cancellation before the period ends. */
export const resume = (ctx: Ctx, actor: Actor): Promise<Subscription> =>
  changeSubscription(ctx, actor, 'billing.resume', 'resume', async (stored) => {
    if (isActiveStatus(stored.status) && stored.cancelAtPeriodEnd === 0) return null
    await requireChargeable(ctx, stored.restaurantId)
    return () => ctx.payments.resume(stored.subscriptionId)
  })

export const changePlan = (ctx: Ctx, actor: Actor, { planType }: PlanChoice): Promise<Subscription> =>
  changeSubscription(ctx, actor, 'billing.changePlan', 'change-plan', async (stored) => {
    const { subscriptionId, restaurantId } = stored
    await requireChargeable(ctx, restaurantId)
    await ctx.payments.prices()
    return () => ctx.payments.changePlan(subscriptionId, planType)
  })

/** `plan` returns what to do, or null when it has already been done. */
async function changeSubscription(
  ctx: Ctx,
  actor: Actor,
  operation: Operation,
  action: Exclude<SubscriptionAction, 'portal' | 'subscribe'>,
  plan: (stored: billing.Subscription) => Promise<(() => Promise<SubscriptionSnapshot>) | null>,
): Promise<Subscription> {
  const restaurantId = authorizeBilling(ctx, actor, operation)
  return withActorLease(ctx, actor, operation, restaurantId, async (lease) => {
    await refresh(ctx, restaurantId)
    const stored = await billing.find(read(ctx), ctx.payments.ledger, restaurantId)
    if (!stored) throw conflict('There is no subscription yet')
    const task = await plan(stored)
    if (task) {
      if (!allowedActions(stored.status, stored.cancelAtPeriodEnd === 1).includes(action)) {
        throw conflict('Your subscription does not allow this now')
      }
      await lease.renew()
      const asOf = await nextSnapshotTime(ctx, restaurantId)
      await saveSnapshot(ctx, restaurantId, asOf, await task())
      await write(ctx, ({ db }) => audit.record(ctx, db, actor, restaurantId, `subscription.${action}`))
    }
    return loadSubscription(ctx, restaurantId)
  })
}

export async function portal(ctx: Ctx, actor: Actor): Promise<PortalLink> {
  const restaurantId = authorizeBilling(ctx, actor, 'billing.portal')
  return { url: await ctx.payments.portal(await requireCustomer(ctx, restaurantId)) }
}

export async function advanceSandbox(ctx: Ctx, actor: Actor): Promise<Subscription> {
  const restaurantId = authorizeBilling(ctx, actor, 'billing.advanceSandbox')
  const { sandbox } = ctx.payments
  if (!sandbox) throw notFound('Sandbox')
  const customerId = await requireCustomer(ctx, restaurantId)
  return withLease(ctx, restaurantId, async () => {
    await sandbox.advance(customerId)
    await refresh(ctx, restaurantId)
    return loadSubscription(ctx, restaurantId)
  })
}

/** The customer of a restaurant that has, or had, a subscription. */
async function requireCustomer(ctx: Ctx, restaurantId: string): Promise<string> {
  const customerId = await findCustomerId(ctx, read(ctx), restaurantId)
  const stored = await billing.find(read(ctx), ctx.payments.ledger, restaurantId)
  if (customerId === undefined || !stored) throw conflict('There is no subscription yet')
  return customerId
}

/** Waiting for the lease and the provider takes time, so the login is checked again before the provider acts. */
export const withActorLease = <T>(
  ctx: Ctx,
  actor: Actor,
  operation: Operation,
  restaurantId: string,
  task: (lease: Lease) => Promise<T>,
): Promise<T> => withLease(ctx, restaurantId, task, (db) => requireGrantStillValid(ctx, db, actor, operation))

export function authorizeBilling(ctx: Ctx, actor: Actor, operation: Operation): string {
  const { restaurantId } = authorizeInRestaurant(actor, operation)
  if (!ctx.settings.billing) throw new Refusal('not_found', 'Billing is off')
  return restaurantId
}
