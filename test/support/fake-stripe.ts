import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Stripe } from 'stripe'
import { plans, type Plan, type TestCard } from '#contract/billing.ts'
import { addBillingPeriods } from '../../src/server/adapters/payments/sandbox/subscription.ts'
import { apiVersion } from '../../src/server/adapters/payments/stripe/client.ts'
import { portOf } from './ports.ts'
import { stripeSchemas } from './stripe-schemas.ts'

/** Field names and types are Stripe's own, so that the fake cannot drift from them unnoticed. */
type Price = Pick<Stripe.Price, 'id' | 'object' | 'active' | 'currency' | 'lookup_key' | 'unit_amount'> & {
  recurring: Pick<Stripe.Price.Recurring, 'interval' | 'interval_count'>
}
type Customer = Pick<Stripe.Customer, 'id' | 'object' | 'metadata'> & {
  name: string
  email: string | null
  deleted?: true
  default_payment_method: string | null
}
type SetupIntent = Pick<
  Stripe.SetupIntent,
  'id' | 'object' | 'client_secret' | 'metadata' | 'status' | 'livemode'
> & {
  customer: string
  payment_method: string | null
  last_setup_error: { message: string } | null
}
type Item = Pick<Stripe.SubscriptionItem, 'id' | 'current_period_start' | 'current_period_end'> & {
  price: Price
}
type Subscription = Pick<
  Stripe.Subscription,
  'id' | 'object' | 'status' | 'cancel_at' | 'cancel_at_period_end' | 'created' | 'metadata' | 'livemode'
> & {
  customer: string
  items: { object: 'list'; data: Item[]; has_more: false; url: string }
  schedule: string | null
  latest_invoice: string
}
type Schedule = Pick<Stripe.SubscriptionSchedule, 'id' | 'object' | 'current_phase'> & {
  subscription: string
  phases: { start_date: number; end_date: number; items: { price: string }[] }[]
}

export type FakeEvent = {
  id: string
  object: 'event'
  type: string
  api_version: string
  created: number
  livemode: boolean
  account?: string
  data: { object: { id: string; object: string; customer?: string | null } }
}

type Params = Record<string, unknown>
type Answer = { status: number; body: object }
export type ReceivedRequest = {
  method: string
  path: string
  params: Params
  key: string | undefined
  headers: IncomingMessage['headers']
}

class StripeApiError extends Error {
  readonly answer: Answer
  constructor(status: number, error: object) {
    super(JSON.stringify(error))
    this.answer = { status, body: { error } }
  }
}
const invalid = (message: string, code = 'parameter_invalid') =>
  new StripeApiError(400, { type: 'invalid_request_error', code, message })
