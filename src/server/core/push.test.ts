import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { PushAudience } from '#contract/push.ts'
import { password, startTestApp, type TestApp, type TestBrowser, type TestSocket } from '../../../test/app.ts'
import { type PushedDevice, type PushService, startPushService } from '../../../test/push-service.ts'
import * as devices from '../storage/devices.ts'
import { write } from './context.ts'
import { climb } from './ladder.ts'
import { nobodyListens, somebodyListens } from './notices.ts'
import { Pusher } from './pusher.ts'
import { localDay } from './restaurants.ts'
import { tidy } from './upkeep.ts'

let service: PushService
let app: TestApp
beforeEach(async () => {
  service = await startPushService()
  app = await startTestApp({ ...service, rounds: 'by hand' })
})
afterEach(async () => {
  await app.stop()
  await service.stop()
})

type Place = Awaited<ReturnType<typeof place>>

/** Table 1 is Maya's, table 2 nobody's; Maya, Jonas and the manager have push on. */
async function place() {
  const made = await app.restaurant({ tables: ['1', '2'] })
  const { name, owner } = made
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
    maya: await phone(made.device, maya.id),
    jonas: await phone(made.device, jonas.id),
    manager: await phone(manager, null, 'manager'),
  }
  const id = await app.idOf(made)
  await expect.poll(() => app.ctx.hasDevices(id)).toBe(true)
  return { ...made, add, maya, jonas, manager, phones }
}

async function phone(
  browser: TestBrowser,
  crewMemberId: string | null,
  audience: PushAudience = 'crew',
): Promise<PushedDevice & { id: string }> {
  const device = service.device()
  return Object.assign(device, { id: await device.turnOn(browser, audience, crewMemberId) })
}

async function screenOf(device: TestBrowser, crewMemberId?: string): Promise<TestSocket> {
  const screen = await device.connect()
  if (crewMemberId !== undefined) await screen.request({ type: 'set-crew-member-context', crewMemberId })
  screen.send({ type: 'get-pending-requests' })
  await screen.next('pending-requests')
  return screen
}

const ask = async ({ name }: Place, tableNumber: string, guest = app.browser()) =>
  (
    await guest.ok(api.requests.send, {
      body: { restaurantId: name, tableNumber, serviceType: 'drinks' },
    })
  ).request

/** What each was told since the last look, once nothing is under way any more. */
async function told({ phones }: Place): Promise<Record<string, string[]>> {
  await app.settled()
  return Object.fromEntries(
    Object.entries(phones).map(([who, device]) => {
      const words = device.told
      device.received.length = 0
      return [who, words]
    }),
  )
}

/** As time goes by, every node looks at the same moment. */
async function after(ms: number): Promise<void> {
  app.advance(ms)
  await Promise.all([climb(app.ctx), climb(app.ctx)])
  await Promise.all([app.ctx.pusher.round(), app.ctx.pusher.round(), app.ctx.pusher.round()])
}

const needs = (table: string) => [`New Request: Table ${table} needs service`]

