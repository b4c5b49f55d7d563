import { plans, type Plan, type SandboxConfirmation, type TestCard } from '#contract/billing.ts'
import type { Secrets } from '../core/context.ts'
import { invalid, notFound, Refusal } from '../core/errors.ts'
import type { Charged, PaymentNews, Payments, Setup, Snapshot } from '../core/payments.ts'
import { afterPeriods } from './billing-periods.ts'

/** Where the sandbox keeps what it knows, so that a restart or another node finds it. */
export type SandboxStore = {
  get(id: string): Promise<{ value: string; version: number } | undefined>
  list(customerId: string, kind: string): Promise<string[]>
  insert(object: { id: string; customerId: string; kind: string; value: string }): Promise<boolean>
  replace(id: string, version: number, value: string): Promise<boolean>
}

type Parts = {
  store: SandboxStore
  now: () => number
  newId: () => string
  secrets: Secrets
  publicUrl: string
  /** Posts a signed event, as the real provider posts its webhooks. */
  deliver: (raw: Uint8Array, signature: string) => Promise<void>
}

/** `clock` is how far the customer's own time is ahead. */
type Customer = { id: string; restaurantId: string; clock: number }
type SetupIntent = Omit<Setup, 'status'> & {
  status: 'requires_payment_method' | 'requires_action' | 'succeeded'
  clientSecret: string
  card: TestCard | null
}
type Subscription = {
  id: string
  customerId: string
  setupIntentId: string
  status: 'active' | 'incomplete' | 'incomplete_expired' | 'past_due' | 'canceled'
  plan: Plan
  nextPlan: Plan | null
  card: TestCard
  createdAt: number
  /** The periods are counted from here. */
  anchor: number
  periods: number
  failedAt: number | null
  cancelAtPeriodEnd: boolean
}

const hours = 3_600_000
const days = 24 * hours
/** An unpaid first charge is given up after this, an unpaid renewal after that. */
const incompleteMs = 23 * hours
const pastDueMs = 14 * days
const toleranceMs = 300_000

const prices: Record<Plan, string> = { monthly: 'price_sbx_monthly', yearly: 'price_sbx_yearly' }

const refusals: Partial<Record<TestCard, string>> = {
  declined: 'Your card was declined.',
  insufficient: 'Your card has insufficient funds.',
}
const bankRefused =
  'We are unable to authenticate your payment method. Please choose a different payment method and try again.'

