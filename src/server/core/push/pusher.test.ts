import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import {
  advanceBy,
  sendRequest,
  mayasDevice,
  newRequestTexts,
  type PushRestaurant,
  subscribePhone,
  takeNotifications,
  setUpPushService,
} from '../../../../test/support/outside/push-restaurant.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'
import type { PushOutcome, PushSender } from '../../ports/push.ts'
import * as pushSubscriptions from '../../storage/push/push-subscriptions.ts'
import { removeExpiredData } from '../retention/retention.ts'
import { write } from '../transaction.ts'
import { nobodyListeningNotification, somebodyListeningNotification } from './notifications.ts'
import { Pusher } from './pusher.ts'

const push = setUpPushService()

const withdrawalTexts = ['– Somebody is listening again: The crew hears new requests.']

/** Alerts Maya's phone, which cannot be reached, until it does not count as listening any more. */
async function alertUnreachablePhone(restaurant: PushRestaurant) {
  const { pusher } = push.app.ctx
  const { maya } = restaurant.phones
  const [restaurantId, to] = [await push.app.idOf(restaurant), await mayasDevice(restaurant)]
  Object.assign(maya, { answer: 503, attempts: 0 })
  await pusher.storeAndSend((db) => pusher.notify(db, restaurantId, to, nobodyListeningNotification))
  for (const delay of [2_500, 8_500, 30_500]) {
    await push.app.whenIdle()
    push.app.advance(delay)
    await pusher.sendDue()
  }
  await push.app.whenIdle()
  expect(maya.attempts).toBe(4)
  return { pusher }
}

/** Another node alerts Maya's phone, and gets this answer of its push service. */
async function alertFromOtherNode(restaurant: PushRestaurant, answer: number | Promise<number>) {
  const [restaurantId, devices] = [await push.app.idOf(restaurant), await mayasDevice(restaurant)]
  const other = new Pusher(() => push.app.ctx)
  restaurant.phones.maya.answer = answer
  await other.storeAndSend((db) => other.notify(db, restaurantId, devices, nobodyListeningNotification))
  return { other, restaurantId, devices }
}

/** The other node's alert arrives first, and the withdrawal once that node's claim has expired. */
async function expectDelayedWithdrawal(restaurant: PushRestaurant): Promise<void> {
  expect((await takeNotifications(restaurant))['maya']).toHaveLength(1)
  push.app.advance(16_000)
  await push.app.ctx.pusher.sendDue()
  expect((await takeNotifications(restaurant))['maya']).toEqual(withdrawalTexts)
}

/** A node for which a push service does not answer until the test does, where another restaurant has any number of phones. */
async function startSilentPushService() {
  const { app } = push
  const silence = Promise.withResolvers<PushOutcome>()
  const [attempted, sent]: [string[], string[]] = [[], []]
  const send: PushSender['send'] = async ({ endpoint }) => {
    const isSilent = endpoint.startsWith('https://silent')
    ;(isSilent ? attempted : sent).push(endpoint)
    return isSilent ? silence.promise : 'failed'
  }
  const pusher = new Pusher(() => ({ ...app.ctx, push: { ...app.ctx.push, send } }))
  const other = await app.restaurant()
  const restaurantId = await app.idOf(other)
  await subscribePhone(push.service, other.device, null)
  const [phone] = await pushSubscriptions.listForCrew(app.ctx.db.reader, restaurantId, app.now())
  if (!phone) throw new Error('The other restaurant has no phone')
  let alerts = 0
  const notify = async (host: string, count: number, tag = `alert-${++alerts}`) => {
    const phones = Array.from({ length: count }, (_, at) => ({
      ...phone,
      id: `${host} ${at}`,
      endpoint: `https://${host}.example/${at}`,
    }))
    await write(app.ctx, ({ db }) =>
      db
        .insertInto('pushSubscription')
        .values(phones)
        .onConflict((c) => c.doNothing())
        .execute(),
    )
    const notification = { ...nobodyListeningNotification, tag }
    return pusher.storeAndSend((db) => pusher.notify(db, restaurantId, phones, notification))
  }
  return { pusher, attempted, sent, notify, answer: silence.resolve }
}

const countDeliveries = async ({ attempts = 0 } = {}) =>
  (await push.app.ctx.db.reader.selectFrom('pushDelivery').select('attempts').execute()).filter(
    (delivery) => delivery.attempts >= attempts,
  ).length

