import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { ClientMessageInput } from '#contract/live.ts'
import { localDay } from '../../src/server/core/dates.ts'
import { password, startTestApp, type TestApp, type TestBrowser, type TestSocket } from '../support/app.ts'
import { type PushService, startPushService } from '../support/outside/push-service.ts'

/** Maya's screen, Tom's, and one where nobody has selected a name. */
type Who = 0 | 1 | 2
type Op =
  | { op: 'open' | 'hide' | 'show' | 'close' | 'freeze'; screen: Who }
  | { op: 'phone-on' | 'phone-off'; member: 0 | 1 }
  | { op: 'ask'; table: number }
  | { op: 'accept-request' | 'release-request' | 'complete-request'; screen: Who; which: number }
  | { op: 'start-break'; member: 0 | 1; cover: boolean }
  | { op: 'end-break'; member: 0 | 1 }
  | { op: 'assign'; table: number; member: 0 | 1 | null }

const tables = ['1', '2', '3']

let app: TestApp
let service: PushService
beforeAll(async () => {
  service = await startPushService()
  app = await startTestApp({ ...service, guestLimits: false, scheduler: 'real' })
})
afterAll(async () => {
  await app.stop()
  await service.stop()
})

class Screen {
  readonly member: string | null
  #browser: TestBrowser
  #socket: TestSocket | null = null
  #visible = false
  #frozen = false

  constructor(browser: TestBrowser, member: string | null) {
    this.#browser = browser
    this.member = member
  }

  get isListening(): boolean {
    return this.#socket !== null && this.#visible && !this.#frozen
  }

  async open(): Promise<void> {
    this.close()
    const socket = await this.#browser.connect()
    this.#socket = socket
    this.#visible = true
    this.#frozen = false
    if (this.member !== null)
      await socket.request({ type: 'set-crew-member-context', crewMemberId: this.member })
    await socket.request({ type: 'get-pending-requests' })
  }