/** A payment provider that charges nobody: test cards only, and a clock that can be moved on. */
export function sandboxPayments({ store, now, newId, secrets, publicUrl, deliver }: Parts): Payments {
  const signingKey = secrets.newToken()
  // Made of what it is made for, so that making it again finds it.
  const idOf = (prefix: string, seed: string) =>
    `${prefix}_sbx_${secrets.digest(`${prefix}:${seed}`).replace(/\W/gu, '').slice(0, 24)}`

  async function get<T>(id: string): Promise<T | undefined> {
    const found = await store.get(id)
    return found && JSON.parse(found.value)
  }

  async function must<T>(id: string, what: string): Promise<T> {
    const found = await get<T>(id)
    if (!found) throw notFound(what)
    return found
  }

  const insert = (kind: string, object: { id: string; customerId: string }) =>
    store.insert({ id: object.id, customerId: object.customerId, kind, value: JSON.stringify(object) })

  /** Reads, changes and writes back; begins again when somebody else was faster. */
  async function change<T>(id: string, what: string, work: (object: T) => T): Promise<T> {
    for (;;) {
      const found = await store.get(id)
      if (!found) throw notFound(what)
      const before: T = JSON.parse(found.value)
      const after = work(before)
      if (after === before || (await store.replace(id, found.version, JSON.stringify(after)))) return after
    }
  }

  async function emit(type: string, object: { id: string; customer: string }): Promise<void> {
    const event = {
      id: `evt_sbx_${newId().replaceAll('-', '')}`,
      object: 'event',
      type,
      created: Math.floor(now() / 1000),
      livemode: false,
      data: { object },
    }
    const raw = JSON.stringify(event)
    const at = Math.floor(now() / 1000)
    await deliver(new TextEncoder().encode(raw), `t=${at},v1=${secrets.sign(signingKey, `${at}.${raw}`)}`)
  }

  const emitAll = async (types: string[], { id, customerId }: { id: string; customerId: string }) => {
    for (const type of types) await emit(type, { id, customer: customerId })
  }

  const clockOf = async (customerId: string): Promise<number> =>
    now() + ((await get<Customer>(customerId))?.clock ?? 0)

  /** The subscription as it is by now: whatever fell due meanwhile happens first. */
  async function upToDate(id: string): Promise<Subscription> {
    const { customerId } = await must<Subscription>(id, 'Subscription')
    const at = await clockOf(customerId)
    let events: string[] = []
    const subscription = await change<Subscription>(id, 'Subscription', (before) => {
      const settled = settle(before, at)
      events = settled.events
      return settled.subscription
    })
    await emitAll(events, subscription)
    return subscription
  }

  async function update(
    id: string,
    work: (subscription: Subscription) => Subscription,
    events: string[] = ['customer.subscription.updated'],
  ): Promise<Subscription> {
    await upToDate(id)
    const after = await change(id, 'Subscription', work)
    await emitAll(events, after)
    return after
  }

  const charged = (subscription: Subscription): Charged => ({
    snapshot: snapshotOf(subscription),
    // No step of a bank could pay it: another card is needed.
    clientSecret: null,
  })

  return {
    provider: 'sandbox',
    ledger: 'sandbox',
    publishableKey: null,
    prices: async () => prices,

    async createCustomer({ restaurantId, replaces }) {
      const id = idOf('cus', `${restaurantId}:${replaces ?? ''}`)
      const customer: Customer & { customerId: string } = { id, customerId: id, restaurantId, clock: 0 }
      await insert('customer', customer)
      return id
    },
    hasCustomer: async (id) => (await get<Customer>(id)) !== undefined,

    async createSetup({ customerId, restaurantId, priceId, attemptId }) {
      const id = idOf('seti', attemptId)
      const secret = secrets.newToken().replace(/\W/gu, '')
      const made: SetupIntent & { customerId: string } = {
        id,
        customerId,
        restaurantId,
        priceId,
        attemptId,
        status: 'requires_payment_method',
        problem: null,
        paymentMethodId: null,
        clientSecret: `${id}_secret_${secret}`,
        card: null,
      }
      await insert('setup_intent', made)
      return { id, clientSecret: (await must<SetupIntent>(id, 'Payment setup')).clientSecret }
    },
    setup: (id) => get<SetupIntent>(id),

    async subscriptions(customerId) {
      const all: Subscription[] = (await store.list(customerId, 'subscription')).map((value) =>
        JSON.parse(value),
      )
      const current: Snapshot[] = []
      for (const { id } of all) current.push(snapshotOf(await upToDate(id)))
      return current
    },
    subscription: async (id) => charged(await upToDate(id)),

    async subscribe({ customerId, plan, setup }) {
      const id = idOf('sub', setup.id)
      const { card } = await must<SetupIntent>(setup.id, 'Payment setup')
      if (card === null) throw new Refusal('payment_required', 'Your card was declined.')
      const at = await clockOf(customerId)
      const subscription: Subscription = {
        id,
        customerId,
        setupIntentId: setup.id,
        status: card === 'charge_fails' ? 'incomplete' : 'active',
        plan,
        nextPlan: null,
        card,
        createdAt: at,
        anchor: at,
        periods: 1,
        failedAt: null,
        cancelAtPeriodEnd: false,
      }
      if (await insert('subscription', subscription)) {
        const paid = subscription.status === 'active' ? 'invoice.paid' : 'invoice.payment_failed'
        await emitAll(['customer.subscription.created', paid], subscription)
      }
      return charged(await upToDate(id))
    },

    async end(id) {
      await update(id, (one) => ({ ...one, status: 'canceled', nextPlan: null }), [
        'customer.subscription.deleted',
      ])
    },
    cancelAtPeriodEnd: async (id) =>
      snapshotOf(await update(id, (one) => ({ ...one, cancelAtPeriodEnd: true, nextPlan: null }))),
    resume: async (id) => snapshotOf(await update(id, (one) => ({ ...one, cancelAtPeriodEnd: false }))),

    async changePlan(id, plan) {
      const { customerId, card } = await upToDate(id)
      if (plan === 'yearly' && card === 'renew_fails') {
        const current = await must<Subscription>(id, 'Subscription')
        if (current.plan !== plan) throw new Refusal('payment_required', 'Your card was declined.')
      }
      const at = await clockOf(customerId)
      return snapshotOf(
        await update(id, (one) => {
          if (plan === one.plan) return { ...one, nextPlan: null }
          if (plan === 'monthly') return { ...one, nextPlan: plan }
          return { ...one, plan, nextPlan: null, anchor: at, periods: 1 }
        }),
      )
    },

    /** It has no page of its own: going there stands for putting in a card that works. */
    async portal(customerId) {
      for (const value of await store.list(customerId, 'subscription')) {
        const { id }: Subscription = JSON.parse(value)
        const { status } = await upToDate(id)
        const next: Partial<Subscription> = status === 'past_due' ? { status: 'active', failedAt: null } : {}
        const events = status === 'past_due' ? ['invoice.paid', 'customer.subscription.updated'] : []
        await update(id, (one) => ({ ...one, card: 'ok', ...next }), events)
      }
      return `${publicUrl}/subscribe`
    },

    readEvent(raw, signature) {
      const text = new TextDecoder().decode(raw)
      const [, at = '', given = ''] = /^t=(\d+),v1=([\w-]+)$/u.exec(signature) ?? []
      const isOurs = secrets.equal(given, secrets.sign(signingKey, `${at}.${text}`))
      if (!isOurs || now() - Number(at) * 1000 > toleranceMs) throw invalid('The signature is not valid')
      const event: { id: string; type: string; data: { object: { id: string; customer: string } } } =
        JSON.parse(text)
      const { object } = event.data
      const news: PaymentNews = {
        id: event.id,
        type: event.type,
        objectId: object.id,
        customerId: object.customer,
        livemode: false,
      }
      return news
    },

    sandbox: {
      async confirm(id, confirmation) {
        const before = await must<SetupIntent>(id, 'Payment setup')
        if (!secrets.equal(before.clientSecret, confirmation.clientSecret)) throw notFound('Payment setup')
        const after = await change<SetupIntent>(id, 'Payment setup', (one) => confirmed(one, confirmation))
        const { status, problem, customerId } = after
        if (status === 'requires_payment_method') {
          await emit('setup_intent.setup_failed', { id, customer: customerId ?? '' })
          throw new Refusal('payment_required', problem ?? 'Your card was declined.')
        }
        if (status === 'succeeded' && before.status !== 'succeeded')
          await emit('setup_intent.succeeded', { id, customer: customerId ?? '' })
        return { status }
      },

      async advance(customerId) {
        const at = await clockOf(customerId)
        const all: Subscription[] = (await store.list(customerId, 'subscription')).map((value) =>
          JSON.parse(value),
        )
        const dueAt = all.map(nextDue).filter((due) => due !== null)
        if (dueAt.length === 0) return
        const ahead = Math.max(0, Math.min(...dueAt) + 1_000 - at)
        await change<Customer>(customerId, 'Customer', (one) => ({ ...one, clock: one.clock + ahead }))
      },
    },
  }
}

