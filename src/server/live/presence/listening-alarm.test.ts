import { describe, it, type TestContext, vi } from 'vitest'
import { api } from '#contract/api.ts'
import {
  password,
  startTestApp,
  type TestApp,
  type TestAppOptions,
  type TestSocket,
} from '../../../../test/support/app.ts'
import {
  type FakePushDevice,
  type PushService,
  startPushService,
} from '../../../../test/support/outside/push-service.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'
import { samplesIn } from '../../../../test/support/reading/prometheus.ts'
import { raise, recordHeartbeat, recordListeningChanges } from '../../core/presence/listening.ts'

type Context = Pick<TestContext, 'expect' | 'onTestFinished'>

/** Each test has a server of its own, so that all can wait at the same time. */
async function start(
  { expect, onTestFinished }: Context,
  { clock = 'running' }: Pick<TestAppOptions, 'clock'> = {},
) {
  const service = await startPushService()
  const app = await startTestApp({ ...service, clock })
  onTestFinished(async () => {
    await app.stop()
    await service.stop()
  })
  return { app, openRestaurant: () => openRestaurant(app, service, expect) }
}

const hours = 3_600_000
const alarm = 'Nobody is listening: No crew screen is listening right now. Guests are told to wave.'
const allClear = '– Somebody is listening again: The crew hears new requests.'

type Restaurant = Awaited<ReturnType<typeof openRestaurant>>

/** The manager has push alerts on, and a guest is at table 7. */
async function openRestaurant(app: TestApp, service: PushService, expect: Context['expect']) {
  const restaurant = await app.restaurant()
  const { name, owner } = restaurant
  await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
  const manager = app.browser()
  const managerPhone = service.device()
  const signInManager = async () => {
    await manager.ok(api.managers.login, { body: { restaurantName: name, username: 'boss', password } })
    await managerPhone.subscribe(manager, 'manager', null)
  }
  await signInManager()
  const id = await app.idOf(restaurant)
  await expect.poll(() => app.ctx.hasDevices(id)).toBe(true)
  const guest = await app.browser().connect()
  await guest.request({ type: 'set-restaurant-context', restaurantId: name, tableNumber: '7' })
  return { ...restaurant, id, app, service, managerPhone, signInManager, guest }
}

/** Connects a screen that has been listening for a while. */
async function listening(
  { app, device }: Restaurant,
  browser = device,
  crewMemberId?: string,
): Promise<TestSocket> {
  const screen = await browser.connect()
  if (crewMemberId !== undefined) await screen.request({ type: 'set-crew-member-context', crewMemberId })
  screen.send({ type: 'get-pending-requests' })
  while (!(await screen.next('presence')).listening);
  app.advance(3_000)
  return screen
}

async function withPhone({
  service,
  owner,
  device,
}: Restaurant): Promise<FakePushDevice & { id: string; crewId: string }> {
  const { id: crewId } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  const phone = service.device()
  return Object.assign(phone, { id: await phone.subscribe(device, 'crew', crewId), crewId })
}

const ask = ({ app, name }: Restaurant) =>
  app
    .browser()
    .ok(api.requests.send, { body: { restaurantId: name, tableNumber: '7', serviceType: 'check' } })

const nobodyHears = async ({ guest }: Restaurant): Promise<void> => {
  while ((await guest.next('presence')).listening);
}

const socketsOf = async ({ app }: Restaurant): Promise<number | undefined> => {
  const metrics = await (await app.browser().fetch('/metrics')).text()
  return samplesIn(metrics).find(({ name }) => name === 'tableside_live_sockets')?.value
}

describe('when the last screen has gone away', () => {
  it.for([
    [
      'is closed',
      async (screen: TestSocket, restaurant: Restaurant, { expect }: Context) => {
        screen.close()
        // The guest's is left.
        await expect.poll(() => socketsOf(restaurant)).toBe(1)
      },
    ],
    [
      'is hidden',
      (screen: TestSocket) => screen.request({ type: 'listening', sound: true, push: false, visible: false }),
    ],
    [
      'falls silent',
      async (screen: TestSocket) => {
        await screen.request({ type: 'ping' })
        screen.freeze()
      },
    ],
  ] as const)(
    'the guest and the manager are told within 10 seconds: it %s',
    async ([, goAway], { expect, onTestFinished }) => {
      const { app, openRestaurant } = await start({ expect, onTestFinished }, { clock: 'noon' })
      const restaurant = await openRestaurant()
      const screen = await listening(restaurant)
      await goAway(screen, restaurant, { expect, onTestFinished })
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      // In steps that the server sees: a jump of its clock makes no screen silent.
      const passTime = () => {
        app.advance(100)
        return app.ctx.presence(restaurant.id).listening
      }
      await expect.poll(passTime).toBe(false)
      vi.advanceTimersByTime(1_999)
      await nobodyHears(restaurant)
      await expect.poll(() => restaurant.managerPhone.told).toEqual([alarm])
      vi.useRealTimers()
      expect(restaurant.managerPhone.received).toMatchObject([
        { notification: { tag: 'nobody-listens' }, tableside: { urgent: true }, urgency: 'high' },
      ])
      await listening(restaurant)
      await expect.poll(() => restaurant.managerPhone.told).toEqual([alarm, allClear])
    },
  )
})