describe('a device', () => {
  it('is removed when the push service no longer knows it', async () => {
    const restaurant = await push.openRestaurant()
    restaurant.phones.jonas.answer = 410
    await sendRequest(restaurant, '2')
    await takeNotifications(restaurant)
    await sendRequest(restaurant, '1')
    await advanceBy(push.app, 41_000)
    await takeNotifications(restaurant)
    expect(restaurant.phones.jonas.attempts).toBe(1)
    expect(
      await restaurant.device.call(api.push.unsubscribe, { params: { id: restaurant.phones.jonas.id } }),
    ).toMatchObject({
      status: 404,
    })
  })

  it.for([201, 410, 503])(
    'is left alone by an answer of %i that comes after its shift ended',
    async (answer) => {
      const restaurant = await push.openRestaurant()
      const { maya, phones } = restaurant
      const late = Promise.withResolvers<number>()
      phones.maya.answer = late.promise
      await sendRequest(restaurant, '1')
      await expect.poll(() => phones.maya.attempts).toBe(1)
      await restaurant.device.ok(api.push.unsubscribe, { params: { id: phones.maya.id } })
      phones.maya.answer = 201
      const next = await phones.maya.subscribe(restaurant.device, 'crew', maya.id)
      const [device] = await mayasDevice(restaurant)
      late.resolve(answer)
      await push.app.whenIdle()
      expect(next).not.toBe(phones.maya.id)
      expect(await mayasDevice(restaurant)).toEqual([device])
    },
  )

  it('is tried again when it cannot be reached, while the notification is still worth sending', async () => {
    const restaurant = await push.openRestaurant()
    restaurant.phones.maya.answer = 503
    await sendRequest(restaurant, '2')
    await takeNotifications(restaurant)
    expect(restaurant.phones.maya.attempts).toBe(1)
    for (const delay of [2_500, 8_500]) {
      await advanceBy(push.app, delay)
      await takeNotifications(restaurant)
    }
    expect(restaurant.phones.maya.attempts).toBe(3)
    restaurant.phones.maya.answer = 201
    await advanceBy(push.app, 31_000)
    expect((await takeNotifications(restaurant))['maya']).toEqual(newRequestTexts('2'))
  })

  it('is sent only the latest notification under a tag', async () => {
    const restaurant = await push.openRestaurant()
    const screen = await connectScreen(restaurant.device, restaurant.jonas.id)
    restaurant.phones.maya.answer = 503
    const { id } = await sendRequest(restaurant, '2')
    await takeNotifications(restaurant)
    await screen.request({ type: 'accept-request', id })
    await takeNotifications(restaurant)
    restaurant.phones.maya.answer = 201
    await advanceBy(push.app, 2_500)
    await takeNotifications(restaurant)
    await advanceBy(push.app, 9_000)
    expect((await takeNotifications(restaurant))['maya']?.length ?? 0).toBeLessThanOrEqual(1)
    expect(restaurant.phones.maya.attempts).toBe(3)
  })

  it('does not count as listening once it could not be reached, until it is seen again', async () => {
    const restaurant = await push.openRestaurant()
    const id = await push.app.idOf(restaurant)
    const both = new Set([restaurant.maya.id, restaurant.jonas.id])
    await expect.poll(() => push.app.ctx.presence(id).listeners).toEqual(both)
    await alertUnreachablePhone(restaurant)
    await expect.poll(() => push.app.ctx.presence(id).listeners).toEqual(new Set([restaurant.jonas.id]))
    await restaurant.phones.maya.subscribe(restaurant.device, 'crew', restaurant.maya.id)
    await expect.poll(() => push.app.ctx.presence(id).listeners).toEqual(both)
  })

  it('is tried again while hundreds of deliveries of another restaurant wait for a silent push service', async () => {
    const restaurant = await push.openRestaurant()
    const { pusher, attempted, sent, notify, answer } = await startSilentPushService()
    await notify('silent', 328)
    await expect.poll(() => attempted).toHaveLength(128)
    push.app.advance(14_000)
    const [restaurantId, devices] = [await push.app.idOf(restaurant), await mayasDevice(restaurant)]
    await pusher.storeAndSend((db) => pusher.notify(db, restaurantId, devices, nobodyListeningNotification))
    await expect.poll(() => countDeliveries({ attempts: 1 })).toBe(1)
    push.app.advance(3_000)
    const sendDue = async () => {
      await pusher.sendDue()
      return sent
    }
    await expect.poll(sendDue).toHaveLength(2)
    answer('failed')
    await push.app.whenIdle()
  })

  it('is sent nothing more while thousands of deliveries of its restaurant wait for its push service', async () => {
    const { notify, answer } = await startSilentPushService()
    for (let alert = 0; alert < 9; alert++) await notify('silent', 500)
    const stored = await countDeliveries()
    expect(stored).toBe(4_000)
    expect(push.app.lines.join('')).toContain('a push service is far behind')
    await notify('another', 1)
    expect(await countDeliveries()).toBe(stored + 1)
    // What takes the place of an alert is not sent either, but the alert must not come after it.
    await notify('silent', 500, 'alert-1')
    expect(await countDeliveries()).toBe(stored - 499)
    answer('sent')
    await push.app.whenIdle()
    await notify('silent', 1)
    await push.app.whenIdle()
    expect(await countDeliveries()).toBe(stored - 498)
  })

  it('is sent the alert when its push service is back after minutes', async () => {
    const restaurant = await push.openRestaurant()
    const { pusher } = await alertUnreachablePhone(restaurant)
    const { maya } = restaurant.phones
    for (let minute = 1; minute <= 8; minute++) {
      push.app.advance(60_500)
      await pusher.sendDue()
      await push.app.whenIdle()
      expect(maya.attempts).toBe(4 + minute)
    }
    maya.answer = 201
    push.app.advance(60_500)
    await pusher.sendDue()
    expect((await takeNotifications(restaurant))['maya']).toEqual([
      'Nobody is listening: No crew screen is listening right now. Guests are told to wave.',
    ])
  })

  it('is sent the withdrawal even if the alert may never have arrived', async () => {
    const restaurant = await push.openRestaurant()
    const { pusher } = await alertUnreachablePhone(restaurant)
    restaurant.phones.maya.answer = 201
    const restaurantId = await push.app.idOf(restaurant)
    await pusher.storeAndSend((db) => pusher.withdraw(db, restaurantId, somebodyListeningNotification))
    expect((await takeNotifications(restaurant))['maya']).toEqual(withdrawalTexts)
    // The alert is kept until a day after it expired.
    await alertUnreachablePhone(restaurant)
    push.app.advance(23 * 3_600_000)
    await removeExpiredData(push.app.ctx)
    const storedDeliveries = async () =>
      push.app.ctx.db.reader.selectFrom('pushDelivery').select('stays').execute()
    expect(await storedDeliveries()).toEqual([{ stays: 1 }])
    push.app.advance(3_600_000 + 600_000)
    await removeExpiredData(push.app.ctx)
    expect(await storedDeliveries()).toEqual([])
  })

  it('is sent the withdrawal even if the alert was not sent in time', async () => {
    const restaurant = await push.openRestaurant()
    restaurant.phones.maya.answer = 503
    const { id } = await sendRequest(restaurant, '2')
    await takeNotifications(restaurant)
    restaurant.phones.maya.answer = 201
    push.app.advance(121_000)
    await push.app.ctx.pusher.sendDue()
    expect((await takeNotifications(restaurant))['maya']).toEqual([])
    const screen = await connectScreen(restaurant.device, restaurant.jonas.id)
    await screen.request({ type: 'accept-request', id })
    expect((await takeNotifications(restaurant))['maya']).toEqual(['– Table 2: Jonas is on the way'])
  })

  it('is sent a withdrawal after the alert that is being sent', async () => {
    const restaurant = await push.openRestaurant()
    const screen = await connectScreen(restaurant.device, restaurant.jonas.id)
    const { promise, resolve } = Promise.withResolvers<number>()
    restaurant.phones.maya.answer = promise
    const { id } = await sendRequest(restaurant, '1')
    await expect.poll(() => restaurant.phones.maya.attempts).toBe(1)
    await screen.request({ type: 'accept-request', id })
    // There is one attempt however long it takes, and the next delivery waits for it.
    await advanceBy(push.app, 16_000)
    await advanceBy(push.app, 16_000)
    expect(restaurant.phones.maya.attempts).toBe(1)
    resolve(201)
    expect((await takeNotifications(restaurant))['maya']).toEqual([
      ...newRequestTexts('1'),
      '– Table 1: Jonas is on the way',
    ])
    expect(restaurant.phones.maya.attempts).toBe(2)
  })

  it('is sent a withdrawal after the alert that another node is sending', async () => {
    const restaurant = await push.openRestaurant()
    const { promise, resolve } = Promise.withResolvers<number>()
    const { restaurantId } = await alertFromOtherNode(restaurant, promise)
    await expect.poll(() => restaurant.phones.maya.attempts).toBe(1)
    const { pusher } = push.app.ctx
    await pusher.storeAndSend((db) => pusher.withdraw(db, restaurantId, somebodyListeningNotification))
    resolve(201)
    await expectDelayedWithdrawal(restaurant)
  })

  it('is sent an alert and its withdrawal after the alert that another node is retrying', async () => {
    const restaurant = await push.openRestaurant()
    const { other, restaurantId, devices } = await alertFromOtherNode(restaurant, 503)
    await takeNotifications(restaurant)
    const { promise, resolve } = Promise.withResolvers<number>()
    restaurant.phones.maya.answer = promise
    push.app.advance(2_500)
    await other.sendDue()
    await expect.poll(() => restaurant.phones.maya.attempts).toBe(2)
    const { pusher } = push.app.ctx
    await pusher.storeAndSend((db) => pusher.withdraw(db, restaurantId, somebodyListeningNotification))
    await pusher.storeAndSend((db) => pusher.notify(db, restaurantId, devices, nobodyListeningNotification))
    await pusher.storeAndSend((db) => pusher.withdraw(db, restaurantId, somebodyListeningNotification))
    resolve(201)
    await expectDelayedWithdrawal(restaurant)
  })

  it('is sent a withdrawal at once while no node is sending the alert', async () => {
    const restaurant = await push.openRestaurant()
    const { restaurantId } = await alertFromOtherNode(restaurant, 503)
    await takeNotifications(restaurant)
    restaurant.phones.maya.answer = 201
    const { pusher } = push.app.ctx
    await pusher.storeAndSend((db) => pusher.withdraw(db, restaurantId, somebodyListeningNotification))
    expect((await takeNotifications(restaurant))['maya']).toEqual(withdrawalTexts)
  })

  it('is notified once when a busy push service delays one node and another node is faster', async () => {
    const restaurant = await push.openRestaurant()
    const [restaurantId, [maya]] = [await push.app.idOf(restaurant), await mayasDevice(restaurant)]
    if (!maya) throw new Error('Maya has no device')
    const { promise, resolve } = Promise.withResolvers<number>()
    const busy = Array.from({ length: 128 }, () => Object.assign(push.service.device(), { answer: promise }))
    const { pusher } = push.app.ctx
    const devices = busy.map(({ endpoint, keys }, index) => ({
      ...maya,
      id: `busy ${index}`,
      endpoint,
      ...keys,
    }))
    for (const device of devices) await write(push.app.ctx, ({ db }) => pushSubscriptions.put(db, device))
    await pusher.storeAndSend((db) =>
      pusher.notify(db, restaurantId, [...devices, maya], nobodyListeningNotification),
    )
    await expect.poll(() => busy.every(({ attempts }) => attempts === 1)).toBe(true)
    push.app.advance(16_000)
    await pusher.sendDue()
    expect(restaurant.phones.maya.attempts).toBe(0)
    const other = new Pusher(() => push.app.ctx)
    await other.sendDue()
    await expect.poll(() => restaurant.phones.maya.attempts).toBe(1)
    resolve(201)
    await takeNotifications(restaurant)
    expect(restaurant.phones.maya.attempts).toBe(1)
  })

  it('is not notified again when another node has sent a delivery that waited too long', async () => {
    const restaurant = await push.openRestaurant()
    const [restaurantId, to] = [await push.app.idOf(restaurant), await mayasDevice(restaurant)]
    const { pusher } = push.app.ctx
    const postponed: (() => Promise<void>)[] = []
    const latePusher = new Pusher(() => ({
      ...push.app.ctx,
      background: (task) => void postponed.push(task),
    }))
    await latePusher.storeAndSend((db) =>
      latePusher.notify(db, restaurantId, to, nobodyListeningNotification),
    )
    push.app.advance(16_000)
    await pusher.sendDue()
    await takeNotifications(restaurant)
    expect(restaurant.phones.maya.attempts).toBe(1)
    await Promise.all(postponed.map((task) => task()))
    expect(restaurant.phones.maya.attempts).toBe(1)
  })

  it('is sent the next notification although the one before failed', async () => {
    const restaurant = await push.openRestaurant()
    const screen = await connectScreen(restaurant.device, restaurant.jonas.id)
    const { push: sender } = push.app.ctx
    const broken = Promise.withResolvers<'failed'>()
    Object.assign(push.app.ctx, { push: { ...sender, send: () => broken.promise } })
    const { id } = await sendRequest(restaurant, '1')
    await advanceBy(push.app, 0)
    Object.assign(push.app.ctx, { push: sender })
    await screen.request({ type: 'accept-request', id })
    await advanceBy(push.app, 0)
    broken.reject(new Error('broken'))
    expect((await takeNotifications(restaurant))['maya']).toEqual(['– Table 1: Jonas is on the way'])
    expect(push.app.lines.filter((line) => line.includes('could not send a push'))).toHaveLength(1)
    push.app.lines.length = 0
  })
})
