import { notFound, Refusal } from '../../../core/errors.ts'
import type { PaymentProvider, Secrets } from '../../../core/ports.ts'
import { createSandboxEvents } from './events.ts'
import { SandboxObjects, type SandboxStore } from './objects.ts'
import { applyConfirmation, type SetupIntent } from './setup.ts'
import { prices } from './subscription.ts'
import { type Customer, SandboxSubscriptions } from './subscriptions.ts'

type SandboxDependencies = {
  store: SandboxStore
  now: () => number
  newId: () => string
  secrets: Secrets
  publicUrl: string
  /** Posts a signed event, as the real provider posts its webhooks. */
  deliver: (raw: Uint8Array, signature: string) => Promise<void>
}

/** A payment provider that charges nobody: it has only test cards, and a clock that can be moved forward. */
export function createSandboxPayments({
  store,
  now,
  newId,
  secrets,
  publicUrl,
  deliver,
}: SandboxDependencies): PaymentProvider {
  const webhooks = createSandboxEvents({ now, newId, secrets })
  const objects = new SandboxObjects(store)
  const subscriptions = new SandboxSubscriptions(objects, now, async (types, { id, customerId }) => {
    for (const type of types) await emit(type, { id, customer: customerId })
  })
  // Derived from a seed, so that creating an object twice finds the first one.
  const deterministicId = (prefix: string, seed: string) =>
    `${prefix}_sbx_${secrets.digest(`${prefix}:${seed}`).replace(/\W/gu, '').slice(0, 24)}`

  async function emit(type: string, object: { id: string; customer: string }): Promise<void> {
    const { raw, signature } = webhooks.sign(type, object)
    await deliver(raw, signature)
  }

  return {
    provider: 'sandbox',
    ledger: 'sandbox',
    publishableKey: null,
    prices: async () => prices,

    async createCustomer({ restaurantId, replaces }) {
      const id = deterministicId('cus', `${restaurantId}:${replaces ?? ''}`)
      const customer: Customer & { customerId: string } = { id, customerId: id, restaurantId, clock: 0 }
      await objects.insert('customer', customer)
      return id
    },
    hasCustomer: async (id) => (await objects.get<Customer>(id)) !== undefined,

    async createSetup({ customerId, restaurantId, priceId, attemptId }) {
      const id = deterministicId('seti', attemptId)
      const secret = secrets.newToken().replace(/\W/gu, '')
      const setup: SetupIntent & { customerId: string } = {
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
      await objects.insert('setup_intent', setup)
      const { clientSecret } = await objects.getOrThrow<SetupIntent>(id, 'Payment setup')
      return { id, clientSecret }
    },
    setup: (id) => objects.get<SetupIntent>(id),

    subscriptions: (customerId) => subscriptions.list(customerId),
    subscription: (id) => subscriptions.get(id),

    async subscribe({ customerId, plan, setup }) {
      const { card } = await objects.getOrThrow<SetupIntent>(setup.id, 'Payment setup')
      if (card === null) throw new Refusal('payment_required', 'Your card was declined.')
      const id = deterministicId('sub', setup.id)
      return subscriptions.create({ id, customerId, setupIntentId: setup.id, plan, card })
    },

    async end(id) {
      await subscriptions.update(
        id,
        (subscription) => ({ ...subscription, status: 'canceled', nextPlan: null }),
        ['customer.subscription.deleted'],
      )
    },
    cancelAtPeriodEnd: (id) =>
      subscriptions.update(id, (subscription) => ({
        ...subscription,
        cancelAtPeriodEnd: true,
        nextPlan: null,
      })),
    resume: (id) =>
      subscriptions.update(id, (subscription) => ({ ...subscription, cancelAtPeriodEnd: false })),
    changePlan: (id, plan) => subscriptions.changePlan(id, plan),

    /** The sandbox has no portal page: visiting it stands for entering a card that works. */
    async portal(customerId) {
      await subscriptions.repairCard(customerId)
      return `${publicUrl}/subscribe`
    },

    readEvent: (raw, signature) => webhooks.read(raw, signature),

    sandbox: {
      async confirm(id, confirmation) {
        const before = await objects.getOrThrow<SetupIntent>(id, 'Payment setup')
        if (!secrets.equal(before.clientSecret, confirmation.clientSecret)) throw notFound('Payment setup')
        const { status, problem, customerId } = await objects.update<SetupIntent>(
          id,
          'Payment setup',
          (setup) => applyConfirmation(setup, confirmation),
        )
        if (status === 'requires_payment_method') {
          await emit('setup_intent.setup_failed', { id, customer: customerId ?? '' })
          throw new Refusal('payment_required', problem ?? 'Your card was declined.')
        }
        if (status === 'succeeded' && before.status !== 'succeeded')
          await emit('setup_intent.succeeded', { id, customer: customerId ?? '' })
        return { status }
      },

      advance: (customerId) => subscriptions.advanceClock(customerId),
    },
  }
}