describe.concurrent('when nobody listens any more', () => {
  it('a screen that only reloads raises no alarm', async ({ expect, onTestFinished }) => {
    const { app, openRestaurant } = await start({ expect, onTestFinished })
    const restaurant = await openRestaurant()
    const before = await listening(restaurant)
    while (!(await restaurant.guest.next('presence')).listening);
    before.close()
    await before.closed
    const again = await listening(restaurant)
    const second = await listening(restaurant)
    while ((await restaurant.guest.next('presence')).screens !== 2);
    expect(restaurant.guest.ofType('presence').filter((presence) => !presence.listening)).toEqual([])
    await app.whenIdle()
    expect(restaurant.managerPhone.received).toEqual([])
    again.close()
    second.close()
  })

  it('because no screen came back after a crash, the manager is alerted too', async ({
    expect,
    onTestFinished,
  }) => {
    const { app, openRestaurant } = await start({ expect, onTestFinished })
    const [back, lost] = [await openRestaurant(), await openRestaurant()]
    // What a crashed server leaves behind.
    for (const restaurant of [back, lost])
      await recordListeningChanges(app.ctx, [
        { restaurantId: await app.idOf(restaurant), isListening: true, at: app.now() - 1_000 },
      ])
    await recordHeartbeat(app.ctx)
    await app.restart()
    await listening(back)
    app.advance(8_000)
    await expect.poll(() => lost.managerPhone.told).toEqual([alarm])
    expect(back.managerPhone.received).toEqual([])
  })

  it('because no screen came back after a restart while a guest waits, the manager is alerted too', async ({
    expect,
    onTestFinished,
  }) => {
    const { app, openRestaurant } = await start({ expect, onTestFinished })
    const restaurant = await openRestaurant()
    await listening(restaurant)
    await ask(restaurant)
    await app.restart()
    app.advance(8_000)
    await expect.poll(() => restaurant.managerPhone.told).toEqual([alarm])
  })

  it("because the own crew's screen did not come back after a restart, a request calls all crew", async ({
    expect,
    onTestFinished,
  }) => {
    const { app, openRestaurant } = await start({ expect, onTestFinished })
    const restaurant = await openRestaurant()
    const { owner } = restaurant
    const { id: crewMemberId } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    const tables = await owner.ok(api.floor.setUp, { body: { setupType: 'custom', customTables: ['7'] } })
    const assignments = tables.map(({ id }) => ({ tableId: id, crewMemberId }))
    const date = new Date(app.now()).toISOString().slice(0, 10)
    await owner.ok(api.floor.assign, { body: { date, assignments } })
    await listening(restaurant, restaurant.device, crewMemberId)
    const { request } = await ask(restaurant)
    expect(request).toMatchObject({ level: 0 })
    await app.restart()
    app.advance(8_000)
    const query = { restaurantId: restaurant.name, tableNumber: '7' }
    const level = async () => (await app.browser().ok(api.requests.mine, { query })).requests[0]?.level
    await expect.poll(level).toBe(1)
  })

  it('because the shift is over, the alarm is raised only if guests are waiting', async ({
    expect,
    onTestFinished,
  }) => {
    const { openRestaurant } = await start({ expect, onTestFinished })
    const [over, waiting] = [await openRestaurant(), await openRestaurant()]
    await Promise.all([listening(over), listening(waiting)])
    await ask(waiting)
    await over.device.fetch('/api/logout')
    await nobodyHears(over)
    await waiting.device.fetch('/api/logout')
    await nobodyHears(waiting)
    // The other restaurant went quiet first, so its alarm would have come first.
    await expect.poll(() => waiting.managerPhone.told).toEqual([alarm])
    expect(over.managerPhone.received).toEqual([])
  })

  it('as after the shift, a request alerts the manager, and one much later alerts again', async ({
    expect,
    onTestFinished,
  }) => {
    const { app, openRestaurant } = await start({ expect, onTestFinished })
    const restaurant = await openRestaurant()
    await listening(restaurant)
    await restaurant.device.fetch('/api/logout')
    await nobodyHears(restaurant)
    await app.whenIdle()
    expect(restaurant.managerPhone.received).toEqual([])
    await ask(restaurant)
    await expect.poll(() => restaurant.managerPhone.told).toEqual([alarm])
    app.advance(11 * 60_000)
    const body = { restaurantId: restaurant.name, tableNumber: '8', serviceType: 'check' } as const
    await app.browser().ok(api.requests.send, { body })
    const alarms = () => restaurant.managerPhone.told.filter((told) => told === alarm)
    await expect.poll(() => alarms().length).toBe(2)
  })

  it('a request alerts the manager as soon though the clock is set back meanwhile', async ({
    expect,
    onTestFinished,
  }) => {
    const { app, openRestaurant } = await start({ expect, onTestFinished })
    const restaurant = await openRestaurant()
    await ask(restaurant)
    app.advance(-hours)
    await expect
      .poll(() => {
        app.advance(400)
        return restaurant.managerPhone.told
      })
      .toEqual([alarm])
  })

  it('because a member was removed or got a new PIN, the alarm is raised, but not because alerts were turned off', async ({
    expect,
    onTestFinished,
  }) => {
    const { openRestaurant } = await start({ expect, onTestFinished })
    const [off, pin, removed] = [await openRestaurant(), await openRestaurant(), await openRestaurant()]
    const [offPhone, pinPhone, removedPhone] = [
      await withPhone(off),
      await withPhone(pin),
      await withPhone(removed),
    ]
    for (const { guest } of [off, pin, removed]) while (!(await guest.next('presence')).listening);
    await off.device.ok(api.push.unsubscribe, { params: { id: offPhone.id } })
    await nobodyHears(off)
    await pin.owner.ok(api.crew.change, { params: { id: pinPhone.crewId }, body: { pin: '2468' } })
    await removed.owner.ok(api.crew.remove, { params: { id: removedPhone.crewId } })
    for (const { managerPhone } of [pin, removed]) await expect.poll(() => managerPhone.told).toEqual([alarm])
    expect(off.managerPhone.received).toEqual([])
  })

  it('because a new password signed the screen out, the alarm is raised', async ({
    expect,
    onTestFinished,
  }) => {
    const { app, openRestaurant } = await start({ expect, onTestFinished })
    const restaurant = await openRestaurant()
    const { id } = await restaurant.owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    const setPassword = (given: string) =>
      restaurant.owner.ok(api.crew.change, {
        params: { id },
        body: { username: `maya ${id}`, password: given },
      })
    await setPassword(password)
    const own = app.browser()
    await own.ok(api.accounts.crewLogin, { body: { username: `maya ${id}`, password } })
    const screen = await listening(restaurant, own)
    await setPassword('silver-anchor-17')
    expect(await screen.closed).toBe(4401)
    await expect.poll(() => restaurant.managerPhone.told).toEqual([alarm])
  })

  it('the manager is alerted once, however many nodes notice', async ({ expect, onTestFinished }) => {
    const { app, openRestaurant } = await start({ expect, onTestFinished })
    const restaurant = await openRestaurant()
    const id = await app.idOf(restaurant)
    const change = { since: app.now() - 1_000, onPurpose: false }
    await Promise.all([1, 2, 3].map(() => raise(app.ctx, id, change)))
    await raise(app.ctx, id, change)
    await app.whenIdle()
    expect(restaurant.managerPhone.told).toEqual([alarm])
    // A later change raises another alarm, even if the first one was never withdrawn.
    app.advance(60_000)
    await raise(app.ctx, id, { since: app.now() - 1_000, onPurpose: false })
    await app.whenIdle()
    expect(restaurant.managerPhone.told).toEqual([alarm, alarm])
  })
})

