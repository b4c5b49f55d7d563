import { createHash } from 'node:crypto'
import type { Stripe } from 'stripe'
import { plans, type Plan } from '#contract/billing.ts'
import type { Log } from '../../../core/ports.ts'
import type { ChargeResult, PaymentProvider, SubscriptionSnapshot } from '../../../core/ports.ts'
import {
  createStripeCalls,
  isLiveKey,
  createStripeClient,
  type StripeSettings,
  providerUnavailable,
} from './client.ts'
import { toWebhookEvent, verifyEvent } from './events.ts'
import {
  bankConfirmationSecret,
  matchesPlan,
  idOf,
  singleItem,
  nextPriceOf,
  planNames,
  planOf,
  toPaymentSetup,
  toSubscriptionSnapshot,
} from './mapping.ts'

/** How long verified prices are believed. */
const priceCacheMs = 10 * 60_000

export function createStripePayments(
  settings: StripeSettings,
  { now, publicUrl, log }: { now: () => number; publicUrl: string; log: Log },
): PaymentProvider {
  const stripe = createStripeClient(settings)
  const { call: ask, find } = createStripeCalls(log)
  const isLive = isLiveKey(settings.secretKey)
  let cachedPrices: { prices: Record<Plan, string>; until: number } | undefined

  async function prices(): Promise<Record<Plan, string>> {
    if (cachedPrices && cachedPrices.until > now()) return cachedPrices.prices
    const { data } = await ask(() =>
      stripe.prices.list({ lookup_keys: planNames.map((plan) => plans[plan].lookupKey), active: true }),
    )
    const [monthly, yearly] = planNames.map((plan) => data.find((price) => matchesPlan(plan, price)))
    if (!monthly || !yearly) {
      log.error(
        { found: data.map(({ id }) => id) },
        'The prices at Stripe are not those of the plans: run npm run billing:bootstrap',
      )
      throw providerUnavailable('Plans cannot be bought right now. Please try again later.')
    }
    cachedPrices = { prices: { monthly: monthly.id, yearly: yearly.id }, until: now() + priceCacheMs }
    return cachedPrices.prices
  }

  async function fetchSnapshot(subscription: Stripe.Subscription): Promise<SubscriptionSnapshot> {
    return toSubscriptionSnapshot(subscription, await scheduledPlan(subscription))
  }

  /** What it changes to, if it follows a schedule. */
  async function scheduledPlan({ schedule }: Stripe.Subscription): Promise<Plan | null> {
    if (schedule === null) return null
    const next = nextPriceOf(
      typeof schedule === 'string'
        ? await ask(() => stripe.subscriptionSchedules.retrieve(schedule))
        : schedule,
    )
    if (next === null) return null
    const ids = await prices()
    return planNames.find((plan) => ids[plan] === next) ?? null
  }

  async function toChargeResult(subscription: Stripe.Subscription): Promise<ChargeResult> {
    return { snapshot: await fetchSnapshot(subscription), clientSecret: bankConfirmationSecret(subscription) }
  }

  /** A subscription that follows a schedule can be changed only after it was let go by it. */
  async function releaseSchedule({ schedule }: Stripe.Subscription): Promise<void> {
    if (schedule !== null) await ask(() => stripe.subscriptionSchedules.release(idOf(schedule)))
  }

  async function changeAtPeriodEnd(
    { id, schedule }: Stripe.Subscription,
    item: Stripe.SubscriptionItem,
    price: string,
  ): Promise<void> {
    const scheduleId =
      schedule === null
        ? (await ask(() => stripe.subscriptionSchedules.create({ from_subscription: id }))).id
        : idOf(schedule)
    await ask(() =>
      stripe.subscriptionSchedules.update(scheduleId, {
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
  const retrieve = (id: string) => ask(() => stripe.subscriptions.retrieve(id, { expand: ['schedule'] }))

  async function update(id: string, change: Stripe.SubscriptionUpdateParams): Promise<SubscriptionSnapshot> {
    return fetchSnapshot(
      await ask(() => stripe.subscriptions.update(id, { ...change, expand: ['schedule'] })),
    )
  }

  return {
    provider: 'stripe',
    ledger: isLive ? 'stripe' : 'stripe-test',
    publishableKey: settings.publishableKey,
    sandbox: null,
    prices,

    async createCustomer({ restaurantId, name, email, replaces }) {
      const params: Stripe.CustomerCreateParams = {
        name,
        ...(email !== null && { email }),
        metadata: { restaurant_id: restaurantId, ...(replaces !== null && { replaces }) },
      }
      // A fixed key with a changed e-mail address would be refused.
      const idempotencyKey = `customer:${restaurantId}:${digestOf(params)}`
      return (await ask(() => stripe.customers.create(params, { idempotencyKey }))).id
    },

    async hasCustomer(id) {
      const customer = await find(() => stripe.customers.retrieve(id))
      return customer !== undefined && customer.deleted !== true
    },

    async createSetup({ customerId, restaurantId, plan, priceId, attemptId }) {
      const setup = await ask(() =>
        stripe.setupIntents.create(
          {
            customer: customerId,
            usage: 'off_session',
            automatic_payment_methods: { enabled: true },
            allowed_payment_method_types: ['card'],
            metadata: {
              restaurant_id: restaurantId,
              plan_type: plan,
              price_id: priceId,
              attempt_id: attemptId,
            },
          },
          { idempotencyKey: `setup:${attemptId}` },
        ),
      )
      if (setup.client_secret === null) throw providerUnavailable()
      return { id: setup.id, clientSecret: setup.client_secret }
    },

    async setup(id) {
      const setup = await find(() => stripe.setupIntents.retrieve(id))
      return setup && toPaymentSetup(setup)
    },

    async subscriptions(customerId) {
      const listed = await find(() =>
        stripe.subscriptions.list({
          customer: customerId,
          status: 'all',
          limit: 100,
          expand: ['data.schedule'],
        }),
      )
      const snapshots: SubscriptionSnapshot[] = []
      for (const subscription of listed?.data ?? []) snapshots.push(await fetchSnapshot(subscription))
      return snapshots
    },

    async subscription(id) {
      const expand = ['latest_invoice.confirmation_secret', 'schedule']
      return toChargeResult(await ask(() => stripe.subscriptions.retrieve(id, { expand })))
    },

    async subscribe({ customerId, restaurantId, plan, setup }) {
      const method = setup.paymentMethodId
      if (method === null) throw new Error(`setup ${setup.id} succeeded without a payment method`)
      await ask(() =>
        stripe.customers.update(
          customerId,
          { invoice_settings: { default_payment_method: method } },
          { idempotencyKey: `defaultpm:${setup.id}` },
        ),
      )
      const made = await ask(() =>
        stripe.subscriptions.create(
          {
            customer: customerId,
            items: [{ price: setup.priceId }],
            default_payment_method: method,
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
          },
          { idempotencyKey: `subscribe:${setup.id}` },
        ),
      )
      return toChargeResult(made)
    },

    async end(id) {
      // It may have ended by itself meanwhile.
      await find(() => stripe.subscriptions.cancel(id))
    },

    async cancelAtPeriodEnd(id) {
      await releaseSchedule(await retrieve(id))
      return update(id, { cancel_at_period_end: true })
    },

    async resume(id) {
      const { cancel_at_period_end: flagged } = await retrieve(id)
      return update(id, flagged ? { cancel_at_period_end: false } : { cancel_at: '' })
    },

    async changePlan(id, plan) {
      const subscription = await retrieve(id)
      const item = singleItem(subscription)
      const present = planOf(item.price)
      const price = (await prices())[plan]
      if (plan === 'monthly' && present === 'yearly') {
        await changeAtPeriodEnd(subscription, item, price)
        return fetchSnapshot(await retrieve(id))
      }
      await releaseSchedule(subscription)
      if (plan === present) return fetchSnapshot(await retrieve(id))
      return update(id, {
        items: [{ id: item.id, price }],
        proration_behavior: 'always_invoice',
        payment_behavior: 'error_if_incomplete',
      })
    },

    async portal(customerId) {
      const session = await ask(() =>
        stripe.billingPortal.sessions.create({
          customer: customerId,
          return_url: `${publicUrl}/subscribe`,
        }),
      )
      return session.url
    },

    readEvent(raw, signature) {
      const event = verifyEvent(stripe, raw, signature, settings.webhookSecrets, now())
      // Of somebody else's account, or of the other mode: signed, but nothing of ours.
      if (event.livemode !== isLive || event.account !== undefined) return null
      return toWebhookEvent(event)
    },
  }
}

const digestOf = (params: object): string =>
  createHash('sha256').update(JSON.stringify(params)).digest('hex').slice(0, 16)
