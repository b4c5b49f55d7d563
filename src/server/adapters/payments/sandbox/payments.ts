import type { Secrets } from '../../../core/ports.ts'
import { notFound, Refusal } from '../../../core/errors.ts'
import type { ChargeResult, PaymentProvider, SubscriptionSnapshot } from '../../../core/ports.ts'
import { createSandboxEvents } from './events.ts'
import { applyConfirmation, type SetupIntent } from './setup.ts'
import {
  nextDueAt,
  prices,
  applyDueEvents,
  toSubscriptionSnapshot,
  type Subscription,
} from './subscription.ts'

/** Where the sandbox keeps what it knows, so that a restart or another node finds it. */
export type SandboxStore = {
  get(id: string): Promise<{ value: string; version: number } | undefined>
  list(customerId: string, kind: string): Promise<string[]>
  insert(object: { id: string; customerId: string; kind: string; value: string }): Promise<boolean>
  replace(id: string, version: number, value: string): Promise<boolean>
}

type SandboxDependencies = {
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

/** A payment provider that charges nobody: test cards only, and a clock that can be moved on. */
export function createSandboxPayments({
  store,
  now,
  newId,
  secrets,
  publicUrl,
  deliver,
}: SandboxDependencies): PaymentProvider {
  const webhooks = createSandboxEvents({ now, newId, secrets })
  // Made of what it is made for, so that making it again finds it.
  const deterministicId = (prefix: string, seed: string) =>
    `${prefix}_sbx_${secrets.digest(`${prefix}:${seed}`).replace(/\W/gu, '').slice(0, 24)}`

  async function get<T>(id: string): Promise<T | undefined> {
    const found = await store.get(id)
    return found && JSON.parse(found.value)
  }

  async function getOrThrow<T>(id: string, what: string): Promise<T> {
    const found = await get<T>(id)
    if (!found) throw notFound(what)
    return found
  }

  const insert = (kind: string, object: { id: string; customerId: string }) =>
    store.insert({ id: object.id, customerId: object.customerId, kind, value: JSON.stringify(object) })

  /** Reads, changes and writes back; begins again when somebody else was faster. */
  async function updateStored<T>(id: string, what: string, work: (object: T) => T): Promise<T> {
    for (;;) {
      const found = await store.get(id)
      if (!found) throw notFound(what)
      const before: T = JSON.parse(found.value)
      const after = work(before)
      if (after === before || (await store.replace(id, found.version, JSON.stringify(after)))) return after
    }
  }

  async function emit(type: string, object: { id: string; customer: string }): Promise<void> {
    const { raw, signature } = webhooks.sign(type, object)
    await deliver(raw, signature)
  }

  const emitAll = async (types: string[], { id, customerId }: { id: string; customerId: string }) => {
    for (const type of types) await emit(type, { id, customer: customerId })
  }

  const customerTime = async (customerId: string): Promise<number> =>
    now() + ((await get<Customer>(customerId))?.clock ?? 0)

  /** The subscription as it is by now: whatever fell due meanwhile happens first. */
  async function settleSubscription(id: string): Promise<Subscription> {
    const { customerId } = await getOrThrow<Subscription>(id, 'Subscription')
    const at = await customerTime(customerId)
    let events: string[] = []
    const subscription = await updateStored<Subscription>(id, 'Subscription', (before) => {
      const settled = applyDueEvents(before, at)
      events = settled.events
      return settled.subscription
    })
    await emitAll(events, subscription)
    return subscription
  }

  async function updateSubscription(
    id: string,
    work: (subscription: Subscription) => Subscription,
    events: string[] = ['customer.subscription.updated'],
  ): Promise<Subscription> {
    await settleSubscription(id)
    const after = await updateStored(id, 'Subscription', work)
    await emitAll(events, after)
    return after
  }

  const toChargeResult = (subscription: Subscription): ChargeResult => ({
    snapshot: toSubscriptionSnapshot(subscription),
    // No step of a bank could pay it: another card is needed.
    clientSecret: null,
  })

  return {
    provider: 'sandbox',
    ledger: 'sandbox',
    publishableKey: null,
    prices: async () => prices,

    async createCustomer({ restaurantId, replaces }) {
      const id = deterministicId('cus', `${restaurantId}:${replaces ?? ''}`)
      const customer: Customer & { customerId: string } = { id, customerId: id, restaurantId, clock: 0 }
      await insert('customer', customer)
      return id
    },
    hasCustomer: async (id) => (await get<Customer>(id)) !== undefined,

    async createSetup({ customerId, restaurantId, priceId, attemptId }) {
      const id = deterministicId('seti', attemptId)
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
      return { id, clientSecret: (await getOrThrow<SetupIntent>(id, 'Payment setup')).clientSecret }
    },
    setup: (id) => get<SetupIntent>(id),

    async subscriptions(customerId) {
      const all: Subscription[] = (await store.list(customerId, 'subscription')).map((value) =>
        JSON.parse(value),
      )
      const current: SubscriptionSnapshot[] = []
      for (const { id } of all) current.push(toSubscriptionSnapshot(await settleSubscription(id)))
      return current
    },
    subscription: async (id) => toChargeResult(await settleSubscription(id)),

    async subscribe({ customerId, plan, setup }) {
      const id = deterministicId('sub', setup.id)
      const { card } = await getOrThrow<SetupIntent>(setup.id, 'Payment setup')
      if (card === null) throw new Refusal('payment_required', 'Your card was declined.')
      const at = await customerTime(customerId)
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
      return toChargeResult(await settleSubscription(id))
    },

    async end(id) {
      await updateSubscription(id, (one) => ({ ...one, status: 'canceled', nextPlan: null }), [
        'customer.subscription.deleted',
      ])
    },
    cancelAtPeriodEnd: async (id) =>
      toSubscriptionSnapshot(
        await updateSubscription(id, (one) => ({ ...one, cancelAtPeriodEnd: true, nextPlan: null })),
      ),
    resume: async (id) =>
      toSubscriptionSnapshot(await updateSubscription(id, (one) => ({ ...one, cancelAtPeriodEnd: false }))),

    async changePlan(id, plan) {
      const { customerId, card } = await settleSubscription(id)
      if (plan === 'yearly' && card === 'renew_fails') {
        const current = await getOrThrow<Subscription>(id, 'Subscription')
        if (current.plan !== plan) throw new Refusal('payment_required', 'Your card was declined.')
      }
      const at = await customerTime(customerId)
      return toSubscriptionSnapshot(
        await updateSubscription(id, (one) => {
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
        const { status } = await settleSubscription(id)
        const next: Partial<Subscription> = status === 'past_due' ? { status: 'active', failedAt: null } : {}
        const events = status === 'past_due' ? ['invoice.paid', 'customer.subscription.updated'] : []
        await updateSubscription(id, (one) => ({ ...one, card: 'ok', ...next }), events)
      }
      return `${publicUrl}/subscribe`
    },

    readEvent: (raw, signature) => webhooks.read(raw, signature),

    sandbox: {
      async confirm(id, confirmation) {
        const before = await getOrThrow<SetupIntent>(id, 'Payment setup')
        if (!secrets.equal(before.clientSecret, confirmation.clientSecret)) throw notFound('Payment setup')
        const after = await updateStored<SetupIntent>(id, 'Payment setup', (one) =>
          applyConfirmation(one, confirmation),
        )
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
        const at = await customerTime(customerId)
        const all: Subscription[] = (await store.list(customerId, 'subscription')).map((value) =>
          JSON.parse(value),
        )
        const dueAt = all.map(nextDueAt).filter((due) => due !== null)
        if (dueAt.length === 0) return
        const ahead = Math.max(0, Math.min(...dueAt) + 1_000 - at)
        await updateStored<Customer>(customerId, 'Customer', (one) => ({ ...one, clock: one.clock + ahead }))
      },
    },
  }
}