it('the alarm is withdrawn when somebody comes back while it is being stored', async ({
  expect,
  onTestFinished,
}) => {
  const { app, openRestaurant } = await start({ expect, onTestFinished })
  const restaurant = await openRestaurant()
  const { pusher } = app.ctx
  const store = pusher.storeAndSend.bind(pusher)
  vi.spyOn(pusher, 'storeAndSend').mockImplementationOnce(async (task) => {
    await listening(restaurant)
    await app.whenIdle()
    await store(task)
  })
  await raise(app.ctx, restaurant.id, { since: app.now() - 1_000, onPurpose: false })
  // The alarm itself may be withdrawn before it is sent.
  await expect.poll(() => restaurant.managerPhone.told.at(-1)).toBe(allClear)
})

it('nobody is alarmed about a restaurant that its owner has deleted', async ({ expect, onTestFinished }) => {
  const { app, openRestaurant } = await start({ expect, onTestFinished })
  const restaurant = await openRestaurant()
  const { id, name, owner, service } = restaurant
  await listening(restaurant)
  await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
  // The page of the owner asks for alerts again.
  const phone = service.device()
  await phone.subscribe(owner, 'manager', null)
  await expect.poll(() => app.ctx.hasDevices(id)).toBe(true)
  const change = { since: app.now() - 1_000, onPurpose: false }
  await raise(app.ctx, id, change)
  await app.whenIdle()
  expect([phone.told, restaurant.managerPhone.told]).toEqual([[], []])
  await owner.ok(api.restaurant.restore, {})
  await raise(app.ctx, id, change)
  await expect.poll(() => phone.told).toEqual([alarm])
})

