import { beforeEach, expect } from 'vitest'
import { api } from '#contract/api.ts'
import type { PushAudience } from '#contract/push.ts'
import { escalateDueRequests } from '../../src/server/core/requests/escalation.ts'
import { localDay } from '../../src/server/core/dates.ts'
import * as devices from '../../src/server/storage/push-subscriptions.ts'
import { password, startTestApp, type TestApp, type TestBrowser } from './app.ts'
import { type FakePushDevice, type PushService, startPushService } from './push-service.ts'

/** Each test gets a push service, and a server that pushes to it and runs its scheduled tasks by hand. */
export function setUpPushService() {
  const running: { app?: TestApp; service?: PushService } = {}
  beforeEach(async () => {
    const service = await startPushService()
    const app = await startTestApp({ ...service, scheduler: 'manual' })
    Object.assign(running, { app, service })
    return async () => {
      await app.stop()
      await service.stop()
    }
  })
  const started = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('The push service is not running yet')
    return part
  }
  return {
    get app(): TestApp {
      return started(running.app)
    },
    get service(): PushService {
      return started(running.service)
    },
    openRestaurant: () => openPushRestaurant(started(running.app), started(running.service)),
  }
}

export type PushRestaurant = Awaited<ReturnType<typeof openPushRestaurant>>

/** Table 1 is Maya's, table 2 nobody's; Maya, Jonas and the manager have devices. */
async function openPushRestaurant(app: TestApp, service: PushService) {
  const restaurant = await app.restaurant({ tables: ['1', '2'] })
  const { name, owner } = restaurant
  const add = (member: string, role: 'Server' | 'Host' = 'Server') =>
    owner.ok(api.crew.add, { body: { name: member, role } })
  const [maya, jonas] = [await add('Maya Lopez'), await add('Jonas')]
  const [table] = await owner.ok(api.floor.tables, {})
  await owner.ok(api.floor.assign, {
    body: {
      date: localDay(app.now(), 'UTC'),
      assignments: [{ tableId: table?.id ?? '', crewMemberId: maya.id }],
    },
  })
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
  app.advance(ms)
  await Promise.all([escalateDueRequests(app.ctx), escalateDueRequests(app.ctx)])
  await Promise.all([app.ctx.pusher.sendDue(), app.ctx.pusher.sendDue(), app.ctx.pusher.sendDue()])
}

export const newRequestTexts = (table: string) => [`New Request: Table ${table} needs service`]

export const mayasDevice = async ({ app, maya, ...restaurant }: PushRestaurant) =>
  devices.listForCrew(app.ctx.db.reader, await app.idOf(restaurant), app.now(), [maya.id])