describe('a request', () => {
  it('is pushed to its own crew, then to all crew, then to the manager too, each step once', async () => {
    const here = await place()
    await ask(here, '1')
    await after(0)
    expect(await told(here)).toEqual({ maya: needs('1'), jonas: [], manager: [] })
    await after(21_000)
    expect(await told(here)).toEqual({ maya: needs('1'), jonas: needs('1'), manager: [] })
    await after(25_000)
    expect(await told(here)).toEqual({
      maya: needs('1'),
      jonas: needs('1'),
      manager: ['Table 1 is still waiting: Drinks · 46 s'],
    })
    await after(60_000)
    expect(await told(here)).toEqual({ maya: [], jonas: [], manager: [] })
  })

  it('says what a browser needs to show it, under one tag, and that it cannot wait', async () => {
    const here = await place()
    const { id } = await ask(here, '2')
    await app.settled()
    expect(here.phones.maya.received).toEqual([
      {
        web_push: 8030,
        notification: {
          title: 'New Request',
          body: 'Table 2 needs service',
          navigate: `${app.ctx.settings.publicUrl}/waiter`,
          tag: `request-${id}`,
          app_badge: 1,
        },
        tableside: { withdraw: false, urgent: false },
        topic: expect.stringMatching(/^[\w-]{32}$/u),
        urgency: 'high',
        ttl: 120,
      },
    ])
    expect(here.phones.jonas.told).toEqual(needs('2'))
    await after(21_000)
    await after(26_000)
    await app.settled()
    expect(here.phones.manager.received).toMatchObject([
      {
        notification: { navigate: `${app.ctx.settings.publicUrl}/management-dashboard` },
        tableside: { urgent: true },
      },
    ])
  })

  it('is withdrawn, without a sound, from whoever was told of it once somebody is on the way', async () => {
    const here = await place()
    const screen = await screenOf(here.device, here.maya.id)
    const { id } = await ask(here, '1')
    await app.settled()
    const [alert] = here.phones.maya.received
    await screen.request({ type: 'accept-request', id })
    await app.settled()
    expect(here.phones.maya.received[1]).toEqual({
      web_push: 8030,
      notification: {
        title: 'Table 1',
        body: 'Maya is on the way',
        navigate: `${app.ctx.settings.publicUrl}/waiter`,
        tag: `request-${id}`,
        app_badge: 0,
        silent: true,
      },
      tableside: { withdraw: true, urgent: false },
      topic: alert?.topic,
      urgency: 'normal',
      ttl: 3600,
    })
    expect(here.phones.jonas.received).toEqual([])
    await screen.request({ type: 'complete-request', id })
    await after(1_000)
    await app.settled()
    expect(here.phones.maya.received).toHaveLength(2)
  })

  it('is withdrawn when it is completed or cancelled', async () => {
    const here = await place()
    const screen = await screenOf(here.device)
    const guest = app.browser()
    const first = await ask(here, '2')
    const second = await ask(here, '1', guest)
    await told(here)
    await screen.request({ type: 'complete-request', id: first.id })
    expect(await told(here)).toEqual({ maya: ['– Table 2: Done'], jonas: ['– Table 2: Done'], manager: [] })
    await guest.ok(api.requests.cancel, { params: { id: second.id } })
    expect(await told(here)).toEqual({ maya: ['– Table 1: Cancelled'], jonas: [], manager: [] })
  })

  it('is pushed again when the acceptance came to nothing, is given back, or is undone', async () => {
    const here = await place()
    const before = await screenOf(here.device, here.jonas.id)
    const { id } = await ask(here, '2')
    await told(here)
    await before.request({ type: 'accept-request', id })
    await told(here)
    await after(181_000)
    expect(await told(here)).toMatchObject({ maya: needs('2'), jonas: needs('2') })
    const screen = await screenOf(here.device, here.jonas.id)
    await screen.request({ type: 'accept-request', id })
    await told(here)
    await screen.request({ type: 'release-request', id })
    expect(await told(here)).toMatchObject({ maya: needs('2'), jonas: needs('2') })
    await screen.request({ type: 'complete-request', id })
    await told(here)
    await screen.request({ type: 'reopen-request', id })
    expect(await told(here)).toMatchObject({ maya: needs('2'), jonas: needs('2') })
  })

  it('is pushed to the cover when its crew goes on a break, and to nobody again who was told', async () => {
    const here = await place()
    const screen = await screenOf(here.device, here.maya.id)
    await ask(here, '1')
    expect(await told(here)).toEqual({ maya: needs('1'), jonas: [], manager: [] })
    await screen.request({ type: 'start-break', coverId: here.jonas.id })
    expect(await told(here)).toEqual({ maya: [], jonas: needs('1'), manager: [] })
    await after(21_000)
    expect(await told(here)).toEqual({ maya: needs('1'), jonas: needs('1'), manager: [] })
    await screen.request({ type: 'end-break' })
    await after(0)
    expect(await told(here)).toEqual({ maya: [], jonas: [], manager: [] })
  })

  it('is pushed once more when the guest says that nobody came though everybody was alerted', async () => {
    const here = await place()
    const guest = app.browser()
    const { id } = await ask(here, '1', guest)
    await after(21_000)
    await after(26_000)
    await told(here)
    await guest.ok(api.requests.stillWaiting, { params: { id } })
    expect(await told(here)).toMatchObject({ maya: needs('1'), jonas: needs('1') })
    await guest.ok(api.requests.stillWaiting, { params: { id } })
    expect(await told(here)).toMatchObject({ maya: [], jonas: [] })
  })

  it('is pushed after a crash, and never twice', async () => {
    const here = await place()
    await ask(here, '1')
    await told(here)
    // Committed by a server that died before it looked.
    const { pusher } = app.ctx
    Object.assign(app.ctx, { pusher: Object.assign(Object.create(pusher), { told: () => {} }) })
    await ask(here, '2')
    await app.restart()
    await after(0)
    expect(await told(here)).toEqual({ maya: needs('2'), jonas: needs('2'), manager: [] })
  })

  it('that was being pushed when the server stopped is pushed by the next', async () => {
    const here = await place()
    here.phones.maya.answer = 'never'
    await ask(here, '1')
    await expect.poll(() => here.phones.maya.tries).toBe(1)
    await app.restart()
    here.phones.maya.answer = 201
    await after(2_500)
    expect(await told(here)).toEqual({ maya: needs('1'), jonas: [], manager: [] })
    await after(16_000)
    expect((await told(here))['maya']).toEqual([])
  })

  it('costs nothing where nobody has push on', async () => {
    const { name } = await app.restaurant()
    const body = { restaurantId: name, tableNumber: '1', serviceType: 'check' } as const
    const { request } = await app.browser().ok(api.requests.send, { body })
    await app.ctx.pusher.round()
    const { pushedLevel } = await app.ctx.db.reader
      .selectFrom('serviceRequest')
      .select('pushedLevel')
      .where('id', '=', request.id)
      .executeTakeFirstOrThrow()
    expect(pushedLevel).toBe(-1)
  })
})

