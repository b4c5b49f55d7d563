import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultAlerts } from '#contract/alerts.ts'
import { api } from '#contract/api.ts'
import { startTestApp, type TestApp } from '../../../../test/support/app.ts'
import type { Restaurant } from '../../../../test/support/busy-restaurant.ts'
import { connectScreen, pendingRequests, requestAsCrew } from '../../../../test/support/crew-view.ts'
import { setSettings } from '../../storage/escalation.ts'
import { write } from '../transaction.ts'
import { escalateDueRequests } from './escalation.ts'
import { localDay } from '../dates.ts'

let app: TestApp
beforeEach(async () => {
  app = await startTestApp({ scheduler: 'manual' })
})
afterEach(() => app.stop())

async function openRestaurant() {
  const restaurant = await app.restaurant({ tables: ['1', '2'] })
  const maya = await restaurant.owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  const [table] = await restaurant.owner.ok(api.floor.tables, {})
  const date = localDay(app.now(), 'UTC')
  await restaurant.owner.ok(api.floor.assign, {
    body: { date, assignments: [{ tableId: table?.id ?? '', crewMemberId: maya.id }] },
  })
  return { ...restaurant, maya }
}

/** As the crew sees it. */
async function ask(
  { name, device }: Restaurant,
  tableNumber: string,
  serviceType: 'drinks' | 'check' = 'drinks',
) {
  const body = { restaurantId: name, tableNumber, serviceType }
  const { request } = await app.browser().ok(api.requests.send, { body })
  return requestAsCrew(device, request.id)
}

async function now(restaurant: Restaurant, id: string) {
  const { requests } = await pendingRequests(restaurant.device)
  const request = requests.find((request) => request.id === id)
  return request && { level: request.level, state: request.state }
}

async function after(ms: number): Promise<void> {
  app.advance(ms)
  await Promise.all([escalateDueRequests(app.ctx), escalateDueRequests(app.ctx)])
}

const stepsOf = async (requestId: string) =>
  (
    await app.ctx.db.reader
      .selectFrom('requestEvent')
      .select(['kind', 'actorKind'])
      .where('requestId', '=', requestId)
      .where('actorKind', '=', 'system')
      .execute()
  ).map(({ kind }) => kind)

