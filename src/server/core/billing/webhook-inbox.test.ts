import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hourMs, minuteMs } from '#contract/durations.ts'
import {
  addPastSubscriptions,
  customerOf,
  deliverWebhook,
  findSubscriptions,
  type StripeBillingRig,
  createStripeRig,
  getSubscription,
  subscribe,
  setUpRig,
  webhookSecret,
} from '../../../../test/support/stripe/billing-rigs.ts'
import type { FakeEvent } from '../../../../test/support/stripe/fake-stripe-objects.ts'
import * as billing from '../../storage/billing/billing.ts'
import { withLease } from './billing-lease.ts'
import { receiveWebhook, reconcileSubscriptions, retryDueEvents } from './webhook-inbox.ts'

let rig: StripeBillingRig
setUpRig(createStripeRig, (started) => (rig = started))

const db = () => rig.app.ctx.db.reader
const deliver = (event: FakeEvent) => deliverWebhook(rig, event)
const storedEvent = (id: string) =>
  db().selectFrom('paymentEvent').selectAll().where('eventId', '=', id).executeTakeFirstOrThrow()
const findOrThrow = <T>(items: Iterable<T>, matches: (item: T) => boolean): T => {
  const found = [...items].find(matches)
  if (found === undefined) throw new Error('nothing matches')
  return found
}

const subscriptionOf = (customerId: string) =>
  findOrThrow(rig.fake.subscriptions.values(), ({ customer }) => customer === customerId)

const addSubscribed = (statuses: string[]) => addPastSubscriptions(rig, statuses)
const storedSubscriptions = (restaurantIds: string[]) => findSubscriptions(rig, restaurantIds)

describe('a webhook', () => {
  it('leads to the latest state, in whatever order changes and webhooks come', async () => {
    const statuses = ['active', 'past_due', 'unpaid', 'canceled', 'incomplete']
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...statuses), fc.nat(5), fc.boolean()), {
          minLength: 2,
          maxLength: 8,
        }),
        async (steps) => {
          const [restaurant] = await addSubscribed(['active'])
          if (!restaurant) throw new Error('there is no restaurant')
          const subscription = subscriptionOf(restaurant.customer)
          const emitted: FakeEvent[] = []
          const deliveries: Promise<void>[] = []
          rig.fake.deliverTo(null)
          for (const [status, old, wait] of steps) {
            subscription.status = status
            emitted.push(rig.fake.emit('customer.subscription.updated', subscription))
            const event = emitted[old % emitted.length]
            if (event) deliveries.push(deliver(event))
            if (wait) await Promise.all(deliveries)
          }
          // The late ones come last.
          for (const event of emitted.toReversed()) deliveries.push(deliver(event))
          await Promise.all(deliveries)
          await rig.whenIdle()
          expect(await storedSubscriptions([restaurant.restaurantId])).toMatchObject([
            { status: steps.at(-1)?.[0] },
          ])
        },
      ),
      { numRuns: 25 },
    )
  })

  it('is checked with the provider, never trusted', async () => {
    const { owner } = await rig.app.restaurant()
    await subscribe(rig, owner)
    const customer = await customerOf(owner)
    const subscription = subscriptionOf(customer)
    rig.fake.deliverTo(null)
    await deliver(
      rig.fake.emit('customer.subscription.deleted', {
        ...subscription,
        status: 'canceled',
      } as typeof subscription),
    )
    await rig.whenIdle()
    expect(await getSubscription(owner)).toMatchObject({ status: 'active' })
  })

  it('is retried until the provider answers', async () => {
    const { owner } = await rig.app.restaurant()
    await subscribe(rig, owner)
    const customer = await customerOf(owner)
    const subscription = subscriptionOf(customer)
    rig.fake.deliverTo(null)
    subscription.status = 'past_due'
    const event = rig.fake.emit('customer.subscription.updated', subscription)
    rig.fake.refuseKey = true
    await deliver(event)
    await rig.whenIdle()
    expect(await storedEvent(event.id)).toMatchObject({
      processedAt: null,
      attempts: 1,
      error: expect.any(String),
    })
    rig.app.advance(61_000)
    await retryDueEvents(rig.app.ctx)
    expect(await storedEvent(event.id)).toMatchObject({ processedAt: null, attempts: 2 })
    rig.fake.refuseKey = false
    await retryDueEvents(rig.app.ctx)
    expect(await storedEvent(event.id)).toMatchObject({ processedAt: null, attempts: 2 })
    rig.app.advance(3 * minuteMs)
    await retryDueEvents(rig.app.ctx)
    expect(await storedEvent(event.id)).toMatchObject({
      processedAt: expect.any(Number),
      nextAt: null,
      error: null,
    })
    expect(await getSubscription(owner)).toMatchObject({ status: 'past_due' })
    rig.app.lines.length = 0
  })

  it('is given up after three days of retries', async () => {
    const [restaurant] = await addSubscribed(['active'])
    const event = restaurant?.events[4]
    if (!event) throw new Error('there is no restaurant')
    rig.fake.refuseKey = true
    await deliver(event)
    await rig.whenIdle()
    const startedAt = rig.app.now()
    for (let tries = 0; tries < 30; tries++) {
      rig.app.advance(6 * hourMs)
      await retryDueEvents(rig.app.ctx)
    }
    rig.fake.refuseKey = false
    expect(rig.app.now() - startedAt).toBeGreaterThan(3 * 24 * hourMs)
    expect(await storedEvent(event.id)).toMatchObject({ processedAt: null, nextAt: null, attempts: 20 })
    expect(rig.app.lines.filter((line) => line.includes('failed for good'))).toHaveLength(1)
    rig.app.lines.length = 0
  })

  it('is not said to have failed for good by an error that may pass', async () => {
    const [restaurant] = await addSubscribed(['active'])
    const event = restaurant?.events[4]
    if (!event) throw new Error('there is no restaurant')
    const { raw, signature } = rig.fake.signed(event, webhookSecret)
    const subscriptions = () => Promise.reject(new TypeError('This is a bug'))
    const { ctx } = rig.app
    await receiveWebhook({ ...ctx, payments: { ...ctx.payments, subscriptions } }, raw, signature)
    await rig.whenIdle()
    expect(await storedEvent(event.id)).toMatchObject({ attempts: 1, nextAt: expect.any(Number) })
    const said = rig.app.lines.join('')
    expect(said).toContain('payment event failed, will retry')
    expect(said).not.toContain('for good')
    rig.app.lines.length = 0
  })

  it('is processed by another node when the one that received it died', async () => {
    const [restaurant] = await addSubscribed(['past_due'])
    const event = restaurant?.events[4]
    if (!event || !restaurant) throw new Error('there is no restaurant')
    const { ctx } = rig.app
    const { raw, signature } = rig.fake.signed(event, webhookSecret)
    // A node that dies after storing the event and before processing it.
    await receiveWebhook({ ...ctx, background: () => {} }, raw, signature)
    expect(await storedSubscriptions([restaurant.restaurantId])).toEqual([])
    rig.app.advance(3 * minuteMs)
    await Promise.all([retryDueEvents(ctx), retryDueEvents(ctx)])
    expect(await storedSubscriptions([restaurant.restaurantId])).toMatchObject([{ status: 'past_due' }])
  })
})

