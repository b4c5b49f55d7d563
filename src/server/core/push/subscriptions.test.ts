import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, type TestBrowser } from '../../../../test/support/app.ts'
import {
  advanceBy,
  mayasDevice,
  sendRequest,
  newRequestTexts,
  subscribePhone,
  takeNotifications,
  setUpPushService,
} from '../../../../test/support/outside/push-restaurant.ts'
import type { FakePushDevice } from '../../../../test/support/outside/push-service.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'
import * as pushSubscriptions from '../../storage/push/push-subscriptions.ts'
import type { PushNotification } from '../ctx.ts'
import { removeExpiredData } from '../retention/retention.ts'
import { nobodyListeningNotification, somebodyListeningNotification } from './notifications.ts'

const push = setUpPushService()

const subscription = ({ endpoint, keys }: FakePushDevice) => ({ endpoint, keys })

describe('a device', () => {
  it('belongs to whoever subscribed with it last', async () => {
    const restaurant = await push.openRestaurant()
    const otherRestaurant = await push.app.restaurant({ tables: ['1'] })
    await restaurant.phones.maya.subscribe(otherRestaurant.device, 'crew', null)
    await sendRequest(restaurant, '2')
    expect(await takeNotifications(restaurant)).toEqual({
      maya: [],
      jonas: newRequestTexts('2'),
      manager: [],
    })
    const body = { restaurantId: otherRestaurant.name, tableNumber: '1', serviceType: 'drinks' } as const
    await push.app.browser().ok(api.requests.send, { body })
    expect(await takeNotifications(restaurant)).toEqual({
      maya: newRequestTexts('1'),
      jonas: [],
      manager: [],
    })
  })

  it('gets nothing that failed for whoever had it before, but the same person does', async () => {
    const restaurant = await push.openRestaurant()
    const { device, maya, jonas, phones } = restaurant
    const [mayas, jonass] = [await connectScreen(device, maya.id), await connectScreen(device, jonas.id)]
    phones.maya.answer = phones.jonas.answer = 503
    const send = (to: string, from: typeof mayas) =>
      from.request({ type: 'send-team-message', targetCrewId: to, messageText: 'Between us' })
    await send(maya.id, jonass)
    await send(jonas.id, mayas)
    await sendRequest(restaurant, '2')
    await takeNotifications(restaurant)
    const ana = await restaurant.add('Ana')
    await phones.maya.subscribe(device, 'crew', ana.id)
    await phones.jonas.subscribe(device, 'crew', jonas.id)
    phones.maya.answer = phones.jonas.answer = 201
    await advanceBy(push.app, 2_500)
    const { maya: taken, jonas: kept } = await takeNotifications(restaurant)
    expect(kept?.toSorted()).toEqual(['Maya Lopez: Between us', ...newRequestTexts('2')])
    expect(taken).toEqual([])
  })

  it.each(['ends', 'ends, and begins anew'])(
    'gets nothing that waits for a slow push while its shift %s',
    async (what) => {
      const restaurant = await push.openRestaurant()
      const { device, maya, jonas, phones } = restaurant
      const screen = await connectScreen(device, jonas.id)
      const slow = Promise.withResolvers<number>()
      phones.maya.answer = slow.promise
      const { id } = await sendRequest(restaurant, '1')
      await expect.poll(() => phones.maya.attempts).toBe(1)
      await screen.request({ type: 'accept-request', id })
      await device.ok(api.push.unsubscribe, { params: { id: phones.maya.id } })
      if (what !== 'ends') await phones.maya.subscribe(device, 'crew', maya.id)
      slow.resolve(201)
      expect((await takeNotifications(restaurant))['maya']).toEqual(newRequestTexts('1'))
      expect(phones.maya.attempts).toBe(1)
    },
  )

  it('gets nothing that failed for it before its login ended', async () => {
    const restaurant = await push.openRestaurant()
    const { pusher, db } = push.app.ctx
    const { manager } = restaurant.phones
    const restaurantId = await push.app.idOf(restaurant)
    push.app.advance(12 * 3_600_000 - 1_000)
    const to = await pushSubscriptions.listForManagers(db.reader, restaurantId, push.app.now())
    manager.answer = 503
    await pusher.storeAndSend((tx) => pusher.notify(tx, restaurantId, to, nobodyListeningNotification))
    await takeNotifications(restaurant)
    expect(manager.attempts).toBe(1)
    manager.answer = 201
    await advanceBy(push.app, 2_500)
    expect((await takeNotifications(restaurant))['manager']).toEqual([])
    expect(manager.attempts).toBe(1)
  })

  it('gets nothing that was prepared for whoever had it before it was taken over', async () => {
    const restaurant = await push.openRestaurant()
    const { pusher, db } = push.app.ctx
    const { device, maya, phones } = restaurant
    const [restaurantId, lookedUp] = [await push.app.idOf(restaurant), await mayasDevice(restaurant)]
    const notify = async (notification: PushNotification) => {
      await pusher.storeAndSend((tx) => pusher.notify(tx, restaurantId, lookedUp, notification))
      return (await takeNotifications(restaurant))['maya']
    }
    await phones.maya.subscribe(device, 'crew', maya.id)
    expect(await notify(nobodyListeningNotification)).toHaveLength(1)
    await phones.maya.subscribe(device, 'crew', (await restaurant.add('Ana')).id)
    expect(await notify(nobodyListeningNotification)).toEqual([])
    // Nor later, when any node may send what has been left.
    await advanceBy(push.app, 16_000)
    expect((await takeNotifications(restaurant))['maya']).toEqual([])
    push.app.advance(16_000)
    await removeExpiredData(push.app.ctx)
    expect(await db.reader.selectFrom('pushDelivery').select('tag').execute()).toEqual([])
    // What the phone may be showing goes whoever has it.
    expect(await notify(somebodyListeningNotification)).toHaveLength(1)
  })

  it('is sent what failed for it under the version before, which did not store for whom it was', async () => {
    const restaurant = await push.openRestaurant()
    const { maya } = restaurant.phones
    maya.answer = 503
    await sendRequest(restaurant, '2')
    await takeNotifications(restaurant)
    const unknown = { audience: null, crewMemberId: null }
    await push.app.ctx.db.transact((db) => db.updateTable('pushDelivery').set(unknown).execute())
    maya.answer = 201
    await advanceBy(push.app, 2_500)
    expect((await takeNotifications(restaurant))['maya']).toEqual(newRequestTexts('2'))
  })

  it('gets nothing that failed for it in another restaurant', async () => {
    const restaurant = await push.openRestaurant()
    const otherRestaurant = await push.app.restaurant()
    restaurant.phones.maya.answer = 503
    await sendRequest(restaurant, '2')
    await takeNotifications(restaurant)
    await restaurant.phones.maya.subscribe(otherRestaurant.device, 'crew', null)
    await restaurant.phones.maya.subscribe(restaurant.device, 'crew', null)
    restaurant.phones.maya.answer = 201
    await advanceBy(push.app, 2_500)
    expect((await takeNotifications(restaurant))['maya']).toEqual([])
  })

  it('stops showing what it showed to whoever had it before', async () => {
    const restaurant = await push.openRestaurant()
    const { device, maya, jonas, phones } = restaurant
    const screen = await connectScreen(device, jonas.id)
    const message = {
      type: 'send-team-message',
      id: 'm1',
      targetCrewId: maya.id,
      messageText: 'Hello',
    } as const
    await screen.request(message)
    await takeNotifications(restaurant)
    phones.maya.answer = 503
    await screen.request({ type: 'delete-team-message', messageId: 'm1' })
    await takeNotifications(restaurant)
    await phones.maya.subscribe(device, 'crew', (await restaurant.add('Ana')).id)
    phones.maya.answer = 201
    await advanceBy(push.app, 2_500)
    expect((await takeNotifications(restaurant))['maya']).toEqual(['– Jonas: Message deleted'])
  })

  it('is removed with its session', async () => {
    const restaurant = await push.openRestaurant()
    await restaurant.device.fetch('/api/logout')
    await sendRequest(restaurant, '2')
    expect(await takeNotifications(restaurant)).toEqual({ maya: [], jonas: [], manager: [] })
  })

  it('is removed, and its screens are closed, by a login to another restaurant in the same browser', async () => {
    const [restaurant, otherRestaurant] = [await push.openRestaurant(), await push.app.restaurant()]
    const id = await push.app.idOf(restaurant)
    const screen = await connectScreen(restaurant.device, restaurant.maya.id)
    await restaurant.device.ok(api.accounts.restaurantLogin, {
      body: { restaurantName: otherRestaurant.name, password },
    })
    expect(await screen.closed).toBe(4401)
    await expect
      .poll(() => push.app.ctx.presence(id))
      .toEqual({ listening: false, screens: 0, listeners: new Set() })
  })

  it('is removed with its crew member, and by a new PIN that was not entered on it', async () => {
    const restaurant = await push.openRestaurant()
    await restaurant.owner.ok(api.crew.remove, { params: { id: restaurant.jonas.id } })
    await restaurant.owner.ok(api.crew.change, { params: { id: restaurant.maya.id }, body: { pin: '2468' } })
    await sendRequest(restaurant, '2')
    expect(await takeNotifications(restaurant)).toEqual({ maya: [], jonas: [], manager: [] })
    const body = {
      ...subscription(restaurant.phones.maya),
      audience: 'crew' as const,
      crewMemberId: restaurant.maya.id,
    }
    expect(await restaurant.device.call(api.push.subscribe, { body })).toMatchObject({
      status: 403,
      body: { code: 'pin_required' },
    })
    await (
      await restaurant.device.connect()
    ).request({
      type: 'set-crew-member-context',
      crewMemberId: restaurant.maya.id,
      pin: '2468',
    })
    expect((await restaurant.device.call(api.push.subscribe, { body })).status).toBe(201)
  })

  it('gets no alerts of somebody who could not be chosen on it, where everybody needs a PIN', async () => {
    const restaurant = await push.openRestaurant()
    const { owner, device, maya } = restaurant
    await owner.ok(api.restaurant.change, { body: { pinRequired: true } })
    const subscribe = (browser: TestBrowser, crewMemberId: string | null) => {
      const body = { ...subscription(push.service.device()), audience: 'crew' as const, crewMemberId }
      return browser.call(api.push.subscribe, { body })
    }
    expect(await subscribe(device, maya.id)).toMatchObject({
      status: 403,
      body: { message: 'Ask your manager for a PIN' },
    })
    expect((await subscribe(device, null)).status).toBe(201)
    const username = `maya ${maya.id}`
    await owner.ok(api.crew.change, { params: { id: maya.id }, body: { username, password } })
    const own = push.app.browser()
    await own.ok(api.accounts.crewLogin, { body: { username, password } })
    expect((await subscribe(own, maya.id)).status).toBe(201)
  })

  it('is sent what is for managers only while one is signed in', async () => {
    const restaurant = await push.openRestaurant()
    const body = { ...subscription(restaurant.phones.maya), audience: 'manager' as const, crewMemberId: null }
    expect(await restaurant.device.call(api.push.subscribe, { body })).toMatchObject({ status: 403 })
    const countAlerts = async (table: string) => {
      await sendRequest(restaurant, table)
      await advanceBy(push.app, 41_000)
      await advanceBy(push.app, 6_000)
      return (await takeNotifications(restaurant))['manager']?.length
    }
    // An unused login goes idle after two hours, but nobody uses a device while waiting for notifications.
    push.app.advance(3 * 3_600_000)
    await removeExpiredData(push.app.ctx)
    expect((await restaurant.manager.call(api.managers.currentUser, {})).status).toBe(401)
    expect(await countAlerts('1')).toBe(1)
    push.app.advance(9 * 3_600_000)
    await removeExpiredData(push.app.ctx)
    expect(await countAlerts('2')).toBe(0)
  })

  it('belongs to the crew member who signed in on it', async () => {
    const restaurant = await push.openRestaurant()
    await restaurant.owner.ok(api.crew.change, {
      params: { id: restaurant.maya.id },
      body: { username: `maya ${restaurant.maya.id}`, password },
    })
    const own = push.app.browser()
    await own.ok(api.accounts.crewLogin, { body: { username: `maya ${restaurant.maya.id}`, password } })
    const device = subscription(push.service.device())
    const subscribeAs = (crewMemberId: string | null) =>
      own.call(api.push.subscribe, { body: { ...device, audience: 'crew', crewMemberId } })
    expect(await subscribeAs(restaurant.jonas.id)).toMatchObject({ status: 403 })
    expect(await subscribeAs('nobody')).toMatchObject({ status: 404 })
    expect(await subscribeAs(null)).toMatchObject({ status: 201 })
    const id = await push.app.idOf(restaurant)
    await expect.poll(() => push.app.ctx.presence(id).listeners).toContain(restaurant.maya.id)
  })

  it('is refused with an endpoint or keys that no push service gives', async () => {
    const restaurant = await push.openRestaurant()
    const valid = { ...subscription(push.service.device()), audience: 'crew', crewMemberId: null }
    const { keys } = valid
    for (const invalid of [
      { endpoint: 'http://push.example.com/x' },
      { endpoint: 'https://a:b@push.example.com/x' },
      { endpoint: 'ftp://push.example.com' },
      { endpoint: `https://push.example.com/${'x'.repeat(1000)}` },
      { endpoint: `https://push.example.com/${'é'.repeat(400)}` },
      { keys: { ...keys, auth: `${keys.auth}AA` } },
      { keys: { ...keys, p256dh: keys.auth } },
      { keys: { ...keys, auth: keys.auth.replace(/./u, '+') } },
      { audience: 'guest' },
    ]) {
      expect(
        await restaurant.device.send('POST', '/api/push-subscriptions', { ...valid, ...invalid }),
      ).toMatchObject({
        status: 400,
        body: { code: 'invalid' },
      })
    }
    expect((await restaurant.device.send('POST', '/api/push-subscriptions', valid)).status).toBe(201)
  })

  it('makes room for a new one when a session has ten', async () => {
    const restaurant = await push.openRestaurant()
    for (let count = 0; count < 10; count++) {
      push.app.advance(1_000)
      await subscribePhone(push.service, restaurant.device, restaurant.jonas.id)
    }
    await sendRequest(restaurant, '2')
    expect(await takeNotifications(restaurant)).toMatchObject({ maya: [], jonas: [] })
  })
})
