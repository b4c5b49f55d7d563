import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { TestBrowser } from '../../../../test/support/app.ts'
import {
  customerOf,
  type StripeBillingRig,
  createStripeRig,
  subscribe,
  webhookSecret,
} from '../../../../test/support/billing-rigs.ts'
import type { FakeEvent } from '../../../../test/support/fake-stripe.ts'
import * as billing from '../../storage/billing.ts'
import * as restaurants from '../../storage/restaurants.ts'
import { withLease } from './billing-lease.ts'
import { receiveWebhook, reconcileSubscriptions, retryDueEvents } from './webhook-inbox.ts'

const minutes = 60_000
const hours = 60 * minutes

let rig: StripeBillingRig
beforeAll(async () => {
  rig = await createStripeRig()
})
afterAll(() => rig.stop())

const db = () => rig.app.ctx.db.reader
const view = (owner: TestBrowser) => owner.ok(api.billing.subscription, {})
const tell = (event: FakeEvent) => {
  const { raw, signature } = rig.fake.signed(event, webhookSecret)
  return receiveWebhook(rig.app.ctx, raw, signature)
}
const inbox = (id: string) =>
  db().selectFrom('paymentEvent').selectAll().where('eventId', '=', id).executeTakeFirstOrThrow()
const only = <T>(list: Iterable<T>, is: (one: T) => boolean): T => {
  const found = [...list].find(is)
  if (found === undefined) throw new Error('not there')
  return found
}

/** All orders of a list. */
function orders<T>(list: T[]): T[][] {
  if (list.length < 2) return [list]
  return list.flatMap((one, index) => orders(list.toSpliced(index, 1)).map((rest) => [one, ...rest]))
}

/** Restaurants that subscribed long ago, of which nothing has been heard yet. */
async function silent(statuses: string[]) {
  const { ctx } = rig.app
  return ctx.db.transact(async (db) => {
    const made = []
    for (const status of statuses) {
      const [id, attemptId] = [ctx.newId(), ctx.newId()]
      await restaurants.insert(db, {
        id,
        name: `Silent ${id}`,
        timeZone: 'UTC',
        codeGeneration: 1,
        codeKey: 'key',
        managedSince: null,
        createdAt: ctx.now(),
      })
      const { customer, setup, events } = rig.fake.createPastSubscription(
        { restaurantId: id, attemptId },
        status,
      )
      await billing.setCustomer(db, { restaurantId: id, provider: 'stripe-test', customerId: customer })
      await billing.insertAttempt(db, {
        restaurantId: id,
        id: attemptId,
        plan: 'monthly',
        priceId: 'price_fake_monthly',
        setupIntentId: setup,
        state: 'open',
        createdAt: ctx.now(),
      })
      made.push({ restaurantId: id, customer, status, events })
    }
    return made
  })
}

const storedOf = async (restaurantIds: string[]) =>
  db()
    .selectFrom('subscription')
    .select(['restaurantId', 'status', 'plan', 'cancelAtPeriodEnd', 'nextPlan'])
    .where('restaurantId', 'in', restaurantIds)
    .orderBy('restaurantId')
    .execute()

describe('what is heard from the provider', () => {
  it('leads to the last state, however the changes and the words about them are mixed', async () => {
    const statuses = ['active', 'past_due', 'unpaid', 'canceled', 'incomplete']
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...statuses), fc.nat(5), fc.boolean()), {
          minLength: 2,
          maxLength: 8,
        }),
        async (steps) => {
          const [restaurant] = await silent(['active'])
          if (!restaurant) throw new Error('none')
          const made = only(rig.fake.subscriptions.values(), (one) => one.customer === restaurant.customer)
          const said: FakeEvent[] = []
          const telling: Promise<void>[] = []
          rig.fake.deliverTo(null)
          for (const [status, old, wait] of steps) {
            made.status = status
            said.push(rig.fake.emit('customer.subscription.updated', made))
            const event = said[old % said.length]
            if (event) telling.push(tell(event))
            if (wait) await Promise.all(telling)
          }
          // Whatever was late comes at last.
          for (const event of said.toReversed()) telling.push(tell(event))
          await Promise.all(telling)
          await rig.whenIdle()
          expect(await storedOf([restaurant.restaurantId])).toMatchObject([{ status: steps.at(-1)?.[0] }])
        },
      ),
      { numRuns: 25 },
    )
  }, 60_000)

  it('is asked about, never believed', async () => {
    const { owner } = await rig.app.restaurant()
    await subscribe(rig, owner)
    const customer = await customerOf(owner)
    const made = only(rig.fake.subscriptions.values(), (one) => one.customer === customer)
    rig.fake.deliverTo(null)
    await tell(rig.fake.emit('customer.subscription.deleted', { ...made, status: 'canceled' } as typeof made))
    await rig.whenIdle()
    expect(await view(owner)).toMatchObject({ status: 'active' })
  })

  it('waits while the provider does not answer, and is tried again until it does', async () => {
    const { owner } = await rig.app.restaurant()
    await subscribe(rig, owner)
    const customer = await customerOf(owner)
    const made = only(rig.fake.subscriptions.values(), (one) => one.customer === customer)
    rig.fake.deliverTo(null)
    made.status = 'past_due'
    const event = rig.fake.emit('customer.subscription.updated', made)
    rig.fake.refuseKey = true
    await tell(event)
    await rig.whenIdle()
    expect(await inbox(event.id)).toMatchObject({ processedAt: null, attempts: 1, error: expect.any(String) })
    rig.app.advance(61_000)
    await retryDueEvents(rig.app.ctx)
    expect(await inbox(event.id)).toMatchObject({ processedAt: null, attempts: 2 })
    rig.fake.refuseKey = false
    await retryDueEvents(rig.app.ctx)
    expect(await inbox(event.id)).toMatchObject({ processedAt: null, attempts: 2 })
    rig.app.advance(3 * minutes)
    await retryDueEvents(rig.app.ctx)
    expect(await inbox(event.id)).toMatchObject({
      processedAt: expect.any(Number),
      nextAt: null,
      error: null,
    })
    expect(await view(owner)).toMatchObject({ status: 'past_due' })
    rig.app.lines.length = 0
  })

  it('is given up after three days of trying', async () => {
    const [restaurant] = await silent(['active'])
    const event = restaurant?.events[4]
    if (!event) throw new Error('none')
    rig.fake.refuseKey = true
    await tell(event)
    await rig.whenIdle()
    const began = rig.app.now()
    for (let tries = 0; tries < 30; tries++) {
      rig.app.advance(6 * hours)
      await retryDueEvents(rig.app.ctx)
    }
    rig.fake.refuseKey = false
    expect(rig.app.now() - began).toBeGreaterThan(3 * 24 * hours)
    expect(await inbox(event.id)).toMatchObject({ processedAt: null, nextAt: null, attempts: 20 })
    rig.app.lines.length = 0
  })

  it('is taken up by another node when the one that took it in has died', async () => {
    const [restaurant] = await silent(['past_due'])
    const event = restaurant?.events[4]
    if (!event || !restaurant) throw new Error('none')
    const { ctx } = rig.app
    const { raw, signature } = rig.fake.signed(event, webhookSecret)
    // Died between taking it in and processing it.
    await receiveWebhook({ ...ctx, background: () => {} }, raw, signature)
    expect(await storedOf([restaurant.restaurantId])).toEqual([])
    rig.app.advance(3 * minutes)
    await Promise.all([retryDueEvents(ctx), retryDueEvents(ctx)])
    expect(await storedOf([restaurant.restaurantId])).toMatchObject([{ status: 'past_due' }])
  })
})

