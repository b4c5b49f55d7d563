import type { Stripe } from 'stripe'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import {
  confirmationOf,
  customerOf,
  type StripeBillingRig,
  createStripeRig,
  subscribe,
} from '../../../../../test/support/stripe/billing-rigs.ts'
import { type FakeStripe, startFakeStripe } from '../../../../../test/support/stripe/fake-stripe.ts'
import { retryDueEvents } from '../../../core/billing/webhook-inbox.ts'
import { ensureWebhook, ensurePrices } from './bootstrap.ts'
import { apiVersion, createStripeClient } from './client.ts'
import { webhookEvents } from './events.ts'

describe('requests to Stripe', () => {
  let rig: StripeBillingRig
  beforeEach(async () => {
    rig = await createStripeRig()
  })
  afterEach(() => rig.stop())

  const posts = () => rig.fake.requests.filter(({ method }) => method === 'POST')
  const bodyOf = (path: string) => posts().find((request) => request.path === path)?.params

  it('match the types of their API version, and use idempotency keys', async () => {
    const { owner, name } = await rig.app.restaurant()
    expect(await subscribe(rig, owner)).toBe('active')
    const customer = await customerOf(owner)
    const attempt = await rig.app.ctx.db.reader
      .selectFrom('paymentAttempt')
      .selectAll()
      .executeTakeFirstOrThrow()
    const { restaurantId } = attempt
    const setup = attempt.setupIntentId ?? ''
    expect(attempt.state).toBe('subscribed')

    expect(bodyOf('/v1/customers')).toEqual({
      name,
      email: 'owner@example.com',
      metadata: { restaurant_id: restaurantId },
    })
    expect(bodyOf('/v1/setup_intents')).toEqual({
      customer,
      usage: 'off_session',
      automatic_payment_methods: { enabled: 'true' },
      allowed_payment_method_types: ['card'],
      metadata: {
        restaurant_id: restaurantId,
        plan_type: 'monthly',
        price_id: 'price_fake_monthly',
        attempt_id: attempt.id,
      },
    })
    const method = rig.fake.setups.get(setup)?.payment_method
    expect(bodyOf(`/v1/customers/${customer}`)).toEqual({
      invoice_settings: { default_payment_method: method },
    })
    expect(bodyOf('/v1/subscriptions')).toEqual({
      customer,
      items: [{ price: 'price_fake_monthly' }],
      default_payment_method: method,
      payment_behavior: 'allow_incomplete',
      off_session: 'false',
      payment_settings: { save_default_payment_method: 'on_subscription' },
      metadata: {
        restaurant_id: restaurantId,
        plan_type: 'monthly',
        setup_intent_id: setup,
        attempt_id: attempt.id,
      },
      expand: ['latest_invoice.confirmation_secret'],
    })
    expect(posts().map(({ path, key }) => [path, key])).toEqual([
      ['/v1/customers', expect.stringMatching(new RegExp(`^customer:${restaurantId}:[0-9a-f]{16}$`, 'u'))],
      ['/v1/setup_intents', `setup:${attempt.id}`],
      [`/v1/customers/${customer}`, `defaultpm:${setup}`],
      ['/v1/subscriptions', `subscribe:${setup}`],
    ])
    for (const { headers } of rig.fake.requests) {
      expect(headers['stripe-version']).toBe(apiVersion)
      expect(headers['x-stripe-client-telemetry']).toBeUndefined()
    }
    expect(rig.app.lines.join('')).not.toMatch(/_secret_|sk_test_key|whsec/u)
  })

  it('create one subscription if the connection breaks before anything is done', async () => {
    const { owner } = await rig.app.restaurant()
    rig.fake.deliverTo(null)
    const setup = await owner.ok(api.billing.create, { body: { planType: 'monthly' } })
    await rig.enterCard(owner, setup, 'ok')
    rig.fake.failConnections(/^POST \/v1\/subscriptions$/u, 2, true)
    expect(await owner.ok(api.billing.confirm, confirmationOf(setup))).toEqual({ status: 'active' })
    expect(rig.fake.subscriptions.size).toBe(1)
  })

  it('create one subscription if the answer is cut off and the owner tries again', async () => {
    const { owner } = await rig.app.restaurant()
    rig.fake.deliverTo(null)
    const setup = await owner.ok(api.billing.create, { body: { planType: 'monthly' } })
    await rig.enterCard(owner, setup, 'ok')
    rig.fake.failConnections(/^POST \/v1\/subscriptions$/u)
    expect(await owner.call(api.billing.confirm, confirmationOf(setup))).toMatchObject({
      status: 503,
      body: { message: 'The payment service does not answer. Please try again in a moment.' },
    })
    expect(rig.fake.subscriptions.size).toBe(1)
    expect(await owner.ok(api.billing.confirm, confirmationOf(setup))).toEqual({ status: 'active' })
    expect(rig.fake.subscriptions.size).toBe(1)
  })

  it('create one subscription if the answer is cut off and the owner never tries again', async () => {
    const { owner } = await rig.app.restaurant()
    const setup = await owner.ok(api.billing.create, { body: { planType: 'monthly' } })
    rig.fake.failConnections(/^POST \/v1\/subscriptions$/u)
    await rig.enterCard(owner, setup, 'ok')
    await rig.whenIdle()
    rig.app.advance(10 * 60_000)
    await retryDueEvents(rig.app.ctx)
    expect(await owner.ok(api.billing.subscription, {})).toMatchObject({ status: 'active' })
    expect(rig.fake.subscriptions.size).toBe(1)
  })

  it.each([/^POST \/v1\/customers$/u, /^POST \/v1\/setup_intents$/u])(
    'create one customer and one setup if the answer to %s is cut off',
    async (path) => {
      const { owner } = await rig.app.restaurant()
      rig.fake.failConnections(path)
      const choice = { body: { planType: 'yearly' } } as const
      expect((await owner.call(api.billing.create, choice)).status).toBe(503)
      const setup = await owner.ok(api.billing.create, choice)
      expect(await owner.ok(api.billing.create, choice)).toEqual(setup)
      expect([rig.fake.customers.size, rig.fake.setups.size]).toEqual([1, 1])
    },
  )

  it('find the same subscription a day later, when Stripe has forgotten the keys', async () => {
    const { owner } = await rig.app.restaurant()
    const setup = await owner.ok(api.billing.create, { body: { planType: 'monthly' } })
    await rig.enterCard(owner, setup, 'charge_fails')
    const first = await owner.ok(api.billing.confirm, confirmationOf(setup))
    await rig.whenIdle()
    rig.fake.forgetKeys()
    expect(await owner.ok(api.billing.confirm, confirmationOf(setup))).toEqual(first)
    const [subscription] = rig.fake.subscriptions.values()
    rig.fake.payFirstCharge(subscription?.id ?? '')
    expect(await owner.ok(api.billing.confirm, confirmationOf(setup))).toEqual({ status: 'active' })
    await rig.whenIdle()
    expect(rig.fake.subscriptions.size).toBe(1)
  })

  it.each([
    { unit_amount: 9_900 },
    { currency: 'eur' },
    { recurring: { interval: 'month', interval_count: 2 } },
    { active: false },
  ] as const)('never sells a plan at a price that is not its own: %j', async (change) => {
    rig.fake.addPrices(change)
    const { owner } = await rig.app.restaurant()
    expect(await owner.call(api.billing.create, { body: { planType: 'monthly' } })).toMatchObject({
      status: 503,
      body: { message: 'Plans cannot be bought right now. Please try again later.' },
    })
    expect(rig.fake.customers.size).toBe(0)
    expect(rig.app.lines.some((line) => line.includes('billing:bootstrap'))).toBe(true)
    rig.app.lines.length = 0
  })

  it('with a key that Stripe does not know are explained in the log but not to the owner', async () => {
    const { owner } = await rig.app.restaurant()
    rig.fake.refuseKey = true
    const answer = await owner.call(api.billing.create, { body: { planType: 'monthly' } })
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    expect(rig.app.lines.some((line) => line.includes('does not accept the secret key'))).toBe(true)
    rig.app.lines.length = 0
  })

  it('start over after the customer was deleted at Stripe', async () => {
    const { owner } = await rig.app.restaurant()
    await subscribe(rig, owner)
    const before = await customerOf(owner)
    rig.fake.deleteCustomer(before)
    await rig.whenIdle()
    expect(await owner.ok(api.billing.subscription, {})).toMatchObject({ status: 'canceled' })
    expect(await owner.ok(api.managers.currentUser, {})).not.toHaveProperty('customerId')
    expect(await subscribe(rig, owner)).toBe('active')
    expect(await customerOf(owner)).not.toBe(before)
  })

  it('treat an unknown status as not active, and create no second subscription', async () => {
    const { owner } = await rig.app.restaurant()
    await subscribe(rig, owner)
    const [subscription] = rig.fake.subscriptions.values()
    if (!subscription) throw new Error('no subscription')
    subscription.status = 'dormant'
    rig.fake.emit('customer.subscription.updated', subscription)
    await rig.whenIdle()
    expect(await owner.ok(api.billing.subscription, {})).toMatchObject({
      subscriptionStatus: 'inactive',
      status: 'dormant',
      actions: ['portal'],
    })
    expect((await owner.call(api.billing.create, { body: { planType: 'monthly' } })).status).toBe(409)
  })

  it('can resume a subscription that was cancelled in the portal', async () => {
    const { owner } = await rig.app.restaurant()
    await subscribe(rig, owner)
    const [subscription] = rig.fake.subscriptions.values()
    if (!subscription) throw new Error('no subscription')
    subscription.cancel_at = subscription.items.data[0]?.current_period_end ?? null
    rig.fake.emit('customer.subscription.updated', subscription)
    await rig.whenIdle()
    expect(await owner.ok(api.billing.subscription, {})).toMatchObject({ cancelAtPeriodEnd: true })
    expect(await owner.ok(api.billing.resume, {})).toMatchObject({ cancelAtPeriodEnd: false })
  })

  it('show the owner the current state at Stripe even without a webhook', async () => {
    const { owner } = await rig.app.restaurant()
    await subscribe(rig, owner, 'monthly', 'renew_fails')
    rig.fake.deliverTo(null)
    rig.fake.advance(await customerOf(owner))
    expect(await owner.ok(api.billing.subscription, {})).toMatchObject({ status: 'active' })
    rig.app.advance(61_000)
    expect(await owner.ok(api.billing.subscription, {})).toMatchObject({ status: 'past_due' })
    rig.fake.failConnections(/./u, 100, true)
    rig.app.advance(61_000)
    expect(await owner.ok(api.billing.subscription, {})).toMatchObject({ status: 'past_due' })
    rig.fake.failConnections(/./u, 0)
  })

  it('are independent of earlier data of the sandbox', async () => {
    const { owner, name } = await rig.app.restaurant()
    const restaurantId = await rig.app.idOf({ name })
    await rig.app.ctx.db.transact(async (db) => {
      const provider = 'sandbox'
      await db
        .insertInto('paymentCustomer')
        .values({ restaurantId, provider, customerId: 'cus_sbx_1', deletedAt: null })
        .execute()
      await db
        .insertInto('subscription')
        .values({
          restaurantId,
          provider,
          subscriptionId: 'sub_sbx_1',
          status: 'active',
          plan: 'monthly',
          priceId: 'price_sbx_monthly',
          cancelAtPeriodEnd: 0,
          asOf: rig.app.now(),
        })
        .execute()
    })
    expect(await owner.ok(api.accounts.currentUser, {})).toMatchObject({ subscriptionStatus: 'inactive' })
    expect(await owner.ok(api.managers.currentUser, {})).not.toHaveProperty('customerId')
    expect(await subscribe(rig, owner)).toBe('active')
  })
})

