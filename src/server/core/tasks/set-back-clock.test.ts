import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/support/app.ts'
import {
  openPushRestaurant,
  sendRequest,
  takeNotifications,
} from '../../../../test/support/outside/push-restaurant.ts'
import { type PushService, startPushService } from '../../../../test/support/outside/push-service.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'

const hours = 3_600_000

describe('after the clock of a running server was set back by an hour', () => {
  let service: PushService
  let app: TestApp
  beforeEach(async () => {
    service = await startPushService()
    app = await startTestApp({ ...service, scheduler: 'real', clock: 'noon' })
  })
  afterEach(async () => {
    await app.stop()
    await service.stop()
  })

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
})
