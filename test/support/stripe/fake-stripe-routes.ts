import type { FakeAccount } from './fake-stripe-account.ts'
import {
  type Customer,
  endedStatuses,
  invalid,
  listOf,
  metadataOf,
  missing,
  type Params,
  type Price,
  type Schedule,
  type SetupIntent,
} from './fake-stripe-objects.ts'

type Route = [method: string, path: string, params: string, handle: (params: Params, id: string) => object]

/** The calls that the product makes, each with Stripe's own type of its parameters. */
export function createFakeRoutes(account: FakeAccount): Route[] {
  const { customers, prices, products, setups, subscriptions, schedules, endpoints, cards } = account
  const { id, emit, find, createSubscription, update, end, updateSchedule, expanded } = account
  return [
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
        if (typeof params['email'] === 'string') customer.email = params['email']
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
}