describe('escalation', () => {
  it('alerts the crew of the table, then all crew after 20 seconds, then the manager after 45', async () => {
    const restaurant = await openRestaurant()
    await connectScreen(restaurant.device, restaurant.maya.id)
    const request = await ask(restaurant, '1')
    expect(request).toMatchObject({ level: 0, crew: [restaurant.maya.id] })
    await after(19_000)
    expect(await now(restaurant, request.id)).toEqual({ level: 0, state: 'waiting' })
    await after(1_500)
    expect(await now(restaurant, request.id)).toEqual({ level: 1, state: 'waiting' })
    await after(23_000)
    expect(await now(restaurant, request.id)).toEqual({ level: 1, state: 'waiting' })
    await after(3_000)
    expect(await now(restaurant, request.id)).toEqual({ level: 2, state: 'waiting' })
    await after(600_000)
    expect(await stepsOf(request.id)).toEqual(['escalated', 'escalated'])
  })

  it('takes half the time for the check and for assistance', async () => {
    const restaurant = await openRestaurant()
    await connectScreen(restaurant.device, restaurant.maya.id)
    const request = await ask(restaurant, '1', 'check')
    await after(10_500)
    expect(await now(restaurant, request.id)).toEqual({ level: 1, state: 'waiting' })
  })

  it('alerts all crew at once when the table has no crew, or none that can hear it', async () => {
    const restaurant = await openRestaurant()
    await connectScreen(restaurant.device)
    expect(await ask(restaurant, '2')).toMatchObject({ level: 0, crew: [] })
    expect(await ask(restaurant, '1')).toMatchObject({ level: 1, crew: [restaurant.maya.id] })
  })

  it('stops while somebody is on the way, and starts again when the acceptance expires after 3 minutes', async () => {
    const restaurant = await openRestaurant()
    const screen = await connectScreen(restaurant.device, restaurant.maya.id)
    const request = await ask(restaurant, '1')
    await screen.request({ type: 'accept-request', id: request.id })
    await after(179_000)
    expect(await now(restaurant, request.id)).toEqual({ level: 0, state: 'accepted' })
    await after(1_500)
    expect(await now(restaurant, request.id)).toEqual({ level: 1, state: 'waiting' })
    await after(26_000)
    expect(await now(restaurant, request.id)).toEqual({ level: 2, state: 'waiting' })
    expect(await stepsOf(request.id)).toEqual(['released', 'escalated'])
  })

  it('ends once the request is completed', async () => {
    const restaurant = await openRestaurant()
    const screen = await connectScreen(restaurant.device, restaurant.maya.id)
    const request = await ask(restaurant, '1')
    await screen.request({ type: 'complete-request', id: request.id })
    await after(600_000)
    expect(await stepsOf(request.id)).toEqual([])
  })

  it('goes on after a restart, and reaches no level twice', async () => {
    const restaurant = await openRestaurant()
    await connectScreen(restaurant.device, restaurant.maya.id)
    const request = await ask(restaurant, '1')
    app.advance(21_000)
    await app.restart()
    await Promise.all([
      escalateDueRequests(app.ctx),
      escalateDueRequests(app.ctx),
      escalateDueRequests(app.ctx),
    ])
    expect(await now(restaurant, request.id)).toEqual({ level: 1, state: 'waiting' })
    expect(await stepsOf(request.id)).toEqual(['escalated'])
  })

  it('takes the default for a service type that is newer than the saved settings', async () => {
    const { owner } = await app.restaurant()
    const { id: restaurantId } = await app.ctx.db.reader
      .selectFrom('restaurant')
      .select('id')
      .executeTakeFirstOrThrow()
    const { other, ...allAfterMs } = defaultAlerts.allAfterMs
    const { other: managerOther, ...managerAfterMs } = defaultAlerts.managerAfterMs
    const saved = { allAfterMs: { ...allAfterMs, food: 7_000 }, managerAfterMs, acceptMs: 60_000 }
    await write(app.ctx, (db) => setSettings(db, restaurantId, JSON.stringify(saved)))
    expect(await owner.ok(api.alerts.settings, {})).toEqual({
      allAfterMs: { ...allAfterMs, food: 7_000, other },
      managerAfterMs: { ...managerAfterMs, other: managerOther },
      acceptMs: 60_000,
    })
  })

  it('uses the times that the owner set', async () => {
    const restaurant = await openRestaurant()
    await connectScreen(restaurant.device, restaurant.maya.id)
    const allAfterMs = { ...defaultAlerts.allAfterMs, drinks: 60_000 }
    const managerAfterMs = { ...defaultAlerts.managerAfterMs, drinks: 60_000 }
    const settings = { ...defaultAlerts, allAfterMs, managerAfterMs }
    expect(await restaurant.owner.ok(api.alerts.setSettings, { body: settings })).toEqual(settings)
    const request = await ask(restaurant, '1')
    await after(59_000)
    expect(await now(restaurant, request.id)).toEqual({ level: 0, state: 'waiting' })
    await after(1_500)
    expect(await now(restaurant, request.id)).toEqual({ level: 1, state: 'waiting' })
    const tooEarly = { ...settings, managerAfterMs: { ...managerAfterMs, drinks: 10_000 } }
    expect(await restaurant.owner.call(api.alerts.setSettings, { body: tooEarly })).toMatchObject({
      status: 400,
      body: { message: 'The manager cannot be alerted before the crew' },
    })
    expect(await restaurant.owner.ok(api.alerts.settings, {})).toEqual(settings)
  })
})
