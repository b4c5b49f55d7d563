import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { startTestApp, type TestApp } from '../../../../test/support/app.ts'
import { connectScreen, requestAsCrew } from '../../../../test/support/pages/crew-view.ts'
import { assignFirstTable } from '../../../../test/support/restaurants/busy-restaurant.ts'
import { repeatUnclaimedCalls } from './role-calls.ts'

let app: TestApp
beforeEach(async () => {
  app = await startTestApp()
})
afterEach(() => app.stop())

async function openRestaurant() {
  const restaurant = await app.restaurant({ tables: ['1', '2'] })
  const hire = (name: string, role: 'Server' | 'Busser') =>
    restaurant.owner.ok(api.crew.add, { body: { name, role } })
  const [maya, jonas, sam] = [
    await hire('Maya', 'Server'),
    await hire('Jonas', 'Server'),
    await hire('Sam', 'Busser'),
  ]
  await assignFirstTable(app, restaurant, maya.id)
  const screenOf = (crewMemberId: string) => connectScreen(restaurant.device, crewMemberId)
  /** As the crew sees it. */
  const ask = async (serviceType: 'drinks' | 'food') => {
    const body = { restaurantId: restaurant.name, tableNumber: '1', serviceType }
    const { request } = await app.browser().ok(api.requests.send, { body })
    return requestAsCrew(restaurant.device, request.id)
  }
  return { ...restaurant, maya, jonas, sam, screenOf, ask }
}

describe('a break', () => {
  it('hands open requests and the tables to the cover, and gives them back', async () => {
    const { maya, jonas, screenOf, ask } = await openRestaurant()
    const [mine, theirs] = [await screenOf(maya.id), await screenOf(jonas.id)]
    const before = await ask('drinks')
    expect(before.crew).toEqual([maya.id])
    expect(await mine.request({ type: 'start-break', coverId: jonas.id })).toMatchObject({ type: 'ack' })
    expect(await theirs.next('breaks')).toMatchObject({
      breaks: [{ crewMemberId: maya.id, coverId: jonas.id }],
    })
    await expect
      .poll(() => theirs.ofType('request-updated').at(-1)?.request)
      .toMatchObject({ id: before.id, crew: [jonas.id], level: 0 })
    expect(await ask('food')).toMatchObject({ crew: [jonas.id], level: 0 })

    await mine.request({ type: 'end-break' })
    expect(await theirs.next('breaks')).toMatchObject({ breaks: [] })
    mine.send({ type: 'get-pending-requests' })
    expect((await mine.next('pending-requests')).requests.map(({ crew }) => crew)).toEqual([
      [maya.id],
      [maya.id],
    ])
  })

  it('starts and ends with a message to a colleague', async () => {
    const { maya, jonas, screenOf, ask } = await openRestaurant()
    const mine = await screenOf(maya.id)
    await screenOf(jonas.id)
    const tell = (messageKey: 'ON_BREAK' | 'BACK_FROM_BREAK', messageText: string) =>
      mine.request({ type: 'send-team-message', targetCrewId: jonas.id, messageKey, messageText })
    await tell('ON_BREAK', 'Going on break')
    expect(await ask('drinks')).toMatchObject({ crew: [jonas.id] })
    await tell('BACK_FROM_BREAK', 'Back from break')
    expect(await ask('food')).toMatchObject({ crew: [maya.id] })
  })

  it('leaves the tables to all crew without a cover, and cannot be covered by somebody on a break', async () => {
    const { maya, jonas, screenOf, ask } = await openRestaurant()
    const [mine, theirs] = [await screenOf(maya.id), await screenOf(jonas.id)]
    await mine.request({ type: 'start-break', coverId: null })
    expect(await ask('drinks')).toMatchObject({ crew: [], level: 0 })
    expect(await theirs.request({ type: 'start-break', coverId: maya.id })).toMatchObject({
      code: 'conflict',
    })
    expect(await theirs.request({ type: 'start-break', coverId: jonas.id })).toMatchObject({
      code: 'invalid',
    })
  })
})

