import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs } from '#contract/durations.ts'
import type { NewOutsideChannel } from '#contract/outside/outside-alerts.ts'
import { startHttpReceiver } from '../../../../test/support/outside/http-receiver.ts'
import {
  askUntilManager,
  passTime,
  setUpOutsideReceivers,
} from '../../../../test/support/outside/outside-receivers.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'
import * as endings from '../../storage/accounts/restaurant-endings.ts'
import * as outsideAlerts from '../../storage/outside/outside-alerts.ts'
import * as outsideChannels from '../../storage/outside/outside-channels.ts'
import type { Ctx } from '../ctx.ts'
import { removeExpiredData } from '../retention/retention.ts'
import { write } from '../transaction.ts'
import { OutsideAlertSender } from './sender.ts'

const outside = setUpOutsideReceivers()
const minutes = 60_000

/** A minute after the manager, somebody outside is alerted. */
async function openRestaurant(...channels: NewOutsideChannel[]) {
  const restaurant = await outside.app.restaurant({ tables: ['7', '8'] })
  const { owner } = restaurant
  await owner.ok(api.outsideAlerts.setDelay, { body: { afterMs: minutes } })
  const added = []
  for (const body of channels) added.push(await owner.ok(api.outsideAlerts.addChannel, { body }))
  return { ...restaurant, added }
}

const webhook = (path = '/hook'): NewOutsideChannel => ({ kind: 'webhook', address: outside.web.url + path })
const idsSent = (): unknown[] => outside.web.received.map(({ headers }) => headers['webhook-id'])
const lastOf = async ({ owner }: Awaited<ReturnType<typeof openRestaurant>>) =>
  (await owner.ok(api.outsideAlerts.settings, {})).channels.map(({ last }) => last)