describe.concurrent('a phone with push on', () => {
  it('listens while it sleeps, for twelve hours', async ({ expect, onTestFinished }) => {
    const { app, openRestaurant } = await start({ expect, onTestFinished })
    const restaurant = await openRestaurant()
    const phone = await withPhone(restaurant)
    const query = { restaurantId: restaurant.name, tableNumber: '7' }
    const shownToGuest = async () => (await app.browser().ok(api.requests.mine, { query })).listening
    while (!(await restaurant.guest.next('presence')).listening);
    const screen = await listening(restaurant)
    screen.close()
    await screen.closed
    expect(app.ctx.presence(await app.idOf(restaurant))).toEqual({
      listening: true,
      screens: expect.any(Number),
      listeners: new Set([phone.crewId]),
    })
    await app.restart()
    expect(app.ctx.presence(await app.idOf(restaurant))).toEqual({
      listening: true,
      screens: 1,
      listeners: new Set([phone.crewId]),
    })
    app.advance(11 * hours)
    expect(await shownToGuest()).toBe(true)
    await restaurant.signInManager()
    app.advance(hours)
    await expect.poll(shownToGuest).toBe(false)
    await expect.poll(() => restaurant.managerPhone.told).toEqual([alarm])
  })

  it("is not counted in addition to its owner's screen", async ({ expect, onTestFinished }) => {
    const { openRestaurant } = await start({ expect, onTestFinished })
    const restaurant = await openRestaurant()
    const { crewId } = await withPhone(restaurant)
    const screen = await connectScreen(restaurant.device, crewId)
    expect(await screen.next('presence')).toMatchObject({ listening: true, screens: 1 })
    const second = await listening(restaurant)
    while ((await screen.next('presence')).screens !== 2);
    second.close()
  })

  it('stops listening when alerts are turned off or its session ends', async ({ expect, onTestFinished }) => {
    const { openRestaurant } = await start({ expect, onTestFinished })
    const [off, out] = [await openRestaurant(), await openRestaurant()]
    const phone = await withPhone(off)
    await withPhone(out)
    for (const { guest } of [off, out]) while (!(await guest.next('presence')).listening);
    await off.device.ok(api.push.unsubscribe, { params: { id: phone.id } })
    await nobodyHears(off)
    await out.device.fetch('/api/logout')
    await nobodyHears(out)
  })

  it('that disappears without notice raises the alarm, as a screen does', async ({
    expect,
    onTestFinished,
  }) => {
    const { openRestaurant } = await start({ expect, onTestFinished })
    const restaurant = await openRestaurant()
    const phone = await withPhone(restaurant)
    while (!(await restaurant.guest.next('presence')).listening);
    phone.answer = 410
    await ask(restaurant)
    await nobodyHears(restaurant)
    await expect.poll(() => restaurant.managerPhone.told).toEqual([alarm])
  })

  it('of a manager does not count as listening', async ({ expect, onTestFinished }) => {
    const { app, openRestaurant } = await start({ expect, onTestFinished })
    const restaurant = await openRestaurant()
    expect(app.ctx.presence(await app.idOf(restaurant))).toEqual({
      listening: false,
      screens: 0,
      listeners: new Set(),
    })
  })
})
