import { createHash } from 'node:crypto'
import { Stripe } from 'stripe'
import { plans, type Plan } from '#contract/billing.ts'
import type { Log } from '../core/context.ts'
import { invalid, Refusal } from '../core/errors.ts'
import type { Charged, PaymentNews, Payments, Setup, Snapshot } from '../core/payments.ts'

/** The types of the package describe this version only, and webhooks must be sent in the same one. */
export const apiVersion = '2026-10-28.endive'

export const webhookEvents = [
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.payment_action_required',
  'setup_intent.succeeded',
  'setup_intent.setup_failed',
  'customer.deleted',
  'charge.dispute.created',
] as const

export type StripeSettings = {
  secretKey: string
  publishableKey: string
  /** Several while a secret is being exchanged for a new one. */
  webhookSecrets: string[]
  /** Stripe itself, unless a test says otherwise. */
  api?: { host: string; port: number; protocol: 'http' }
}

const planNames = ['monthly', 'yearly'] as const
/** How long verified prices are believed. */
const pricesMs = 10 * 60_000
const toleranceSeconds = 300

const unavailable = (message = 'The payment service does not answer. Please try again in a moment.') =>
  new Refusal('unavailable', message, { retryAfter: 5 })

export const isLiveKey = (secretKey: string): boolean => /^(sk|rk)_live_/u.test(secretKey)

export function stripeClient({ secretKey, api }: Pick<StripeSettings, 'secretKey' | 'api'>): Stripe {
  return new Stripe(secretKey, {
    apiVersion,
    maxNetworkRetries: 2,
    timeout: 10_000,
    telemetry: false,
    ...api,
  })
}