it('announces all breaks, even if they start and end at the same moment', async () => {
  const { maya, jonas, sam, device, owner, screenOf, ask } = await openRestaurant()
  const watch = await device.connect()
  watch.send({ type: 'get-pending-requests' })
  const more = await Promise.all(
    ['Ana', 'Ben', 'Cleo'].map((name) => owner.ok(api.crew.add, { body: { name, role: 'Server' } })),
  )
  const screens = await Promise.all([maya, jonas, sam, ...more].map(({ id }) => screenOf(id)))
  await Promise.all(screens.map((screen) => screen.request({ type: 'start-break', coverId: null })))
  await ask('drinks')
  await watch.next('new-request')
  expect(watch.ofType('breaks').at(-1)?.breaks).toHaveLength(6)
  await Promise.all(screens.slice(1).map((screen) => screen.request({ type: 'end-break' })))
  await ask('food')
  await watch.next('new-request')
  expect(watch.ofType('breaks').at(-1)?.breaks).toHaveLength(1)
})

describe('a call to a role', () => {
  it('stays until somebody of the role claims it, and alerts again after 20 seconds', async () => {
    const { maya, jonas, sam, screenOf } = await openRestaurant()
    const [from, busser, other] = [await screenOf(maya.id), await screenOf(sam.id), await screenOf(jonas.id)]
    const need = { role: 'Busser', messageKey: 'TABLE_READY_TO_CLEAR', tableNumber: '1' } as const
    const sent = await from.request({ type: 'send-role-message', id: 'call-1', ...need })
    await from.request({ type: 'send-role-message', id: 'call-1', ...need })
    const call = { id: 'call-1', ...need, from: { id: maya.id, name: 'Maya' }, claimedBy: null, alerts: 1 }
    expect(sent).toMatchObject({ type: 'ack', call })
    expect(await busser.next('role-message')).toMatchObject({ call })

    app.advance(20_001)
    await Promise.all([repeatUnclaimedCalls(app.ctx), repeatUnclaimedCalls(app.ctx)])
    expect(await busser.next('role-message')).toMatchObject({ call: { id: 'call-1', alerts: 2 } })
    expect(await busser.request({ type: 'claim-role-message', id: 'call-1' })).toMatchObject({
      call: { claimedBy: { id: sam.id, name: 'Sam' } },
    })
    expect(await other.request({ type: 'claim-role-message', id: 'call-1' })).toMatchObject({
      call: { claimedBy: { name: 'Sam' } },
    })
    expect(await other.next('role-message-claimed')).toMatchObject({ id: 'call-1', by: { name: 'Sam' } })
    app.advance(60_000)
    await repeatUnclaimedCalls(app.ctx)
    // A new screen: the others have not answered a ping for a minute, and may be disconnected.
    const later = await screenOf(jonas.id)
    later.send({ type: 'get-pending-requests' })
    expect(await later.next('pending-requests')).toMatchObject({ calls: [] })
    expect(busser.ofType('role-message')).toHaveLength(2)
  })

  it('alerts more and more rarely, but at least every minute for as long as nobody claims it', async () => {
    const { maya, sam, screenOf } = await openRestaurant()
    const [from, busser] = [await screenOf(maya.id), await screenOf(sam.id)]
    await from.request({ type: 'send-role-message', role: 'Busser', messageKey: 'TABLE_READY_TO_CLEAR' })
    await busser.next('role-message')
    const begunAt = app.now()
    const alertedAfter: number[] = []
    while (app.now() - begunAt < 300_000) {
      // Sooner than a screen that has not answered a ping is disconnected.
      app.advance(5_000)
      const before = busser.ofType('role-message').length
      await repeatUnclaimedCalls(app.ctx)
      await Promise.all([
        busser.request({ type: 'get-pending-requests' }),
        from.request({ type: 'get-pending-requests' }),
      ])
      if (busser.ofType('role-message').length > before) alertedAfter.push((app.now() - begunAt) / 1000)
    }
    expect(alertedAfter).toEqual([20, 60, 120, 180, 240, 300])
  })
})
