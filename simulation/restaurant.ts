import { api } from '#contract/api.ts'
import { defaultEscalation } from '#contract/requests/escalation.ts'
import { createProof } from '../src/server/core/floor/qr-links.ts'
import { GuestAvailability } from './availability.ts'
import type { Chance } from './chance.ts'
import { settled } from './event-loop.ts'
import { Phone } from './phone.ts'
import { type PushDevice, PushService } from './push-service.ts'
import { Server } from './server.ts'
import { type Manager, signInManager } from './shifts/manager.ts'
import { ownerPassword } from './shifts/owner.ts'
import { openShifts, type Shifts } from './shifts/shifts.ts'
import type { Options } from './steps.ts'
import { Tablet } from './tablet.ts'
import type { VirtualTime } from './virtual-time.ts'
import { Browser } from './wire.ts'

export const crewNames = ['Maya Chen', 'Tom Novak', 'Ana Silva', 'Otto Berg', 'Lea Okoro', 'Sam Ruiz']

/** One restaurant with its people. */
export type Restaurant = {
  id: string
  name: string
  owner: Browser
  /** Of those that it opened with, in their order. */
  tableIds: string[]
  phones: Phone[]
  tablets: Tablet[]
  /** The manager's phone, if it has alerts on. */
  manager: PushDevice | null
  world: World
  /** The moves that were acknowledged to the crew, latest last; null where no party moves. */
  moves: string[] | null
  /** What guests may ask for; null where nothing is ever closed. */
  availability: GuestAvailability | null
  /** Null where they never change. */
  shifts: Shifts | null
  /** How many of each the owner has added since. */
  added: number
  /** Whether any of the crew can hear a request, and since when that is so. */
  listeners: { someone: boolean; since: number }
  /** The last number of the staff's stream, and since when that is so. */
  stream: { lastSeq: number; since: number }
}

/** All that there is in one run. */
export type World = {
  time: VirtualTime
  server: Server
  push: PushService
  restaurants: Restaurant[]
  /** How many there are: each has its place at the server's balancer. */
  browsers: number
}

export const phonesOf = ({ restaurants }: World): Phone[] => restaurants.flatMap(({ phones }) => phones)
export const tabletsOf = ({ restaurants }: World): Tablet[] => restaurants.flatMap(({ tablets }) => tablets)
export type Screen = Phone | Tablet | Manager

export const screensOf = (world: World): Screen[] => [
  ...phonesOf(world),
  ...tabletsOf(world),
  ...world.restaurants.flatMap(({ shifts }) => shifts?.manager ?? []),
]

export function createWorld(
  time: VirtualTime,
  { folder, template }: { folder: string; template: string },
  nodes = 1,
): World {
  const push = new PushService(time)
  return { time, push, server: new Server(time, push, folder, template, nodes), restaurants: [], browsers: 0 }
}

/** Everybody is at work, and every screen is connected. */
export async function openWorld(world: World, options: Options, chance: Chance): Promise<void> {
  const { phones, tables } = options
  const seats = Array.from({ length: phones }, () => chance.index(tables))
  await world.server.start()
  await openRestaurant(world, 'Blue Door', { ...options, seats })
  if (options.neighbour)
    await openRestaurant(world, 'Red Door', { ...options, ...quiet, tablets: 1, tables: 1, seats: [0] })
  await connectScreens(world)
}

export async function connectScreens(world: World): Promise<void> {
  for (const screen of screensOf(world)) await connectScreen(world, screen)
  await settled(() => world.server.whenIdle())
  for (const restaurant of world.restaurants) noteListeners(restaurant)
}

/** To be called whenever a screen may have come or gone. */
export function noteListeners(restaurant: Restaurant): void {
  for (const tablet of restaurant.tablets) tablet.noteHeard()
  const someone = restaurant.tablets.some(({ isHeard }) => isHeard)
  if (someone !== restaurant.listeners.someone)
    restaurant.listeners = { someone, since: restaurant.world.time.now() }
}

/** Nobody moves, nothing is closed, and nothing changes hands. */
export const quiet = { parties: false, closings: false, shifts: false }

type Opening = Pick<
  Options,
  'tablets' | 'tables' | 'acceptMs' | 'assigned' | 'pushes' | keyof typeof quiet
> & {
  /** Each phone's table, by its place among the tables. */
  seats: readonly number[]
}

