import { expect } from 'vitest'
import { api } from '#contract/api.ts'
import type { PushAudience } from '#contract/push.ts'
import { escalateDueRequests } from '../../../src/server/core/requests/escalation/escalation.ts'
import * as devices from '../../../src/server/storage/push/push-subscriptions.ts'
import * as escalation from '../../../src/server/storage/requests/escalation.ts'
import { password, startTestApp, type TestApp, type TestBrowser } from '../app.ts'
import { startForEachTest } from '../each-test.ts'
import { assignFirstTable } from '../restaurants/busy-restaurant.ts'
import { type FakePushDevice, type PushService, startPushService } from './push-service.ts'

/** Each test gets a push service, and a server that pushes to it and runs its scheduled tasks by hand. */
export function setUpPushService() {
  const running = startForEachTest(async () => {
    const service = await startPushService()
    const app = await startTestApp({ ...service, scheduler: 'manual' })
    const stop = async () => {
      await app.stop()
      await service.stop()
    }
    return { running: { app, service }, stop }
  })
  return {
    get app(): TestApp {
      return running().app
    },
    get service(): PushService {
      return running().service
    },
    openRestaurant: () => openPushRestaurant(running().app, running().service),
  }
}

export type PushRestaurant = Awaited<ReturnType<typeof openPushRestaurant>>

/** Table 1 is Maya's, table 2 nobody's; Maya, Jonas and the manager have devices. */
export async function openPushRestaurant(app: TestApp, service: PushService) {
  const restaurant = await app.restaurant({ tables: ['1', '2'] })
  const { name, owner } = restaurant
  const add = (member: string, role: 'Server' | 'Host' = 'Server') =>
    owner.ok(api.crew.add, { body: { name: member, role } })
  const [maya, jonas] = [await add('Maya Lopez'), await add('Jonas')]
  await assignFirstTable(app, restaurant, maya.id)
  await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
  const manager = app.browser()
  await manager.ok(api.managers.login, { body: { restaurantName: name, username: 'boss', password } })
  const phones = {
    maya: await subscribePhone(service, restaurant.device, maya.id),
    jonas: await subscribePhone(service, restaurant.device, jonas.id),
    manager: await subscribePhone(service, manager, null, 'manager'),
  }
  const id = await app.idOf(restaurant)
  await expect.poll(() => app.ctx.hasDevices(id)).toBe(true)
  return { app, ...restaurant, add, maya, jonas, manager, phones }
}

export async function subscribePhone(
  service: PushService,
  browser: TestBrowser,
  crewMemberId: string | null,
  audience: PushAudience = 'crew',
): Promise<FakePushDevice & { id: string }> {
  const device = service.device()
  return Object.assign(device, { id: await device.subscribe(browser, audience, crewMemberId) })
}

export const sendRequest = async (
  { app, name }: PushRestaurant,
  tableNumber: string,
  guest = app.browser(),
) =>
  (
    await guest.ok(api.requests.send, {
      body: { restaurantId: name, tableNumber, serviceType: 'drinks' },
    })
  ).request

/** What each device has received since the last call, once the server is idle. */
export async function takeNotifications({ app, phones }: PushRestaurant): Promise<Record<string, string[]>> {
  await app.whenIdle()
  return Object.fromEntries(
    Object.entries(phones).map(([name, device]) => {
      const texts = device.told
      device.received.length = 0
      return [name, texts]
    }),
  )
}

/** Advances the clock and runs the scheduled tasks as several nodes do, at the same moment. */
export async function advanceBy(app: TestApp, ms: number): Promise<void> {
  const { ctx } = app
  app.advance(ms)
  // As in the seconds that follow: a step whose request was locked for too long is due again.
  const takeDueSteps = async (): Promise<unknown[]> => {
    await Promise.all([escalateDueRequests(ctx), escalateDueRequests(ctx)])
    return escalation.listDue(ctx.db.reader, app.now(), 1)
  }
  await expect.poll(takeDueSteps).toEqual([])
  await Promise.all([ctx.pusher.sendDue(), ctx.pusher.sendDue(), ctx.pusher.sendDue()])
}

export const newRequestTexts = (table: string) => [`New Request: Table ${table} needs service`]

export const mayasDevice = async ({ app, maya, ...restaurant }: PushRestaurant) =>
  devices.listForCrew(app.ctx.db.reader, await app.idOf(restaurant), app.now(), [maya.id])
