import type { Plan } from '#contract/billing.ts'
import type { ChargeResult, SubscriptionSnapshot } from '../../../ports/payments.ts'
import type { Emit } from './events.ts'
import type { SandboxObjects } from './objects.ts'
import { cardDeclined } from './setups.ts'
import { applyDueEvents, nextDueAt, type Subscription, toSubscriptionSnapshot } from './subscription.ts'

/** `clock` is how far the customer's own time is ahead. */
export type Customer = { id: string; customerId: string; restaurantId: string; clock: number }

type NewSubscription = Pick<Subscription, 'id' | 'customerId' | 'setupIntentId' | 'plan' | 'card'>

export class SandboxSubscriptions {
  #objects: SandboxObjects
  #now: () => number
  #emit: Emit

  constructor(objects: SandboxObjects, now: () => number, emit: Emit) {
    this.#objects = objects
    this.#now = now
    this.#emit = emit
  }

  async list(customerId: string): Promise<SubscriptionSnapshot[]> {
    const snapshots: SubscriptionSnapshot[] = []
    for (const { id } of await this.#listStored(customerId))
      snapshots.push(toSubscriptionSnapshot(await this.#settle(id)))
    return snapshots
  }

  async get(id: string): Promise<ChargeResult> {
    // The bank's confirmation would not help: it needs another card.
    return { snapshot: toSubscriptionSnapshot(await this.#settle(id)), clientSecret: null }
  }

  async create(wanted: NewSubscription): Promise<ChargeResult> {
    const now = await this.#customerTime(wanted.customerId)
    const subscription: Subscription = {
      ...wanted,
      status: wanted.card === 'charge_fails' ? 'incomplete' : 'active',
      nextPlan: null,
      createdAt: now,
      anchor: now,
      periods: 1,
      failedAt: null,
      cancelAtPeriodEnd: false,
    }
    if (await this.#objects.insert('subscription', subscription)) {
      const charged = subscription.status === 'active' ? 'invoice.paid' : 'invoice.payment_failed'
      await this.#emit(['customer.subscription.created', charged], subscription)
    }
    return this.get(subscription.id)
  }

  async end(id: string): Promise<void> {
    await this.#update(id, (subscription) => ({ ...subscription, status: 'canceled', nextPlan: null }), [
      'customer.subscription.deleted',
    ])
  }

  cancelAtPeriodEnd(id: string): Promise<SubscriptionSnapshot> {
    return this.#update(id, (subscription) => ({ ...subscription, cancelAtPeriodEnd: true, nextPlan: null }))
  }

  resume(id: string): Promise<SubscriptionSnapshot> {
    return this.#update(id, (subscription) => ({ ...subscription, cancelAtPeriodEnd: false }))
  }

  async changePlan(id: string, plan: Plan): Promise<SubscriptionSnapshot> {
    const { customerId, card, plan: currentPlan } = await this.#settle(id)
    if (plan === 'yearly' && card === 'renew_fails' && currentPlan !== plan) throw cardDeclined()
    const now = await this.#customerTime(customerId)
    return this.#update(id, (subscription) => {
      if (plan === subscription.plan) return { ...subscription, nextPlan: null }
      if (plan === 'monthly') return { ...subscription, nextPlan: plan }
      return { ...subscription, plan, nextPlan: null, anchor: now, periods: 1 }
    })
  }

  /** Gives the customer a working card, and pays what is past due. */
  async repairCard(customerId: string): Promise<void> {
    for (const { id } of await this.#listStored(customerId)) {
      const { status } = await this.#settle(id)
      const paid: Partial<Subscription> = status === 'past_due' ? { status: 'active', failedAt: null } : {}
      const events = status === 'past_due' ? ['invoice.paid', 'customer.subscription.updated'] : []
      await this.#update(id, (subscription) => ({ ...subscription, card: 'ok', ...paid }), events)
    }
  }

  /** Moves the customer's clock to just after the next event that is due. */
  async advanceClock(customerId: string): Promise<void> {
    const now = await this.#customerTime(customerId)
    const subscriptions = await this.#listStored(customerId)
    const dueTimes = subscriptions.map(nextDueAt).filter((due) => due !== null)
    if (dueTimes.length === 0) return
    const aheadMs = Math.max(0, Math.min(...dueTimes) + 1_000 - now)
    await this.#objects.update<Customer>(customerId, 'Customer', (customer) => ({
      ...customer,
      clock: customer.clock + aheadMs,
    }))
  }

  async #update(
    id: string,
    change: (subscription: Subscription) => Subscription,
    events: string[] = ['customer.subscription.updated'],
  ): Promise<SubscriptionSnapshot> {
    await this.#settle(id)
    const after = await this.#objects.update(id, 'Subscription', change)
    await this.#emit(events, after)
    return toSubscriptionSnapshot(after)
  }

  #listStored(customerId: string): Promise<Subscription[]> {
    return this.#objects.list<Subscription>(customerId, 'subscription')
  }

  async #customerTime(customerId: string): Promise<number> {
    return this.#now() + ((await this.#objects.get<Customer>(customerId))?.clock ?? 0)
  }

  /** Applies everything that has since become due, and returns the updated subscription. */
  async #settle(id: string): Promise<Subscription> {
    const { customerId } = await this.#objects.getOrThrow<Subscription>(id, 'Subscription')
    const now = await this.#customerTime(customerId)
    let events: string[] = []
    const subscription = await this.#objects.update<Subscription>(id, 'Subscription', (before) => {
      const settled = applyDueEvents(before, now)
      events = settled.events
      return settled.subscription
    })
    await this.#emit(events, subscription)
    return subscription
  }
}
