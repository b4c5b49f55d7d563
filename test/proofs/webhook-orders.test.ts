import { expect, it } from 'vitest'
import {
  addPastSubscriptions,
  createStripeRig,
  deliverWebhook,
  findSubscriptions,
  setUpRig,
  type StripeBillingRig,
} from '../support/stripe/billing-rigs.ts'

let rig: StripeBillingRig
setUpRig(createStripeRig, (started) => (rig = started))

function permutations<T>(items: T[]): T[][] {
  if (items.length < 2) return [items]
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  )
}

it('the webhooks of a restaurant lead to the same state in whatever order and however often they come', async () => {
  const all = permutations([0, 1, 2, 3, 4, 5])
  const ended = ['canceled', 'active', 'past_due', 'unpaid']
  const subscribed = await addPastSubscriptions(
    rig,
    all.map((_, index) => ended[index % ended.length] ?? ''),
  )
  const before = rig.fake.subscriptions.size
  // Each permutation, and then the same events once more in reverse.
  for (let round = 0; round < 12; round++) {
    await Promise.all(
      subscribed.flatMap(({ events }, index) => {
        const order = all[index] ?? []
        const which = round < 6 ? order[round] : order[11 - round]
        const event = events[which ?? 0]
        return event ? [deliverWebhook(rig, event)] : []
      }),
    )
    await rig.whenIdle()
  }
  const stored = await findSubscriptions(
    rig,
    subscribed.map(({ restaurantId }) => restaurantId),
  )
  expect(stored).toEqual(
    subscribed
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
    await rig.app.ctx.db.reader
      .selectFrom('paymentEvent')
      .selectAll()
      .where('nextAt', 'is not', null)
      .execute(),
  ).toEqual([])
})