const missing = (id: string) =>
  new StripeApiError(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such object: '${id}'`,
  })
const cardError = (message: string) =>
  new StripeApiError(402, {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'generic_decline',
    message,
  })

const noSuchKey: Answer = {
  status: 401,
  body: { error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } },
}
const declines: Partial<Record<TestCard, string>> = {
  declined: 'Your card was declined.',
  insufficient: 'Your card has insufficient funds.',
}
const bankRefused =
  'We are unable to authenticate your payment method. Please choose a different payment method and try again.'
const day = 86_400
const endedStatuses = ['canceled', 'incomplete_expired']

export type FakeStripe = Awaited<ReturnType<typeof startFakeStripe>>

/**
 * The parts of Stripe that the product uses, on loopback, for the real SDK to call. Every request is validated by
 * the types of Stripe's own package; what they do not allow is refused, and recorded in `problems`.
 */
export async function startFakeStripe(now: () => number = Date.now) {
  const validatorFor = await stripeSchemas()
  const customers = new Map<string, Customer>()
  const prices = new Map<string, Price>()
  const products = new Map<string, { id: string }>()
  const setups = new Map<string, SetupIntent>()
  const subscriptions = new Map<string, Subscription>()
  const schedules = new Map<string, Schedule>()
  const endpoints = new Map<string, Params & { id: string; url: string; secret: string }>()
  const cards = new Map<string, TestCard>()
  const keys = new Map<string, { fingerprint: string; answer: Answer | null }>()
  const clocks = new Map<string, number>()
  const problems: string[] = []
  const requests: ReceivedRequest[] = []
  const events: FakeEvent[] = []
  let connectionFailure: { path: RegExp; times: number; before: boolean } | null = null
  let webhook: { url: () => string; secret: string } | null = null
  let deliveries: Promise<void>[] = []
  let count = 0
  const state: { refuseKey: boolean; deliverHeaders: Record<string, string> } = {
    refuseKey: false,
    deliverHeaders: {},
  }

  const id = (prefix: string) => `${prefix}_fake${(++count).toString().padStart(6, '0')}`
  const seconds = (customer?: string) =>
    Math.floor(now() / 1000) + (customer === undefined ? 0 : (clocks.get(customer) ?? 0))

  function emit(type: string, object: FakeEvent['data']['object']): FakeEvent {
    const event: FakeEvent = {
      id: id('evt'),
      object: 'event',
      type,
      api_version: apiVersion,
      created: seconds(),
      livemode: false,
      data: { object: structuredClone(object) },
    }
    events.push(event)
    if (webhook) {
      const { url, secret } = webhook
      deliveries.push(deliver(url(), event, { secret }).then(() => {}))
    }
    return event
  }

  const emitInvoice = (type: string, { customer }: Subscription) =>
    emit(type, { id: id('in'), object: 'invoice', customer })

  function find<T>(map: Map<string, T>, key: string): T {
    const found = map.get(key)
    if (!found) throw missing(key)
    return found
  }

  const liveOf = (customer: string): Subscription[] =>
    [...subscriptions.values()].filter(
      (subscription) => subscription.customer === customer && !endedStatuses.includes(subscription.status),
    )

  function cardOf(customer: string): TestCard {
    return cards.get(find(customers, customer).default_payment_method ?? '') ?? 'ok'
  }

  function createSubscription(params: Params): Subscription {
    const { customer, items, default_payment_method: method } = params
    if (typeof customer !== 'string' || !Array.isArray(items)) throw invalid('customer and items')
    find(customers, customer)
    if (params['payment_behavior'] !== 'allow_incomplete')
      throw invalid('the fake supports only allow_incomplete')
    const card = cards.get(String(method))
    if (!card) throw missing(String(method))
    const price = find(prices, String(items[0]?.price))
    const at = seconds(customer)
    const subscription: Subscription = {
      id: id('sub'),
      object: 'subscription',
      customer,
      status: card === 'charge_fails' ? 'incomplete' : 'active',
      cancel_at: null,
      cancel_at_period_end: false,
      created: at,
      livemode: false,
      metadata: metadataOf(params),
      items: listOf([itemOf(price, at, 1)]),
      schedule: null,
      latest_invoice: id('in'),
    }
    subscriptions.set(subscription.id, subscription)
    emit('customer.subscription.created', subscription)
    emitInvoice(subscription.status === 'active' ? 'invoice.paid' : 'invoice.payment_failed', subscription)
    return subscription
  }

  const itemOf = (price: Price, start: number, periods: number): Item => ({
    id: id('si'),
    price,
    current_period_start: start,
    current_period_end: Math.floor(
      addBillingPeriods(start * 1000, price.recurring.interval === 'year' ? 'year' : 'month', periods) / 1000,
    ),
  })

  function update(subscription: Subscription, params: Params): Subscription {
    if (endedStatuses.includes(subscription.status))
      throw invalid('A canceled subscription can only update its metadata')
    const touchesPlan = 'items' in params || 'cancel_at_period_end' in params || 'cancel_at' in params
    if (subscription.schedule !== null && touchesPlan) {
      throw invalid('The subscription is managed by the subscription schedule')
    }
    const [item] = subscription.items.data
    if (!item) throw new Error('no item')
    if (Array.isArray(params['items'])) {
      const [change] = params['items']
      if (change.id !== item.id) throw invalid('items without their id are added, which doubles the price')
      if (params['payment_behavior'] !== 'error_if_incomplete') throw invalid('payment_behavior')
      const card = cardOf(subscription.customer)
      if (card === 'charge_fails' || card === 'renew_fails') throw cardError('Your card was declined.')
      const made = itemOf(find(prices, change.price), seconds(subscription.customer), 1)
      subscription.items = listOf([{ ...made, id: item.id }])
    }
    const flag = params['cancel_at_period_end']
    if (flag !== undefined) {
      subscription.cancel_at_period_end = flag === true
      subscription.cancel_at = flag === true ? item.current_period_end : null
    }
    if (params['cancel_at'] === '' || params['cancel_at'] === null) subscription.cancel_at = null
    emit('customer.subscription.updated', subscription)
    return subscription
  }

  function end(subscription: Subscription): Subscription {
    if (endedStatuses.includes(subscription.status)) throw missing(subscription.id)
    subscription.status = 'canceled'
    subscription.schedule = null
    emit('customer.subscription.deleted', subscription)
    return subscription
  }

  function updateSchedule(schedule: Schedule, params: Params): Schedule {
    const subscription = find(subscriptions, schedule.subscription)
    const [item] = subscription.items.data
    const phases = params['phases']
    if (!item || !Array.isArray(phases)) throw invalid('phases')
    let start = item.current_period_start
    if (phases[0].start_date !== start) throw invalid('You can not modify the start of the current phase')
    schedule.phases = phases.map((phase: { end_date?: number; items: { price: string }[] }) => {
      const from = start
      start = phase.end_date ?? start + 30 * day
      for (const { price } of phase.items) find(prices, price)
      return { start_date: from, end_date: start, items: phase.items }
    })
    schedule.current_phase = { start_date: item.current_period_start, end_date: item.current_period_end }
    emit('customer.subscription.updated', subscription)
    return schedule
  }

  /** Advances the subscription to its next automatic change. */
  function renew(subscription: Subscription): void {
    const [item] = subscription.items.data
    if (!item) throw new Error('no item')
    const { customer } = subscription
    const until = (at: number) =>
      clocks.set(customer, (clocks.get(customer) ?? 0) + at - seconds(customer) + 1)
    if (subscription.status === 'incomplete') {
      until(subscription.created + 23 * 3600)
      subscription.status = 'incomplete_expired'
      emit('customer.subscription.updated', subscription)
      return
    }
    if (subscription.status === 'past_due') {
      until(item.current_period_start + 14 * day)
      end(subscription)
      return
    }
    until(item.current_period_end)
    if (subscription.cancel_at !== null) {
      end(subscription)
      return
    }
    const schedule = subscription.schedule === null ? undefined : schedules.get(subscription.schedule)
    const next = schedule?.phases[1]?.items[0]
    const price = next ? find(prices, next.price) : item.price
    subscription.items = listOf([{ ...itemOf(price, item.current_period_end, 1), id: item.id }])
    // In the last phase the schedule releases the subscription.
    subscription.schedule = null
    const fails = cardOf(customer) === 'renew_fails'
    subscription.status = fails ? 'past_due' : 'active'
    emitInvoice(fails ? 'invoice.payment_failed' : 'invoice.paid', subscription)
    emit('customer.subscription.updated', subscription)
  }

  function expanded(subscription: Subscription, expand: unknown): object {
    const wanted = Array.isArray(expand) ? expand.map((path) => String(path).replace(/^data\./u, '')) : []
    const secret = subscription.status === 'incomplete' ? `pi_${subscription.id}_secret_x` : null
    const invoice = {
      id: subscription.latest_invoice,
      object: 'invoice',
      ...(wanted.includes('latest_invoice.confirmation_secret') && {
        confirmation_secret: secret === null ? null : { client_secret: secret, type: 'payment_intent' },
      }),
    }
    const isExpanded = wanted.some((path) => path.startsWith('latest_invoice'))
    return {
      ...subscription,
      latest_invoice: isExpanded ? invoice : subscription.latest_invoice,
      schedule:
        wanted.includes('schedule') && subscription.schedule !== null
          ? find(schedules, subscription.schedule)
          : subscription.schedule,
    }
  }

  type Handler = (params: Params, id: string) => object
  const routes: [string, string, string, Handler][] = [
    [
      'GET',
      '/v1/prices',
      'PriceListParams',
      ({ lookup_keys: wanted }) => {
        const found = [...prices.values()].filter(
          ({ active, lookup_key: key }) => active && (!Array.isArray(wanted) || wanted.includes(key)),
        )
        return listOf(found)
      },
    ],
    [
      'POST',
      '/v1/prices',
      'PriceCreateParams',
      (params) => {
        const { lookup_key: key, product } = params
        find(products, String(product))
        if ([...prices.values()].some((price) => price.lookup_key === key))
          throw invalid('lookup_key is taken')
        const price = { active: true, ...params, id: id('price'), object: 'price' } as Price
        prices.set(price.id, price)
        return price
      },
    ],
    ['GET', '/v1/products/:id', 'ProductRetrieveParams', (_, id) => find(products, id)],
    [
      'POST',
      '/v1/products',
      'ProductCreateParams',
      (params) => {
        const product = { ...params, id: String(params['id']), object: 'product' }
        if (products.has(product.id)) throw invalid('Product already exists', 'resource_already_exists')
        products.set(product.id, product)
        return product
      },
    ],
    [
      'POST',
      '/v1/customers',
      'CustomerCreateParams',
      (params) => {
        const customer: Customer = {
          id: id('cus'),
          object: 'customer',
          name: String(params['name']),
          email: typeof params['email'] === 'string' ? params['email'] : null,
          metadata: metadataOf(params),
          default_payment_method: null,
        }
        customers.set(customer.id, customer)
        return customer
      },
    ],
    [
      'GET',
      '/v1/customers/:id',
      'CustomerRetrieveParams',
      (_, id) => {
        const customer = find(customers, id)
        return customer.deleted ? { id, object: 'customer', deleted: true } : customer
      },
    ],
    [
      'POST',
      '/v1/customers/:id',
      'CustomerUpdateParams',
      (params, id) => {
        const customer = find(customers, id)
        const settings = params['invoice_settings'] as { default_payment_method?: string } | undefined
        const method = settings?.default_payment_method
        if (method !== undefined) {
          if (!cards.has(method)) throw missing(method)
          customer.default_payment_method = method
        }
        return customer
      },
    ],
    [
      'POST',
      '/v1/setup_intents',
      'SetupIntentCreateParams',
      (params) => {
        const customer = find(customers, String(params['customer']))
        if (customer.deleted) throw missing(customer.id)
        const setupId = id('seti')
        const setup: SetupIntent = {
          id: setupId,
          object: 'setup_intent',
          livemode: false,
          customer: customer.id,
          client_secret: `${setupId}_secret_${id('x')}`,
          metadata: metadataOf(params),
          status: 'requires_payment_method',
          payment_method: null,
          last_setup_error: null,
        }
        setups.set(setupId, setup)
        return setup
      },
    ],
    ['GET', '/v1/setup_intents/:id', 'SetupIntentRetrieveParams', (_, id) => find(setups, id)],
    [
      'GET',
      '/v1/subscriptions',
      'SubscriptionListParams',
      ({ customer, status, expand }) => {
        const own = [...subscriptions.values()].filter(
          (subscription) =>
            subscription.customer === customer &&
            (status === 'all' || !endedStatuses.includes(subscription.status)),
        )
        return listOf(own.toReversed().map((subscription) => expanded(subscription, expand)))
      },
    ],
    [
      'POST',
      '/v1/subscriptions',
      'SubscriptionCreateParams',
      (params) => expanded(createSubscription(params), params['expand']),
    ],
    [
      'GET',
      '/v1/subscriptions/:id',
      'SubscriptionRetrieveParams',
      ({ expand }, id) => expanded(find(subscriptions, id), expand),
    ],
    [
      'POST',
      '/v1/subscriptions/:id',
      'SubscriptionUpdateParams',
      (params, id) => expanded(update(find(subscriptions, id), params), params['expand']),
    ],
    ['DELETE', '/v1/subscriptions/:id', 'SubscriptionCancelParams', (_, id) => end(find(subscriptions, id))],
    [
      'POST',
      '/v1/subscription_schedules',
      'SubscriptionScheduleCreateParams',
      (params) => {
        const subscription = find(subscriptions, String(params['from_subscription']))
        if (subscription.schedule !== null) throw invalid('The subscription has a schedule already')
        const scheduleId = id('sub_sched')
        const schedule: Schedule = {
          id: scheduleId,
          object: 'subscription_schedule',
          subscription: subscription.id,
          phases: [],
          current_phase: null,
        }
        schedules.set(scheduleId, schedule)
        subscription.schedule = scheduleId
        emit('customer.subscription.updated', subscription)
        return schedule
      },
    ],
    [
      'GET',
      '/v1/subscription_schedules/:id',
      'SubscriptionScheduleRetrieveParams',
      (_, id) => find(schedules, id),
    ],
    [
      'POST',
      '/v1/subscription_schedules/:id',
      'SubscriptionScheduleUpdateParams',
      (params, id) => updateSchedule(find(schedules, id), params),
    ],
    [
      'POST',
      '/v1/subscription_schedules/:id/release',
      'SubscriptionScheduleReleaseParams',
      (_, id) => {
        const schedule = find(schedules, id)
        const subscription = find(subscriptions, schedule.subscription)
        subscription.schedule = null
        emit('customer.subscription.updated', subscription)
        return schedule
      },
    ],
    [
      'POST',
      '/v1/billing_portal/sessions',
      'BillingPortal.SessionCreateParams',
      (params) => {
        const customer = find(customers, String(params['customer']))
        return {
          id: id('bps'),
          object: 'billing_portal.session',
          url: `https://portal.invalid/${customer.id}`,
        }
      },
    ],
    ['GET', '/v1/webhook_endpoints', 'WebhookEndpointListParams', () => listOf([...endpoints.values()])],
    [
      'POST',
      '/v1/webhook_endpoints',
      'WebhookEndpointCreateParams',
      (params) => {
        const made = { ...params, id: id('we'), url: String(params['url']), secret: `whsec_${id('x')}` }
        endpoints.set(made.id, made)
        return made
      },
    ],
  ]

  function answerTo({ method, path, params }: ReceivedRequest): Answer {
    for (const [verb, pattern, type, handle] of routes) {
      const match = new RegExp(`^${pattern.replace(':id', '(\\w+)')}$`, 'u').exec(path)
      if (verb !== method || !match) continue
      const valid = validatorFor(type)
      if (!valid(params)) {
        const [first] = valid.errors ?? []
        const what = `${method} ${path}: ${first?.instancePath ?? ''} ${first?.message ?? ''} ${JSON.stringify(first?.params)}`
        problems.push(what)
        return {
          status: 400,
          body: { error: { type: 'invalid_request_error', code: 'parameter_unknown', message: what } },
        }
      }
      try {
        return { status: 200, body: handle(params, match[1] ?? '') }
      } catch (error) {
        if (error instanceof StripeApiError) return error.answer
        throw error
      }
    }
    problems.push(`${method} ${path}: not supported by the fake`)
    return missing(path).answer
  }

  /** Like Stripe, repeats the first answer, and refuses other parameters under the same idempotency key. */
  function answerOnce(request: ReceivedRequest): Answer {
    const { key, method, path, params } = request
    if (key === undefined || method !== 'POST') return answerTo(request)
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([path, params]))
      .digest('hex')
    const known = keys.get(key)
    if (known) {
      if (known.fingerprint !== fingerprint) {
        const message = 'Keys for idempotent requests can only be used with the same parameters'
        problems.push(`${method} ${path}: ${message}`)
        return { status: 400, body: { error: { type: 'idempotency_error', message } } }
      }
      if (known.answer) return known.answer
    }
    const answer = structuredClone(answerTo(request))
    keys.set(key, { fingerprint, answer })
    return answer
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://fake.invalid')
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    for (const [name, value] of searchParams) form.append(name, value)
    const header = request.headers['idempotency-key']
    const seen: ReceivedRequest = {
      method: request.method ?? '',
      path: pathname,
      params: nested(form),
      key: typeof header === 'string' ? header : undefined,
      headers: request.headers,
    }
    requests.push(structuredClone(seen))
    const cut =
      connectionFailure?.path.test(`${seen.method} ${seen.path}`) && connectionFailure.times-- > 0
        ? connectionFailure
        : null
    if (cut?.before) {
      request.socket.destroy()
      return
    }
    const { status, body } = state.refuseKey ? noSuchKey : answerOnce(seen)
    const text = JSON.stringify(body)
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'request-id': id('req'),
    })
    if (cut) {
      response.write(text.slice(0, 20), () => request.socket.destroy())
      return
    }
    response.end(text)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      problems.push(String(error))
      response.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = portOf(server)

  const stripe = new Stripe('sk_test_signer')

  async function deliver(
    url: string,
    event: FakeEvent,
    {
      secret,
      at = Math.floor(now() / 1000),
      body = JSON.stringify(event, null, 2),
    }: { secret: string; at?: number; body?: string },
  ): Promise<Response> {
    const payload = JSON.stringify(event, null, 2)
    const signature = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: at })
    return fetch(`${url}/api/webhooks/stripe`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': signature, ...state.deliverHeaders },
      body,
    })
  }

  return Object.assign(state, {
    api: { host: '127.0.0.1', port, protocol: 'http' as const },
    problems,
    requests,
    events,
    subscriptions,
    setups,
    customers,
    prices,
    endpoints,
    deliver,
    emit,
    renewNow: renew,
    /** The prices of the plans, as `billing:bootstrap` creates them. */
    addPrices(change: Partial<Price> = {}): void {
      products.set('tsr_premium', { id: 'tsr_premium' })
      for (const plan of ['monthly', 'yearly'] as const) {
        const { amount, interval, lookupKey } = plans[plan]
        const price: Price = {
          id: priceIdOf(plan),
          object: 'price',
          active: true,
          currency: 'usd',
          lookup_key: lookupKey,
          unit_amount: amount,
          recurring: { interval, interval_count: 1 },
          ...change,
        }
        prices.set(price.id, price)
      }
    },
    /** Enters a card as Stripe.js does in the browser, including the bank's confirmation step. */
    enterCard(setupId: string, card: TestCard, bankStep?: 'approve' | 'decline'): string {
      const setup = find(setups, setupId)
      const problem = declines[card] ?? (card === 'sca' && bankStep === 'decline' ? bankRefused : undefined)
      if (problem !== undefined) {
        setup.status = 'requires_payment_method'
        setup.last_setup_error = { message: problem }
        emit('setup_intent.setup_failed', setup)
        throw new Error(problem)
      }
      if (card === 'sca' && bankStep === undefined) {
        setup.status = 'requires_action'
        return setup.status
      }
      setup.status = 'succeeded'
      setup.last_setup_error = null
      setup.payment_method = id('pm')
      cards.set(setup.payment_method, card)
      emit('setup_intent.succeeded', setup)
      return setup.status
    },
    /** The customer enters another card in the billing portal, which pays the open invoices. */
    changeCard(customer: string, card: TestCard): void {
      const method = id('pm')
      cards.set(method, card)
      find(customers, customer).default_payment_method = method
      for (const subscription of subscriptions.values()) {
        if (subscription.customer !== customer || subscription.status !== 'past_due') continue
        subscription.status = 'active'
        emitInvoice('invoice.paid', subscription)
        emit('customer.subscription.updated', subscription)
      }
    },
    /** Advances time to the next automatic change of the customer's subscription. */
    advance(customer: string): void {
      for (const subscription of liveOf(customer)) renew(subscription)
    },
    deleteCustomer(customer: string): void {
      const gone = find(customers, customer)
      for (const subscription of liveOf(customer)) end(subscription)
      gone.deleted = true
      emit('customer.deleted', { id: customer, object: 'customer' })
    },
    /** The bank approves the first charge after all. */
    payFirstCharge(subscriptionId: string): void {
      const subscription = find(subscriptions, subscriptionId)
      subscription.status = 'active'
      emitInvoice('invoice.paid', subscription)
      emit('customer.subscription.updated', subscription)
    },
    /** A customer who subscribed long ago, and six events about it; none is delivered. */
    createPastSubscription(
      { restaurantId, attemptId }: { restaurantId: string; attemptId: string },
      status: Subscription['status'],
    ): { customer: string; setup: string; events: FakeEvent[] } {
      const customer = id('cus')
      const setup = id('seti')
      const method = id('pm')
      const own = { restaurant_id: restaurantId, attempt_id: attemptId }
      customers.set(customer, {
        id: customer,
        object: 'customer',
        name: restaurantId,
        email: null,
        metadata: { restaurant_id: restaurantId },
        default_payment_method: method,
      })
      cards.set(method, 'ok')
      setups.set(setup, {
        id: setup,
        object: 'setup_intent',
        livemode: false,
        customer,
        client_secret: `${setup}_secret_x`,
        metadata: { ...own, plan_type: 'monthly', price_id: priceIdOf('monthly') },
        status: 'succeeded',
        payment_method: method,
        last_setup_error: null,
      })
      const subscription: Subscription = {
        id: id('sub'),
        object: 'subscription',
        customer,
        status,
        cancel_at: null,
        cancel_at_period_end: false,
        created: seconds(),
        livemode: false,
        metadata: { ...own, plan_type: 'monthly', setup_intent_id: setup },
        items: listOf([itemOf(find(prices, priceIdOf('monthly')), seconds(), 1)]),
        schedule: null,
        latest_invoice: id('in'),
      }
      subscriptions.set(subscription.id, subscription)
      const said = webhook
      webhook = null
      const sayings = [
        emit('setup_intent.succeeded', find(setups, setup)),
        emit('customer.subscription.created', subscription),
        emitInvoice('invoice.paid', subscription),
        emitInvoice('invoice.payment_failed', subscription),
        emit('customer.subscription.updated', subscription),
        emit('customer.subscription.deleted', subscription),
      ]
      webhook = said
      return { customer, setup, events: sayings }
    },
    /** What is posted for an event: its body, and the signature header. */
    signed(event: FakeEvent, secret: string): { raw: Uint8Array; signature: string } {
      const payload = JSON.stringify(event)
      const timestamp = Math.floor(now() / 1000)
      const signature = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
      return { raw: new TextEncoder().encode(payload), signature }
    },
    /** Cuts the connection of the next such requests, before they are executed or in the middle of the answer. */
    failConnections(path: RegExp, times = 1, before = false): void {
      connectionFailure = { path, times, before }
    },
    /** As Stripe does after 24 hours. */
    forgetKeys: () => keys.clear(),
    /** Posts every event as it happens; null stops the deliveries. */
    deliverTo(url: (() => string) | null, secret = ''): void {
      webhook = url && { url, secret }
    },
    async whenDelivered(): Promise<void> {
      while (deliveries.length > 0) await Promise.all(deliveries.splice(0))
    },
    async stop(): Promise<void> {
      webhook = null
      deliveries = []
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  })
}

const priceIdOf = (plan: Plan): string => `price_fake_${plan}`

const listOf = <T>(data: T[]) => ({
  object: 'list' as const,
  data,
  has_more: false as const,
  url: '/v1/list',
})

function metadataOf({ metadata }: Params): Record<string, string> {
  return typeof metadata === 'object' && metadata !== null
    ? Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, String(value)]))
    : {}
}

/** `items[0][price]=x` as `{ items: [{ price: 'x' }] }`. */
function nested(form: URLSearchParams): Params {
  const root: Params = {}
  for (const [name, value] of form) {
    const path = name.replaceAll(']', '').split('[')
    let node: Params = root
    path.forEach((part, index) => {
      if (index === path.length - 1) node[part] = value
      else node = (node[part] ??= {}) as Params
    })
  }
  return withLists(root) as Params
}

function withLists(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([key, value]) => [key, withLists(value)] as const)
  const isList = entries.length > 0 && entries.every(([key], index) => key === String(index))
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}
