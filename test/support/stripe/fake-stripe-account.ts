import type { TestCard } from '#contract/billing.ts'
import { addBillingPeriods } from '../../../src/server/adapters/payments/sandbox/subscription.ts'
import { apiVersion } from '../../../src/server/adapters/payments/stripe/client.ts'
import {
  cardError,
  type Customer,
  day,
  endedStatuses,
  type FakeEvent,
  invalid,
  type Item,
  listOf,
  metadataOf,
  missing,
  type Params,
  type Price,
  type Schedule,
  type SetupIntent,
  type Subscription,
} from './fake-stripe-objects.ts'

export type FakeAccount = ReturnType<typeof createFakeAccount>

/** What an account at Stripe holds, and what becomes of its subscriptions. `onEvent` hears of every change. */
export function createFakeAccount(now: () => number, onEvent: (event: FakeEvent) => void) {
  const customers = new Map<string, Customer>()
  const prices = new Map<string, Price>()
  const products = new Map<string, { id: string }>()
  const setups = new Map<string, SetupIntent>()
  const subscriptions = new Map<string, Subscription>()
  const schedules = new Map<string, Schedule>()
  const endpoints = new Map<string, Params & { id: string; url: string; secret: string }>()
  const cards = new Map<string, TestCard>()
  const clocks = new Map<string, number>()
  const events: FakeEvent[] = []
  let count = 0

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
    onEvent(event)
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

  return {
    customers,
    prices,
    products,
    setups,
    subscriptions,
    schedules,
    endpoints,
    cards,
    events,
    id,
    seconds,
    emit,
    emitInvoice,
    find,
    liveOf,
    itemOf,
    createSubscription,
    update,
    end,
    updateSchedule,
    renew,
    expanded,
  }
}
