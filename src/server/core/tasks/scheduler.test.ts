import { expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { minuteMs, secondMs } from '#contract/durations.ts'
import { startTestApp, type TestApp } from '../../../../test/support/app.ts'
import { startHttpReceiver } from '../../../../test/support/outside/http-receiver.ts'
import {
  newRequestTexts,
  openPushRestaurant,
  sendRequest,
  takeNotifications,
} from '../../../../test/support/outside/push-restaurant.ts'
import { startPushService } from '../../../../test/support/outside/push-service.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'
import { write } from '../transaction.ts'
import { startScheduler } from './scheduler.ts'

/** A restaurant with phones and a webhook for alerts. `pass`: time passes, and then the scheduler has its next second. */
async function openRestaurant() {
  const [service, web] = [await startPushService(), await startHttpReceiver()]
  const app = await startTestApp({ ...service, scheduler: 'manual', outboundAllow: ['127.0.0.0/8'] })
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const stopScheduler = startScheduler(app.ctx)
  onTestFinished(async () => {
    stopScheduler()
    vi.useRealTimers()
    await app.stop()
    await web.stop()
    await service.stop()
  })
  const restaurant = await openPushRestaurant(app, service)
  const { owner } = restaurant
  await owner.ok(api.outsideAlerts.setDelay, { body: { afterMs: minuteMs } })
  const address = `${web.url}/hook`
  const { channel } = await owner.ok(api.outsideAlerts.addChannel, { body: { kind: 'webhook', address } })
  const pass = async (ms = 0) => {
    app.advance(ms)
    vi.advanceTimersByTime(secondMs)
    await app.whenIdle()
  }
  // Some tasks read more when they begin.
  await pass()
  return { restaurant, channelId: channel.id, web, pass }
}

const openRequest = (app: TestApp, change: object) =>
  write(app.ctx, ({ db }) =>
    db.updateTable('serviceRequest').set(change).where('closedAt', 'is', null).execute(),
  )

it('asks the database once a second while nothing is due, whatever alerts there are', async () => {
  const { restaurant, pass } = await openRestaurant()
  const { app, maya, device } = restaurant
  const screen = await connectScreen(device, maya.id)
  const taken = await sendRequest(restaurant, '1')
  await screen.request({ type: 'accept-request', id: taken.id })
  await sendRequest(restaurant, '2')
  await pass()
  const { reader } = app.ctx.db
  const [looks, queries] = [vi.spyOn(reader, 'run'), vi.spyOn(reader, 'selectFrom')]
  await pass()
  await pass()
  expect([looks.mock.calls.length, queries.mock.calls.map(([table]) => table)]).toEqual([2, []])
})

it('pushes in the next second what the node that stored it did not', async () => {
  const { restaurant, pass } = await openRestaurant()
  const { app, maya } = restaurant
  await sendRequest(restaurant, '1')
  await takeNotifications(restaurant)
  await write(app.ctx, ({ db }) => db.deleteFrom('pushDelivery').execute())
  await openRequest(app, { pushedLevel: -1 })
  await pass()
  expect((await takeNotifications(restaurant))['maya']).toEqual(newRequestTexts('1'))
  await openRequest(app, { acceptedAt: app.now(), acceptedBy: maya.id, acceptedByName: 'Maya Lopez' })
  await pass()
  expect(await takeNotifications(restaurant)).toMatchObject({
    maya: [expect.stringContaining('– ')],
    jonas: [],
  })
})

it('sends a push again that failed', async () => {
  const { restaurant, pass } = await openRestaurant()
  const { maya } = restaurant.phones
  maya.answer = 503
  await sendRequest(restaurant, '1')
  await takeNotifications(restaurant)
  maya.answer = 201
  await pass(2 * secondMs)
  expect((await takeNotifications(restaurant))['maya']).toEqual(newRequestTexts('1'))
})

it('sends outside what is due', async () => {
  const { restaurant, web, pass } = await openRestaurant()
  await sendRequest(restaurant, '1')
  for (const ms of [41 * secondMs, 50 * secondMs, minuteMs - 1]) await pass(ms)
  expect(web.received).toEqual([])
  await pass(1)
  expect(web.received).toHaveLength(1)
})

it('tells webhooks what has happened', async () => {
  const { restaurant, channelId: id, web, pass } = await openRestaurant()
  await restaurant.owner.ok(api.outsideAlerts.changeChannel, {
    params: { id },
    body: { topics: ['requests'] },
  })
  await sendRequest(restaurant, '1')
  await pass()
  expect(web.received.map(({ body }) => JSON.parse(body).type)).toEqual(['request.created'])
})
