import { createHash } from 'node:crypto'
import type { Stripe } from 'stripe'
import type { Log } from '../../../ports/monitoring.ts'
import type { PaymentProvider } from '../../../ports/payments.ts'
import {
  createStripeCalls,
  createStripeClient,
  isLiveKey,
  providerUnavailable,
  type StripeSettings,
} from './client.ts'
import { toWebhookEvent, verifyEvent } from './events.ts'
import { toPaymentSetup } from './mapping.ts'
import { createPriceFinder } from './prices.ts'
import { StripeSubscriptions } from './subscriptions.ts'

export function createStripePayments(
  settings: StripeSettings,
  { now, publicUrl, log }: { now: () => number; publicUrl: string; log: Log },
): PaymentProvider {
  const stripe = createStripeClient(settings)
  const calls = createStripeCalls(log)
  const { call, find } = calls
  const isLive = isLiveKey(settings.secretKey)
  const prices = createPriceFinder(stripe, calls, { now, log })
  const subscriptions = new StripeSubscriptions(stripe, calls, prices)

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
      // Stripe would refuse a fixed key with a changed e-mail address.
      const idempotencyKey = `customer:${restaurantId}:${digestOf(params)}`
      return (await call(() => stripe.customers.create(params, { idempotencyKey }))).id
    },

    async hasCustomer(id) {
      const customer = await find(() => stripe.customers.retrieve(id))
      return customer !== undefined && customer.deleted !== true
    },

    async setCustomerEmail(id, email) {
      await find(() => stripe.customers.update(id, { email }))
    },

    async createSetup({ customerId, restaurantId, plan, priceId, attemptId }) {
      const params: Stripe.SetupIntentCreateParams = {
        customer: customerId,
        usage: 'off_session',
        automatic_payment_methods: { enabled: true },
        allowed_payment_method_types: ['card'],
        metadata: { restaurant_id: restaurantId, plan_type: plan, price_id: priceId, attempt_id: attemptId },
      }
      const idempotencyKey = `setup:${attemptId}`
      const setup = await call(() => stripe.setupIntents.create(params, { idempotencyKey }))
      if (setup.client_secret === null) throw providerUnavailable()
      return { id: setup.id, clientSecret: setup.client_secret }
    },

    async setup(id) {
      const setup = await find(() => stripe.setupIntents.retrieve(id))
      return setup && toPaymentSetup(setup)
    },

    subscriptions: (customerId) => subscriptions.list(customerId),
    subscription: (id) => subscriptions.get(id),
    subscribe: (wanted) => subscriptions.create(wanted),
    end: (id) => subscriptions.end(id),
    cancelAtPeriodEnd: (id) => subscriptions.cancelAtPeriodEnd(id),
    resume: (id) => subscriptions.resume(id),
    changePlan: (id, plan) => subscriptions.changePlan(id, plan),

    async portal(customerId) {
      const session = await call(() =>
        stripe.billingPortal.sessions.create({
          customer: customerId,
          return_url: `${publicUrl}/subscribe`,
        }),
      )
      return session.url
    },

    readEvent(raw, signature) {
      const event = verifyEvent(stripe, raw, signature, settings.webhookSecrets, now())
      // Correctly signed, but from another account or mode.
      if (event.livemode !== isLive || event.account !== undefined) return null
      return toWebhookEvent(event)
    },
  }
}

const digestOf = (params: object): string =>
  createHash('sha256').update(JSON.stringify(params)).digest('hex').slice(0, 16)
