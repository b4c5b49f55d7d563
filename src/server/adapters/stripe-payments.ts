import { createHash } from 'node:crypto'
import type { Stripe } from 'stripe'
import { plans, type Plan } from '#contract/billing.ts'
import type { Log } from '../core/ports.ts'
import type { Charged, Payments, Snapshot } from '../core/ports.ts'
import { asking, isLiveKey, stripeClient, type StripeSettings, unavailable } from './stripe-client.ts'
import { newsOf, verified } from './stripe-events.ts'
import {
  bankSecretOf,
  costsWhat,
  idOf,
  itemOf,
  nextPriceOf,
  planNames,
  planOf,
  setupOf,
  snapshotOf,
} from './stripe-objects.ts'

/** How long verified prices are believed. */
const pricesMs = 10 * 60_000

export function stripePayments(
  settings: StripeSettings,
  { now, publicUrl, log }: { now: () => number; publicUrl: string; log: Log },
): Payments {
  const stripe = stripeClient(settings)
  const { ask, find } = asking(log)
  const live = isLiveKey(settings.secretKey)
  let known: { prices: Record<Plan, string>; until: number } | undefined

  async function prices(): Promise<Record<Plan, string>> {
    if (known && known.until > now()) return known.prices
    const { data } = await ask(() =>
      stripe.prices.list({ lookup_keys: planNames.map((plan) => plans[plan].lookupKey), active: true }),
    )
    const [monthly, yearly] = planNames.map((plan) => data.find((price) => costsWhat(plan, price)))
    if (!monthly || !yearly) {
      log.error(
        { found: data.map(({ id }) => id) },
        'The prices at Stripe are not those of the plans: run npm run billing:bootstrap',
      )
      throw unavailable('Plans cannot be bought right now. Please try again later.')
    }
    known = { prices: { monthly: monthly.id, yearly: yearly.id }, until: now() + pricesMs }
    return known.prices
  }

  async function snapshot(subscription: Stripe.Subscription): Promise<Snapshot> {
    return snapshotOf(subscription, await plannedFor(subscription))
  }

  /** What it changes to, if it follows a schedule. */
  async function plannedFor({ schedule }: Stripe.Subscription): Promise<Plan | null> {
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

  async function charged(subscription: Stripe.Subscription): Promise<Charged> {
    return { snapshot: await snapshot(subscription), clientSecret: bankSecretOf(subscription) }
  }

  /** A subscription that follows a schedule can be changed only after it was let go by it. */
  async function release({ schedule }: Stripe.Subscription): Promise<void> {
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
  const read = (id: string) => ask(() => stripe.subscriptions.retrieve(id, { expand: ['schedule'] }))

  async function update(id: string, change: Stripe.SubscriptionUpdateParams): Promise<Snapshot> {
    return snapshot(await ask(() => stripe.subscriptions.update(id, { ...change, expand: ['schedule'] })))
  }

  return {
    provider: 'stripe',
    ledger: live ? 'stripe' : 'stripe-test',
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
      const idempotencyKey = `customer:${restaurantId}:${digest(params)}`
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
      if (setup.client_secret === null) throw unavailable()
      return { id: setup.id, clientSecret: setup.client_secret }
    },

    async setup(id) {
      const setup = await find(() => stripe.setupIntents.retrieve(id))
      return setup && setupOf(setup)
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
      const snapshots: Snapshot[] = []
      for (const subscription of listed?.data ?? []) snapshots.push(await snapshot(subscription))
      return snapshots
    },

    async subscription(id) {
      const expand = ['latest_invoice.confirmation_secret', 'schedule']
      return charged(await ask(() => stripe.subscriptions.retrieve(id, { expand })))
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
      return charged(made)
    },

    async end(id) {
      // It may have ended by itself meanwhile.
      await find(() => stripe.subscriptions.cancel(id))
    },

    async cancelAtPeriodEnd(id) {
      await release(await read(id))
      return update(id, { cancel_at_period_end: true })
    },

    async resume(id) {
      const { cancel_at_period_end: flagged } = await read(id)
      return update(id, flagged ? { cancel_at_period_end: false } : { cancel_at: '' })
    },

    async changePlan(id, plan) {
      const subscription = await read(id)
      const item = itemOf(subscription)
      const present = planOf(item.price)
      const price = (await prices())[plan]
      if (plan === 'monthly' && present === 'yearly') {
        await changeAtPeriodEnd(subscription, item, price)
        return snapshot(await read(id))
      }
      await release(subscription)
      if (plan === present) return snapshot(await read(id))
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
      const event = verified(stripe, raw, signature, settings.webhookSecrets, now())
      // Of somebody else's account, or of the other mode: signed, but nothing of ours.
      if (event.livemode !== live || event.account !== undefined) return null
      return newsOf(event)
    },
  }
}

const digest = (params: object): string =>
  createHash('sha256').update(JSON.stringify(params)).digest('hex').slice(0, 16)
