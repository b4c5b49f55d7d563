import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs, minuteMs } from '#contract/durations.ts'
import { closeCodes, restaurantDeletedReason } from '#contract/live.ts'
import { password, setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { insertClosedRequests } from '../../../../../test/support/restaurants/closed-requests.ts'
import {
  subscribeInSandbox,
  subscriptionStatus,
} from '../../../../../test/support/stripe/sandbox-subscription.ts'
import * as endings from '../../../storage/accounts/restaurant-endings.ts'
import * as billing from '../../../storage/billing/billing.ts'
import type { Ctx } from '../../ctx.ts'
import { removeExpiredData } from '../../retention/retention.ts'
import { write } from '../../transaction.ts'
import { eraseNamed } from './erasure.ts'
import { cancelOrphanedRequests, eraseDueRestaurants } from './restaurant-endings.ts'

const app = setUpApp()

const remove = (owner: TestBrowser, restaurantName: string) =>
  owner.call(api.restaurant.remove, { body: { restaurantName } })
const ask = (restaurantId: string) =>
  app.browser().call(api.requests.send, {
    body: { id: app.ctx.newId(), restaurantId, tableNumber: '1', serviceType: 'general' },
  })
const signInAsOwner = async (username: string): Promise<TestBrowser> => {
  const owner = app.browser()
  await owner.ok(api.accounts.ownerLogin, { body: { username, password } })
  return owner
}

it('a restaurant is deleted by its typed name, and comes back as it was', async () => {
  const { name, owner, device } = await app.restaurant({ tables: ['1'] })
  await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
  const maya = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  const username = `maya.${maya.id}`
  await owner.ok(api.crew.change, { params: { id: maya.id }, body: { username, password } })
  const screen = await device.connect()

  expect(await remove(owner, 'Another name')).toMatchObject({
    status: 400,
    body: { message: 'This is not the name of your restaurant' },
  })
  const eraseAt = app.now() + 30 * dayMs
  const removed = await remove(owner, ` ${name.toUpperCase()} `)
  expect(removed.status).toBe(200)
  expect((await remove(owner, name)).status).toBe(409)
  expect(await screen.closed).toBe(closeCodes.signedOut)
  expect(screen.closeReason).toBe(restaurantDeletedReason)
  expect((await device.call(api.accounts.session, {})).status).toBe(401)
  expect(await ask(name)).toMatchObject({ status: 404, body: { message: 'Restaurant not found' } })
  const logins = [
    app.browser().call(api.accounts.restaurantLogin, { body: { restaurantName: name, password } }),
    app.browser().call(api.managers.login, { body: { restaurantName: name, username: 'boss', password } }),
    app.browser().call(api.accounts.crewLogin, { body: { username, password } }),
  ]
  for (const { status } of await Promise.all(logins)) expect(status).toBe(403)
  // Its name is not free.
  await app.forgetNewNames()
  const signUp = { restaurantName: name, email: 'other@example.com', password, timeZone: 'UTC' }
  expect((await app.browser().call(api.accounts.signUp, { body: signUp })).status).toBe(409)

  const back = await signInAsOwner(name)
  expect((await back.ok(api.accounts.session, {})).eraseAt).toBeGreaterThanOrEqual(eraseAt)
  expect(await back.ok(api.restaurant.restore, {})).toEqual({ eraseAt: null })
  expect((await back.ok(api.accounts.session, {})).eraseAt).toBeUndefined()
  expect((await back.call(api.restaurant.restore, {})).status).toBe(409)
  expect((await ask(name)).status).toBe(201)
  await app.browser().ok(api.accounts.crewLogin, { body: { username, password } })
})

it('only whoever knows a password of a deleted restaurant reads that its owner has deleted it', async () => {
  const { name, owner } = await app.restaurant()
  const staffPassword = 'brass-ladle-7'
  await owner.ok(api.staffPassword.set, { body: { password: staffPassword } })
  await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
  const { id } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  await owner.ok(api.crew.change, { params: { id }, body: { username: `maya.${id}`, password } })
  await remove(owner, name)

  const atRestaurant = (restaurantName: string, typed: string) =>
    app.browser().call(api.accounts.restaurantLogin, { body: { restaurantName, password: typed } })
  const atManagement = (restaurantName: string, typed: string) =>
    app.browser().call(api.managers.login, { body: { restaurantName, username: 'boss', password: typed } })
  const atCrew = (username: string, typed: string) =>
    app.browser().call(api.accounts.crewLogin, { body: { username, password: typed } })
  const told = {
    code: 'forbidden',
    message: 'The owner has deleted this restaurant. Only the owner can still sign in.',
  }
  const right = [
    atRestaurant(name, password),
    atRestaurant(name, staffPassword),
    atManagement(name, password),
    atCrew(`maya.${id}`, password),
  ]
  for (const answer of right) expect(await answer).toMatchObject({ status: 403, body: told })

  const wrong = 'not-the-password'
  const guesses = [
    [atRestaurant(name, wrong), atRestaurant('Nobody Here', wrong)],
    [atManagement(name, wrong), atManagement('Nobody Here', wrong)],
    [atCrew(`maya.${id}`, wrong), atCrew('nobody.here', wrong)],
  ] as const
  for (const [known, unknown] of guesses) {
    const { status, body } = await known
    expect({ status, body }).toEqual({
      status: 401,
      body: { code: 'unauthenticated', message: 'Invalid credentials' },
    })
    expect(await unknown).toMatchObject({ status, body })
  }

  // Once it is being erased, it is like one that never was.
  app.advance(30 * dayMs)
  await write(app.ctx, async ({ db }) => endings.beginErasing(db, await app.idOf({ name }), app.now()))
  expect((await atRestaurant(name, password)).status).toBe(401)
  await removeExpiredData(app.ctx)
  expect((await atRestaurant(name, password)).status).toBe(401)
})

it('deleting a restaurant cancels what guests wait for, and tells their pages', async () => {
  const { name, owner } = await app.restaurant({ tables: ['1', '2'] })
  const guest = app.browser()
  const page = await guest.connect()
  await page.request({ type: 'set-restaurant-context', restaurantId: name, tableNumber: '1' })
  const { body } = await ask(name)
  const { id } = body.request
  await remove(owner, name)
  expect(await page.next('request-completed')).toMatchObject({ id, by: null, cancelled: true })
  await page.next('table-changed')
  const rows = await app.ctx.db.reader
    .selectFrom('serviceRequest')
    .select(['id', 'closedAs'])
    .where('restaurantId', '=', await app.idOf({ name }))
    .execute()
  expect(rows).toEqual([{ id, closedAs: 'cancelled' }])
  // Restored, it has no request that nobody has seen for weeks.
  const back = await signInAsOwner(name)
  await back.ok(api.restaurant.restore, {})
  const query = { restaurantId: name, tableNumber: '1' }
  expect((await guest.ok(api.requests.mine, { query })).requests).toEqual([])
})

it('deleting a restaurant cancels what a guest asks for at the same moment', async () => {
  const { name } = await app.restaurant({ tables: ['1'] })
  const restaurantId = await app.idOf({ name })
  expect((await ask(name)).status).toBe(201)
  const ending = { restaurantId, kind: 'deleted' as const, eraseAt: app.now() + dayMs }
  await write(app.ctx, ({ db }) => endings.insert(db, ending))
  await removeExpiredData(app.ctx)
  const open = app.ctx.db.reader
    .selectFrom('serviceRequest')
    .select('closedAs')
    .where('restaurantId', '=', restaurantId)
  expect(await open.execute()).toEqual([{ closedAs: 'cancelled' }])
})

it('a deleted restaurant is erased after 30 days', async () => {
  const { name, owner } = await app.restaurant({ tables: ['1'] })
  const id = await app.idOf({ name })
  expect((await ask(name)).status).toBe(201)
  await remove(owner, name)
  app.advance(30 * dayMs - minuteMs)
  await removeExpiredData(app.ctx)
  expect(await app.idOf({ name })).toBe(id)
  app.advance(minuteMs)
  await removeExpiredData(app.ctx)
  const rows = app.ctx.db.reader.selectFrom('restaurant').select('id').where('id', '=', id)
  expect(await rows.execute()).toEqual([])
  // And its name is free again.
  await app.restaurant({ name })
})

/** A server that has found what is due, and does it only after `meanwhile`. */
function slowed(meanwhile: () => Promise<unknown>): Ctx {
  let waiting: Promise<unknown> | undefined
  return {
    ...app.ctx,
    trace: async (_name, work) => {
      await (waiting ??= meanwhile())
      return await work()
    },
  }
}

it('a restaurant that its owner restores at the last moment is not erased', async () => {
  const { name, owner } = await app.restaurant({ tables: ['1'] })
  await remove(owner, name)
  app.advance(30 * dayMs)
  const back = await signInAsOwner(name)
  await eraseDueRestaurants(slowed(() => back.ok(api.restaurant.restore, {})))
  expect(await back.ok(api.accounts.currentUser, {})).toMatchObject({ restaurantName: name })
  expect((await ask(name)).status).toBe(201)
})

it('others’ taps are stored while years of requests are erased', async () => {
  const [large, other] = [await app.restaurant(), await app.restaurant({ tables: ['1'] })]
  await insertClosedRequests(app.ctx, await app.idOf(large), { count: 5_000, at: app.now() - dayMs })
  let isErased = false
  const erasure = eraseNamed(app.ctx, large.name).finally(() => {
    isErased = true
  })
  expect((await ask(other.name)).status).toBe(201)
  expect(isErased).toBe(false)
  expect(await erasure).toMatchObject({ rows: { service_request: 5_000, request_event: 10_000 } })
  const left = app.ctx.db.reader.selectFrom('restaurant').select('name').where('name', '=', large.name)
  expect(await left.execute()).toEqual([])
})

it('an erasure ends when the server stops and is finished later, and its restaurant cannot be restored meanwhile', async () => {
  const { name, owner } = await app.restaurant({ tables: ['1'] })
  const restaurantId = await app.idOf({ name })
  await insertClosedRequests(app.ctx, restaurantId, { count: 1_000, at: app.now() - dayMs })
  const stop = new AbortController()
  let steps = 0
  const transact: Ctx['db']['transact'] = (task, options) => {
    if (++steps === 2) stop.abort(new Error('The server stops'))
    return app.ctx.db.transact(task, options)
  }
  const stopping = { ...app.ctx, stopping: stop.signal, db: { ...app.ctx.db, transact } }
  await expect(eraseNamed(stopping, name)).rejects.toThrow('The server stops')
  await removeExpiredData({ ...app.ctx, stopping: stop.signal })
  const requests = app.ctx.db.reader
    .selectFrom('serviceRequest')
    .select('id')
    .where('restaurantId', '=', restaurantId)
  expect((await requests.execute()).length).toBe(800)
  expect((await ask(name)).status).toBe(404)
  expect((await owner.call(api.restaurant.restore, {})).status).toBe(409)
  await removeExpiredData(app.ctx)
  expect(await requests.execute()).toEqual([])
  // Its name is free again.
  await app.restaurant({ name })
})

it('as many restaurants as are due are erased in one run, until the server stops', async () => {
  const ids = Array.from({ length: 45 }, () => app.ctx.newId())
  await write(app.ctx, async ({ db }) => {
    for (const id of ids) {
      await sql`insert into restaurant (id, name, time_zone, code_generation, code_key, created_at)
        values (${id}, ${id}, 'UTC', 1, 'k', 0)`.execute(db)
      await endings.insert(db, { restaurantId: id, kind: 'trial', eraseAt: app.now() })
    }
  })
  const left = async () =>
    (await app.ctx.db.reader.selectFrom('restaurantEnding').selectAll().execute()).length
  const before = (await left()) - ids.length
  const server = new AbortController()
  let transactions = 0
  const stopped: Ctx = {
    ...app.ctx,
    stopping: server.signal,
    trace: (_name, work) => {
      if (++transactions === 10) server.abort()
      return work()
    },
  }
  await eraseDueRestaurants(stopped).catch(() => {})
  expect(await left()).toBeGreaterThan(before + 30)
  await eraseDueRestaurants(app.ctx)
  expect(await left()).toBe(before)
})

it('a server that stops leaves the rest of a large restaurant to the next run', async () => {
  const restaurantId = await app.idOf(await app.restaurant())
  await insertClosedRequests(app.ctx, restaurantId, { count: 1_000, at: app.now() - dayMs })
  await write(app.ctx, ({ db }) => endings.insert(db, { restaurantId, kind: 'deleted', eraseAt: app.now() }))
  const server = new AbortController()
  let steps = 0
  const transact: Ctx['db']['transact'] = (task, options) => {
    if (++steps === 3) server.abort(new Error('The server stops'))
    return app.ctx.db.transact(task, options)
  }
  const stopped = { ...app.ctx, stopping: server.signal, db: { ...app.ctx.db, transact } }
  await expect(eraseDueRestaurants(stopped)).rejects.toThrow('The server stops')
  const requests = app.ctx.db.reader
    .selectFrom('serviceRequest')
    .select('id')
    .where('restaurantId', '=', restaurantId)
  expect((await requests.execute()).length).toBe(600)
  await eraseDueRestaurants(app.ctx)
  expect(await requests.execute()).toEqual([])
})

it('what guests of a restaurant that was just restored wait for is not cancelled', async () => {
  const { name, owner } = await app.restaurant({ tables: ['1'] })
  const restaurantId = await app.idOf({ name })
  expect((await ask(name)).status).toBe(201)
  const ending = { restaurantId, kind: 'deleted' as const, eraseAt: app.now() + dayMs }
  await write(app.ctx, ({ db }) => endings.insert(db, ending))
  await cancelOrphanedRequests(slowed(() => owner.ok(api.restaurant.restore, {})))
  const query = { restaurantId: name, tableNumber: '1' }
  expect((await app.browser().ok(api.requests.mine, { query })).requests).toHaveLength(1)
})

it('a restaurant that cannot be erased keeps no other from being erased', async () => {
  await removeExpiredData(app.ctx)
  const [held, other] = [await app.restaurant(), await app.restaurant()]
  for (const [index, ended] of [held, other].entries()) {
    const restaurantId = await app.idOf(ended)
    const ending = { restaurantId, kind: 'deleted' as const, eraseAt: app.now() + index }
    await write(app.ctx, ({ db }) => endings.insert(db, ending))
  }
  app.advance(dayMs)
  let isFirst = true
  const ctx: Ctx = {
    ...app.ctx,
    trace: async (_name, work) => {
      if (!isFirst) return await work()
      isFirst = false
      throw new Error('Somebody holds a row of it')
    },
  }
  await expect(eraseDueRestaurants(ctx)).rejects.toThrow('Somebody holds a row of it')
  const { reader } = app.ctx.db
  const named = reader.selectFrom('restaurant').select('name')
  const names = async () => (await named.execute()).map(({ name }) => name)
  expect(await names()).toContain(held.name)
  expect(await names()).not.toContain(other.name)
  await removeExpiredData(app.ctx)
  expect(await names()).not.toContain(held.name)
})

it('erasing a restaurant empties its webhook inbox, whose rows name only the customer', async () => {
  const { name, owner } = await app.restaurant()
  const id = await app.idOf({ name })
  await subscribeInSandbox(app, owner)
  await owner.ok(api.billing.cancel, {})
  const customer = await app.ctx.db.reader
    .selectFrom('paymentCustomer')
    .select('customerId')
    .where('restaurantId', '=', id)
    .executeTakeFirstOrThrow()
  const left = async () => {
    const { reader } = app.ctx.db
    const events = await reader
      .selectFrom('paymentEvent')
      .select('eventId')
      .where('customerId', '=', customer.customerId)
      .execute()
    const objects = await reader
      .selectFrom('sandboxObject')
      .select('id')
      .where('customerId', '=', customer.customerId)
      .execute()
    return [...events, ...objects].length
  }
  expect(await left()).toBeGreaterThan(0)
  await remove(owner, name)
  await app.whenIdle()
  app.advance(30 * dayMs)
  await removeExpiredData(app.ctx)
  expect(await left()).toBe(0)
})

it('a restaurant has to end its subscription before it is deleted', async () => {
  const { name, owner } = await app.restaurant()
  await subscribeInSandbox(app, owner)
  expect(await remove(owner, name)).toMatchObject({
    status: 409,
    body: { message: 'Please cancel your subscription first, so that nothing more is charged' },
  })
  await owner.ok(api.billing.cancel, {})
  expect((await remove(owner, name)).status).toBe(200)
})

it('nothing is charged for a deleted restaurant until it is restored', async () => {
  const { name, owner } = await app.restaurant()
  const refusal = { status: 409, body: { message: 'Your restaurant is deleted. Please restore it first.' } }
  const choose = () => owner.call(api.billing.create, { body: { planType: 'monthly' } })

  // The card form was open before.
  const { clientSecret, priceId } = await owner.ok(api.billing.create, { body: { planType: 'monthly' } })
  const [setupIntentId = ''] = clientSecret.split('_secret_')
  await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
  await owner.ok(api.billing.confirmSandboxSetup, {
    params: { id: setupIntentId },
    body: { clientSecret, testCard: 'ok' },
  })
  await app.whenIdle()
  expect(await owner.call(api.billing.confirm, { body: { setupIntentId, priceId } })).toMatchObject(refusal)
  expect(await choose()).toMatchObject(refusal)
  expect(await subscriptionStatus(owner)).toBeNull()

  await owner.ok(api.restaurant.restore, {})
  await owner.ok(api.billing.confirm, { body: { setupIntentId, priceId } })
  await owner.ok(api.billing.cancel, {})
  await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
  expect(await owner.call(api.billing.resume, {})).toMatchObject(refusal)
  await owner.ok(api.restaurant.restore, {})
  await owner.ok(api.billing.resume, {})
  await owner.ok(api.billing.cancel, {})
  await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
})

it('only what is allowed for a deleted restaurant is among the actions of its subscription', async () => {
  const restaurant = await app.restaurant()
  const { name, owner } = restaurant
  const restaurantId = await app.idOf(restaurant)
  const actions = async () => (await owner.ok(api.billing.subscription, {})).actions
  const changePlan = () => owner.call(api.billing.changePlan, { body: { planType: 'yearly' } })
  const refusal = { status: 409, body: { message: 'Your restaurant is deleted. Please restore it first.' } }
  await remove(owner, name)
  expect(await actions()).toEqual([])

  await owner.ok(api.restaurant.restore, {})
  expect(await actions()).toEqual(['subscribe'])
  await subscribeInSandbox(app, owner)
  await owner.ok(api.billing.cancel, {})
  await remove(owner, name)
  expect(await actions()).toEqual(['portal'])
  expect(await changePlan()).toMatchObject(refusal)

  // Resumed at the payment provider's own portal, which does not know that it is deleted.
  const stored = await billing.find(app.ctx.db.reader, app.ctx.payments.ledger, restaurantId)
  await app.ctx.payments.resume(stored?.subscriptionId ?? '')
  expect(await changePlan()).toMatchObject(refusal)
  expect(await actions()).toEqual(['cancel', 'portal'])
  await owner.ok(api.billing.cancel, {})
})

it('a restaurant is deleted only after a payment step that is running', async () => {
  const restaurant = await app.restaurant()
  const { name, owner } = restaurant
  const restaurantId = await app.idOf(restaurant)
  const lease = { restaurantId, holder: 'a payment', until: app.now() + minuteMs }
  await write(app.ctx, ({ db }) => billing.acquireLease(db, lease, app.now()))
  const removed = remove(owner, name)
  for (let look = 0; look < 10; look++)
    expect(await owner.ok(api.restaurant.ending, {})).toEqual({ eraseAt: null })
  await write(app.ctx, ({ db }) => billing.releaseLease(db, restaurantId, lease.holder))
  expect((await removed).status).toBe(200)
})

it('deleting a restaurant needs a recent sign-in', async () => {
  const { name, owner } = await app.restaurant()
  app.advance(16 * minuteMs)
  expect(await remove(owner, name)).toMatchObject({ status: 403, body: { code: 'recent_sign_in_required' } })
})

it('a deleted restaurant is no longer the one that `default` means', async () => {
  const own = await app.restaurant({ tables: ['1'] })
  const rows = await app.ctx.db.reader.selectFrom('restaurant').select('name').execute()
  for (const { name } of rows)
    if (name !== own.name) {
      const owner = await signInAsOwner(name)
      await remove(owner, name)
    }
  expect((await ask('default')).status).toBe(201)
})
