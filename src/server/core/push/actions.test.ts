import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { PushAction } from '#contract/push.ts'
import {
  type PushRestaurant,
  sendRequest,
  setUpPushService,
} from '../../../../test/support/outside/push-restaurant.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'
import { describeState } from '../requests/late-taps.ts'

const push = setUpPushService()

/** Taps a button on Maya's phone, or on another. */
const tap = (
  { device, phones }: PushRestaurant,
  action: PushAction['action'],
  requestId: string,
  { endpoint }: { endpoint: string } = phones.maya,
  more: Partial<Pick<PushAction, 'ageMs'>> = {},
) => device.call(api.push.act, { body: { endpoint, requestId, action, ...more } })

const openRequests = async (restaurant: PushRestaurant) => {
  const socket = await restaurant.device.connect()
  socket.send({ type: 'get-pending-requests' })
  return (await socket.next('pending-requests')).requests
}

describe('a button of a notification', () => {
  it('acts in the name of the device, on all screens, and once however often it is sent', async () => {
    const restaurant = await push.openRestaurant()
    const screen = await connectScreen(restaurant.device, restaurant.jonas.id)
    const { id } = await sendRequest(restaurant, '1')
    for (let sent = 0; sent < 2; sent++)
      expect(await tap(restaurant, 'accept', id)).toMatchObject({
        status: 200,
        body: { title: 'Table 1', body: 'You’re on it' },
      })
    const acceptedBy = { id: restaurant.maya.id, name: 'Maya Lopez' }
    expect(await screen.next('request-updated')).toMatchObject({ request: { id, acceptedBy } })
    for (let sent = 0; sent < 2; sent++)
      expect(await tap(restaurant, 'complete', id)).toMatchObject({
        status: 200,
        body: { title: 'Table 1', body: 'Done' },
      })
    expect(await screen.next('request-completed')).toMatchObject({ id, by: acceptedBy })
    const kinds = await push.app.ctx.db.reader
      .selectFrom('requestEvent')
      .select('kind')
      .where('requestId', '=', id)
      .where('kind', 'in', ['accepted', 'completed'])
      .execute()
    expect(kinds.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'completed'])
  })

  it('acts in the name that was chosen on the device since', async () => {
    const restaurant = await push.openRestaurant()
    const { id } = await sendRequest(restaurant, '1')
    const { device, jonas, phones } = restaurant
    await phones.maya.subscribe(device, 'crew', jonas.id)
    expect((await tap(restaurant, 'accept', id)).status).toBe(200)
    expect(await openRequests(restaurant)).toMatchObject([{ id, acceptedBy: { name: 'Jonas' } }])
  })

  it('is refused in words when somebody else is on the way, or the guest has cancelled', async () => {
    const restaurant = await push.openRestaurant()
    const guest = push.app.browser()
    const { id } = await sendRequest(restaurant, '2', guest)
    expect((await tap(restaurant, 'accept', id, restaurant.phones.jonas)).status).toBe(200)
    expect(await tap(restaurant, 'accept', id)).toMatchObject({
      status: 409,
      body: { message: 'Too late: Jonas is on the way' },
    })
    await guest.ok(api.requests.cancel, { params: { id } })
    for (const action of ['accept', 'complete'] as const)
      expect(await tap(restaurant, action, id)).toMatchObject({
        status: 409,
        body: { message: 'Too late: Cancelled' },
      })
  })

  it.each([
    ['complete', 'reopen-request'],
    ['accept', 'release-request'],
  ] as const)(
    'that arrives again does not %s what somebody took back meanwhile',
    async (action, takeBack) => {
      const restaurant = await push.openRestaurant()
      const { maya } = restaurant.phones
      const screen = await connectScreen(restaurant.device, restaurant.jonas.id)
      const { id } = await sendRequest(restaurant, '1')
      expect((await tap(restaurant, action, id)).status).toBe(200)
      push.app.advance(2_000)
      await screen.request({ type: takeBack, id })
      push.app.advance(4_000)
      expect(await tap(restaurant, action, id, maya, { ageMs: 6_000 })).toMatchObject({
        status: 409,
        body: { message: 'Too late: Waiting again' },
      })
      expect(await openRequests(restaurant)).toMatchObject([{ id, state: 'waiting' }])
      // It was tapped after that.
      expect((await tap(restaurant, action, id, maya, { ageMs: 1_000 })).status).toBe(200)
    },
  )

  it.each([-1, 0.5, 3_600_000])('cannot be %s milliseconds old', async (ageMs) => {
    const restaurant = await push.openRestaurant()
    const { id } = await sendRequest(restaurant, '1')
    const { maya } = restaurant.phones
    expect((await tap(restaurant, 'complete', id, maya, { ageMs })).status).toBe(400)
    expect(await openRequests(restaurant)).toMatchObject([{ id, state: 'waiting' }])
  })

  it('says of a request that was released that it is waiting again', () => {
    expect(describeState({ closedAs: null, acceptedAt: null, acceptedByName: null })).toBe('Waiting again')
  })

  it('is refused in words after the shift has ended on the phone', async () => {
    const restaurant = await push.openRestaurant()
    const { id } = await sendRequest(restaurant, '1')
    await restaurant.device.ok(api.push.unsubscribe, { params: { id: restaurant.phones.maya.id } })
    expect(await tap(restaurant, 'accept', id)).toMatchObject({
      status: 409,
      body: { message: 'Alerts have ended on this phone. Open Tableside to go on.' },
    })
    expect(await openRequests(restaurant)).toMatchObject([{ id, state: 'waiting' }])
  })

  it('is refused where the name requires a PIN that was not entered on the phone', async () => {
    const restaurant = await push.openRestaurant()
    const { id } = await sendRequest(restaurant, '1')
    await restaurant.owner.ok(api.restaurant.change, { body: { pinRequired: true } })
    expect(await tap(restaurant, 'accept', id)).toMatchObject({
      status: 403,
      body: { code: 'pin_required', message: 'Open Tableside and choose your name again' },
    })
    // A new PIN ends the alerts of devices on which it was not entered.
    const { maya, owner, device, phones } = restaurant
    await owner.ok(api.crew.change, { params: { id: maya.id }, body: { pin: '2468' } })
    expect(await tap(restaurant, 'accept', id)).toMatchObject({ status: 409 })
    expect(await openRequests(restaurant)).toMatchObject([{ id, state: 'waiting' }])
    const screen = await device.connect()
    await screen.request({ type: 'set-crew-member-context', crewMemberId: maya.id, pin: '2468' })
    await phones.maya.subscribe(device, 'crew', maya.id)
    expect((await tap(restaurant, 'accept', id)).status).toBe(200)
  })

  it('is not accepted from another session, restaurant or audience, nor without a login', async () => {
    const restaurant = await push.openRestaurant()
    const there = await push.openRestaurant()
    const { id } = await sendRequest(restaurant, '1')
    const { endpoint } = restaurant.phones.maya
    const body = { endpoint, requestId: id, action: 'accept' } as const
    expect(await push.app.browser().call(api.push.act, { body })).toMatchObject({ status: 401 })
    expect(await restaurant.owner.call(api.push.act, { body })).toMatchObject({ status: 409 })
    expect(await there.device.call(api.push.act, { body })).toMatchObject({ status: 409 })
    expect(await tap(there, 'accept', id)).toMatchObject({ status: 404 })
    expect(await tap(there, 'complete', id)).toMatchObject({ status: 404 })
    const asManager = { ...body, endpoint: restaurant.phones.manager.endpoint }
    expect(await restaurant.manager.call(api.push.act, { body: asManager })).toMatchObject({ status: 409 })
    expect(await openRequests(restaurant)).toMatchObject([{ id, state: 'waiting' }])
  })
})
