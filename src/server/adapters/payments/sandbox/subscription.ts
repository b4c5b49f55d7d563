import { plans, type Plan, type TestCard } from '#contract/billing.ts'
import { dayMs, hourMs } from '#contract/durations.ts'
import type { SubscriptionSnapshot } from '../../../ports/payments.ts'

export type Subscription = {
  id: string
  customerId: string
  setupIntentId: string
  status: 'active' | 'incomplete' | 'incomplete_expired' | 'past_due' | 'canceled'
  plan: Plan
  nextPlan: Plan | null
  card: TestCard
  createdAt: number
  /** Periods are counted from here. */
  anchor: number
  periods: number
  failedAt: number | null
  cancelAtPeriodEnd: boolean
}

/** How long an unpaid first charge and an unpaid renewal stay open. */
const incompleteExpiryMs = 23 * hourMs
const pastDueExpiryMs = 14 * dayMs

export const prices: Record<Plan, string> = { monthly: 'price_sbx_monthly', yearly: 'price_sbx_yearly' }

const periodEnd = ({ anchor, plan, periods }: Subscription): number =>
  addBillingPeriods(anchor, plans[plan].interval, periods)

/** The same day of a later month, or the last day of a month that is too short. */
export function addBillingPeriods(start: number, interval: 'month' | 'year', count: number): number {
  const date = new Date(start)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + count * (interval === 'year' ? 12 : 1))
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
  return date.getTime()
}

/** When the subscription next changes by itself; null when it never does. */
export function nextDueAt(subscription: Subscription): number | null {
  switch (subscription.status) {
    case 'active':
      return periodEnd(subscription)
    case 'incomplete':
      return subscription.createdAt + incompleteExpiryMs
    case 'past_due':
      return (subscription.failedAt ?? subscription.createdAt) + pastDueExpiryMs
    default:
      return null
  }
}

/** Applies everything that is due by `now`, in order. */
export function applyDueEvents(
  subscription: Subscription,
  now: number,
): { subscription: Subscription; events: string[] } {
  const events: string[] = []
  let current = subscription
  for (let due = nextDueAt(current); due !== null && due <= now; due = nextDueAt(current)) {
    const next = applyDueEvent(current, due)
    current = next.subscription
    events.push(...next.events)
  }
  return { subscription: current, events }
}

function applyDueEvent(
  subscription: Subscription,
  due: number,
): { subscription: Subscription; events: string[] } {
  const ended = ['customer.subscription.deleted']
  if (subscription.status === 'incomplete') {
    const events = ['customer.subscription.updated']
    return { subscription: { ...subscription, status: 'incomplete_expired' }, events }
  }
  if (subscription.status === 'past_due' || subscription.cancelAtPeriodEnd) {
    return { subscription: { ...subscription, status: 'canceled', nextPlan: null }, events: ended }
  }
  const plan = subscription.nextPlan ?? subscription.plan
  const renewed: Subscription =
    plan === subscription.plan
      ? { ...subscription, periods: subscription.periods + 1 }
      : { ...subscription, plan, nextPlan: null, anchor: due, periods: 1 }
  if (subscription.card !== 'renew_fails') {
    return { subscription: renewed, events: ['customer.subscription.updated', 'invoice.paid'] }
  }
  return {
    subscription: { ...renewed, status: 'past_due', failedAt: due },
    events: ['invoice.payment_failed', 'customer.subscription.updated'],
  }
}

export function toSubscriptionSnapshot(subscription: Subscription): SubscriptionSnapshot {
  const { id, customerId, setupIntentId, status, plan, nextPlan, createdAt, cancelAtPeriodEnd } = subscription
  return {
    id,
    customerId,
    setupIntentId,
    status,
    plan,
    priceId: prices[plan],
    nextPlan,
    currentPeriodEnd: periodEnd(subscription),
    cancelAtPeriodEnd,
    createdAt,
  }
}