describe('a request that nobody answers', () => {
  it('is told outside once, so long after the manager as the owner chose', async () => {
    const { app, mails, web } = outside
    const restaurant = await openRestaurant(
      { kind: 'email', address: 'me@example.com' },
      { kind: 'ntfy', address: `${web.url}/my-topic`, token: 'tk_abc' },
      webhook(),
    )
    const [email, , hook] = restaurant.added
    const params = { id: email?.channel.id ?? '' }
    await restaurant.owner.ok(api.outsideAlerts.confirmChannel, {
      params,
      body: { code: outside.lastCode() },
    })
    mails.received.length = 0

    await askUntilManager(app, restaurant)
    await passTime(app, minutes - 1)
    expect([mails.received, web.received]).toEqual([[], []])
    await passTime(app, 1)

    const link = `${app.ctx.settings.publicUrl}/management-dashboard`
    expect(mails.received).toMatchObject([
      {
        to: ['me@example.com'],
        subject: `${restaurant.name}: Table 7 is still waiting`,
        text: `Check/Bill, for 2 minutes already. Nobody has answered.\n\n${link}\n`,
      },
    ])
    const [push, call] = web.received.toSorted((a, b) => a.path.localeCompare(b.path))
    expect(push).toMatchObject({ path: '/', headers: { authorization: 'Bearer tk_abc' } })
    expect(JSON.parse(push?.body ?? '')).toEqual({
      topic: 'my-topic',
      title: `${restaurant.name}: Table 7 is still waiting`,
      message: 'Check/Bill, for 2 minutes already. Nobody has answered.',
      priority: 5,
      tags: ['bell'],
      click: link,
    })
    expect(call).toMatchObject({ path: '/hook', headers: { 'content-type': 'application/json' } })
    expect(JSON.parse(call?.body ?? '')).toMatchObject({
      type: 'request.unanswered',
      timestamp: new Date(app.now()).toISOString(),
      data: { restaurant: restaurant.name, table: '7', service: 'Check/Bill', waitingSeconds: 110, link },
    })
    // As a receiver verifies it: https://www.standardwebhooks.com
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = call?.headers ?? {}
    const key = Buffer.from(hook?.secret?.slice('whsec_'.length) ?? '', 'base64')
    expect(key).toHaveLength(32)
    const expected = createHmac('sha256', key).update(`${String(id)}.${String(at)}.${call?.body}`)
    expect(signature).toBe(`v1,${expected.digest('base64')}`)
    expect(Number(at)).toBe(Math.floor(app.now() / 1000))

    await passTime(app, 10 * minutes)
    expect([mails.received, web.received].map(({ length }) => length)).toEqual([1, 2])
    expect((await lastOf(restaurant)).map((last) => last?.problem)).toEqual([null, null, null])
  })

  it('is told to nobody outside while that is off', async () => {
    const restaurant = await openRestaurant(webhook())
    await restaurant.owner.ok(api.outsideAlerts.setDelay, { body: { afterMs: null } })
    await askUntilManager(outside.app, restaurant)
    await passTime(outside.app, 10 * minutes)
    expect(outside.web.received).toEqual([])
  })

  it('is told to nobody outside any more once that is turned off', async () => {
    const restaurant = await openRestaurant(webhook())
    await askUntilManager(outside.app, restaurant)
    await restaurant.owner.ok(api.outsideAlerts.setDelay, { body: { afterMs: null } })
    await passTime(outside.app, 10 * minutes)
    expect(outside.web.received).toEqual([])
  })

  it('is told to nobody outside once the owner has deleted the restaurant', async () => {
    const { app, mails, web } = outside
    const restaurant = await openRestaurant(webhook())
    const restaurantId = await app.idOf(restaurant)
    await askUntilManager(app, restaurant)
    // It was stored at the same moment, so it is still open.
    const ending = { restaurantId, kind: 'deleted' as const, eraseAt: app.now() + 30 * dayMs }
    await write(app.ctx, ({ db }) => endings.insert(db, ending))
    await passTime(app, 10 * minutes)
    expect([mails.received, web.received]).toEqual([[], []])
  })

  it('is told to no address that gets no alerts, or gets none any more', async () => {
    const { app, web } = outside
    const restaurant = await openRestaurant(webhook('/off'), webhook('/later'), webhook('/on'))
    const stop = (index: number) =>
      restaurant.owner.ok(api.outsideAlerts.changeChannel, {
        params: { id: restaurant.added[index]?.channel.id ?? '' },
        body: { alerts: false },
      })
    expect(await stop(0)).toMatchObject({ alerts: false, weeklyReport: false })
    await askUntilManager(app, restaurant)
    await stop(1)
    await passTime(app, 10 * minutes)
    expect(web.received.map(({ path }) => path)).toEqual(['/on'])
  })

  it('that reached the manager because its guest said so is told outside too', async () => {
    const { app } = outside
    const restaurant = await openRestaurant(webhook())
    await restaurant.owner.ok(api.escalation.setSettings, {
      body: {
        ...(await restaurant.owner.ok(api.escalation.settings, {})),
        managerAfterMs: {
          general: 1_800_000,
          drinks: 1_800_000,
          food: 1_800_000,
          check: 1_800_000,
          assistance: 1_800_000,
          other: 1_800_000,
        },
      },
    })
    const guest = app.browser()
    const body = { restaurantId: restaurant.name, tableNumber: '7', serviceType: 'check' } as const
    const { id } = (await guest.ok(api.requests.send, { body })).request
    await passTime(app, 50_000)
    await guest.ok(api.requests.stillWaiting, { params: { id } })
    await passTime(app, 59_000)
    // Saying it again postpones nothing.
    await passTime(app, 1_000)
    await guest.ok(api.requests.stillWaiting, { params: { id } })
    await passTime(app, 1)
    expect(outside.web.received).toHaveLength(1)
  })

  it('is not told outside while somebody is on the way, but when they do not come', async () => {
    const { app, web } = outside
    const restaurant = await openRestaurant(webhook())
    const screen = await connectScreen(restaurant.device)
    const id = await askUntilManager(app, restaurant)
    await screen.request({ type: 'accept-request', id })
    await passTime(app, minutes)
    await passTime(app, 2 * minutes)
    expect(web.received).toEqual([])
    await passTime(app, minutes)
    expect(web.received).toHaveLength(1)
  })

  it.each(['releases it', 'goes on a break', 'cannot be told that the guest still waits'] as const)(
    'is told outside no later than after another wait when whoever is on the way %s',
    async (how) => {
      const { app, web } = outside
      const restaurant = await openRestaurant(webhook())
      const { id: maya } = await restaurant.owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
      const guest = app.browser()
      const id = await askUntilManager(app, restaurant, '7', guest)
      const accepting = await connectScreen(restaurant.device, maya)
      await accepting.request({ type: 'accept-request', id })
      accepting.close()
      const restaurantId = await app.idOf(restaurant)
      await expect.poll(() => app.ctx.presence(restaurantId).listeners.has(maya)).toBe(false)
      await passTime(app, minutes)
      if (how === 'cannot be told that the guest still waits')
        await guest.ok(api.requests.stillWaiting, { params: { id } })
      else {
        const screen = await connectScreen(restaurant.device, maya)
        if (how === 'releases it') await screen.request({ type: 'release-request', id })
        else await screen.request({ type: 'start-break', coverId: null })
      }
      await passTime(app, minutes - 1)
      expect(web.received).toEqual([])
      await passTime(app, 1)
      expect(web.received).toHaveLength(1)
      await passTime(app, 10 * minutes)
      expect(web.received).toHaveLength(1)
    },
  )

  it('is told outside as soon as it would have been, if somebody was on the way for a moment only', async () => {
    const { app, web } = outside
    const restaurant = await openRestaurant(webhook())
    const screen = await connectScreen(restaurant.device)
    const id = await askUntilManager(app, restaurant)
    await screen.request({ type: 'accept-request', id })
    app.advance(5_000)
    await screen.request({ type: 'release-request', id })
    await passTime(app, minutes - 5_000)
    expect(web.received).toHaveLength(1)
  })

  it('is told outside as soon as another table’s would have been that is joined with it', async () => {
    const { app, web } = outside
    const restaurant = await openRestaurant(webhook())
    const body = { restaurantId: restaurant.name, tableNumber: '8', serviceType: 'check' } as const
    const { id } = (await app.browser().ok(api.requests.send, { body })).request
    const accepting = await connectScreen(restaurant.device)
    await accepting.request({ type: 'accept-request', id })
    accepting.close()
    await askUntilManager(app, restaurant, '7')
    await passTime(app, minutes / 2)
    const screen = await connectScreen(restaurant.device)
    expect(await screen.request({ type: 'release-request', id })).toMatchObject({ request: { level: 0 } })
    await screen.request({ type: 'move-party', id: 'move', from: '7', to: '8' })
    await passTime(app, minutes / 2)
    expect(web.received.map((call) => JSON.parse(call.body).data.table)).toEqual(['8'])
  })

  it('is told outside only once it has reached the manager, though it was released before', async () => {
    const { app, web } = outside
    const restaurant = await openRestaurant(webhook())
    const screen = await connectScreen(restaurant.device)
    const body = { restaurantId: restaurant.name, tableNumber: '7', serviceType: 'check' } as const
    const { id } = (await app.browser().ok(api.requests.send, { body })).request
    await screen.request({ type: 'accept-request', id })
    await screen.request({ type: 'release-request', id })
    expect(await app.ctx.db.reader.selectFrom('outsideAlert').selectAll().execute()).toEqual([])
    await passTime(app, 25_000)
    await passTime(app, 25_000)
    await passTime(app, minutes - 1)
    expect(web.received).toEqual([])
    await passTime(app, 1)
    expect(web.received).toHaveLength(1)
  })

  it('is not told outside when it is done, unless that is undone', async () => {
    const { app, web } = outside
    const restaurant = await openRestaurant(webhook())
    // Each tap on a new connection: the clock is advanced further than a silent one is kept.
    const tap = async (type: 'complete-request' | 'reopen-request', id = '') =>
      (await connectScreen(restaurant.device)).request({ type, id })
    const ids = [await askUntilManager(app, restaurant, '7'), await askUntilManager(app, restaurant, '8')]
    app.advance(minutes - 55_000)
    for (const id of ids) await tap('complete-request', id)
    await passTime(app, 5_000)
    await tap('reopen-request', ids[0])
    await passTime(app, 10 * minutes)
    await passTime(app, 1)
    expect(web.received.map(({ body }) => JSON.parse(body).data.table)).toEqual(['7'])
  })
})

