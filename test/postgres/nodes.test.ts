import { sql } from 'kysely'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { anonymousActor } from '../../src/server/core/actor.ts'
import { Connection } from '../../src/server/live/connection.ts'
import { Rooms } from '../../src/server/live/rooms.ts'
import { StreamRecovery } from '../../src/server/live/streams/stream-recovery.ts'
import { listAhead, streamKey } from '../../src/server/storage/streams.ts'
import { password, startTestApp, type TestApp, TestBrowser } from '../support/app.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { type FakePushDevice, type PushService, startPushService } from '../support/outside/push-service.ts'
import { connectScreen } from '../support/pages/crew-view.ts'
import { silentSocket } from '../support/pages/silent-socket.ts'

const redisUrl = process.env['TEST_REDIS_URL']
const buses = ['postgres', ...(redisUrl ? ['redis'] : [])]

for (const bus of buses) {
  let database: TestDatabase
  let nodes: TestApp[]
  let push: PushService

  beforeEach(async () => {
    database = await freshDatabase()
    push = await startPushService()
    const { pushService } = push
    const redis = bus === 'redis' ? (redisUrl ?? null) : null
    const options = { databaseUrl: database.url, redisUrl: redis, pushService, clock: 'running' } as const
    nodes = await Promise.all([startTestApp(options), startTestApp(options)])
  })
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    await push.stop()
    await database.drop()
  })

  async function twoNodes() {
    const [a, b] = nodes
    if (!a || !b) throw new Error('Two nodes are required')
    const { name, owner, device } = await a.restaurant()
    const deviceAtB = device.sentTo(b)
    const crew = await connectScreen(deviceAtB)
    return { a, b, name, owner, device, crew }
  }

  it(`delivers a request from one node to the crew on another, over ${bus}`, async () => {
    const { a, name, crew } = await twoNodes()
    const guest = a.browser()
    const screen = await guest.connect()
    await screen.request({ type: 'set-restaurant-context', restaurantId: name, tableNumber: '7' })
    const { request } = await guest.ok(api.requests.send, {
      body: { restaurantId: name, tableNumber: '7', serviceType: 'check' },
    })
    expect(await crew.next('new-request')).toEqual({ type: 'new-request', request, seq: 1 })
    await crew.request({ type: 'complete-request', id: request.id })
    expect(await screen.next('request-completed')).toMatchObject({ id: request.id, seq: 2 })
  })

  it(`knows on every node whether anybody is listening, over ${bus}`, async () => {
    const { a, name, crew } = await twoNodes()
    const screen = await a.browser().connect()
    const table = { restaurantId: name, tableNumber: '7' }
    const answer = await screen.request({ type: 'set-restaurant-context', ...table })
    const atOnce = answer.type === 'ack' && answer.listening === true
    expect(atOnce || (await screen.next('presence')).listening).toBe(true)
    crew.close()
    for (;;) if (!(await screen.next('presence')).listening) break
  })

  it(`asks the others who is listening when it starts, over ${bus}`, async () => {
    const { a } = await twoNodes()
    const signals: unknown[] = []
    a.ctx.bus.subscribe((signal) => signals.push(signal))
    const redis = bus === 'redis' ? (redisUrl ?? null) : null
    nodes.push(await startTestApp({ databaseUrl: database.url, redisUrl: redis }))
    await expect.poll(() => signals).toContainEqual({ kind: 'presence-wanted' })
  })

  it(`says so when it stops, and nobody waits longer for its screens, over ${bus}`, async () => {
    const { a } = await twoNodes()
    const signals: unknown[] = []
    a.ctx.bus.subscribe((signal) => signals.push(signal))
    const redis = bus === 'redis' ? (redisUrl ?? null) : null
    const third = await startTestApp({ databaseUrl: database.url, redisUrl: redis })
    await third.stop()
    await expect.poll(() => signals).toContainEqual({ kind: 'node-stops', node: expect.any(String) })
  })

  it(`records when somebody was listening, whichever node reports it, over ${bus}`, async () => {
    const { a, crew } = await twoNodes()
    const changes = async () => {
      const rows = await a.ctx.db.reader
        .selectFrom('listeningChange')
        .select('listening')
        .orderBy('at')
        .execute()
      // Two nodes that record it at the same moment agree.
      return rows.map((row) => row.listening).filter((value, index, all) => value !== all[index - 1])
    }
    await expect.poll(changes).toEqual([1])
    crew.close()
    await expect.poll(changes).toEqual([1, 0])
  })

  it(`keeps a message from whoever takes the phone over on another node meanwhile, over ${bus}`, async () => {
    const { a, b, name, owner, device } = await twoNodes()
    const add = (member: string) => owner.ok(api.crew.add, { body: { name: member, role: 'Server' } })
    const [maya, jonas, ana] = [await add('Maya'), await add('Jonas'), await add('Ana')]
    const phone = push.device()
    await phone.subscribe(device, 'crew', maya.id)
    const id = await a.idOf({ name })
    await expect.poll(() => a.ctx.hasDevices(id)).toBe(true)
    const screen = await connectScreen(device, jonas.id)
    const send = (targetCrewId: string, messageText: string) =>
      screen.request({ type: 'send-team-message', targetCrewId, messageText })

    const [lookedUp, takenOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { pusher } = a.ctx
    const notify = pusher.notify.bind(pusher)
    vi.spyOn(pusher, 'notify').mockImplementationOnce(async (...message) => {
      lookedUp.resolve()
      await takenOver.promise
      return notify(...message)
    })
    await send(maya.id, 'Between us')
    await lookedUp.promise
    await phone.subscribe(device.sentTo(b), 'crew', ana.id)
    takenOver.resolve()
    await a.whenIdle()
    await send(ana.id, 'Hello')
    await a.whenIdle()
    expect(phone.told).toEqual(['Jonas: Hello'])
  })

  it(`pushes once and raises the alarm once, although every node checks, over ${bus}`, async () => {
    const { a, b, name, owner, device, crew } = await twoNodes()
    const phoneOf = async (browser: TestBrowser, audience: 'crew' | 'manager'): Promise<FakePushDevice> => {
      const phone = push.device()
      await phone.subscribe(browser, audience, null)
      return phone
    }
    const settled = () => Promise.all([a.whenIdle(), b.whenIdle()])
    const manager = await phoneOf(owner, 'manager')
    // A later subscriber hears only of changes, so the guest connects before the phone counts.
    const screen = await a.browser().connect()
    await screen.request({ type: 'set-restaurant-context', restaurantId: name, tableNumber: '7' })
    const phone = await phoneOf(device, 'crew')
    while ((await screen.next('presence')).screens !== 2);

    const body = { restaurantId: name, tableNumber: '7', serviceType: 'check' } as const
    const { request } = await a.browser().ok(api.requests.send, { body })
    await Promise.all([a, b].map((node) => node.ctx.pusher.sendDue()))
    await settled()
    await crew.request({ type: 'complete-request', id: request.id })
    await Promise.all([a, b].map((node) => node.ctx.pusher.sendDue()))
    await settled()
    expect(phone.told).toEqual(['New Request: Table 7 needs service', '– Table 7: Done'])

    crew.close()
    while ((await screen.next('presence')).screens !== 1);
    phone.answer = 410
    await a.browser().ok(api.requests.send, { body })
    while ((await screen.next('presence')).listening);
    await expect.poll(() => manager.told.length).toBeGreaterThan(0)
    await settled()
    expect(manager.received.map(({ notification }) => notification.tag)).toEqual(['nobody-listens'])
  })

  it(`closes the sockets of a session on every node, over ${bus}`, async () => {
    const { device, crew } = await twoNodes()
    await device.fetch('/api/logout')
    expect(await crew.closed).toBe(4401)
  })

  it(`deselects a member who gets a PIN on the screens of every node, over ${bus}`, async () => {
    const { owner, crew } = await twoNodes()
    const { id } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    await crew.request({ type: 'set-crew-member-context', crewMemberId: id })
    await owner.ok(api.crew.change, { params: { id }, body: { pin: '2468' } })
    expect(await crew.closed).toBe(1012)
  })

  const countBy = (values: number[]) =>
    Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]))

  it(`lets as many wrong passwords through as one node would, over ${bus}`, async () => {
    const { a, b, name } = await twoNodes()
    const strangers = Array.from({ length: 16 }, (_, index) => {
      const body = { restaurantName: name, password: 'a wrong guess' }
      return (index % 2 ? a : b).browser().call(api.accounts.restaurantLogin, { body })
    })
    expect(countBy((await Promise.all(strangers)).map(({ status }) => status))).toEqual({ 401: 5, 429: 11 })
    // A node that starts anew knows it, too.
    await a.restart()
    const body = { restaurantName: name, password }
    expect((await a.browser().call(api.accounts.restaurantLogin, { body })).status).toBe(429)
  })

  it(`counts a phone's taps on all nodes, also for those that start later, over ${bus}`, async () => {
    const { a, b, name } = await twoNodes()
    const phone = a.browser()
    const tap = async (browser: TestBrowser, table: number) => {
      const body = { restaurantId: name, tableNumber: `${table}`, serviceType: 'check' } as const
      return (await browser.call(api.requests.send, { body })).status
    }
    const heardBy = async (node: TestApp, isEnough: (taps: number) => boolean) => {
      let taps = 0
      const { promise, resolve } = Promise.withResolvers<void>()
      const leave = node.ctx.bus.subscribe((signal) => {
        if (signal.kind !== 'limits') return
        for (const [limit, , count] of signal.counts) if (limit === 'guest-device') taps += count
        if (isEnough(taps)) resolve()
      })
      await promise
      leave()
    }
    await expect.poll(() => a.ctx.countProcesses()).toBe(2)
    const heard = heardBy(b, (taps) => taps === 12)
    // The first one makes it one phone.
    for (let table = 0; table < 12; table++) expect(await tap(phone, table)).toBe(201)
    await heard
    expect(await tap(phone.sentTo(b), 12)).toBe(429)
    expect(await tap(b.browser(), 12)).toBe(201)
    await a.stop()
    nodes.shift()
    const later = await startTestApp({
      databaseUrl: database.url,
      redisUrl: bus === 'redis' ? (redisUrl ?? null) : null,
      clock: 'running',
    })
    nodes.push(later)
    await expect.poll(() => later.ctx.countProcesses()).toBe(2)
    let table = 13
    await expect.poll(() => tap(phone.sentTo(later), table++)).toBe(429)
  })

  it(`counts sockets on all nodes, but not those of a node that is gone, over ${bus}`, async () => {
    const { a, b, name } = await twoNodes()
    const phone = a.browser()
    await phone.ok(api.requests.send, {
      body: { restaurantId: name, tableNumber: '7', serviceType: 'check' },
    })
    await expect.poll(() => a.ctx.countProcesses()).toBe(2)
    const heard = new Promise<void>((resolve) => {
      b.ctx.bus.subscribe((signal) => {
        if (
          signal.kind === 'limits' &&
          signal.sockets.some(([key, open]) => key.startsWith('guest ') && open === 6)
        )
          resolve()
      })
    })
    await Promise.all(Array.from({ length: 6 }, () => phone.connect()))
    await heard
    const atB = phone.sentTo(b)
    await Promise.all([atB.connect(), atB.connect()])
    await expect(atB.connect()).rejects.toThrow('429')
    await a.stop()
    nodes.shift()
    await expect
      .poll(() =>
        atB.connect().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
    atB.close()
  })

  it(`delivers 200 simultaneous requests in order and exactly once, over ${bus}`, async () => {
    const { a, b, name, crew } = await twoNodes()
    const limits = { guestLimits: false }
    Object.assign(a.ctx.settings, limits)
    Object.assign(b.ctx.settings, limits)
    const browsers = [a.browser(), new TestBrowser(() => b.url)]
    await Promise.all(
      browsers.flatMap((browser, half) =>
        Array.from({ length: 100 }, (_, index) =>
          browser.ok(api.requests.send, {
            body: { restaurantId: name, tableNumber: String(2 * index + half), serviceType: 'drinks' },
          }),
        ),
      ),
    )
    const seqs: number[] = []
    while (seqs.length < 200) {
      const { seq } = await crew.next('new-request')
      seqs.push(seq ?? 0)
    }
    expect(seqs).toEqual(Array.from({ length: 200 }, (_, index) => index + 1))
  })
}

