import { createHmac } from 'node:crypto'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '#contract/durations.ts'
import { type WebhookTopic, webhookTopicNames } from '#contract/outside/webhook-topics.ts'
import { WebhookMessage } from '#contract/outside/webhooks.ts'
import { undoWindowMs } from '#contract/requests/requests.ts'
import { password } from '../../../../test/support/app.ts'
import { passTime, setUpOutsideReceivers } from '../../../../test/support/outside/outside-receivers.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'
import type { Ctx } from '../ctx.ts'
import { removeExpiredData } from '../retention/retention.ts'
import { bringForwardAfterStep } from '../tasks/set-back-clock.ts'
import { write } from '../transaction.ts'
import { findEvents } from './events.ts'

const outside = setUpOutsideReceivers()
type Owner = Awaited<ReturnType<typeof outside.app.restaurant>>['owner']

async function addWebhook(owner: Owner, topics: WebhookTopic[], path = '/events') {
  const body = { kind: 'webhook' as const, address: outside.web.url + path }
  const { channel, secret } = await owner.ok(api.outsideAlerts.addChannel, { body })
  const changed = await owner.ok(api.outsideAlerts.changeChannel, {
    params: { id: channel.id },
    body: { topics },
  })
  expect(changed.topics).toEqual(topics)
  return { id: channel.id, secret: secret ?? '' }
}

async function openRestaurant(topics: WebhookTopic[] = [...webhookTopicNames]) {
  const restaurant = await outside.app.restaurant({ tables: ['7', '8'] })
  return { ...restaurant, hook: await addWebhook(restaurant.owner, topics) }
}

const ask = async (
  { name }: { name: string },
  tableNumber = '7',
  serviceType: 'check' | 'drinks' = 'check',
) =>
  (
    await outside.app
      .browser()
      .ok(api.requests.send, { body: { restaurantId: name, tableNumber, serviceType } })
  ).request

type Hooked = Awaited<ReturnType<typeof openRestaurant>>

/** Each on a new connection: the clock is advanced further than a silent one is kept. */
async function tap(
  { device }: { device: Parameters<typeof connectScreen>[0] },
  message: { type: 'complete-request' | 'reopen-request'; id: string },
) {
  const screen = await connectScreen(device)
  const answer = await screen.request(message)
  screen.close()
  return answer
}

/** What the receivers got, each valid by the contract. */
const received = () => outside.web.received.map(({ body }) => v.parse(WebhookMessage, JSON.parse(body)))
const typesReceived = (): string[] => received().map(({ type }) => type)
const idsReceived = (): unknown[] => outside.web.received.map(({ headers }) => headers['webhook-id'])

const signIn = ({ owner, name }: Awaited<ReturnType<typeof openRestaurant>>) =>
  owner.ok(api.accounts.ownerLogin, { body: { username: name, password } })

const log = async ({ owner, hook }: Awaited<ReturnType<typeof openRestaurant>>) =>
  (await owner.ok(api.outsideAlerts.deliveries, { params: { id: hook.id }, query: {} })).deliveries

/** Owners' logins end within a day. */
const events = (restaurant: Hooked) =>
  outside.app.ctx.db.reader
    .selectFrom('outsideEvent')
    .selectAll()
    .where('channelId', '=', restaurant.hook.id)
    .execute()

