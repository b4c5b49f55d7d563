import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { TestApp } from '../../../../test/support/app.ts'
import {
  advanceBy,
  sendRequest,
  beforeEachWithPushService,
  mayasDevice,
  newRequestTexts,
  openPushRestaurant,
  type PushRestaurant,
  connectScreen,
  takeNotifications,
} from '../../../../test/support/push-restaurant.ts'
import type { PushService } from '../../../../test/support/push-service.ts'
import * as devices from '../../storage/push-subscriptions.ts'
import { write } from '../transaction.ts'
import { nobodyListeningNotification, somebodyListeningNotification } from './notifications.ts'
import { Pusher } from './pusher.ts'
import { removeExpiredData } from '../retention.ts'

let service: PushService
let app: TestApp
beforeEachWithPushService((started) => {
  ;({ app, service } = started)
})

const place = () => openPushRestaurant(app, service)

const allClear = ['– Somebody is listening again: The crew hears new requests.']

/** Tells Maya's phone something until it is given up. */
async function alertInVain(here: PushRestaurant) {
  const { pusher } = app.ctx
  const { maya } = here.phones
  const [restaurantId, to] = [await app.idOf(here), await mayasDevice(here)]
  Object.assign(maya, { answer: 503, attempts: 0 })
  await pusher.storeAndSend((db) => pusher.notify(db, restaurantId, to, nobodyListeningNotification))
  for (const pause of [2_500, 8_500, 30_500]) {
    await app.whenIdle()
    app.advance(pause)
    await pusher.sendDue()
  }
  await app.whenIdle()
  expect(maya.attempts).toBe(4)
  return { pusher }
}