export function stripePayments(
  settings: StripeSettings,
  { now, publicUrl, log }: { now: () => number; publicUrl: string; log: Log },
): Payments {
  const stripe = stripeClient(settings)
  const live = isLiveKey(settings.secretKey)
  let known: { prices: Record<Plan, string>; until: number } | undefined

  /** Their refusals in our words, with theirs where they speak to the cardholder. */
  async function ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof Stripe.errors.StripeCardError) throw new Refusal('payment_required', error.message)
      if (
        error instanceof Stripe.errors.StripeAuthenticationError ||
        error instanceof Stripe.errors.StripePermissionError
      ) {
        log.error({ code: error.code, requestId: error.requestId }, 'Stripe does not accept the secret key')
        throw unavailable()
      }
      if (isTheirs(error)) {
        const { type, code, requestId } = error
        log.warn({ type, code, requestId }, 'Stripe could not answer')
        throw unavailable()
      }
      throw error
    }
  }

  /** Nothing where they say that there is no such thing. */
  async function find<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask(work)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

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

  async function snapshotOf(subscription: Stripe.Subscription): Promise<Snapshot> {
    const [item] = subscription.items.data
    if (!item) throw new Error(`subscription ${subscription.id} has no item`)
    const plan = planOf(item.price)
    const next = await nextPrice(subscription)
    const planned = next === null ? null : await planOfId(next)
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

  /** Price of the phase after the present one, if the subscription follows a schedule. */
  async function nextPrice({ schedule }: Stripe.Subscription): Promise<string | null> {
    if (schedule === null) return null
    const whole =
      typeof schedule === 'string'
        ? await ask(() => stripe.subscriptionSchedules.retrieve(schedule))
        : schedule
    const { current_phase: current, phases } = whole
    if (!current) return null
    const item = phases.find((phase) => phase.start_date >= current.end_date)?.items[0]
    return item ? idOf(item.price) : null
  }

  async function planOfId(priceId: string): Promise<Plan | null> {
    const ids = await prices()
    return planNames.find((plan) => ids[plan] === priceId) ?? null
  }

  async function charged(subscription: Stripe.Subscription): Promise<Charged> {
    const invoice = subscription.latest_invoice
    const secret =
      invoice !== null && typeof invoice !== 'string' ? invoice.confirmation_secret?.client_secret : undefined
    return { snapshot: await snapshotOf(subscription), clientSecret: secret ?? null }
  }

  /** A subscription that follows a schedule can be changed only after it was let go by it. */
  async function release({ schedule }: Stripe.Subscription): Promise<void> {
    if (schedule !== null) await ask(() => stripe.subscriptionSchedules.release(idOf(schedule)))
  }

  const read = (id: string) => ask(() => stripe.subscriptions.retrieve(id, { expand: ['schedule'] }))

  async function update(id: string, change: Stripe.SubscriptionUpdateParams): Promise<Snapshot> {
    return snapshotOf(await ask(() => stripe.subscriptions.update(id, { ...change, expand: ['schedule'] })))
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
      for (const subscription of listed?.data ?? []) snapshots.push(await snapshotOf(subscription))
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
      const [item] = subscription.items.data
      if (!item) throw new Error(`subscription ${id} has no item`)
      const present = planOf(item.price)
      const price = (await prices())[plan]
      if (plan === 'monthly' && present === 'yearly') {
        await changeAtPeriodEnd(subscription, item, price)
        return snapshotOf(await read(id))
      }
      await release(subscription)
      if (plan === present) return snapshotOf(await read(id))
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
}

/** Creates the two prices where they are missing; says what it found or made. */
export async function ensurePrices(stripe: Stripe): Promise<string[]> {
  const lines: string[] = []
  for (const plan of planNames) {
    const { lookupKey, amount, interval } = plans[plan]
    const { data } = await stripe.prices.list({ lookup_keys: [lookupKey], active: true })
    const [found] = data
    if (found && !costsWhat(plan, found)) {
      throw new Error(`${lookupKey} is ${found.id}, which is not ${amount} cents a ${interval}`)
    }
    if (found) {
      lines.push(`${lookupKey} is ${found.id}`)
      continue
    }
    const product = await ensureProduct(stripe)
    const made = await stripe.prices.create(
      {
        product,
        lookup_key: lookupKey,
        currency: 'usd',
        unit_amount: amount,
        recurring: { interval, interval_count: 1 },
        nickname: plan === 'monthly' ? 'Monthly Plan' : 'Yearly Plan',
      },
      { idempotencyKey: `bootstrap:${lookupKey}` },
    )
    lines.push(`${lookupKey} is ${made.id}, made now`)
  }
  return lines
}

/** Ours by its id, so that it is made once. */
async function ensureProduct(stripe: Stripe): Promise<string> {
  const id = 'tsr_premium'
  try {
    return (await stripe.products.retrieve(id)).id
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const params = { id, name: 'Premium Restaurant Plan' }
  return (await stripe.products.create(params, { idempotencyKey: `bootstrap:${id}` })).id
}

/** An endpoint that speaks the version of our types; its signing secret is shown once, here. */
export async function createWebhook(stripe: Stripe, publicUrl: string): Promise<string | null> {
  const url = `${publicUrl}/api/webhooks/stripe`
  const { data } = await stripe.webhookEndpoints.list({ limit: 100 })
  if (data.some((endpoint) => endpoint.url === url && endpoint.api_version === apiVersion)) return null
  const made = await stripe.webhookEndpoints.create({
    url,
    api_version: apiVersion,
    enabled_events: [...webhookEvents],
  })
  return made.secret ?? null
}

function costsWhat(plan: Plan, { lookup_key, currency, unit_amount, recurring }: Stripe.Price): boolean {
  const { lookupKey, amount, interval } = plans[plan]
  return (
    lookup_key === lookupKey &&
    currency === 'usd' &&
    unit_amount === amount &&
    recurring?.interval === interval &&
    recurring.interval_count === 1
  )
}

const planOf = ({ recurring }: Stripe.Price): Plan => (recurring?.interval === 'year' ? 'yearly' : 'monthly')

const idOf = (one: string | { id: string }): string => (typeof one === 'string' ? one : one.id)

function setupOf(setup: Stripe.SetupIntent): Setup {
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

/** Signed with any of our secrets, not longer ago than 5 minutes. */
function verified(
  stripe: Stripe,
  raw: Uint8Array,
  signature: string,
  secrets: readonly string[],
  receivedAt: number,
): Stripe.Event {
  for (const secret of secrets) {
    try {
      return stripe.webhooks.constructEvent(raw, signature, secret, toleranceSeconds, undefined, receivedAt)
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw invalid('Not an event')
    }
  }
  throw invalid('The signature is not valid')
}

function newsOf(event: Stripe.Event): PaymentNews | null {
  const about = (objectId: string | undefined, customer: string | { id: string } | null) =>
    objectId === undefined
      ? null
      : {
          id: event.id,
          type: event.type,
          livemode: event.livemode,
          objectId,
          customerId: customer === null ? null : idOf(customer),
        }
  switch (event.type) {
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
    case 'invoice.paid':
    case 'invoice.payment_failed':
    case 'invoice.payment_action_required':
    case 'setup_intent.succeeded':
    case 'setup_intent.setup_failed':
      return about(event.data.object.id, event.data.object.customer)
    case 'customer.deleted':
      return about(event.data.object.id, event.data.object.id)
    case 'charge.dispute.created':
      return about(event.data.object.id, null)
    default:
      return null
  }
}

type StripeFailure = InstanceType<typeof Stripe.errors.StripeError>

/** Not answered, too busy, or in the middle of the same request. */
function isTheirs(error: unknown): error is StripeFailure {
  return (
    error instanceof Stripe.errors.StripeConnectionError ||
    error instanceof Stripe.errors.StripeAPIError ||
    error instanceof Stripe.errors.StripeRateLimitError ||
    error instanceof Stripe.errors.StripeIdempotencyError
  )
}

const isMissing = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing'

const digest = (params: object): string =>
  createHash('sha256').update(JSON.stringify(params)).digest('hex').slice(0, 16)
