import { expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { hourMs, minuteMs } from '#contract/durations.ts'
import { password, setUpApp } from '../../../../../test/support/app.ts'
import { createStripeRig, refusedWith } from '../../../../../test/support/stripe/billing-rigs.ts'
import * as billing from '../../../storage/billing/billing.ts'
import * as events from '../../../storage/billing/payment-events.ts'
import * as history from '../../../storage/requests/request-history.ts'
import { anonymousActor } from '../../actor.ts'
import { retryDueEvents } from '../../billing/webhook-inbox.ts'
import { addDays, localDay } from '../../dates.ts'
import { findDifferences } from '../../requests/recount.ts'
import { removeExpiredData } from '../../retention/retention.ts'
import { bringForwardAfterStep } from '../../tasks/set-back-clock.ts'
import * as accounts from '../accounts.ts'
import { eraseNamed } from '../restaurants/erasure.ts'
import { maxDemos, tryDemo } from './try-demo.ts'

const app = setUpApp({ tryDemo: true })
const off = setUpApp()

it('a demo gives each visitor a furnished restaurant of their own', async () => {
  const [first, second] = [app.browser(), app.browser()]
  const { restaurantName } = await first.ok(api.accounts.tryDemo, { body: {} })
  const other = await second.ok(api.accounts.tryDemo, { body: { timeZone: 'Europe/Berlin' } })
  expect(restaurantName).toMatch(/^The Copper Pot [A-Z0-9]{6}$/)
  expect(other.restaurantName).not.toBe(restaurantName)
  expect(await first.ok(api.accounts.currentUser, {})).toMatchObject({
    restaurantName,
    subscriptionStatus: 'active',
  })
  expect(await first.ok(api.floor.tables, {})).toHaveLength(8)
  expect((await first.call(api.qr.mine, {})).status).toBe(200)
  expect(await first.ok(api.firstSteps.list, {})).toEqual({ steps: null })
  const screen = await first.connect()
  await screen.request({ type: 'set-restaurant-context', restaurantId: restaurantName })
  screen.send({ type: 'get-pending-requests' })
  const { requests } = await screen.next('pending-requests')
  expect(requests.map(({ tableNumber }) => tableNumber).toSorted()).toEqual(['3', '5'])
})

it('a demo has two weeks behind it as a restaurant has them, and the guests of today', async () => {
  const visitor = app.browser()
  const timeZone = 'Asia/Tokyo'
  const { restaurantName } = await visitor.ok(api.accounts.tryDemo, { body: { timeZone } })
  const today = localDay(app.now(), timeZone)
  const query = { from: addDays(today, -14), to: addDays(today, -1) }
  const { byDay, pace, totals } = await visitor.ok(api.analytics.figures, { query })
  const { requests, withinTarget } = totals
  for (const { day, requests } of byDay) expect({ day, isBusy: requests > 12 }).toEqual({ day, isBusy: true })
  expect(pace?.slowest).toMatchObject({
    weekday: expect.toBeOneOf([4, 5]),
    fromHour: expect.toBeOneOf([18, 19, 20]),
  })
  expect(withinTarget.within / requests).toBeGreaterThan(0.7)
  const overview = await visitor.ok(api.analytics.overview, {})
  expect(overview).toMatchObject({ openToday: 2, activeTables: 8 })
  expect(overview.requestsToday).toBeGreaterThan(8)

  const { reader } = app.ctx.db
  const restaurantId = await app.idOf({ name: restaurantName })
  const states = await history.listStates(reader, restaurantId, { after: '', limit: 1_000 })
  const span = { from: states[0]?.id ?? '', to: states.at(-1)?.id ?? '' }
  const events = await history.listEventsBetween(reader, restaurantId, span)
  expect(states).toHaveLength(requests + overview.requestsToday)
  for (const state of states) {
    const own = events.filter(({ requestId }) => requestId === state.id)
    expect(findDifferences(state, own)).toEqual([])
  }
})

it('a demo is erased after an hour, with its logins and sockets', async () => {
  const visitor = app.browser()
  const { restaurantName } = await visitor.ok(api.accounts.tryDemo, { body: {} })
  const id = await app.idOf({ name: restaurantName })
  // Its payment is told afterwards.
  await app.whenIdle()
  app.advance(hourMs - minuteMs)
  await removeExpiredData(app.ctx)
  expect((await visitor.call(api.accounts.currentUser, {})).status).toBe(200)
  app.advance(minuteMs)
  await removeExpiredData(app.ctx)
  expect((await visitor.call(api.accounts.currentUser, {})).status).toBe(401)
  const guest = await app.browser().call(api.requests.send, {
    body: { id: app.ctx.newId(), restaurantId: restaurantName, tableNumber: '1', serviceType: 'general' },
  })
  expect(guest).toMatchObject({ status: 404, body: { message: 'Restaurant not found' } })
  for (const table of [
    'restaurantName',
    'owner',
    'serviceRequest',
    'requestEvent',
    'tableAssignment',
    'session',
    'restaurantEnding',
  ] as const) {
    const rows = app.ctx.db.reader.selectFrom(table).select('restaurantId').where('restaurantId', '=', id)
    expect({ table, rows: await rows.execute() }).toEqual({ table, rows: [] })
  }
})

it('a demo is erased although the server ended right after its sign-up', async () => {
  let name = ''
  const demo = tryDemo(app.ctx, anonymousActor(), {}, async (...input) => {
    name = (await accounts.signUp(...input)).reply.restaurantName
    throw new Error('The server ended')
  })
  await expect(demo).rejects.toThrow('The server ended')
  const find = () =>
    app.ctx.db.reader.selectFrom('restaurant').select('name').where('name', '=', name).execute()
  expect(await find()).toEqual([{ name }])
  app.advance(hourMs)
  await removeExpiredData(app.ctx)
  expect(await find()).toEqual([])
})

it('a payment event of a demo that is erased meanwhile leads to nothing', async () => {
  const { restaurantName } = await app.browser().ok(api.accounts.tryDemo, { body: {} })
  const restaurantId = await app.idOf({ name: restaurantName })
  await app.whenIdle()
  const { payments, db } = app.ctx
  const customer = await billing.findCustomer(db.reader, restaurantId)
  const event = {
    provider: payments.ledger,
    eventId: `evt_${restaurantId}`,
    customerId: customer?.customerId ?? '',
  }
  const due = {
    type: 'invoice.paid',
    objectId: 'in_1',
    livemode: 0,
    receivedAt: app.now(),
    nextAt: app.now(),
  }
  await db.transact((db) => events.insert(db, { ...event, ...due }))
  const lookUp = payments.subscriptions.bind(payments)
  vi.spyOn(payments, 'subscriptions').mockImplementationOnce(async (customerId) => {
    const found = await lookUp(customerId)
    expect((await eraseNamed(app.ctx, restaurantName)).kind).toBe('erased')
    return found
  })
  await retryDueEvents(app.ctx)
  // It is erased, too. In the end no test's server may have logged an error.
  expect(await events.find(db.reader, event.provider, event.eventId)).toBeUndefined()
})

it('a demo says when it is erased, and never asks its visitor for a password', async () => {
  const visitor = app.browser()
  await visitor.ok(api.accounts.tryDemo, { body: {} })
  const eraseAt = app.now() + hourMs
  const notice = { id: 'demo', kind: 'demo', at: eraseAt, about: null }
  expect(await visitor.ok(api.recovery.notices, {})).toEqual([notice])
  expect(await visitor.ok(api.restaurant.ending, {})).toEqual({ eraseAt, isDemo: true })
  // As when the server starts.
  await bringForwardAfterStep()(app.ctx)
  app.advance(hourMs - minuteMs)
  const username = 'boss'
  await visitor.ok(api.managers.setCredentials, { body: { username, password } })
  const [session] = await visitor.ok(api.sessions.list, {})
  expect(session?.signedInAt).toBe(app.now())
})

it('nothing can be bought for a demo where cards are charged', async () => {
  const rig = await createStripeRig({ tryDemo: true })
  onTestFinished(() => rig.stop())
  const visitor = rig.app.browser()
  await visitor.ok(api.accounts.tryDemo, { body: {} })
  expect(await visitor.call(api.billing.create, { body: { planType: 'monthly' } })).toMatchObject(
    refusedWith(409, 'This is a demo, which is erased soon. Nothing can be bought for it.'),
  )
  expect(await visitor.ok(api.billing.subscription, {})).toMatchObject({ status: null, actions: [] })
  expect(rig.fake.customers.size).toBe(0)
})

it('a demo is never the restaurant that `default` means', async () => {
  const { name } = await app.restaurant({ tables: ['1'] })
  await app.browser().ok(api.accounts.tryDemo, { body: {} })
  const send = await app.browser().call(api.requests.send, {
    body: { id: app.ctx.newId(), restaurantId: 'default', tableNumber: '1', serviceType: 'general' },
  })
  expect(send.status).toBe(201)
  expect(
    await app.ctx.db.reader.selectFrom('serviceRequest').select('restaurantId').execute(),
  ).toContainEqual({ restaurantId: await app.idOf({ name }) })
})

it('a demo is not offered unless the installation allows it', async () => {
  expect((await off.browser().call(api.accounts.tryDemo, { body: {} })).status).toBe(404)
  for (const [server, isOffered] of [
    [app, true],
    [off, false],
  ] as const) {
    const page = await server.browser().fetch('/', { headers: { accept: 'text/html' } })
    expect((await page.text()).includes('data-demo="on"')).toBe(isOffered)
  }
})

it('no more visitors get a demo than there is room for, until others are erased', async () => {
  const { restaurantName } = await app.browser().ok(api.accounts.tryDemo, { body: {} })
  const { db } = app.ctx
  const others = Array.from({ length: maxDemos }, (_, number) => `demo-${number}`)
  const template = await db.reader
    .selectFrom('restaurant')
    .selectAll()
    .where('name', '=', restaurantName)
    .executeTakeFirstOrThrow()
  const eraseAt = app.now() + hourMs
  await db.transact(async (db) => {
    await db
      .insertInto('restaurant')
      .values(others.map((id) => ({ ...template, id, name: id })))
      .execute()
    await db
      .insertInto('restaurantEnding')
      .values(others.map((restaurantId) => ({ restaurantId, kind: 'trial' as const, eraseAt })))
      .execute()
  })
  await app.forgetNewNames()
  const count = async () => (await db.reader.selectFrom('restaurant').select('id').execute()).length
  const before = await count()
  const visitor = app.browser()
  expect(await visitor.call(api.accounts.tryDemo, { body: {} })).toMatchObject({
    status: 429,
    body: { message: 'Many visitors are trying Tableside right now. Please try again in an hour.' },
  })
  expect((await visitor.call(api.accounts.currentUser, {})).status).toBe(401)
  expect(await count()).toBe(before)
  app.advance(hourMs)
  await removeExpiredData(app.ctx)
  await app.forgetNewNames()
  expect((await visitor.call(api.accounts.tryDemo, { body: {} })).status).toBe(201)
})

it('a demo counts as a new restaurant for the limits of an address', async () => {
  await app.forgetNewNames()
  const statuses = []
  for (let visitors = 0; visitors < 12; visitors += 1)
    statuses.push((await app.browser().call(api.accounts.tryDemo, { body: {} })).status)
  expect(statuses[0]).toBe(201)
  expect(statuses.at(-1)).toBe(429)
})