describe('a device', () => {
  it('that is gone is forgotten', async () => {
    const here = await place()
    here.phones.jonas.answer = 410
    await sendRequest(here, '2')
    await takeNotifications(here)
    await sendRequest(here, '1')
    await advanceBy(app, 21_000)
    await takeNotifications(here)
    expect(here.phones.jonas.attempts).toBe(1)
    expect(
      await here.device.call(api.push.unsubscribe, { params: { id: here.phones.jonas.id } }),
    ).toMatchObject({
      status: 404,
    })
  })

  it('that is not reached is tried again three times, and for as long as it makes sense', async () => {
    const here = await place()
    here.phones.maya.answer = 503
    await sendRequest(here, '2')
    await takeNotifications(here)
    expect(here.phones.maya.attempts).toBe(1)
    for (const pause of [2_500, 8_500]) {
      await advanceBy(app, pause)
      await takeNotifications(here)
    }
    expect(here.phones.maya.attempts).toBe(3)
    here.phones.maya.answer = 201
    await advanceBy(app, 31_000)
    expect((await takeNotifications(here))['maya']).toEqual(newRequestTexts('2'))
  })

  it('is withdrawn from only by what is true: the last word under a tag is what is sent', async () => {
    const here = await place()
    const screen = await connectScreen(here.device, here.jonas.id)
    here.phones.maya.answer = 503
    const { id } = await sendRequest(here, '2')
    await takeNotifications(here)
    await screen.request({ type: 'accept-request', id })
    await takeNotifications(here)
    here.phones.maya.answer = 201
    await advanceBy(app, 2_500)
    await takeNotifications(here)
    await advanceBy(app, 9_000)
    expect((await takeNotifications(here))['maya']?.length ?? 0).toBeLessThanOrEqual(1)
    expect(here.phones.maya.attempts).toBe(3)
  })

  it('that is not reached at all does not count as listening, until it is looked at again', async () => {
    const here = await place()
    const id = await app.idOf(here)
    const both = new Set([here.maya.id, here.jonas.id])
    expect(app.ctx.presence(id).listeners).toEqual(both)
    await alertInVain(here)
    await expect.poll(() => app.ctx.presence(id).listeners).toEqual(new Set([here.jonas.id]))
    await here.phones.maya.subscribe(here.device, 'crew', here.maya.id)
    await expect.poll(() => app.ctx.presence(id).listeners).toEqual(both)
  })

  it('is withdrawn from also where nobody can say whether the alert arrived', async () => {
    const here = await place()
    const { pusher } = await alertInVain(here)
    here.phones.maya.answer = 201
    const restaurantId = await app.idOf(here)
    await pusher.storeAndSend((db) => pusher.withdraw(db, restaurantId, somebodyListeningNotification))
    expect((await takeNotifications(here))['maya']).toEqual(allClear)
    // It is forgotten a day after it made sense, and not before.
    await alertInVain(here)
    app.advance(23 * 3_600_000)
    await removeExpiredData(app.ctx)
    const left = async () => app.ctx.db.reader.selectFrom('pushDelivery').select('stays').execute()
    expect(await left()).toEqual([{ stays: 1 }])
    app.advance(3_600_000 + 600_000)
    await removeExpiredData(app.ctx)
    expect(await left()).toEqual([])
  })

  it('is withdrawn from also when the alert was not sent in time', async () => {
    const here = await place()
    here.phones.maya.answer = 503
    const { id } = await sendRequest(here, '2')
    await takeNotifications(here)
    here.phones.maya.answer = 201
    app.advance(121_000)
    await app.ctx.pusher.sendDue()
    expect((await takeNotifications(here))['maya']).toEqual([])
    const screen = await connectScreen(here.device, here.jonas.id)
    await screen.request({ type: 'accept-request', id })
    expect((await takeNotifications(here))['maya']).toEqual(['– Table 2: Jonas is on the way'])
  })

  it('gets a withdrawal after the alert that is just being sent', async () => {
    const here = await place()
    const screen = await connectScreen(here.device, here.jonas.id)
    const { promise, resolve } = Promise.withResolvers<number>()
    here.phones.maya.answer = promise
    const { id } = await sendRequest(here, '1')
    await expect.poll(() => here.phones.maya.attempts).toBe(1)
    await screen.request({ type: 'accept-request', id })
    // It is tried once however long it takes, and what comes after it waits.
    await advanceBy(app, 16_000)
    await advanceBy(app, 16_000)
    expect(here.phones.maya.attempts).toBe(1)
    resolve(201)
    expect((await takeNotifications(here))['maya']).toEqual([
      ...newRequestTexts('1'),
      '– Table 1: Jonas is on the way',
    ])
    expect(here.phones.maya.attempts).toBe(2)
  })

  it('gets a withdrawal after the alert that another node is just sending', async () => {
    const here = await place()
    const [restaurantId, to] = [await app.idOf(here), await mayasDevice(here)]
    const other = new Pusher(() => app.ctx)
    const { promise, resolve } = Promise.withResolvers<number>()
    here.phones.maya.answer = promise
    await other.storeAndSend((db) => other.notify(db, restaurantId, to, nobodyListeningNotification))
    await expect.poll(() => here.phones.maya.attempts).toBe(1)
    const { pusher } = app.ctx
    await pusher.storeAndSend((db) => pusher.withdraw(db, restaurantId, somebodyListeningNotification))
    resolve(201)
    expect((await takeNotifications(here))['maya']).toHaveLength(1)
    app.advance(16_000)
    await pusher.sendDue()
    expect((await takeNotifications(here))['maya']).toEqual(allClear)
  })

  it('gets a withdrawal after the alert that another node is trying once more, and an alert after that', async () => {
    const here = await place()
    const [restaurantId, to] = [await app.idOf(here), await mayasDevice(here)]
    const other = new Pusher(() => app.ctx)
    here.phones.maya.answer = 503
    await other.storeAndSend((db) => other.notify(db, restaurantId, to, nobodyListeningNotification))
    await takeNotifications(here)
    const { promise, resolve } = Promise.withResolvers<number>()
    here.phones.maya.answer = promise
    app.advance(2_500)
    await other.sendDue()
    await expect.poll(() => here.phones.maya.attempts).toBe(2)
    const { pusher } = app.ctx
    await pusher.storeAndSend((db) => pusher.withdraw(db, restaurantId, somebodyListeningNotification))
    await pusher.storeAndSend((db) => pusher.notify(db, restaurantId, to, nobodyListeningNotification))
    await pusher.storeAndSend((db) => pusher.withdraw(db, restaurantId, somebodyListeningNotification))
    resolve(201)
    expect((await takeNotifications(here))['maya']).toHaveLength(1)
    app.advance(16_000)
    await pusher.sendDue()
    expect((await takeNotifications(here))['maya']).toEqual(allClear)
  })

  it('gets a withdrawal at once while nobody is trying the alert again', async () => {
    const here = await place()
    const [restaurantId, to] = [await app.idOf(here), await mayasDevice(here)]
    const other = new Pusher(() => app.ctx)
    here.phones.maya.answer = 503
    await other.storeAndSend((db) => other.notify(db, restaurantId, to, nobodyListeningNotification))
    await takeNotifications(here)
    here.phones.maya.answer = 201
    const { pusher } = app.ctx
    await pusher.storeAndSend((db) => pusher.withdraw(db, restaurantId, somebodyListeningNotification))
    expect((await takeNotifications(here))['maya']).toEqual(allClear)
  })

  it('is told once what waited for its turn at a busy push service, whichever node gets to it', async () => {
    const here = await place()
    const [restaurantId, [maya]] = [await app.idOf(here), await mayasDevice(here)]
    if (!maya) throw new Error('Maya has no device')
    const { promise, resolve } = Promise.withResolvers<number>()
    const busy = Array.from({ length: 128 }, () => Object.assign(service.device(), { answer: promise }))
    const { pusher } = app.ctx
    const to = busy.map(({ endpoint, keys }, index) => ({ ...maya, id: `busy ${index}`, endpoint, ...keys }))
    for (const device of to) await write(app.ctx, (db) => devices.put(db, device))
    await pusher.storeAndSend((db) =>
      pusher.notify(db, restaurantId, [...to, maya], nobodyListeningNotification),
    )
    await expect.poll(() => busy.every(({ attempts: tries }) => tries === 1)).toBe(true)
    app.advance(16_000)
    await pusher.sendDue()
    expect(here.phones.maya.attempts).toBe(0)
    const other = new Pusher(() => app.ctx)
    await other.sendDue()
    await expect.poll(() => here.phones.maya.attempts).toBe(1)
    resolve(201)
    await takeNotifications(here)
    expect(here.phones.maya.attempts).toBe(1)
  })

  it('is not told what waited too long for its turn, when another node has told it meanwhile', async () => {
    const here = await place()
    const [restaurantId, to] = [await app.idOf(here), await mayasDevice(here)]
    const { pusher } = app.ctx
    const waiting: (() => Promise<void>)[] = []
    const late = new Pusher(() => ({ ...app.ctx, background: (work) => void waiting.push(work) }))
    await late.storeAndSend((db) => late.notify(db, restaurantId, to, nobodyListeningNotification))
    app.advance(16_000)
    await pusher.sendDue()
    await takeNotifications(here)
    expect(here.phones.maya.attempts).toBe(1)
    await Promise.all(waiting.map((work) => work()))
    expect(here.phones.maya.attempts).toBe(1)
  })

  it('is told the next word though the one before it broke', async () => {
    const here = await place()
    const screen = await connectScreen(here.device, here.jonas.id)
    const { push } = app.ctx
    const broken = Promise.withResolvers<'failed'>()
    Object.assign(app.ctx, { push: { ...push, send: () => broken.promise } })
    const { id } = await sendRequest(here, '1')
    await advanceBy(app, 0)
    Object.assign(app.ctx, { push })
    await screen.request({ type: 'accept-request', id })
    await advanceBy(app, 0)
    broken.reject(new Error('broken'))
    expect((await takeNotifications(here))['maya']).toEqual(['– Table 1: Jonas is on the way'])
    expect(app.lines.filter((line) => line.includes('could not send a push'))).toHaveLength(1)
    app.lines.length = 0
  })
})
