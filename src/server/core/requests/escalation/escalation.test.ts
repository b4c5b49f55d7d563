import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { defaultEscalation } from '#contract/requests/escalation.ts'
import { type ServiceType, serviceTypes } from '#contract/requests/requests.ts'
import { password, startTestApp, type TestApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { connectScreen, pendingRequests, requestAsCrew } from '../../../../../test/support/pages/crew-view.ts'
import { assignFirstTable, type Restaurant } from '../../../../../test/support/restaurants/busy-restaurant.ts'
import { setSettings } from '../../../storage/requests/escalation.ts'
import { write } from '../../transaction.ts'
import { escalateDueRequests, escalateUnattended } from './escalation.ts'

const changedMeanwhile = 'Somebody else has changed this meanwhile. Please check what is there now.'

let app: TestApp
beforeEach(async () => {
  app = await startTestApp()
})
afterEach(() => app.stop())

async function openRestaurant() {
  const restaurant = await app.restaurant({ tables: ['1', '2'] })
  const maya = await restaurant.owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  await assignFirstTable(app, restaurant, maya.id)
  return { ...restaurant, maya }
}

/** As the crew sees it. */
async function ask({ name, device }: Restaurant, tableNumber: string, serviceType: ServiceType = 'drinks') {
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

/** What it is after each time. */
async function follow(restaurant: Restaurant, id: string, times: readonly number[]) {
  const seen: string[] = []
  for (const ms of times) {
    await after(ms)
    const { level, state } = (await now(restaurant, id)) ?? {}
    seen.push(`${level} ${state}`)
  }
  return seen
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

it('leaves alone a call that outlasted the first level, which an earlier version may have stored', async () => {
  const restaurant = await openRestaurant()
  const { id } = await ask(restaurant, '1')
  await app.ctx.db.transact((db) =>
    db.updateTable('serviceRequest').set({ level: 1, called: 'gone' }).where('id', '=', id).execute(),
  )
  await escalateUnattended(app.ctx, await app.idOf(restaurant))
  expect(await now(restaurant, id)).toEqual({ level: 1, state: 'waiting' })
})

it('passes calls on even if an unattended request cannot be escalated, and reports that failure', async () => {
  const restaurant = await openRestaurant()
  await ask(restaurant, '1')
  const { id } = await ask(restaurant, '2')
  await app.ctx.db.transact(async (db) => {
    await db.updateTable('serviceRequest').set({ level: 0 }).execute()
    await db.updateTable('serviceRequest').set({ called: 'gone' }).where('id', '=', id).execute()
  })
  const { db } = app.ctx
  let hasFailed = false
  const transact: typeof db.transact = async (task, options) => {
    if (hasFailed) return db.transact(task, options)
    hasFailed = true
    throw new Error('The row is held')
  }
  const ctx = { ...app.ctx, db: { ...db, transact } }
  await expect(escalateUnattended(ctx, await app.idOf(restaurant))).rejects.toThrow('The row is held')
  const request = db.reader.selectFrom('serviceRequest').select(['level', 'called']).where('id', '=', id)
  expect(await request.executeTakeFirst()).toEqual({ level: 0, called: '' })
})

it('leaves alone a due request that was accepted and released before its step', async () => {
  const restaurant = await openRestaurant()
  const screen = await connectScreen(restaurant.device, restaurant.maya.id)
  const { id } = await ask(restaurant, '1')
  app.advance(41_000)
  const { db } = app.ctx
  const transact: typeof db.transact = async (task, options) => {
    await screen.request({ type: 'accept-request', id })
    await screen.request({ type: 'release-request', id })
    return db.transact(task, options)
  }
  await escalateDueRequests({ ...app.ctx, db: { ...db, transact } })
  expect(await now(restaurant, id)).toEqual({ level: 0, state: 'waiting' })
  expect(await stepsOf(id)).toEqual([])
})

/** How many transactions run at once. */
function countSteps() {
  const { db } = app.ctx
  const counts = { running: 0, most: 0 }
  const transact: typeof db.transact = (task, options) => {
    counts.most = Math.max(counts.most, ++counts.running)
    return db.transact(task, options).finally(() => counts.running--)
  }
  return { ctx: { ...app.ctx, db: { ...db, transact } }, counts }
}

describe('requests that are due at the same time', () => {
  it('share a COMMIT on SQLite, and leave connections to the guests on PostgreSQL', async () => {
    const restaurant = await openRestaurant()
    for (const table of ['1', '2']) for (const type of serviceTypes) await ask(restaurant, table, type)
    app.advance(600_000)
    const { ctx, counts } = countSteps()
    await escalateDueRequests(ctx)
    expect(counts.most).toBe(ctx.db.engine === 'sqlite' ? 2 * serviceTypes.length : 2)
  })

  it('are all taken even if one of them fails, which is reported', async () => {
    const broken = await openRestaurant()
    await ask(broken, '1', 'check')
    const restaurant = await openRestaurant()
    const requests = await Promise.all(serviceTypes.map((type) => ask(restaurant, '2', type)))
    const restaurantId = await app.idOf(broken)
    await write(app.ctx, ({ db }) => setSettings(db, restaurantId, 'no settings'))
    app.advance(600_000)
    const { ctx, counts } = countSteps()
    await expect(escalateDueRequests(ctx)).rejects.toThrow('is not valid JSON')
    expect(counts.running).toBe(0)
    const levels = await Promise.all(requests.map(({ id }) => now(restaurant, id)))
    expect(levels).toEqual(requests.map(({ level }) => ({ level: level + 1, state: 'waiting' })))
  })
})

describe('escalation', () => {
  it('alerts the crew of the table, then all crew after 40 seconds, then the manager after 45', async () => {
    const restaurant = await openRestaurant()
    await connectScreen(restaurant.device, restaurant.maya.id)
    const request = await ask(restaurant, '1')
    expect(request).toMatchObject({ level: 0, crew: [restaurant.maya.id] })
    expect(await follow(restaurant, request.id, [39_000, 1_500, 3_000, 3_000])).toEqual([
      '0 waiting',
      '1 waiting',
      '1 waiting',
      '2 waiting',
    ])
    await after(600_000)
    expect(await stepsOf(request.id)).toEqual(['escalated', 'escalated'])
  })

  it('takes half the time for the check and for assistance', async () => {
    const restaurant = await openRestaurant()
    await connectScreen(restaurant.device, restaurant.maya.id)
    const request = await ask(restaurant, '1', 'check')
    expect(await follow(restaurant, request.id, [19_500, 1_000])).toEqual(['0 waiting', '1 waiting'])
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
    expect(await follow(restaurant, request.id, [179_000, 1_500, 26_000])).toEqual([
      '0 accepted',
      '1 waiting',
      '2 waiting',
    ])
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
    app.advance(41_000)
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
    const { other, ...allAfterMs } = defaultEscalation.allAfterMs
    const { other: managerOther, ...managerAfterMs } = defaultEscalation.managerAfterMs
    const saved = { allAfterMs: { ...allAfterMs, food: 7_000 }, managerAfterMs, acceptMs: 60_000 }
    await write(app.ctx, ({ db }) => setSettings(db, restaurantId, JSON.stringify(saved)))
    expect(await owner.ok(api.escalation.settings, {})).toEqual({
      allAfterMs: { ...allAfterMs, food: 7_000, other },
      managerAfterMs: { ...managerAfterMs, other: managerOther },
      acceptMs: 60_000,
    })
  })

  it('uses the times that the owner set', async () => {
    const restaurant = await openRestaurant()
    await connectScreen(restaurant.device, restaurant.maya.id)
    const allAfterMs = { ...defaultEscalation.allAfterMs, drinks: 60_000 }
    const managerAfterMs = { ...defaultEscalation.managerAfterMs, drinks: 90_000 }
    const settings = { ...defaultEscalation, allAfterMs, managerAfterMs }
    expect(await restaurant.owner.ok(api.escalation.setSettings, { body: settings })).toEqual(settings)
    const request = await ask(restaurant, '1')
    expect(await follow(restaurant, request.id, [59_000, 1_500, 29_000, 1_500])).toEqual([
      '0 waiting',
      '1 waiting',
      '1 waiting',
      '2 waiting',
    ])
    const tooEarly = { ...settings, managerAfterMs: { ...managerAfterMs, drinks: 10_000 } }
    expect(await restaurant.owner.call(api.escalation.setSettings, { body: tooEarly })).toMatchObject({
      status: 400,
      body: { message: 'The manager cannot be alerted before the crew' },
    })
    expect(await restaurant.owner.ok(api.escalation.settings, {})).toEqual(settings)
  })

  it('alerts all crew first, and the manager at the next look, where the owner set one time for both', async () => {
    const restaurant = await openRestaurant()
    await connectScreen(restaurant.device, restaurant.maya.id)
    const allAfterMs = { ...defaultEscalation.allAfterMs, drinks: 60_000 }
    const managerAfterMs = { ...defaultEscalation.managerAfterMs, drinks: 60_000 }
    const settings = { ...defaultEscalation, allAfterMs, managerAfterMs }
    expect(await restaurant.owner.ok(api.escalation.setSettings, { body: settings })).toEqual(settings)
    const { id } = await ask(restaurant, '1')
    app.advance(60_500)
    for (const level of [1, 2]) {
      await escalateDueRequests(app.ctx)
      expect(await now(restaurant, id)).toEqual({ level, state: 'waiting' })
    }
  })

  it('keeps the times that another owner has set, and refuses what both set', async () => {
    const { owner, name } = await app.restaurant()
    const other = app.browser()
    await other.ok(api.accounts.ownerLogin, { body: { username: name, password } })
    const was = defaultEscalation
    type Steps = { all?: object; manager?: object; acceptMs?: number }
    const set = (browser: TestBrowser, { all, manager, acceptMs = was.acceptMs }: Steps) =>
      browser.call(api.escalation.setSettings, {
        body: {
          allAfterMs: { ...was.allAfterMs, ...all },
          managerAfterMs: { ...was.managerAfterMs, ...manager },
          acceptMs,
          was,
        },
      })
    const answers = await Promise.all([
      set(owner, { all: { drinks: 20_000, food: 30_000 } }),
      set(other, { all: { food: 30_000 }, manager: { drinks: 90_000 }, acceptMs: 60_000 }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const both = {
      allAfterMs: { ...was.allAfterMs, drinks: 20_000, food: 30_000 },
      managerAfterMs: { ...was.managerAfterMs, drinks: 90_000 },
      acceptMs: 60_000,
    }
    expect(await owner.ok(api.escalation.settings, {})).toEqual(both)

    const refused = { status: 409, body: { code: 'conflict', message: changedMeanwhile } }
    expect(await set(owner, { all: { drinks: 10_000 } })).toMatchObject(refused)
    expect(await set(owner, { acceptMs: 90_000 })).toMatchObject(refused)
    // One lets the crew be alerted later, the other one the manager sooner.
    expect(await set(owner, { all: { check: 22_000 } })).toMatchObject({ status: 200 })
    expect(await set(other, { manager: { check: 21_000 } })).toMatchObject(refused)
    expect(await set(other, {})).toMatchObject({
      status: 200,
      body: { ...both, allAfterMs: { ...both.allAfterMs, check: 22_000 } },
    })
  })
})