describe('what is never said', () => {
  it('is found out within a day', async () => {
    const [restaurant] = await silent(['active'])
    if (!restaurant) throw new Error('none')
    await tell(only(restaurant.events, ({ type }) => type === 'customer.subscription.created'))
    await rig.whenIdle()
    const made = only(rig.fake.subscriptions.values(), (one) => one.customer === restaurant.customer)
    rig.fake.deliverTo(null)
    made.status = 'unpaid'
    await reconcileSubscriptions(rig.app.ctx)
    expect(await storedOf([restaurant.restaurantId])).toMatchObject([{ status: 'active' }])
    rig.app.advance(24 * hours + 1)
    await reconcileSubscriptions(rig.app.ctx)
    expect(await storedOf([restaurant.restaurantId])).toMatchObject([{ status: 'unpaid' }])
  }, 60_000)
})

describe('talking to the provider about a restaurant', () => {
  it('is for one at a time', async () => {
    const [restaurant] = await silent(['active'])
    const { ctx } = rig.app
    let inside = 0
    const most: number[] = []
    await Promise.all(
      Array.from({ length: 12 }, () =>
        withLease(ctx, restaurant?.restaurantId ?? '', async (lock) => {
          most.push(++inside)
          await lock.renew()
          inside--
        }),
      ),
    )
    expect(most).toEqual(Array.from({ length: 12 }, () => 1))
  })

  it('goes on a minute after a node died in the middle of it', async () => {
    const [restaurant] = await silent(['active'])
    const restaurantId = restaurant?.restaurantId ?? ''
    const { ctx } = rig.app
    const until = ctx.now() + minutes
    await ctx.db.transact((db) =>
      billing.acquireLease(db, { restaurantId, holder: 'dead', until }, ctx.now()),
    )
    rig.app.advance(61_000)
    expect(await withLease(ctx, restaurantId, async () => 'on')).toBe('on')
  })

  it('stops before it does anything twice when it took too long and somebody else began', async () => {
    const [restaurant] = await silent(['active'])
    const restaurantId = restaurant?.restaurantId ?? ''
    const { ctx } = rig.app
    await expect(
      withLease(ctx, restaurantId, async (lock) => {
        rig.app.advance(61_000)
        await withLease(ctx, restaurantId, async () => {})
        await lock.renew()
      }),
    ).rejects.toMatchObject({ code: 'unavailable' })
  })
})

// Last, because it leaves many restaurants behind.
describe('everything that is heard', () => {
  it('ends the same in whatever order and however often it comes', async () => {
    const all = orders([0, 1, 2, 3, 4, 5])
    const ended = ['canceled', 'active', 'past_due', 'unpaid']
    const silents = await silent(all.map((_, index) => ended[index % ended.length] ?? ''))
    const before = rig.fake.subscriptions.size
    // Each order, and then all of it once more the other way round.
    for (let round = 0; round < 12; round++) {
      await Promise.all(
        silents.flatMap(({ events }, index) => {
          const order = all[index] ?? []
          const which = round < 6 ? order[round] : order[11 - round]
          const event = events[which ?? 0]
          return event ? [tell(event)] : []
        }),
      )
      await rig.whenIdle()
    }
    const stored = await storedOf(silents.map(({ restaurantId }) => restaurantId))
    expect(stored).toEqual(
      silents
        .map(({ restaurantId, status }) => ({
          restaurantId,
          status,
          plan: 'monthly',
          cancelAtPeriodEnd: 0,
          nextPlan: null,
        }))
        .toSorted((a, b) => (a.restaurantId < b.restaurantId ? -1 : 1)),
    )
    expect(rig.fake.subscriptions.size).toBe(before)
    expect(
      await db().selectFrom('paymentEvent').selectAll().where('nextAt', 'is not', null).execute(),
    ).toEqual([])
  }, 240_000)
})
