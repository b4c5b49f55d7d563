import type { Stripe } from 'stripe'
import { plans, type Plan } from '#contract/billing.ts'
import type { PaymentSetup, SubscriptionSnapshot } from '../../../ports/payments.ts'

export const planNames = ['monthly', 'yearly'] as const

export function matchesPlan(
  plan: Plan,
  { lookup_key, currency, unit_amount, recurring }: Stripe.Price,
): boolean {
  const { lookupKey, amount, interval } = plans[plan]
  return (
    lookup_key === lookupKey &&
    currency === 'usd' &&
    unit_amount === amount &&
    recurring?.interval === interval &&
    recurring.interval_count === 1
  )
}

export const planOf = ({ recurring }: Stripe.Price): Plan =>
  recurring?.interval === 'year' ? 'yearly' : 'monthly'

/** Stripe sends related objects as their id, or whole. */
export const idOf = (related: string | { id: string }): string =>
  typeof related === 'string' ? related : related.id

export function toPaymentSetup(setup: Stripe.SetupIntent): PaymentSetup {
  return {
    id: setup.id,
    customerId: setup.customer === null ? null : idOf(setup.customer),
    restaurantId: setup.metadata?.['restaurant_id'] ?? null,
    priceId: setup.metadata?.['price_id'] ?? null,
    attemptId: setup.metadata?.['attempt_id'] ?? null,
    status: setup.status,
    problem: setup.last_setup_error?.message ?? null,
    paymentMethodId: setup.payment_method === null ? null : idOf(setup.payment_method),
  }
}

/** Our subscriptions have exactly one item, the plan. */
export function singleItem({ id, items }: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = items.data
  if (!item) throw new Error(`subscription ${id} has no item`)
  return item
}

/** `planned`: the plan that its schedule changes it to. */
export function toSubscriptionSnapshot(
  subscription: Stripe.Subscription,
  planned: Plan | null,
): SubscriptionSnapshot {
  const item = singleItem(subscription)
  const plan = planOf(item.price)
  return {
    id: subscription.id,
    customerId: idOf(subscription.customer),
    status: subscription.status,
    plan,
    priceId: item.price.id,
    nextPlan: planned === plan ? null : planned,
    currentPeriodEnd: item.current_period_end * 1000,
    // The billing portal may set the date instead of the flag.
    cancelAtPeriodEnd: subscription.cancel_at_period_end || subscription.cancel_at !== null,
    createdAt: subscription.created * 1000,
    setupIntentId: subscription.metadata['setup_intent_id'] ?? null,
  }
}

/** The price of the phase after the current one. */
export function nextPriceOf({ current_phase: current, phases }: Stripe.SubscriptionSchedule): string | null {
  if (!current) return null
  const item = phases.find((phase) => phase.start_date >= current.end_date)?.items[0]
  return item ? idOf(item.price) : null
}

/** The secret for the bank's extra step to pay the latest invoice, if that was fetched too. */
export function bankConfirmationSecret({ latest_invoice: invoice }: Stripe.Subscription): string | null {
  if (invoice === null || typeof invoice === 'string') return null
  return invoice.confirmation_secret?.client_secret ?? null
}