describe('a device', () => {
  it('that is gone is forgotten', async () => {
    const here = await place()
    here.phones.jonas.answer = 410
    await ask(here, '2')
    await told(here)
    await ask(here, '1')
    await after(21_000)
    await told(here)
    expect(here.phones.jonas.tries).toBe(1)
    expect(
      await here.device.call(api.push.unsubscribe, { params: { id: here.phones.jonas.id } }),
    ).toMatchObject({
      status: 404,
    })
  })

  it('that is not reached is tried again three times, and for as long as it makes sense', async () => {
    const here = await place()
    here.phones.maya.answer = 503
    await ask(here, '2')
    await told(here)
    expect(here.phones.maya.tries).toBe(1)
    for (const pause of [2_500, 8_500]) {
      await after(pause)
      await told(here)
    }
    expect(here.phones.maya.tries).toBe(3)
    here.phones.maya.answer = 201
    await after(31_000)
    expect((await told(here))['maya']).toEqual(needs('2'))
  })

  it('is withdrawn from only by what is true: the last word under a tag is what is sent', async () => {
    const here = await place()
    const screen = await screenOf(here.device, here.jonas.id)
    here.phones.maya.answer = 503
    const { id } = await ask(here, '2')
    await told(here)
    await screen.request({ type: 'accept-request', id })
    await told(here)
    here.phones.maya.answer = 201
    await after(2_500)
    await told(here)
    await after(9_000)
    expect((await told(here))['maya']?.length ?? 0).toBeLessThanOrEqual(1)
    expect(here.phones.maya.tries).toBe(3)
  })

  it('that is not reached at all does not count as listening, until it is looked at again', async () => {
    const here = await place()
    const id = await app.idOf(here)
    const both = new Set([here.maya.id, here.jonas.id])
    expect(app.ctx.presence(id).listeners).toEqual(both)
    await alertInVain(here)
    await expect.poll(() => app.ctx.presence(id).listeners).toEqual(new Set([here.jonas.id]))
    await here.phones.maya.turnOn(here.device, 'crew', here.maya.id)
    await expect.poll(() => app.ctx.presence(id).listeners).toEqual(both)
  })

  it('is withdrawn from also where nobody can say whether the alert arrived', async () => {
    const here = await place()
    const { pusher } = await alertInVain(here)
    here.phones.maya.answer = 201
    const restaurantId = await app.idOf(here)
    await pusher.push((db) => pusher.withdraw(db, restaurantId, somebodyListens))
    expect((await told(here))['maya']).toEqual(allClear)
    // It is forgotten a day after it made sense, and not before.
    await alertInVain(here)
    app.advance(23 * 3_600_000)
    await tidy(app.ctx)
    const left = async () => app.ctx.db.reader.selectFrom('pushDelivery').select('stays').execute()
    expect(await left()).toEqual([{ stays: 1 }])
    app.advance(3_600_000 + 600_000)
    await tidy(app.ctx)
    expect(await left()).toEqual([])
  })

  it('is withdrawn from also when the alert was not sent in time', async () => {
    const here = await place()
    here.phones.maya.answer = 503
    const { id } = await ask(here, '2')
    await told(here)
    here.phones.maya.answer = 201
    app.advance(121_000)
    await app.ctx.pusher.round()
    expect((await told(here))['maya']).toEqual([])
    const screen = await screenOf(here.device, here.jonas.id)
    await screen.request({ type: 'accept-request', id })
    expect((await told(here))['maya']).toEqual(['– Table 2: Jonas is on the way'])
  })

  it('gets a withdrawal after the alert that is just being sent', async () => {
    const here = await place()
    const screen = await screenOf(here.device, here.jonas.id)
    const { promise, resolve } = Promise.withResolvers<number>()
    here.phones.maya.answer = promise
    const { id } = await ask(here, '1')
    await expect.poll(() => here.phones.maya.tries).toBe(1)
    await screen.request({ type: 'accept-request', id })
    // It is tried once however long it takes, and what comes after it waits.
    await after(16_000)
    await after(16_000)
    expect(here.phones.maya.tries).toBe(1)
    resolve(201)
    expect((await told(here))['maya']).toEqual([...needs('1'), '– Table 1: Jonas is on the way'])
    expect(here.phones.maya.tries).toBe(2)
  })

  it('gets a withdrawal after the alert that another node is just sending', async () => {
    const here = await place()
    const [restaurantId, to] = [await app.idOf(here), await mayasDevice(here)]
    const other = new Pusher(() => app.ctx)
    const { promise, resolve } = Promise.withResolvers<number>()
    here.phones.maya.answer = promise
    await other.push((db) => other.alert(db, restaurantId, to, nobodyListens))
    await expect.poll(() => here.phones.maya.tries).toBe(1)
    const { pusher } = app.ctx
    await pusher.push((db) => pusher.withdraw(db, restaurantId, somebodyListens))
    resolve(201)
    expect((await told(here))['maya']).toHaveLength(1)
    app.advance(16_000)
    await pusher.round()
    expect((await told(here))['maya']).toEqual(allClear)
  })

  it('gets a withdrawal after the alert that another node is trying once more, and an alert after that', async () => {
    const here = await place()
    const [restaurantId, to] = [await app.idOf(here), await mayasDevice(here)]
    const other = new Pusher(() => app.ctx)
    here.phones.maya.answer = 503
    await other.push((db) => other.alert(db, restaurantId, to, nobodyListens))
    await told(here)
    const { promise, resolve } = Promise.withResolvers<number>()
    here.phones.maya.answer = promise
    app.advance(2_500)
    await other.round()
    await expect.poll(() => here.phones.maya.tries).toBe(2)
    const { pusher } = app.ctx
    await pusher.push((db) => pusher.withdraw(db, restaurantId, somebodyListens))
    await pusher.push((db) => pusher.alert(db, restaurantId, to, nobodyListens))
    await pusher.push((db) => pusher.withdraw(db, restaurantId, somebodyListens))
    resolve(201)
    expect((await told(here))['maya']).toHaveLength(1)
    app.advance(16_000)
    await pusher.round()
    expect((await told(here))['maya']).toEqual(allClear)
  })

  it('gets a withdrawal at once while nobody is trying the alert again', async () => {
    const here = await place()
    const [restaurantId, to] = [await app.idOf(here), await mayasDevice(here)]
    const other = new Pusher(() => app.ctx)
    here.phones.maya.answer = 503
    await other.push((db) => other.alert(db, restaurantId, to, nobodyListens))
    await told(here)
    here.phones.maya.answer = 201
    const { pusher } = app.ctx
    await pusher.push((db) => pusher.withdraw(db, restaurantId, somebodyListens))
    expect((await told(here))['maya']).toEqual(allClear)
  })

  it('is told once what waited for its turn at a busy push service, whichever node gets to it', async () => {
    const here = await place()
    const [restaurantId, [maya]] = [await app.idOf(here), await mayasDevice(here)]
    if (!maya) throw new Error('Maya has no device')
    const { promise, resolve } = Promise.withResolvers<number>()
    const busy = Array.from({ length: 128 }, () => Object.assign(service.device(), { answer: promise }))
    const { pusher } = app.ctx
    const to = busy.map(({ endpoint, keys }, index) => ({ ...maya, id: `busy ${index}`, endpoint, ...keys }))
    for (const device of to) await write(app.ctx, (db) => devices.put(db, device))
    await pusher.push((db) => pusher.alert(db, restaurantId, [...to, maya], nobodyListens))
    await expect.poll(() => busy.every(({ tries }) => tries === 1)).toBe(true)
    app.advance(16_000)
    await pusher.round()
    expect(here.phones.maya.tries).toBe(0)
    const other = new Pusher(() => app.ctx)
    await other.round()
    await expect.poll(() => here.phones.maya.tries).toBe(1)
    resolve(201)
    await told(here)
    expect(here.phones.maya.tries).toBe(1)
  })

  it('is not told what waited too long for its turn, when another node has told it meanwhile', async () => {
    const here = await place()
    const [restaurantId, to] = [await app.idOf(here), await mayasDevice(here)]
    const { pusher } = app.ctx
    const waiting: (() => Promise<void>)[] = []
    const late = new Pusher(() => ({ ...app.ctx, background: (work) => void waiting.push(work) }))
    await late.push((db) => late.alert(db, restaurantId, to, nobodyListens))
    app.advance(16_000)
    await pusher.round()
    await told(here)
    expect(here.phones.maya.tries).toBe(1)
    await Promise.all(waiting.map((work) => work()))
    expect(here.phones.maya.tries).toBe(1)
  })

  it('is told the next word though the one before it broke', async () => {
    const here = await place()
    const screen = await screenOf(here.device, here.jonas.id)
    const { push } = app.ctx
    const broken = Promise.withResolvers<'failed'>()
    Object.assign(app.ctx, { push: { ...push, send: () => broken.promise } })
    const { id } = await ask(here, '1')
    await after(0)
    Object.assign(app.ctx, { push })
    await screen.request({ type: 'accept-request', id })
    await after(0)
    broken.reject(new Error('broken'))
    expect((await told(here))['maya']).toEqual(['– Table 1: Jonas is on the way'])
    expect(app.lines.filter((line) => line.includes('a push was not carried out'))).toHaveLength(1)
    app.lines.length = 0
  })

  it('belongs to whoever told it last', async () => {
    const here = await place()
    const there = await app.restaurant({ tables: ['1'] })
    await here.phones.maya.turnOn(there.device, 'crew', null)
    await ask(here, '2')
    expect(await told(here)).toEqual({ maya: [], jonas: needs('2'), manager: [] })
    const body = { restaurantId: there.name, tableNumber: '1', serviceType: 'drinks' } as const
    await app.browser().ok(api.requests.send, { body })
    expect(await told(here)).toEqual({ maya: needs('1'), jonas: [], manager: [] })
  })

  it('ends with its session', async () => {
    const here = await place()
    await here.device.fetch('/api/logout')
    await ask(here, '2')
    expect(await told(here)).toEqual({ maya: [], jonas: [], manager: [] })
  })

  it('ends with a login to another restaurant in the same browser, and its screens with it', async () => {
    const [here, there] = [await place(), await app.restaurant()]
    const id = await app.idOf(here)
    const screen = await screenOf(here.device, here.maya.id)
    await here.device.ok(api.accounts.restaurantLogin, { body: { restaurantName: there.name, password } })
    expect(await screen.closed).toBe(4401)
    await expect
      .poll(() => app.ctx.presence(id))
      .toEqual({ listening: false, screens: 0, listeners: new Set() })
  })

  it('ends with its crew member, and with a new PIN that it does not know', async () => {
    const here = await place()
    await here.owner.ok(api.crew.remove, { params: { id: here.jonas.id } })
    await here.owner.ok(api.crew.change, { params: { id: here.maya.id }, body: { pin: '2468' } })
    await ask(here, '2')
    expect(await told(here)).toEqual({ maya: [], jonas: [], manager: [] })
    const body = { ...subscription(here.phones.maya), audience: 'crew' as const, crewMemberId: here.maya.id }
    expect(await here.device.call(api.push.subscribe, { body })).toMatchObject({
      status: 403,
      body: { code: 'pin_required' },
    })
    await (
      await here.device.connect()
    ).request({
      type: 'set-crew-member-context',
      crewMemberId: here.maya.id,
      pin: '2468',
    })
    expect((await here.device.call(api.push.subscribe, { body })).status).toBe(201)
  })

  it('gets what is for managers only where one is signed in', async () => {
    const here = await place()
    const body = { ...subscription(here.phones.maya), audience: 'manager' as const, crewMemberId: null }
    expect(await here.device.call(api.push.subscribe, { body })).toMatchObject({ status: 403 })
    const raisedTo = async (table: string) => {
      await ask(here, table)
      await after(21_000)
      await after(26_000)
      return (await told(here))['manager']?.length
    }
    // A login that nobody uses goes idle after two hours, but whoever waits to be called does nothing.
    app.advance(3 * 3_600_000)
    await tidy(app.ctx)
    expect((await here.manager.call(api.managers.currentUser, {})).status).toBe(401)
    expect(await raisedTo('1')).toBe(1)
    app.advance(9 * 3_600_000)
    await tidy(app.ctx)
    expect(await raisedTo('2')).toBe(0)
  })

  it('acts as oneself after a crew login', async () => {
    const here = await place()
    await here.owner.ok(api.crew.change, {
      params: { id: here.maya.id },
      body: { username: `maya ${here.maya.id}`, password },
    })
    const own = app.browser()
    await own.ok(api.accounts.crewLogin, { body: { username: `maya ${here.maya.id}`, password } })
    const device = subscription(service.device())
    const wanted = (crewMemberId: string | null) =>
      own.call(api.push.subscribe, { body: { ...device, audience: 'crew', crewMemberId } })
    expect(await wanted(here.jonas.id)).toMatchObject({ status: 403 })
    expect(await wanted('nobody')).toMatchObject({ status: 404 })
    expect(await wanted(null)).toMatchObject({ status: 201 })
    expect(app.ctx.presence(await app.idOf(here)).listeners).toContain(here.maya.id)
  })

  it('is one that a push service may have given', async () => {
    const here = await place()
    const right = { ...subscription(service.device()), audience: 'crew', crewMemberId: null }
    const { keys } = right
    for (const wrong of [
      { endpoint: 'http://push.example.com/x' },
      { endpoint: 'https://a:b@push.example.com/x' },
      { endpoint: 'ftp://push.example.com' },
      { endpoint: `https://push.example.com/${'x'.repeat(1000)}` },
      { endpoint: `https://push.example.com/${'é'.repeat(400)}` },
      { keys: { ...keys, auth: `${keys.auth}AA` } },
      { keys: { ...keys, p256dh: keys.auth } },
      { keys: { ...keys, auth: keys.auth.replace(/./u, '+') } },
      { audience: 'guest' },
    ]) {
      expect(await here.device.send('POST', '/api/push-subscriptions', { ...right, ...wrong })).toMatchObject(
        {
          status: 400,
          body: { code: 'invalid' },
        },
      )
    }
    expect((await here.device.send('POST', '/api/push-subscriptions', right)).status).toBe(201)
  })

  it('makes room: ten for a session', async () => {
    const here = await place()
    for (let count = 0; count < 10; count++) {
      app.advance(1_000)
      await phone(here.device, here.jonas.id)
    }
    await ask(here, '2')
    expect(await told(here)).toMatchObject({ maya: [], jonas: [] })
  })
})

