import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs, minuteMs, secondMs } from '#contract/durations.ts'
import type { ServiceType } from '#contract/requests/requests.ts'
import { setUpApp } from '../../../../../test/support/app.ts'
import { connectScreen } from '../../../../../test/support/pages/crew-view.ts'
import { ownNeedKey } from '../../../storage/requests/asked-need.ts'
import type { RequestRow } from '../../../storage/requests/requests.ts'

const app = setUpApp()

const longAgo = 10 * dayMs

type Asked = Pick<RequestRow, 'serviceType' | 'need'>

/** With 200 requests for food, or what else is asked for, that took two to five minutes each, none while another was open. */
async function openExperienced(asked: Asked = { serviceType: 'food', need: null }) {
  const restaurant = await app.restaurant()
  const restaurantId = await app.idOf(restaurant)
  const rows = Array.from({ length: 200 }, (_, index) => {
    const createdAt = app.now() - longAgo + index * 10 * minuteMs
    return {
      restaurantId,
      id: `past-${index}`,
      tableId: null,
      tableNumber: '1',
      tableKey: '1',
      movedTo: null,
      ...asked,
      createdAt,
      localDay: new Date(createdAt).toISOString().slice(0, 10),
      asks: 1,
      lastAskedAt: createdAt,
      seen: 0,
      level: 0,
      verified: 0,
      byButton: 0,
      closedAt: createdAt + 2 * minuteMs + index * secondMs * 0.9,
      closedAs: 'completed' as const,
      crew: '',
      called: '',
      pushedLevel: -1,
      stillWaiting: 0,
    }
  })
  await app.ctx.db.transact((db) => db.insertInto('serviceRequest').values(rows).execute())
  const ask = async (tableNumber: string, serviceType: ServiceType = 'food') => {
    const body = { restaurantId: restaurant.name, tableNumber, serviceType }
    return (await app.browser().ok(api.requests.send, { body })).request
  }
  const complete = async ({ id }: { id: string }) => {
    const screen = await connectScreen(restaurant.device)
    await screen.request({ type: 'complete-request', id })
    screen.close()
  }
  return { ...restaurant, restaurantId, ask, complete }
}

it('tells guests how long it takes once it is known, and nothing unless the owner wants that', async () => {
  const { owner, ask, complete } = await openExperienced()
  const before = await ask('2')
  expect(before).not.toHaveProperty('expected')
  expect((await owner.ok(api.analytics.expectedTimes, {})).similar).toEqual([])

  const settings = await owner.ok(api.restaurant.change, { body: { expectedTimes: true } })
  expect(settings.expectedTimes).toBe(true)
  // Worked out meanwhile, as nobody is to wait for it.
  const meanwhile = await ask('3')
  expect(meanwhile).not.toHaveProperty('expected')
  await app.whenIdle()
  const check = await ask('4', 'check')
  expect(check.expected).toBeUndefined()
  // Three others are open, and nothing is known of how long it takes then.
  const loaded = await ask('5')
  expect(loaded.expected).toBeUndefined()
  for (const request of [before, meanwhile, check, loaded]) await complete(request)
  const told = await ask('6')
  expect(told.expected).toEqual({ fromMs: 2 * minuteMs, untilMs: 5 * minuteMs })
  await complete(told)

  await owner.ok(api.restaurant.change, { body: { expectedTimes: false } })
  expect(await ask('7')).not.toHaveProperty('expected')
})

it('keeps what the guest was told, and counts whether it was kept', async () => {
  const { name, owner, ask, complete } = await openExperienced()
  await owner.ok(api.restaurant.change, { body: { expectedTimes: true } })
  const first = await ask('2', 'other')
  await app.whenIdle()
  await complete(first)
  const expected = { fromMs: 2 * minuteMs, untilMs: 5 * minuteMs }
  const told = await ask('7')
  expect(told.expected).toEqual(expected)
  app.advance(minuteMs)
  const query = { restaurantId: name, tableNumber: '7' }
  const listed = await app.browser().ok(api.requests.mine, { query })
  expect(listed.requests.map((request) => request.expected)).toEqual([expected])
  const onTime = await owner.ok(api.analytics.expectedTimes, {})
  expect(onTime.kept).toEqual([])
  await complete(told)
  const late = await ask('8')
  app.advance(6 * minuteMs)
  const { on, similar, kept } = await owner.ok(api.analytics.expectedTimes, {})
  expect(on).toBe(true)
  expect(kept).toEqual([{ serviceType: 'food', told: 2, kept: 1 }])
  expect(similar).toContainEqual({ serviceType: 'food', others: { from: 0, to: 1 }, requests: 200, expected })
  expect(late.expected).toEqual(expected)
})

it('tells how long a need of the restaurant’s own takes, too', async () => {
  const water = { id: 'water', name: { en: 'Water' }, icon: 'water', targetMs: minuteMs } as const
  const asked = { serviceType: ownNeedKey(water.id), need: JSON.stringify(water) }
  const { name: restaurantId, owner, complete } = await openExperienced(asked)
  await owner.ok(api.needs.set, { body: { needs: [water] } })
  await owner.ok(api.restaurant.change, { body: { expectedTimes: true } })
  const ask = async (tableNumber: string, need?: string) => {
    const body = { restaurantId, tableNumber, serviceType: 'other', ...(need && { need }) } as const
    return (await app.browser().ok(api.requests.send, { body })).request
  }
  const first = await ask('2', 'water')
  await app.whenIdle()
  await complete(first)
  const expected = { fromMs: 2 * minuteMs, untilMs: 5 * minuteMs }
  expect((await ask('3', 'water')).expected).toEqual(expected)
  expect((await ask('4')).expected).toBeUndefined()
  const { similar } = await owner.ok(api.analytics.expectedTimes, {})
  expect(similar).toContainEqual({
    serviceType: 'other',
    need: water,
    others: { from: 0, to: 1 },
    requests: 200,
    expected,
  })
})

it('the expected time is worked out separately for each restaurant, and again after an hour', async () => {
  const [here, there] = [await openExperienced(), await app.restaurant()]
  for (const { owner } of [here, there])
    await owner.ok(api.restaurant.change, { body: { expectedTimes: true } })
  const askThere = async () => {
    const body = { restaurantId: there.name, tableNumber: '1', serviceType: 'food' as const }
    return (await app.browser().ok(api.requests.send, { body })).request
  }
  await here.ask('2')
  await askThere()
  await app.whenIdle()
  expect((await here.ask('3')).expected).toEqual({ fromMs: 2 * minuteMs, untilMs: 5 * minuteMs })
  expect((await askThere()).expected).toBeUndefined()
  // The kitchen is slow today.
  await app.ctx.db.transact((db) =>
    db
      .updateTable('serviceRequest')
      .set((e) => ({ closedAt: e('createdAt', '+', 12 * minuteMs) }))
      .where('restaurantId', '=', here.restaurantId)
      .where('closedAt', 'is not', null)
      .execute(),
  )
  app.advance(61 * minuteMs)
  await here.ask('2', 'drinks')
  await app.whenIdle()
  expect((await here.ask('8')).expected).toBeUndefined()
})