/** Ends the connections through which nodes hear each other: what is said until they are back is lost. */
async function endListening({ url }: TestDatabase): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query ilike '%listen%' and pid <> pg_backend_pid()`,
  )
  await client.end()
}

it('brings the crew up to date after the bus lost messages', async () => {
  const database = await freshDatabase()
  const [a, b] = await Promise.all([
    startTestApp({ databaseUrl: database.url }),
    startTestApp({ databaseUrl: database.url }),
  ])
  const { name, device } = await a.restaurant()
  const deviceAtB = device.sentTo(b)
  const crew = await connectScreen(deviceAtB)

  await endListening(database)
  const { request } = await a
    .browser()
    .ok(api.requests.send, { body: { restaurantId: name, tableNumber: '7', serviceType: 'check' } })
  const seen = async () => {
    for (;;) {
      const known = crew.received.some(
        (message) =>
          (message.type === 'new-request' && message.request.id === request.id) ||
          (message.type === 'pending-requests' && message.requests.some(({ id }) => id === request.id)),
      )
      if (known) return true
      await crew.nextAny()
    }
  }
  expect(await seen()).toBe(true)
  crew.close()
  await Promise.all([a.stop(), b.stop()])
  await database.drop()
})

it('lets guests ask again whether the restaurant is open after the bus lost messages', async () => {
  const database = await freshDatabase()
  const [a, b] = await Promise.all([
    startTestApp({ databaseUrl: database.url }),
    startTestApp({ databaseUrl: database.url }),
  ])
  const { name, owner } = await a.restaurant()
  const phone = await b.browser().connect()
  const at = { restaurantId: name, tableNumber: '7' }
  await phone.request({ type: 'set-restaurant-context', ...at })

  await endListening(database)
  await owner.ok(api.opening.pause, { body: { serviceType: 'food', minutes: 10, reason: 'kitchen' } })
  await phone.next('table-changed')
  expect(await phone.request({ type: 'set-restaurant-context', ...at })).toMatchObject({
    pauses: [{ serviceType: 'food' }],
  })
  phone.close()
  await Promise.all([a.stop(), b.stop()])
  await database.drop()
})

it('looks which phones have alerts on after the bus lost messages', async () => {
  const database = await freshDatabase()
  const push = await startPushService()
  const options = { databaseUrl: database.url, pushService: push.pushService }
  const [a, b] = await Promise.all([startTestApp(options), startTestApp(options)])
  const restaurant = await a.restaurant()
  const id = await a.idOf(restaurant)
  await push.device().subscribe(restaurant.device, 'crew', null)
  const isHeard = () => b.ctx.presence(id).listening
  await expect.poll(isHeard).toBe(true)

  // As another node does whose signals are lost.
  await a.ctx.db.transact((db) => db.deleteFrom('pushSubscription').execute())
  await endListening(database)
  await expect.poll(isHeard).toBe(false)
  await Promise.all([a.stop(), b.stop()])
  await push.stop()
  await database.drop()
})

it('finds the streams that missed events among those of 10,000 restaurants, at little cost', async () => {
  const queries = vi.spyOn(Client.prototype, 'query')
  const database = await freshDatabase()
  const node = await startTestApp({ databaseUrl: database.url })
  const { ctx } = node
  await ctx.db.transact(async (db) => {
    await sql`insert into restaurant (id, name, time_zone, code_generation, code_key, created_at)
      select 'restaurant-' || i, i, 'UTC', 1, '', 0 from generate_series(1, 10000) i`.execute(db)
    await sql`insert into live_stream select id, 'staff', 7 from restaurant where id like 'restaurant-%'`.execute(
      db,
    )
  })
  const known = {
    streams: Array.from({ length: 10_000 }, (_, index) => streamKey(`restaurant-${index + 1}`, 'staff')),
    lastSeqs: Array.from({ length: 10_000 }, () => 7),
  }
  expect(await listAhead(ctx.db.reader, known)).toEqual([])
  const lastSeqs = known.lastSeqs.with(41, 6).with(42, 8)
  expect(await listAhead(ctx.db.reader, { ...known, lastSeqs })).toEqual([
    { stream: 'restaurant-42 staff', lastSeq: 7 },
  ])

  const rooms = new Rooms(() => {})
  const recovery = new StreamRecovery(
    ctx,
    rooms,
    () => {},
    () => {},
  )
  for (let number = 1; number <= 10_000; number++) {
    const restaurantId = `restaurant-${number}`
    rooms.joinStaff(new Connection(silentSocket, anonymousActor(), 0), restaurantId)
    recovery.deliver({
      topic: { kind: 'staff', restaurantId },
      message: { type: 'request-completed', id: '', by: null, seq: 7 },
    })
  }
  queries.mockClear()
  // The node itself asks for nothing: it has no screens.
  await recovery.checkForMissedEvents()
  const comparisons = queries.mock.calls.flatMap(([query], index) =>
    JSON.stringify(query).includes('number-ahead') ? [index] : [],
  )
  const answers = await Promise.all(comparisons.map((index) => queries.mock.results[index]?.value))
  expect(answers.flatMap(({ rows }) => rows)).toEqual([])
  expect(comparisons).toHaveLength(3)
  recovery.close()
  await node.stop()
  await database.drop()
})