describe("the validation by Stripe's types", () => {
  let fake: FakeStripe
  let stripe: Stripe
  beforeEach(async () => {
    fake = await startFakeStripe()
    fake.addPrices()
    stripe = createStripeClient({ secretKey: 'sk_test_key', api: fake.api })
  })
  afterEach(() => fake.stop())

  const setup = { customer: 'cus_1', automatic_payment_methods: { enabled: true } }
  const subscription = { customer: 'cus_1', items: [{ price: 'price_fake_monthly' }] }

  // Raw requests, since the types would not allow these calls.
  it.each<[string, string, Record<string, unknown>?]>([
    ['a parameter that was removed', 'POST /v1/setup_intents', { ...setup, payment_method_types: ['card'] }],
    [
      'a value that an enum does not have',
      'POST /v1/subscriptions',
      { ...subscription, payment_behavior: 'allow_uncomplete' },
    ],
    ['a misspelt key', 'POST /v1/subscriptions', { ...subscription, of_session: false }],
    ['a misspelt key inside', 'POST /v1/subscriptions', { ...subscription, items: [{ prize: 'price_1' }] }],
    [
      'a misspelt key deep inside',
      'POST /v1/customers/cus_1',
      { invoice_settings: { default_payment: 'pm_1' } },
    ],
    [
      'text where a yes or no belongs',
      'POST /v1/setup_intents',
      { ...setup, automatic_payment_methods: { enabled: 'maybe' } },
    ],
    ['text where a list belongs', 'POST /v1/subscriptions', { ...subscription, items: 'price_1' }],
    ['text where a number belongs', 'POST /v1/prices', { currency: 'usd', unit_amount: 'ten' }],
    [
      'an unknown version of webhooks',
      'POST /v1/webhook_endpoints',
      { url: 'https://x.example', enabled_events: ['invoice.paid'], api_version: '2027-01-01.later' },
    ],
    ['a missing parameter', 'POST /v1/prices', { lookup_key: 'x' }],
    ['an unknown filter', 'GET /v1/subscriptions?status=all&client=cus_1'],
  ])('catches %s', async (_, call, params) => {
    const [method = '', path = ''] = call.split(' ')
    await expect(stripe.rawRequest(method, path, params)).rejects.toThrow(/must/u)
    expect(fake.problems).toHaveLength(1)
  })

  it('catches an idempotency key that is reused with other parameters', async () => {
    const options = { idempotencyKey: 'same' }
    await stripe.customers.create({ name: 'A' }, options)
    await expect(stripe.customers.create({ name: 'B' }, options)).rejects.toThrow('same parameters')
    expect(fake.problems).toHaveLength(1)
  })
})