describe('a change without a webhook', () => {
  it('is noticed within a day', async () => {
    const [restaurant] = await addSubscribed(['active'])
    if (!restaurant) throw new Error('there is no restaurant')
    await deliver(findOrThrow(restaurant.events, ({ type }) => type === 'customer.subscription.created'))
    await rig.whenIdle()
    const subscription = subscriptionOf(restaurant.customer)
    rig.fake.deliverTo(null)
    subscription.status = 'unpaid'
    await reconcileSubscriptions(rig.app.ctx)
    expect(await storedSubscriptions([restaurant.restaurantId])).toMatchObject([{ status: 'active' }])
    rig.app.advance(24 * hourMs + 1)
    await reconcileSubscriptions(rig.app.ctx)
    expect(await storedSubscriptions([restaurant.restaurantId])).toMatchObject([{ status: 'unpaid' }])
  })
})

describe('the billing lease of a restaurant', () => {
  it('is held by one at a time', async () => {
    const [restaurant] = await addSubscribed(['active'])
    const { ctx } = rig.app
    let inside = 0
    const most: number[] = []
    await Promise.all(
      Array.from({ length: 12 }, () =>
        withLease(ctx, restaurant?.restaurantId ?? '', async (lease) => {
          most.push(++inside)
          await lease.renew()
          inside--
        }),
      ),
    )
    expect(most).toEqual(Array.from({ length: 12 }, () => 1))
  })

  it('can be acquired a minute after a node died holding it', async () => {
    const [restaurant] = await addSubscribed(['active'])
    const restaurantId = restaurant?.restaurantId ?? ''
    const { ctx } = rig.app
    const until = ctx.now() + minuteMs
    await ctx.db.transact((db) =>
      billing.acquireLease(db, { restaurantId, holder: 'dead', until }, ctx.now()),
    )
    rig.app.advance(61_000)
    expect(await withLease(ctx, restaurantId, async () => 'on')).toBe('on')
  })

  it('cannot be renewed once it expired and somebody else acquired it', async () => {
    const [restaurant] = await addSubscribed(['active'])
    const restaurantId = restaurant?.restaurantId ?? ''
    const { ctx } = rig.app
    await expect(
      withLease(ctx, restaurantId, async (lease) => {
        rig.app.advance(61_000)
        await withLease(ctx, restaurantId, async () => {})
        await lease.renew()
      }),
    ).rejects.toMatchObject({ code: 'unavailable' })
  })
})
