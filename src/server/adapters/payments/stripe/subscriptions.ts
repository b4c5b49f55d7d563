import type { Stripe } from 'stripe'
import type { Plan } from '#contract/billing.ts'
import type { ChargeResult, PaymentProvider, SubscriptionSnapshot } from '../../../ports/payments.ts'
import type { StripeCalls } from './client.ts'
import {
  bankConfirmationSecret,
  idOf,
  nextPriceOf,
  planNames,
  planOf,
  singleItem,
  toSubscriptionSnapshot,
} from './mapping.ts'
import type { FindPrices } from './prices.ts'

type NewSubscription = Parameters<PaymentProvider['subscribe']>[0]

export class StripeSubscriptions {
  #stripe: Stripe
  #calls: StripeCalls
  #findPrices: FindPrices

  constructor(stripe: Stripe, calls: StripeCalls, findPrices: FindPrices) {
    this.#stripe = stripe
    this.#calls = calls
    this.#findPrices = findPrices
  }

  async list(customerId: string): Promise<SubscriptionSnapshot[]> {
    const list = await this.#calls.find(() =>
      this.#stripe.subscriptions.list({
        customer: customerId,
        status: 'all',
        limit: 100,
        expand: ['data.schedule'],
      }),
    )
    const snapshots: SubscriptionSnapshot[] = []
    for (const subscription of list?.data ?? []) snapshots.push(await this.#snapshot(subscription))
    return snapshots
  }

  async get(id: string): Promise<ChargeResult> {
    const expand = ['latest_invoice.confirmation_secret', 'schedule']
    return this.#chargeResult(
      await this.#calls.call(() => this.#stripe.subscriptions.retrieve(id, { expand })),
    )
  }

  async create({ customerId, restaurantId, plan, setup }: NewSubscription): Promise<ChargeResult> {
    const paymentMethod = setup.paymentMethodId
    if (paymentMethod === null) throw new Error(`setup ${setup.id} succeeded without a payment method`)
    await this.#calls.call(() =>
      this.#stripe.customers.update(
        customerId,
        { invoice_settings: { default_payment_method: paymentMethod } },
        { idempotencyKey: `defaultpm:${setup.id}` },
      ),
    )
    const params: Stripe.SubscriptionCreateParams = {
      customer: customerId,
      items: [{ price: setup.priceId }],
      default_payment_method: paymentMethod,
      payment_behavior: 'allow_incomplete',
      off_session: false,
      payment_settings: { save_default_payment_method: 'on_subscription' },
      metadata: {
        restaurant_id: restaurantId,
        plan_type: plan,
        setup_intent_id: setup.id,
        ...(setup.attemptId !== null && { attempt_id: setup.attemptId }),
      },
      expand: ['latest_invoice.confirmation_secret'],
    }
    return this.#chargeResult(
      await this.#calls.call(() =>
        this.#stripe.subscriptions.create(params, { idempotencyKey: `subscribe:${setup.id}` }),
      ),
    )
  }

  async end(id: string): Promise<void> {
    // It may have ended by itself in the meantime.
    await this.#calls.find(() => this.#stripe.subscriptions.cancel(id))
  }

  async cancelAtPeriodEnd(id: string): Promise<SubscriptionSnapshot> {
    await this.#releaseSchedule(await this.#retrieve(id))
    return this.#update(id, { cancel_at_period_end: true })
  }

  async resume(id: string): Promise<SubscriptionSnapshot> {
    const { cancel_at_period_end: isFlagged } = await this.#retrieve(id)
    return this.#update(id, isFlagged ? { cancel_at_period_end: false } : { cancel_at: '' })
  }

  async changePlan(id: string, plan: Plan): Promise<SubscriptionSnapshot> {
    const subscription = await this.#retrieve(id)
    const item = singleItem(subscription)
    const currentPlan = planOf(item.price)
    const price = (await this.#findPrices())[plan]
    if (plan === 'monthly' && currentPlan === 'yearly') {
      await this.#changeAtPeriodEnd(subscription, item, price)
      return this.#snapshot(await this.#retrieve(id))
    }
    await this.#releaseSchedule(subscription)
    if (plan === currentPlan) return this.#snapshot(await this.#retrieve(id))
    return this.#update(id, {
      items: [{ id: item.id, price }],
      proration_behavior: 'always_invoice',
      payment_behavior: 'error_if_incomplete',
    })
  }

  #retrieve(id: string): Promise<Stripe.Subscription> {
    return this.#calls.call(() => this.#stripe.subscriptions.retrieve(id, { expand: ['schedule'] }))
  }

  async #update(id: string, change: Stripe.SubscriptionUpdateParams): Promise<SubscriptionSnapshot> {
    const params = { ...change, expand: ['schedule'] }
    return this.#snapshot(await this.#calls.call(() => this.#stripe.subscriptions.update(id, params)))
  }

  /** A subscription with a schedule must be released from it before it can be changed. */
  async #releaseSchedule({ schedule }: Stripe.Subscription): Promise<void> {
    if (schedule !== null)
      await this.#calls.call(() => this.#stripe.subscriptionSchedules.release(idOf(schedule)))
  }

  async #changeAtPeriodEnd(
    { id, schedule }: Stripe.Subscription,
    item: Stripe.SubscriptionItem,
    price: string,
  ): Promise<void> {
    const { subscriptionSchedules } = this.#stripe
    const scheduleId =
      schedule === null
        ? (await this.#calls.call(() => subscriptionSchedules.create({ from_subscription: id }))).id
        : idOf(schedule)
    await this.#calls.call(() =>
      subscriptionSchedules.update(scheduleId, {
        end_behavior: 'release',
        proration_behavior: 'none',
        phases: [
          {
            items: [{ price: item.price.id, quantity: 1 }],
            start_date: item.current_period_start,
            end_date: item.current_period_end,
          },
          { items: [{ price, quantity: 1 }], duration: { interval: 'month', interval_count: 1 } },
        ],
      }),
    )
  }

  async #chargeResult(subscription: Stripe.Subscription): Promise<ChargeResult> {
    return {
      snapshot: await this.#snapshot(subscription),
      clientSecret: bankConfirmationSecret(subscription),
    }
  }

  async #snapshot(subscription: Stripe.Subscription): Promise<SubscriptionSnapshot> {
    return toSubscriptionSnapshot(subscription, await this.#scheduledPlan(subscription))
  }

  /** The plan it will change to, if it has a schedule. */
  async #scheduledPlan({ schedule }: Stripe.Subscription): Promise<Plan | null> {
    if (schedule === null) return null
    const nextPrice = nextPriceOf(
      typeof schedule === 'string'
        ? await this.#calls.call(() => this.#stripe.subscriptionSchedules.retrieve(schedule))
        : schedule,
    )
    if (nextPrice === null) return null
    const prices = await this.#findPrices()
    return planNames.find((plan) => prices[plan] === nextPrice) ?? null
  }
}