export async function openRestaurant(
  world: World,
  name: string,
  { seats, tablets: tabletCount, tables: tableCount, acceptMs, assigned, pushes, ...kinds }: Opening,
): Promise<void> {
  const { server, time } = world
  const browser = () => {
    const place = world.browsers++
    return new Browser(() => server.addressFor(place))
  }
  const owner = browser()
  await owner.ok(api.accounts.signUp, {
    body: { restaurantName: name, email: 'owner@example.com', password: ownerPassword, timeZone: 'UTC' },
  })
  const tables = Array.from({ length: tableCount }, (_, index) => `${index + 1}`)
  const floor = await owner.ok(api.floor.setUp, { body: { setupType: 'custom', customTables: tables } })
  await owner.ok(api.escalation.setSettings, { body: { ...defaultEscalation, acceptMs } })
  const tablets: Tablet[] = []
  for (const [index, member] of crewNames.slice(0, tabletCount).entries()) {
    const { id } = await owner.ok(api.crew.add, { body: { name: member, role: 'Server' } })
    const tablet = new Tablet(browser(), id, time.now)
    if (pushes === 'all' || (pushes === 'some' && index === 0)) tablet.alerts = world.push.add('crew', id)
    tablets.push(tablet)
  }
  const tableIds = floor.map(({ id }) => id)
  if (assigned) await assignTables(world, owner, tableIds, tablets)
  const manager = pushes === 'none' ? null : world.push.add('manager', null)
  if (manager) await subscribe(world, owner, manager)
  const phones = seats.map((seat) => new Phone(browser(), name, tables[seat] ?? '1', time.now))
  // It gives each its id.
  for (const phone of phones) await phone.browser.send({ method: 'GET', path: '/customer' })
  const { id } = await server.app.ctx.db.reader
    .selectFrom('restaurant')
    .select('id')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  const listeners = { someone: false, since: time.now() }
  const stream = { lastSeq: 0, since: time.now() }
  const people = { owner, tableIds, phones, tablets, manager }
  const restaurant: Restaurant = {
    id,
    name,
    ...people,
    world,
    added: 0,
    listeners,
    stream,
    moves: kinds.parties ? [] : null,
    availability: kinds.closings ? new GuestAvailability() : null,
    shifts: kinds.shifts ? await openShifts({ name, assigned, ...people }, browser(), time.now) : null,
  }
  world.restaurants.push(restaurant)
  if (!kinds.parties) return
  for (const [index, phone] of phones.entries())
    await phone.openPage(index % 2 === 0 ? await codeOf(restaurant, phone.tableNumber) : null)
}

/** What the printed code of the table proves. */
export async function codeOf({ id, tableIds, world }: Restaurant, tableNumber: string): Promise<string> {
  const { ctx } = world.server.app
  const restaurant = await ctx.db.reader
    .selectFrom('restaurant')
    .select(['id', 'codeGeneration', 'codeKey'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return createProof(ctx, restaurant, tableIds[Number(tableNumber) - 1] ?? null)
}

/** Each table gets one of these crew members, in turns. */
export async function assignTables(
  { time }: World,
  owner: Browser,
  tableIds: readonly string[],
  crew: readonly Tablet[],
): Promise<void> {
  const assignments = tableIds.map((tableId, index) => ({
    tableId,
    crewMemberId: crew[index % crew.length]?.crewMemberId ?? null,
  }))
  const date = new Date(time.now()).toISOString().slice(0, 10)
  await owner.ok(api.floor.assign, { body: { date, assignments } })
}

const ownerOf = (world: World, screen: Tablet | Manager): Restaurant => {
  const restaurant = world.restaurants.find(({ tablets, shifts }) =>
    screen.kind === 'tablet' ? tablets.includes(screen) : shifts?.manager === screen,
  )
  if (!restaurant) throw new Error('A screen of no restaurant')
  return restaurant
}

/** A screen whose device was signed out signs in again first. */
export async function connectScreen(world: World, screen: Screen): Promise<void> {
  if (screen.kind === 'tablet' && !screen.isAway) await signIn(world, screen)
  if (screen.kind === 'manager') await signInManager(ownerOf(world, screen), screen)
  await screen.connect()
}

/** Alerts that a push service has given up are turned on again. */
async function signIn(world: World, tablet: Tablet): Promise<void> {
  const { browser, alerts } = tablet
  if (tablet.deviceId === null) {
    const { owner, name } = ownerOf(world, tablet)
    const list = async () => (await owner.ok(api.devices.list, {})).map(({ id }) => id)
    const before = new Set(await list())
    await browser.ok(api.accounts.restaurantLogin, {
      body: { restaurantName: name, password: ownerPassword },
    })
    tablet.deviceId = (await list()).find((id) => !before.has(id)) ?? null
  }
  if (alerts?.subscribedAt === null) await subscribe(world, browser, alerts)
}

/** The manager opens the page again, which turns alerts on that the server had given up. */
export async function renewAlerts(world: World): Promise<void> {
  for (const { owner, manager } of world.restaurants) if (manager) await subscribe(world, owner, manager)
}

async function subscribe({ time }: World, browser: Browser, device: PushDevice): Promise<void> {
  const { endpoint, keys, audience, crewMemberId } = device
  await browser.ok(api.push.subscribe, { body: { endpoint, keys, audience, crewMemberId } })
  Object.assign(device, { isGone: false, subscribedAt: time.now() })
}

/** The owner signs a device out: from then on its screen may neither hear nor do anything, nor are there alerts. */
export async function revoke(world: World, tablet: Tablet): Promise<void> {
  if (tablet.deviceId === null) return
  const { owner } = ownerOf(world, tablet)
  await owner.ok(api.devices.signOut, { params: { id: tablet.deviceId } })
  tablet.deviceId = null
  if (tablet.alerts) tablet.alerts.subscribedAt = null
}