describe('a receiver that fails', () => {
  it('is tried again less and less often, with the same id, until it answers', async () => {
    const { app, web } = outside
    const restaurant = await openRestaurant(webhook())
    await askUntilManager(app, restaurant)
    web.answer = 503
    await passTime(app, minutes)
    expect(await lastOf(restaurant)).toEqual([{ at: app.now(), problem: 'It answered 503' }])
    for (const [pause, attempts] of [
      [4_999, 1],
      [1, 2],
      [14_999, 2],
      [1, 3],
      [45_000, 4],
      [119_999, 4],
    ] as const) {
      await passTime(app, pause)
      expect(web.received).toHaveLength(attempts)
    }
    web.answer = 204
    await passTime(app, 1)
    await passTime(app, 10 * minutes)
    expect(web.received).toHaveLength(5)
    expect(new Set(idsSent()).size).toBe(1)
    expect(new Set(web.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(5)
    expect(new Set(web.received.map(({ body }) => body)).size).toBe(1)
    expect(await lastOf(restaurant)).toMatchObject([{ problem: null }])
  })

  it('is given up after half an hour, and called again for the next request', async () => {
    const { app, web } = outside
    const restaurant = await openRestaurant(webhook())
    await askUntilManager(app, restaurant)
    web.answer = 500
    for (let passed = 0; passed <= 40; passed += 5) await passTime(app, 5 * minutes)
    const attempts = web.received.length
    await passTime(app, 10 * minutes)
    expect(web.received).toHaveLength(attempts)
    web.answer = 200
    await askUntilManager(app, restaurant, '8')
    await passTime(app, minutes)
    expect(web.received).toHaveLength(attempts + 1)
  })

  it('does not stand in the way of others, however many they are', async () => {
    const { app, web } = outside
    const silent = await startHttpReceiver()
    silent.answer = 'never'
    const restaurant = await openRestaurant()
    const restaurantId = await app.idOf(restaurant)
    const add = (id: string, address: string) =>
      write(app.ctx, ({ db }) =>
        outsideChannels.insert(db, {
          restaurantId,
          id,
          kind: 'webhook',
          address,
          secret: 'whsec_',
          createdAt: 0,
          confirmedAt: 0,
        }),
      )
    for (let index = 0; index < 130; index++) await add(`silent-${index}`, silent.url)
    await write(app.ctx, async ({ db }) => {
      for (let index = 0; index < 130; index++)
        await outsideChannels.recordOutcome(
          db,
          { restaurantId, id: `silent-${index}` },
          { at: 0, problem: 'It did not answer within 10 seconds' },
        )
    })
    await add('zz-alive', web.url)
    await askUntilManager(app, restaurant)
    app.advance(minutes)
    await app.ctx.outsideAlerts.sendDue()
    await expect.poll(() => web.received.length).toBe(1)
    await expect.poll(() => silent.attempts).toBe(25)
    await app.ctx.outsideAlerts.sendDue()
    expect(silent.attempts).toBe(25)
    await silent.stop()
    await app.whenIdle()
  })

  it('gets all that waits for it, one after the other, as soon as it answers', async () => {
    const { app, web } = outside
    const restaurant = await openRestaurant(webhook())
    await askUntilManager(app, restaurant, '7')
    await askUntilManager(app, restaurant, '8')
    web.answer = 500
    await passTime(app, minutes)
    expect(web.received).toHaveLength(1)
    web.answer = 200
    await passTime(app, 5_000)
    expect(web.received).toHaveLength(3)
    expect(new Set(idsSent()).size).toBe(2)
  })
})

it('leaves the rest of a long backlog for its next turn', async () => {
  const { app } = outside
  const restaurantId = await app.idOf(await openRestaurant(webhook()))
  await write(app.ctx, async ({ db }) => {
    for (let index = 0; index < 6; index++) {
      const alert = { restaurantId, requestId: `request-${index}`, dueAt: app.now() }
      await outsideAlerts.schedule(db, alert, app.ctx.newId)
    }
  })
  const open = () =>
    app.ctx.db.reader.selectFrom('outsideAlert').select('id').where('doneAt', 'is', null).execute()
  await app.ctx.outsideAlerts.sendDue()
  await app.whenIdle()
  expect(await open()).toHaveLength(1)
  await app.ctx.outsideAlerts.sendDue()
  await app.whenIdle()
  expect(await open()).toEqual([])
})

describe('several nodes', () => {
  it('send an alert once', async () => {
    const { app, web } = outside
    const restaurant = await openRestaurant(webhook('/a'), webhook('/b'))
    await askUntilManager(app, restaurant)
    app.advance(minutes)
    const nodes = Array.from({ length: 5 }, () => new OutsideAlertSender(() => app.ctx))
    await Promise.all(nodes.map((node) => node.sendDue()))
    await app.whenIdle()
    expect(web.received.map(({ path }) => path).toSorted()).toEqual(['/a', '/b'])
  })

  it('do not send it again where one is so slow that another has tried it meanwhile', async () => {
    const { app, web } = outside
    const restaurant = await openRestaurant(webhook())
    await askUntilManager(app, restaurant)
    web.answer = 503
    app.advance(minutes)
    const [found, tried] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow: Ctx = {
      ...app.ctx,
      async trace(name, work) {
        found.resolve()
        if (name.startsWith('write')) await tried.promise
        return app.ctx.trace(name, work)
      },
    }
    const slowTurn = new OutsideAlertSender(() => slow).sendDue()
    await found.promise
    await app.ctx.outsideAlerts.sendDue()
    await app.whenIdle()
    expect(web.received).toHaveLength(1)
    tried.resolve()
    await slowTurn
    await app.whenIdle()
    expect(web.received).toHaveLength(1)
  })

  it('send it again, with the same id, when one dies before it has noted that it sent it', async () => {
    const { app, web } = outside
    const restaurant = await openRestaurant(webhook())
    await askUntilManager(app, restaurant)
    app.advance(minutes)
    const died: Promise<void>[] = []
    const dying: Ctx = {
      ...app.ctx,
      outbound: {
        ...app.ctx.outbound,
        async post(...call) {
          await app.ctx.outbound.post(...call)
          throw new Error('the node died')
        },
      },
      background: (work) => void died.push(work()),
    }
    await new OutsideAlertSender(() => dying).sendDue()
    await expect(Promise.all(died)).rejects.toThrow('the node died')
    await passTime(app, 29_000)
    expect(web.received).toHaveLength(1)
    await passTime(app, 1_000)
    await passTime(app, 10 * minutes)
    expect(web.received).toHaveLength(2)
    expect(new Set(idsSent()).size).toBe(1)
  })

  it('lose no alert that is stored just when another one ends its turn', async () => {
    const { app } = outside
    const restaurant = await openRestaurant(webhook())
    const restaurantId = await app.idOf(restaurant)
    const { ctx } = app
    for (let round = 0; round < 20; round++) {
      const [channel] = await outsideChannels.list(ctx.db.reader, restaurantId)
      if (!channel) throw new Error('no channel')
      const leased = await write(ctx, ({ db }) =>
        outsideChannels.lease(db, channel, ctx.now() + 30_000 + round),
      )
      if (!leased) throw new Error('not leased')
      await Promise.all([
        write(ctx, ({ db }) =>
          outsideAlerts.schedule(
            db,
            { restaurantId, requestId: `request-${round}`, dueAt: ctx.now() },
            ctx.newId,
          ),
        ),
        write(ctx, ({ db }) => outsideAlerts.release(db, leased, null)),
      ])
      expect(await outsideChannels.find(ctx.db.reader, restaurantId, leased.id)).toMatchObject({
        nextAt: ctx.now(),
        leasedUntil: null,
      })
      await write(ctx, ({ db }) => outsideAlerts.removeOpen(db, restaurantId))
      const nextAt = round % 2 === 0 ? ctx.now() - 1 : null
      await ctx.db.transact((db) => db.updateTable('outsideChannel').set({ nextAt }).execute())
    }
  })
})

it('forgets what was told outside after a week', async () => {
  const { app } = outside
  const restaurant = await openRestaurant(webhook())
  await askUntilManager(app, restaurant)
  await passTime(app, minutes)
  const alerts = () => app.ctx.db.reader.selectFrom('outsideAlert').select('id').execute()
  app.advance(6.9 * 24 * 60 * minutes)
  await removeExpiredData(app.ctx)
  expect(await alerts()).toHaveLength(1)
  app.advance(0.2 * 24 * 60 * minutes)
  await removeExpiredData(app.ctx)
  expect(await alerts()).toEqual([])
})
