import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { WebhookTopic } from '#contract/outside/webhook-topics.ts'
import { password, startTestApp, type TestApp } from '../../../../test/support/app.ts'
import { type HttpReceiver, startHttpReceiver } from '../../../../test/support/outside/http-receiver.ts'
import {
  openPushRestaurant,
  sendRequest,
  takeNotifications,
} from '../../../../test/support/outside/push-restaurant.ts'
import { type PushService, startPushService } from '../../../../test/support/outside/push-service.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'
import { write } from '../transaction.ts'
import { bringForwardAfterStep } from './set-back-clock.ts'

const hours = 3_600_000
const minutes = 60_000

describe('after the clock of a running server was set back by an hour', () => {
  let service: PushService
  let app: TestApp
  beforeEach(async () => {
    service = await startPushService()
    app = await startTestApp({
      ...service,
      scheduler: 'real',
      clock: 'noon',
      outboundAllow: ['127.0.0.0/8'],
    })
  })
  afterEach(async () => {
    await app.stop()
    await service.stop()
  })

  /** A restaurant whose webhook has been told of these for a while. */
  async function openHook(web: HttpReceiver, topics: WebhookTopic[]) {
    const { owner, device, name } = await app.restaurant({ tables: ['7'] })
    const address = `${web.url}/hook`
    const { channel } = await owner.ok(api.outsideAlerts.addChannel, { body: { kind: 'webhook', address } })
    const { id } = channel
    await owner.ok(api.outsideAlerts.changeChannel, { params: { id }, body: { topics } })
    app.advance(5 * minutes)
    const ask = (serviceType: 'food' | 'drinks') =>
      app.browser().ok(api.requests.send, { body: { restaurantId: name, tableNumber: '7', serviceType } })
    const told = () => web.received.map(({ body }) => JSON.parse(body).data.serviceType)
    return { owner, device, id, ask, told }
  }

  it('a call to a role alerts again, and then as often as any', async () => {
    const restaurant = await openPushRestaurant(app, service)
    const { maya, jonas, device, phones } = restaurant
    const screen = await connectScreen(device, maya.id)
    const other = await connectScreen(device, jonas.id)
    const call = { type: 'send-role-message', id: 'c1', role: 'Server', messageKey: 'NEED_HELP' } as const
    await screen.request(call)
    const alerts = () => other.ofType('role-message').map(({ call }) => call.alerts)
    await expect.poll(alerts).toEqual([1])
    await expect.poll(() => phones.jonas.told).toHaveLength(1)
    await app.whenIdle()
    app.advance(-hours)
    await expect.poll(alerts).toEqual([1, 2])
    await expect.poll(() => phones.jonas.told).toHaveLength(2)
    app.advance(40_000)
    await expect.poll(alerts).toEqual([1, 2, 3])
  })

  it('whoever signed in before types the password where that must be recent', async () => {
    const { owner } = await app.restaurant()
    const deleteCode = async () => (await owner.call(api.qr.remove, {})).status
    expect(await deleteCode()).toBe(204)
    app.advance(-hours)
    await expect.poll(deleteCode).toBe(403)
    expect((await owner.call(api.accounts.confirmIdentity, { body: { password } })).status).toBe(204)
    expect(await deleteCode()).toBe(204)
  })

  it('a push that failed before is sent again', async () => {
    const restaurant = await openPushRestaurant(app, service)
    const { jonas } = restaurant.phones
    jonas.answer = 503
    await sendRequest(restaurant, '2')
    const failed = () =>
      app.ctx.db.reader.selectFrom('pushDelivery').select('id').where('attempts', '=', 1).execute()
    await expect.poll(failed).toHaveLength(1)
    await takeNotifications(restaurant)
    app.advance(-hours)
    jonas.answer = 201
    await expect.poll(() => jonas.told).toHaveLength(1)
  })

  it('somebody outside is alerted no later than the owner wants, counted from then', async () => {
    const web = await startHttpReceiver()
    try {
      const restaurant = await app.restaurant({ tables: ['7'] })
      const { owner, name } = restaurant
      await owner.ok(api.outsideAlerts.setDelay, { body: { afterMs: minutes } })
      const address = `${web.url}/hook`
      const { channel } = await owner.ok(api.outsideAlerts.addChannel, { body: { kind: 'webhook', address } })
      const body = { restaurantId: name, tableNumber: '7', serviceType: 'check' } as const
      await app.browser().ok(api.requests.send, { body })
      const { reader } = app.ctx.db
      const waits = async () => {
        const alert = await reader.selectFrom('outsideAlert').select('dueAt').executeTakeFirst()
        const due = await reader.selectFrom('outsideChannel').select('nextAt').executeTakeFirst()
        return [alert?.dueAt, due?.nextAt].map((at) => (at ?? NaN) - app.now())
      }
      const level = async () =>
        (await reader.selectFrom('serviceRequest').select('level').executeTakeFirst())?.level
      for (const reached of [1, 2]) {
        app.advance(minutes / 2)
        await expect.poll(level).toBe(reached)
      }
      await expect.poll(waits).toEqual([minutes, minutes])
      // The server that had just begun to send has ended.
      const leasedUntil = app.now() + minutes / 2
      await write(app.ctx, ({ db }) =>
        db.updateTable('outsideChannel').set({ leasedUntil }).where('id', '=', channel.id).execute(),
      )
      app.advance(-hours)
      await expect.poll(async () => (await waits())[0]).toBe(minutes)
      expect(web.received).toEqual([])
      app.advance(2 * minutes)
      await expect.poll(() => web.received).toHaveLength(1)
    } finally {
      await web.stop()
    }
  })

  it('webhooks are told of what happens from then on', async () => {
    const web = await startHttpReceiver()
    try {
      const { ask, told } = await openHook(web, ['requests'])
      await ask('food')
      await expect.poll(told).toEqual(['food'])
      app.advance(-hours)
      await ask('drinks')
      await expect.poll(told).toEqual(['food', 'drinks'])
    } finally {
      await web.stop()
    }
  })

  it('webhooks are not told of what happened before they were added', async () => {
    const web = await startHttpReceiver()
    try {
      const { owner, ask, id, told } = await openHook(web, ['visits'])
      await ask('food')
      await expect.poll(() => web.received).toHaveLength(1)
      web.received.length = 0
      app.advance(20 * minutes)
      await owner.ok(api.outsideAlerts.changeChannel, { params: { id }, body: { topics: ['requests'] } })
      app.advance(-hours)
      await ask('drinks')
      await expect.poll(told).toEqual(['drinks'])
      await app.whenIdle()
      expect(told()).toEqual(['drinks'])
    } finally {
      await web.stop()
    }
  })

  it('webhooks are told of the next visit at a table that was closed before', async () => {
    const web = await startHttpReceiver()
    try {
      const { owner, device, ask } = await openHook(web, ['visits'])
      const told = () => web.received.map(({ body }) => JSON.parse(body))
      await owner.ok(api.restaurant.change, { body: { seating: true } })
      await device.ok(api.seating.open, { body: { tableNumber: '7' } })
      await ask('food')
      await expect.poll(told).toHaveLength(1)
      await device.ok(api.seating.close, { body: { tableNumber: '7', anyway: true } })
      app.advance(-hours)
      await device.ok(api.seating.open, { body: { tableNumber: '7' } })
      await ask('drinks')
      const timestamp = new Date(app.now()).toISOString()
      await expect.poll(told).toMatchObject([{}, { type: 'visit.started', timestamp, data: { table: '7' } }])
    } finally {
      await web.stop()
    }
  })

  it('webhooks are told of what was found before, and of what they did not take as soon as ever', async () => {
    const web = await startHttpReceiver()
    try {
      const { ask, id } = await openHook(web, ['requests'])
      web.answer = 500
      await ask('food')
      await expect.poll(() => web.received).toHaveLength(1)
      await app.whenIdle()
      // The server that had just begun to send has ended.
      await write(app.ctx, ({ db }) =>
        db
          .updateTable('outsideChannel')
          .set({ leasedUntil: app.now() + minutes })
          .where('id', '=', id)
          .execute(),
      )
      await ask('drinks')
      const waits = async () => {
        const events = app.ctx.db.reader.selectFrom('outsideEvent').select('dueAt').orderBy('id')
        return (await events.execute()).map(({ dueAt }) => dueAt - app.now())
      }
      await expect.poll(waits).toEqual([5_000, 0])
      web.answer = 204
      app.advance(-hours)
      await expect.poll(waits).toEqual([5_000, 0])
      // Each server notices it.
      await bringForwardAfterStep()(app.ctx)
      expect(await waits()).toEqual([5_000, 0])
      app.advance(2 * minutes)
      await expect.poll(() => web.received).toHaveLength(3)
    } finally {
      await web.stop()
    }
  })
})
