import type { Secrets } from '../core/ports.ts'
import { notFound, Refusal } from '../core/errors.ts'
import type { Charged, Payments, Snapshot } from '../core/ports.ts'
import { sandboxEvents } from './sandbox-events.ts'
import { confirmed, type SetupIntent } from './sandbox-setup.ts'
import { nextDue, prices, settle, snapshotOf, type Subscription } from './sandbox-subscription.ts'

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

/** A payment provider that charges nobody: test cards only, and a clock that can be moved on. */
export function sandboxPayments({ store, now, newId, secrets, publicUrl, deliver }: Parts): Payments {
  const webhooks = sandboxEvents({ now, newId, secrets })
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
    const { raw, signature } = webhooks.sign(type, object)
    await deliver(raw, signature)
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

    readEvent: (raw, signature) => webhooks.read(raw, signature),

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
