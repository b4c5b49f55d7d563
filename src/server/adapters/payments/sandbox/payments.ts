import type { PaymentProvider } from '../../../ports/payments.ts'
import { createSandboxEvents, type SandboxEventDependencies } from './events.ts'
import { deterministicId, SandboxObjects, type SandboxStore } from './objects.ts'
import { SandboxSetups } from './setups.ts'
import { prices } from './subscription.ts'
import { type Customer, SandboxSubscriptions } from './subscriptions.ts'

type SandboxDependencies = SandboxEventDependencies & {
  store: SandboxStore
  publicUrl: string
}

/** A payment provider that charges nobody: it has only test cards, and a clock that can be moved forward. */
export function createSandboxPayments(dependencies: SandboxDependencies): PaymentProvider {
  const { store, now, secrets, publicUrl } = dependencies
  const events = createSandboxEvents(dependencies)
  const objects = new SandboxObjects(store)
  const setups = new SandboxSetups(objects, secrets, events.emit)
  const subscriptions = new SandboxSubscriptions(objects, now, events.emit)

  return {
    provider: 'sandbox',
    ledger: 'sandbox',
    publishableKey: null,
    prices: async () => prices,

    async createCustomer({ restaurantId, replaces }) {
      const id = deterministicId(secrets, 'cus', `${restaurantId}:${replaces ?? ''}`)
      const customer: Customer = { id, customerId: id, restaurantId, clock: 0 }
      await objects.insert('customer', customer)
      return id
    },
    hasCustomer: async (id) => (await objects.get<Customer>(id)) !== undefined,
    /** The sandbox mails nobody. */
    setCustomerEmail: async () => {},

    createSetup: (wanted) => setups.create(wanted),
    setup: (id) => setups.get(id),

    async subscribe({ customerId, plan, setup }) {
      const card = await setups.getCard(setup.id)
      const id = deterministicId(secrets, 'sub', setup.id)
      return subscriptions.create({ id, customerId, setupIntentId: setup.id, plan, card })
    },
    subscriptions: (customerId) => subscriptions.list(customerId),
    subscription: (id) => subscriptions.get(id),
    end: (id) => subscriptions.end(id),
    cancelAtPeriodEnd: (id) => subscriptions.cancelAtPeriodEnd(id),
    resume: (id) => subscriptions.resume(id),
    changePlan: (id, plan) => subscriptions.changePlan(id, plan),

    /** The sandbox has no portal page: visiting it stands for entering a card that works. */
    async portal(customerId) {
      await subscriptions.repairCard(customerId)
      return `${publicUrl}/subscribe`
    },

    readEvent: (raw, signature) => events.read(raw, signature),

    sandbox: {
      confirm: (id, confirmation) => setups.confirm(id, confirmation),
      advance: (customerId) => subscriptions.advanceClock(customerId),
    },
  }
}
