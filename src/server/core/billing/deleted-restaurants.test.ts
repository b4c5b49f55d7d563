import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs } from '#contract/durations.ts'
import type { TestBrowser } from '../../../../test/support/app.ts'
import {
  createStripeRig,
  customerOf,
  refusedWith,
  setUpRig,
  type StripeBillingRig,
  subscribe,
} from '../../../../test/support/stripe/billing-rigs.ts'
import { eraseAlone, eraseNamed } from '../accounts/restaurants/erasure.ts'
import { eraseDueRestaurants } from '../accounts/restaurants/restaurant-endings.ts'

let rig: StripeBillingRig
setUpRig(createStripeRig, (started) => {
  rig = started
  // None of Stripe's webhooks arrives.
  rig.fake.deliverTo(null)
})

const remove = (owner: TestBrowser, restaurantName: string) =>
  owner.call(api.restaurant.remove, { body: { restaurantName } })

/** A restaurant with a subscription, and that one at Stripe. */
async function subscribed(card: 'ok' | 'charge_fails' = 'ok') {
  const restaurant = await rig.app.restaurant()
  const { owner } = restaurant
  await subscribe(rig, owner, 'monthly', card)
  const customerId = await customerOf(owner)
  const atStripe = () => [...rig.fake.subscriptions.values()].find(({ customer }) => customer === customerId)
  /** As “Renew” in Stripe's portal does. */
  const renewInPortal = () => rig.app.ctx.payments.resume(atStripe()?.id ?? '')
  return { ...restaurant, renewInPortal, statusAtStripe: () => atStripe()?.status }
}

/** Its owner has deleted it, and renewed the subscription in Stripe's portal since. */
async function deletedButRenewed() {
  const restaurant = await subscribed()
  await restaurant.owner.ok(api.billing.cancel, {})
  expect((await remove(restaurant.owner, restaurant.name)).status).toBe(200)
  await restaurant.renewInPortal()
  return restaurant
}

async function withoutStripe(task: () => Promise<unknown>): Promise<void> {
  rig.fake.refuseKey = true
  try {
    await task()
  } finally {
    rig.fake.refuseKey = false
    // It logs as an error that Stripe refuses the key.
    rig.app.lines.length = 0
  }
}

const isKept = async (name: string): Promise<boolean> => {
  const rows = rig.app.ctx.db.reader.selectFrom('restaurant').select('id').where('name', '=', name)
  return (await rows.execute()).length > 0
}

describe('deleting a restaurant', () => {
  const cancelFirst = refusedWith(
    409,
    'Please cancel your subscription first, so that nothing more is charged',
  )

  it('is refused while its subscription goes on, although only Stripe knows that', async () => {
    const { name, owner, renewInPortal } = await subscribed()
    await owner.ok(api.billing.cancel, {})
    await renewInPortal()
    expect(await remove(owner, name)).toMatchObject(cancelFirst)
    await owner.ok(api.billing.cancel, {})
    expect((await remove(owner, name)).status).toBe(200)
  })

  it('waits until Stripe can say what is charged', async () => {
    const { name, owner } = await subscribed()
    await owner.ok(api.billing.cancel, {})
    await withoutStripe(async () => expect((await remove(owner, name)).status).toBe(503))
    expect((await remove(owner, name)).status).toBe(200)
  })

  it('ends a subscription whose first payment waits for the bank, but only if it is deleted', async () => {
    const { name, owner, statusAtStripe } = await subscribed('charge_fails')
    expect((await remove(owner, 'Another name')).status).toBe(400)
    expect(statusAtStripe()).toBe('incomplete')
    expect((await remove(owner, name)).status).toBe(200)
    expect(statusAtStripe()).toBe('canceled')
  })
})

describe('erasing a restaurant', () => {
  it('ends its subscription that goes on', async () => {
    const { name, statusAtStripe } = await deletedButRenewed()
    rig.app.advance(30 * dayMs)
    await eraseDueRestaurants(rig.app.ctx)
    expect(statusAtStripe()).toBe('canceled')
    expect(await isKept(name)).toBe(false)
  })

  it.each([
    ['the server', (name: string) => eraseNamed(rig.app.ctx, name)],
    [
      'a command',
      async (name: string) => (await eraseAlone(rig.app.ctx, await rig.app.idOf({ name }))).erasure,
    ],
  ])('ends its subscription that was cancelled but not over yet, by %s', async (_, erase) => {
    const { name, owner, statusAtStripe } = await subscribed()
    await owner.ok(api.billing.cancel, {})
    expect(await erase(name)).toMatchObject({ kind: 'erased' })
    expect(statusAtStripe()).toBe('canceled')
  })

  it('waits until Stripe has ended its subscription', async () => {
    const { name, statusAtStripe } = await deletedButRenewed()
    rig.app.advance(30 * dayMs)
    await withoutStripe(() =>
      expect(eraseDueRestaurants(rig.app.ctx)).rejects.toMatchObject({ code: 'unavailable' }),
    )
    expect(await isKept(name)).toBe(true)
    await eraseDueRestaurants(rig.app.ctx)
    expect(statusAtStripe()).toBe('canceled')
    expect(await isKept(name)).toBe(false)
  })

  it('happens once when two servers find it due at the same moment', async () => {
    const { name, statusAtStripe } = await deletedButRenewed()
    rig.app.advance(30 * dayMs)
    await Promise.all([eraseDueRestaurants(rig.app.ctx), eraseDueRestaurants(rig.app.ctx)])
    expect(statusAtStripe()).toBe('canceled')
    expect(await isKept(name)).toBe(false)
  })
})
