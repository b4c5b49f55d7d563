import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Stripe } from 'stripe'
import { plans, type TestCard } from '#contract/billing.ts'
import { portOf } from '../ports.ts'
import { createFakeAccount } from './fake-stripe-account.ts'
import {
  type Answer,
  bankRefused,
  declines,
  type FakeEvent,
  listOf,
  missing,
  noSuchKey,
  parseForm,
  type Price,
  priceIdOf,
  type ReceivedRequest,
  StripeApiError,
  type Subscription,
} from './fake-stripe-objects.ts'
import { createFakeRoutes } from './fake-stripe-routes.ts'
import { stripeSchemas } from './stripe-schemas.ts'

export type FakeStripe = Awaited<ReturnType<typeof startFakeStripe>>

/**
 * The parts of Stripe that the product uses, on loopback, for the real SDK to call. Every request is validated by
 * the types of Stripe's own package; what they do not allow is refused, and recorded in `problems`.
 */
export async function startFakeStripe(now: () => number = Date.now) {
  const validatorFor = await stripeSchemas()
  const keys = new Map<string, { fingerprint: string; answer: Answer | null }>()
  const problems: string[] = []
  const requests: ReceivedRequest[] = []
  let connectionFailure: { path: RegExp; times: number; before: boolean } | null = null
  let webhook: { url: () => string; secret: string } | null = null
  let deliveries: Promise<void>[] = []
  const state: { refuseKey: boolean; deliverHeaders: Record<string, string> } = {
    refuseKey: false,
    deliverHeaders: {},
  }
  const account = createFakeAccount(now, (event) => {
    if (webhook) {
      const { url, secret } = webhook
      deliveries.push(deliver(url(), event, { secret }).then(() => {}))
    }
  })
  const { customers, prices, products, setups, subscriptions, endpoints, cards, events } = account
  const { id, seconds, emit, emitInvoice, find, liveOf, itemOf, end, renew } = account
  const routes = createFakeRoutes(account)

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
      params: parseForm(form),
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