describe('the bootstrap', () => {
  it('creates the two prices and the webhook once, and refuses prices that differ from the plans', async () => {
    const fake = await startFakeStripe()
    const stripe = createStripeClient({ secretKey: 'sk_test_key', api: fake.api })
    expect(await ensurePrices(stripe)).toEqual([
      expect.stringMatching(/^tsr_premium_monthly_usd_v1 is price_\w+, made now$/u),
      expect.stringMatching(/^tsr_premium_yearly_usd_v1 is price_\w+, made now$/u),
    ])
    expect(await ensurePrices(stripe)).toEqual([
      expect.stringMatching(/^tsr_premium_monthly_usd_v1 is price_\w+$/u),
      expect.stringMatching(/^tsr_premium_yearly_usd_v1 is price_\w+$/u),
    ])
    expect([...fake.prices.values()].map((price) => [price.unit_amount, price.recurring.interval])).toEqual([
      [10_000, 'month'],
      [110_000, 'year'],
    ])
    expect(await ensureWebhook(stripe, 'https://tables.example')).toMatch(/^whsec_/u)
    expect(await ensureWebhook(stripe, 'https://tables.example')).toBeNull()
    const [endpoint] = fake.endpoints.values()
    expect(endpoint).toMatchObject({
      url: 'https://tables.example/api/webhooks/stripe',
      api_version: apiVersion,
      enabled_events: [...webhookEvents],
    })
    const [price] = fake.prices.values()
    if (price) price.unit_amount = 5_000
    await expect(ensurePrices(stripe)).rejects.toThrow('which is not 10000 cents a month')
    expect(fake.problems).toEqual([])
    await fake.stop()
  })
})