const subscription = ({ endpoint, keys }: PushedDevice) => ({ endpoint, keys })

const allClear = ['– Somebody is listening again: The crew hears new requests.']

/** Tells Maya's phone something until it is given up. */
async function alertInVain(here: Place) {
  const { pusher } = app.ctx
  const { maya } = here.phones
  const [restaurantId, to] = [await app.idOf(here), await mayasDevice(here)]
  Object.assign(maya, { answer: 503, tries: 0 })
  await pusher.push((db) => pusher.alert(db, restaurantId, to, nobodyListens))
  for (const pause of [2_500, 8_500, 30_500]) {
    await app.settled()
    app.advance(pause)
    await pusher.round()
  }
  await app.settled()
  expect(maya.tries).toBe(4)
  return { pusher }
}

const mayasDevice = async (here: Place) =>
  devices.ofCrew(app.ctx.db.reader, await app.idOf(here), app.now(), [here.maya.id])

describe('a message', () => {
  it('is pushed to whom it is for', async () => {
    const here = await place()
    const screen = await screenOf(here.device, here.maya.id)
    const message = { type: 'send-team-message', id: 'm1', targetCrewId: here.jonas.id } as const
    await screen.request({ ...message, messageText: 'Table 4 please' })
    await screen.request({ ...message, messageText: 'Table 4 please' })
    await app.settled()
    expect(here.phones.jonas.received).toMatchObject([
      {
        notification: {
          title: 'Maya Lopez',
          body: 'Table 4 please',
          tag: `message-${here.maya.id}-${here.jonas.id}`,
        },
      },
    ])
    expect(await told(here)).toMatchObject({ maya: [], manager: [] })
  })

  it('that is deleted is withdrawn, unless another took its place', async () => {
    const here = await place()
    const screen = await screenOf(here.device, here.maya.id)
    const send = async (id: string, targetCrewId: string, messageText: string) => {
      app.advance(1_000)
      await screen.request({ type: 'send-team-message', id, targetCrewId, messageText })
      await app.settled()
    }
    const remove = (messageId: string) => screen.request({ type: 'delete-team-message', messageId })
    const ana = await here.add('Ana')
    const others = await phone(here.device, ana.id)
    await send('m1', here.jonas.id, 'Table 4 please')
    await send('m2', here.jonas.id, 'Table 5 please')
    await send('m3', ana.id, 'Hello')
    await told(here)
    await remove('m1')
    expect(await told(here)).toEqual({ maya: [], jonas: [], manager: [] })
    await remove('m2')
    expect(await told(here)).toEqual({ maya: [], jonas: ['– Maya Lopez: Message deleted'], manager: [] })
    expect(others.told).toEqual(['Maya Lopez: Hello'])
  })

  it('of a thousand letters is shortened', async () => {
    const here = await place()
    const screen = await screenOf(here.device, here.maya.id)
    const messageText = '\u0001👋'.repeat(333)
    await screen.request({ type: 'send-team-message', targetCrewId: here.jonas.id, messageText })
    await app.settled()
    expect(here.phones.jonas.received.map(({ notification }) => notification.body)).toEqual([
      `${'\u0001👋'.repeat(100)}…`,
    ])
  })

  it('to a role is pushed to all of that role, until one of them claims it', async () => {
    const here = await place()
    const ana = await here.add('Ana', 'Host')
    const host = await phone(here.device, ana.id)
    const screen = await screenOf(here.device, ana.id)
    const call = { type: 'send-role-message', id: 'c1', role: 'Server', messageKey: 'NEED_HELP' } as const
    await screen.request({ ...call, tableNumber: '4' })
    const help = ['Ana: Need help at my station · Table 4']
    expect(await told(here)).toEqual({ maya: help, jonas: help, manager: [] })
    await (await screenOf(here.device, here.jonas.id)).request({ type: 'claim-role-message', id: 'c1' })
    const claimed = ['– Need help at my station: Jonas is on it']
    expect(await told(here)).toEqual({ maya: claimed, jonas: claimed, manager: [] })
    expect(host.received).toEqual([])
  })

  it('that is claimed or deleted by the time it would be pushed is not pushed', async () => {
    const here = await place()
    const [mine, theirs] = [
      await screenOf(here.device, here.maya.id),
      await screenOf(here.device, here.jonas.id),
    ]
    const { background } = app.ctx
    const waiting: (() => Promise<void>)[] = []
    Object.assign(app.ctx, { background: (work: () => Promise<void>) => void waiting.push(work) })
    const targetCrewId = here.jonas.id
    await mine.request({ type: 'send-team-message', id: 'm1', targetCrewId, messageText: 'Never mind' })
    await mine.request({ type: 'delete-team-message', messageId: 'm1' })
    await mine.request({ type: 'send-role-message', id: 'c1', role: 'Server', messageKey: 'NEED_HELP' })
    await theirs.request({ type: 'claim-role-message', id: 'c1' })
    Object.assign(app.ctx, { background })
    waiting.forEach(background)
    expect(await told(here)).toEqual({ maya: [], jonas: [], manager: [] })
  })
})