/** What Stripe.js and the customer's bank do, decided by the card. */
function confirmed(setup: SetupIntent, { testCard, bankStep }: SandboxConfirmation): SetupIntent {
  if (setup.status === 'succeeded') return setup
  const refuse = (problem: string): SetupIntent => ({
    ...setup,
    status: 'requires_payment_method',
    problem,
    card: null,
  })
  const refusal = refusals[testCard]
  if (refusal !== undefined) return refuse(refusal)
  if (testCard === 'sca' && bankStep === undefined) {
    return { ...setup, status: 'requires_action', problem: null, card: testCard }
  }
  if (testCard === 'sca' && (bankStep === 'decline' || setup.status !== 'requires_action'))
    return refuse(bankRefused)
  return {
    ...setup,
    status: 'succeeded',
    problem: null,
    card: testCard,
    paymentMethodId: setup.id.replace('seti', 'pm'),
  }
}

const periodEnd = ({ anchor, plan, periods }: Subscription): number =>
  afterPeriods(anchor, plans[plan].interval, periods)

/** When something happens to it by itself; null when nothing does. */
function nextDue(subscription: Subscription): number | null {
  switch (subscription.status) {
    case 'active':
      return periodEnd(subscription)
    case 'incomplete':
      return subscription.createdAt + incompleteMs
    case 'past_due':
      return (subscription.failedAt ?? subscription.createdAt) + pastDueMs
    default:
      return null
  }
}

/** Everything that fell due until `at`, in order. */
function settle(subscription: Subscription, at: number): { subscription: Subscription; events: string[] } {
  const events: string[] = []
  let current = subscription
  for (let due = nextDue(current); due !== null && due <= at; due = nextDue(current)) {
    const next = happens(current, due)
    current = next.subscription
    events.push(...next.events)
  }
  return { subscription: current, events }
}

function happens(subscription: Subscription, due: number): { subscription: Subscription; events: string[] } {
  const ended = ['customer.subscription.deleted']
  if (subscription.status === 'incomplete') {
    const events = ['customer.subscription.updated']
    return { subscription: { ...subscription, status: 'incomplete_expired' }, events }
  }
  if (subscription.status === 'past_due' || subscription.cancelAtPeriodEnd) {
    return { subscription: { ...subscription, status: 'canceled', nextPlan: null }, events: ended }
  }
  const plan = subscription.nextPlan ?? subscription.plan
  const renewed: Subscription =
    plan === subscription.plan
      ? { ...subscription, periods: subscription.periods + 1 }
      : { ...subscription, plan, nextPlan: null, anchor: due, periods: 1 }
  if (subscription.card !== 'renew_fails') {
    return { subscription: renewed, events: ['customer.subscription.updated', 'invoice.paid'] }
  }
  return {
    subscription: { ...renewed, status: 'past_due', failedAt: due },
    events: ['invoice.payment_failed', 'customer.subscription.updated'],
  }
}

function snapshotOf(subscription: Subscription): Snapshot {
  const { id, customerId, setupIntentId, status, plan, nextPlan, createdAt, cancelAtPeriodEnd } = subscription
  return {
    id,
    customerId,
    setupIntentId,
    status,
    plan,
    priceId: prices[plan],
    nextPlan,
    currentPeriodEnd: periodEnd(subscription),
    cancelAtPeriodEnd,
    createdAt,
  }
}