  async setVisible(visible: boolean): Promise<void> {
    if (!this.#socket || this.#frozen) return
    this.#visible = visible
    await this.#socket.request({ type: 'listening', sound: true, push: true, visible })
  }

  freeze(): void {
    this.#frozen = true
    this.#socket?.freeze()
  }

  close(): void {
    this.#socket?.close()
    this.#socket = null
  }

  /** Does nothing while the screen is not in use. */
  async send(message: ClientMessageInput): Promise<void> {
    if (this.isListening) await this.#socket?.request(message)
  }
}

async function openRestaurant() {
  const { name, owner, device } = await app.restaurant({ tables })
  const add = (member: string) => owner.ok(api.crew.add, { body: { name: member, role: 'Server' } })
  const [maya, tom] = [await add('Maya Chen'), await add('Tom Novak')]
  await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
  const manager = app.browser()
  await manager.ok(api.managers.login, { body: { restaurantName: name, username: 'boss', password } })
  const restaurant = {
    name,
    owner,
    device,
    members: [maya.id, tom.id] as const,
    screens: [new Screen(device, maya.id), new Screen(device, tom.id), new Screen(device, null)] as const,
    tableIds: (await owner.ok(api.floor.tables, {})).map(({ id }) => id),
    managerPhone: service.device(),
    /** The subscriptions of Maya's and Tom's phones. */
    phones: [null, null] as (string | null)[],
  }
  await restaurant.managerPhone.subscribe(manager, 'manager', null)
  await Promise.all(restaurant.screens.map((screen) => screen.open()))
  await assign(restaurant, 0, maya.id)
  await assign(restaurant, 1, tom.id)
  return restaurant
}
type Restaurant = Awaited<ReturnType<typeof openRestaurant>>

async function assign(
  { owner, tableIds }: Restaurant,
  table: number,
  crewMemberId: string | null,
): Promise<void> {
  const assignments = [{ tableId: tableIds[table] ?? '', crewMemberId }]
  await owner.ok(api.floor.assign, { body: { date: localDay(app.now(), 'UTC'), assignments } })
}

async function perform(restaurant: Restaurant, op: Op): Promise<void> {
  const { name, members, screens, phones, device } = restaurant
  switch (op.op) {
    case 'open':
      return screens[op.screen].open()
    case 'show':
    case 'hide':
      return screens[op.screen].setVisible(op.op === 'show')
    case 'close':
    case 'freeze':
      return screens[op.screen][op.op]()
    case 'phone-on':
      phones[op.member] ??= await service.device().subscribe(device, 'crew', members[op.member])
      return undefined
    case 'phone-off': {
      const id = phones[op.member]
      phones[op.member] = null
      if (id) await device.ok(api.push.unsubscribe, { params: { id } })
      return undefined
    }
    case 'ask': {
      const body = {
        restaurantId: name,
        tableNumber: tables[op.table] ?? '',
        serviceType: 'drinks',
      } as const
      await app.browser().ok(api.requests.send, { body })
      return undefined
    }
    case 'accept-request':
    case 'release-request':
    case 'complete-request': {
      const open = await openRequests(restaurant)
      const request = open[op.which % open.length]
      if (request) await screens[op.screen].send({ type: op.op, id: request.id })
      return undefined
    }
    case 'start-break':
      return screens[op.member].send({
        type: 'start-break',
        coverId: op.cover ? members[op.member === 0 ? 1 : 0] : null,
      })
    case 'end-break':
      return screens[op.member].send({ type: 'end-break' })
    case 'assign':
      return assign(restaurant, op.table, op.member === null ? null : members[op.member])
  }
}

const openRequests = ({ name }: Restaurant) =>
  app.ctx.db.reader
    .selectFrom('serviceRequest')
    .innerJoin('restaurant', 'restaurant.id', 'serviceRequest.restaurantId')
    .select(['serviceRequest.id', 'tableNumber', 'crew', 'level', 'acceptedAt'])
    .where('restaurant.name', '=', name)
    .where('closedAt', 'is', null)
    .orderBy('serviceRequest.id')
    .execute()

/** The guarantees that are broken at this moment, judged by the actual state of the screens and phones. */
async function violations(restaurant: Restaurant): Promise<string[]> {
  const { name, members, screens, phones, managerPhone } = restaurant
  const listening = screens.filter((screen) => screen.isListening)
  const listeners = new Set<string | null>([
    ...listening.map(({ member }) => member),
    ...members.filter((_, index) => phones[index] !== null),
  ])
  const anybody = listeners.size > 0
  const waiting = (await openRequests(restaurant)).filter(({ acceptedAt }) => acceptedAt === null)
  const query = { restaurantId: name, tableNumber: '3' }
  const guest = await app.browser().ok(api.requests.mine, { query })
  const alarms = managerPhone.received.filter(({ notification: { tag } }) => tag === 'nobody-listens')
  const isAlarmed = alarms.at(-1)?.tableside.withdraw === false

  const unattended = waiting.filter(
    ({ crew, level }) =>
      level === 0 && crew !== '' && crew.split(' ').every((member) => !listeners.has(member)),
  )
  return [
    ...(guest.listening === anybody ? [] : [`the guest sees listening: ${guest.listening}`]),
    ...(anybody && isAlarmed ? ['the manager was alarmed although somebody is listening'] : []),
    ...(!anybody && waiting.length > 0 && !isAlarmed
      ? ['guests are waiting and the manager was not alarmed']
      : []),
    ...(anybody ? unattended.map(({ tableNumber }) => `nobody hears table ${tableNumber}`) : []),
  ]
}

const screen = fc.constantFrom<Who>(0, 1, 2)
const member = fc.constantFrom<0 | 1>(0, 1)
const table = fc.nat(tables.length - 1)
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constantFrom('open' as const, 'hide', 'show', 'close', 'close', 'freeze'),
      screen,
    }),
  },
  { weight: 5, arbitrary: fc.record({ op: fc.constant('ask' as const), table }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constantFrom('phone-on' as const, 'phone-off'), member }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constantFrom('accept-request' as const, 'release-request', 'complete-request'),
      screen,
      which: fc.nat(3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('start-break' as const), member, cover: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('end-break' as const), member }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('assign' as const), table, member: fc.option(member) }),
  },
)
const round = fc.array(op, { minLength: 1, maxLength: 5 })
const restaurantCount = 30
const scenarios = fc.array(fc.array(round, { minLength: 4, maxLength: 4 }), {
  minLength: restaurantCount,
  maxLength: restaurantCount,
})

it('leaves no request unattended: somebody responsible is listening, or the alarm is raised', async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (all) => {
      const open: { rounds: Op[][]; restaurant: Restaurant }[] = []
      for (const rounds of all) open.push({ rounds, restaurant: await openRestaurant() })
      for (const at of [0, 1, 2, 3]) {
        await Promise.all(
          open.map(async ({ rounds, restaurant }) => {
            for (const op of rounds[at] ?? []) await perform(restaurant, op)
            const past = () => JSON.stringify(rounds.slice(0, at + 1))
            await expect.poll(() => violations(restaurant), { interval: 100, message: past() }).toEqual([])
          }),
        )
        // All screens except the silent ones reconnect to the new server by themselves.
        if (at === 1) await restart(open.map(({ restaurant }) => restaurant))
      }
      for (const { restaurant } of open) for (const screen of restaurant.screens) screen.close()
    }),
    { numRuns: 1, endOnFailure: true },
  )
})

async function restart(all: readonly Restaurant[]): Promise<void> {
  const listening = all.flatMap(({ screens }) => screens.filter((screen) => screen.isListening))
  for (const { screens } of all) for (const screen of screens) if (!screen.isListening) screen.close()
  await app.restart()
  await Promise.all(listening.map((screen) => screen.open()))
}