describe('a webhook', () => {
  it('is not alarmed that nobody listens in a restaurant that its owner has deleted', async () => {
    const { app } = outside
    const restaurant = await openRestaurant(['listening'])
    const crew = await restaurant.device.connect()
    crew.send({ type: 'get-pending-requests' })
    while (!(await crew.next('presence')).listening);
    await expect
      .poll(async () => {
        await passTime(app, 0)
        return typesReceived()
      })
      .toEqual(['crew.reachable'])
    const { name, owner } = restaurant
    await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
    await crew.closed
    const id = await app.idOf(restaurant)
    const changes = app.ctx.db.reader
      .selectFrom('listeningChange')
      .select('listening')
      .where('restaurantId', '=', id)
      .orderBy('at')
    await expect.poll(() => changes.execute()).toEqual([{ listening: 1 }, { listening: 0 }])
    await passTime(app, minuteMs)
    expect(typesReceived()).toEqual(['crew.reachable'])
  })

  it('is told what happens while much has happened in a restaurant that its owner has deleted', async () => {
    const { app } = outside
    const deleted = await openRestaurant(['listening'])
    const restaurantId = await app.idOf(deleted)
    await deleted.owner.ok(api.restaurant.remove, { body: { restaurantName: deleted.name } })
    const changes = Array.from({ length: 200 }, (_, id) => ({
      restaurantId,
      id: String(id),
      at: app.now(),
      listening: id % 2,
    }))
    await write(app.ctx, ({ db }) => db.insertInto('listeningChange').values(changes).execute())
    app.advance(1)
    const restaurant = await openRestaurant(['listening'])
    const crew = await restaurant.device.connect()
    crew.send({ type: 'get-pending-requests' })
    while (!(await crew.next('presence')).listening);
    await expect
      .poll(async () => {
        await passTime(app, 0)
        return received().map(({ type, data }) => [type, data.restaurant])
      })
      .toEqual([['crew.reachable', restaurant.name]])
  })

  it('is told, signed and once, what happens in its restaurant', async () => {
    const { app, web } = outside
    const restaurant = await openRestaurant()
    const crew = await restaurant.device.connect()
    const request = await ask(restaurant)
    await passTime(app, secondMs)
    expect(typesReceived().toSorted()).toEqual(['request.created', 'visit.started'])
    expect(received().find(({ type }) => type === 'request.created')).toEqual({
      type: 'request.created',
      timestamp: new Date(request.timestamp).toISOString(),
      data: {
        restaurant: restaurant.name,
        request: request.id,
        table: '7',
        service: 'Check/Bill',
        serviceType: 'check',
        askedAt: new Date(request.timestamp).toISOString(),
        link: `${app.ctx.settings.publicUrl}/management-dashboard`,
      },
    })
    const [call] = web.received
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = call?.headers ?? {}
    const key = Buffer.from(restaurant.hook.secret.slice('whsec_'.length), 'base64')
    const expected = createHmac('sha256', key).update(`${String(id)}.${String(at)}.${call?.body}`)
    expect(signature).toBe(`v1,${expected.digest('base64')}`)

    await crew.request({ type: 'complete-request', id: request.id })
    crew.close()
    await crew.closed
    await passTime(app, 9 * secondMs)
    expect(typesReceived()).not.toContain('request.completed')
    await passTime(app, secondMs)
    expect(received().find(({ type }) => type === 'request.completed')).toMatchObject({
      data: { request: request.id, acceptedAt: null },
    })
    const count = web.received.length
    await passTime(app, 5 * minuteMs)
    expect(
      typesReceived()
        .slice(count)
        .filter((type) => type.startsWith('request.')),
    ).toEqual([])
    expect(new Set(idsReceived()).size).toBe(web.received.length)
  })

  it.each([
    [
      'removes it',
      ({ owner, hook }: Hooked) => owner.ok(api.outsideAlerts.removeChannel, { params: { id: hook.id } }),
    ],
    [
      'wants it to be told nothing',
      ({ owner, hook: { id } }: Hooked) =>
        owner.ok(api.outsideAlerts.changeChannel, { params: { id }, body: { topics: [] } }),
    ],
  ])('is told nothing more once its owner %s, while others are told', async (_, end) => {
    const { app } = outside
    const [restaurant, other] = [await openRestaurant(['requests']), await openRestaurant(['requests'])]
    await ask(restaurant)
    await ask(other)
    let ended: Promise<unknown> | undefined
    const ctx: Ctx = {
      ...app.ctx,
      async trace(name, work) {
        // Just after the request was found.
        if (name.startsWith('write')) await (ended ??= end(restaurant))
        return app.ctx.trace(name, work)
      },
    }
    await findEvents(ctx)
    await passTime(app, secondMs)
    expect(received().map(({ data }) => data.restaurant)).toEqual([other.name])
  })

  it('is not told of a completion that is undone while it is looked at', async () => {
    const { app } = outside
    const restaurant = await openRestaurant(['completions'])
    const { id } = await ask(restaurant)
    await tap(restaurant, { type: 'complete-request', id })
    app.advance(undoWindowMs)
    let undone: Promise<unknown> | undefined
    const ctx: Ctx = {
      ...app.ctx,
      async trace(name, work) {
        // Just after the completion was found.
        if (name.startsWith('write')) await (undone ??= tap(restaurant, { type: 'reopen-request', id }))
        return app.ctx.trace(name, work)
      },
    }
    await findEvents(ctx)
    expect(await undone).toMatchObject({ type: 'ack' })
    expect(await log(restaurant)).toEqual([])
    await tap(restaurant, { type: 'complete-request', id })
    await passTime(app, undoWindowMs)
    expect(typesReceived()).toEqual(['request.completed'])
  })

  it('is told of a completion that can be undone no longer from then on', async () => {
    const { app } = outside
    const restaurant = await openRestaurant(['completions'])
    const { id } = await ask(restaurant)
    await tap(restaurant, { type: 'complete-request', id })
    await passTime(app, undoWindowMs)
    expect(typesReceived()).toEqual(['request.completed'])
    expect(await tap(restaurant, { type: 'reopen-request', id })).toMatchObject({
      code: 'conflict',
      message: 'This can no longer be undone',
    })
  })

  it('is told of requests that alert more people', async () => {
    const restaurant = await openRestaurant(['escalations'])
    await ask(restaurant)
    await passTime(outside.app, 25 * secondMs)
    await passTime(outside.app, 25 * secondMs)
    await passTime(outside.app, secondMs)
    expect(received().map(({ data }) => ('alerts' in data ? data.alerts : ''))).toEqual([
      'all crew',
      'manager',
    ])
  })

  it('is told only what its owner chose, and only of what happens afterwards', async () => {
    const { app } = outside
    const restaurant = await app.restaurant({ tables: ['7', '8'] })
    await ask(restaurant, '7')
    app.advance(1)
    const hook = await addWebhook(restaurant.owner, ['requests'])
    app.advance(1)
    await ask(restaurant, '8')
    await passTime(app, secondMs)
    expect(received().map(({ type, data }) => [type, 'table' in data && data.table])).toEqual([
      ['request.created', '8'],
    ])
    await restaurant.owner.ok(api.outsideAlerts.changeChannel, {
      params: { id: hook.id },
      body: { topics: [] },
    })
    await ask(restaurant, '8', 'drinks')
    await passTime(app, minuteMs)
    expect(outside.web.received).toHaveLength(1)
  })

  it.each([
    ['is new', []],
    ['was told only of visits', ['visits'] as const],
  ])(
    'that %s is told of no request from before, which lies ahead as the clock was set back',
    async (_, topics) => {
      const { app } = outside
      const restaurant = await openRestaurant([...topics])
      const { id } = await ask(restaurant, '7')
      await tap(restaurant, { type: 'complete-request', id })
      await passTime(app, 20 * minuteMs)
      outside.web.received.length = 0
      await passTime(app, -hourMs)
      await bringForwardAfterStep()(app.ctx)
      await restaurant.owner.ok(api.outsideAlerts.changeChannel, {
        params: { id: restaurant.hook.id },
        body: { topics: ['requests', 'completions'] },
      })
      await passTime(app, secondMs)
      expect(typesReceived()).toEqual([])
      await ask(restaurant, '8', 'drinks')
      await passTime(app, secondMs)
      expect(received().map(({ type, data }) => [type, 'table' in data && data.table])).toEqual([
        ['request.created', '8'],
      ])
      // Also when the clock is there again.
      for (let minute = 0; minute < 75; minute += 5) await passTime(app, 5 * minuteMs)
      expect(typesReceived()).toEqual(['request.created'])
    },
  )

  it.each([
    ['before', secondMs],
    ['after', 0],
  ])(
    'is told once of what lies more than a month ahead, if it was found %s the clock was set back',
    async (_, lookMs) => {
      const { app } = outside
      const restaurant = await openRestaurant(['requests'])
      await passTime(app, 32 * dayMs)
      await ask(restaurant)
      outside.web.answer = 500
      if (lookMs > 0) await passTime(app, lookMs)
      await passTime(app, -32 * dayMs)
      await bringForwardAfterStep()(app.ctx)
      outside.web.answer = 204
      for (let minute = 0; minute < 5; minute++) await passTime(app, minuteMs)
      expect((await events(restaurant)).map(({ doneAt }) => doneAt)).toEqual([expect.any(Number)])
      await passTime(app, 31 * dayMs)
      await removeExpiredData(app.ctx)
      expect(await events(restaurant)).toEqual([])
      // Also when the clock is there again.
      for (let hour = 0; hour < 48; hour++) await passTime(app, hourMs)
      expect(await events(restaurant)).toEqual([])
    },
  )

  it('is told nothing of another restaurant', async () => {
    const [own, other] = [await openRestaurant(['requests']), await outside.app.restaurant({ tables: ['7'] })]
    await ask(other)
    await passTime(outside.app, secondMs)
    expect(outside.web.received).toEqual([])
    const params = { id: own.hook.id }
    expect((await other.owner.call(api.outsideAlerts.deliveries, { params, query: {} })).status).toBe(404)
    await ask(own)
    await passTime(outside.app, secondMs)
    const [delivery] = await log(own)
    const again = { params: { id: delivery?.id ?? '' } }
    expect((await other.owner.call(api.outsideAlerts.sendAgain, again)).status).toBe(404)
  })

  it('is told after a failure, and what cannot be told holds nothing else up', async () => {
    const { app, web } = outside
    const restaurant = await openRestaurant(['requests'])
    web.answer = 500
    await ask(restaurant, '7')
    await passTime(app, secondMs)
    expect(await log(restaurant)).toMatchObject([
      { type: 'request.created', state: 'waiting', attempts: 1, last: { problem: 'It answered 500' } },
    ])
    web.answer = 204
    await ask(restaurant, '8')
    await passTime(app, 5 * secondMs)
    await passTime(app, secondMs)
    expect(new Set(idsReceived()).size).toBe(2)
    expect((await log(restaurant)).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
  })

  it('is given up after a day, and sent again when its owner says so', async () => {
    const { app, web } = outside
    const restaurant = await openRestaurant(['requests'])
    web.answer = 410
    await ask(restaurant)
    for (let hour = 0; hour < 26; hour++) await passTime(app, 60 * minuteMs)
    await signIn(restaurant)
    const [failed] = await log(restaurant)
    expect(failed).toMatchObject({ state: 'failed', attempts: 9, last: { problem: 'It answered 410' } })
    const attempts = web.received.length
    await passTime(app, dayMs)
    expect(web.received).toHaveLength(attempts)

    await signIn(restaurant)
    web.answer = 204
    const params = { id: failed?.id ?? '' }
    expect(await restaurant.owner.ok(api.outsideAlerts.sendAgain, { params })).toMatchObject({
      state: 'waiting',
    })
    await passTime(app, secondMs)
    expect(await log(restaurant)).toMatchObject([{ id: failed?.id, state: 'delivered', attempts: 1 }])
    expect(new Set(idsReceived())).toEqual(new Set([failed?.id]))
    await passTime(app, 31 * dayMs)
    await removeExpiredData(app.ctx)
    await signIn(restaurant)
    expect(await log(restaurant)).toEqual([])
  })

  it('is told what happened while no server ran', async () => {
    const { app } = outside
    const restaurant = await openRestaurant(['requests'])
    await passTime(app, 5 * minuteMs)
    await ask(restaurant)
    await app.restart()
    await passTime(app, 20 * minuteMs)
    expect(typesReceived()).toEqual(['request.created'])
  })

  it('is found once by nodes that look at the same moment', async () => {
    const restaurant = await openRestaurant(['requests'])
    await ask(restaurant)
    await Promise.all(Array.from({ length: 4 }, () => findEvents(outside.app.ctx)))
    expect(await log(restaurant)).toHaveLength(1)
  })
})

it('only webhooks are told what happens', async () => {
  const { owner } = await outside.app.restaurant()
  const body = { kind: 'ntfy' as const, address: `${outside.web.url}/topic`, token: '' }
  const { channel } = await owner.ok(api.outsideAlerts.addChannel, { body })
  const change = { params: { id: channel.id }, body: { topics: ['requests' as const] } }
  expect(await owner.call(api.outsideAlerts.changeChannel, change)).toMatchObject({ status: 409 })
})
