import { api } from '#contract/api.ts'
import { defaultAlerts } from '#contract/requests/alerts.ts'
import type { Chance } from './chance.ts'
import { Phone } from './phone.ts'
import type { Server } from './server.ts'
import type { Options } from './steps.ts'
import { Tablet } from './tablet.ts'
import type { VirtualTime } from './virtual-time.ts'
import { Browser } from './wire.ts'

const names = ['Maya Chen', 'Tom Novak', 'Ana Silva']
const password = 'copper-lantern-42'

/** One restaurant with its people, and the server that they all reach. */
export type Restaurant = {
  id: string
  name: string
  owner: Browser
  phones: Phone[]
  tablets: Tablet[]
  screens: (Phone | Tablet)[]
  server: Server
  time: VirtualTime
  /** How many of each the owner has added since. */
  added: number
  /** Whether any crew screen can be heard from, and since when that is so. */
  listeners: { someone: boolean; since: number }
}

export async function openRestaurant(
  server: Server,
  time: VirtualTime,
  { phones: phoneCount, tablets: tabletCount, tables: tableCount, acceptMs, assigned }: Options,
  chance: Chance,
): Promise<Restaurant> {
  const name = 'Blue Door'
  const browser = () => new Browser(() => server.address)
  const owner = browser()
  await owner.ok(api.accounts.signUp, {
    body: { restaurantName: name, email: 'owner@example.com', password, timeZone: 'UTC' },
  })
  const tables = Array.from({ length: tableCount }, (_, index) => `${index + 1}`)
  const floor = await owner.ok(api.floor.setUp, { body: { setupType: 'custom', customTables: tables } })
  await owner.ok(api.alerts.setSettings, { body: { ...defaultAlerts, acceptMs } })
  const tablets: Tablet[] = []
  for (const member of names.slice(0, tabletCount)) {
    const { id } = await owner.ok(api.crew.add, { body: { name: member, role: 'Server' } })
    tablets.push(new Tablet(browser(), id, time.now))
  }
  if (assigned) {
    const assignments = floor.map(({ id }, index) => ({
      tableId: id,
      crewMemberId: tablets[index % tablets.length]?.crewMemberId ?? null,
    }))
    const date = new Date(time.now()).toISOString().slice(0, 10)
    await owner.ok(api.floor.assign, { body: { date, assignments } })
  }
  const phones = Array.from({ length: phoneCount }, () => {
    const table = tables[chance.index(tables.length)] ?? '1'
    return new Phone(browser(), name, table, time.now)
  })
  const { id } = await server.app.ctx.db.reader
    .selectFrom('restaurant')
    .select('id')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  const screens = [...phones, ...tablets]
  return {
    id,
    name,
    owner,
    phones,
    tablets,
    screens,
    server,
    time,
    added: 0,
    listeners: { someone: false, since: time.now() },
  }
}

/** A screen whose device was signed out signs in again first. */
export async function connectScreen({ owner, name }: Restaurant, screen: Phone | Tablet): Promise<void> {
  if (screen.kind === 'tablet' && screen.deviceId === null) {
    const list = async () => (await owner.ok(api.devices.list, {})).map(({ id }) => id)
    const before = new Set(await list())
    await screen.browser.ok(api.accounts.restaurantLogin, { body: { restaurantName: name, password } })
    screen.deviceId = (await list()).find((id) => !before.has(id)) ?? null
  }
  await screen.connect()
}

/** The owner signs a device out: from then on its screen may neither hear nor do anything. */
export async function revoke({ owner }: Restaurant, tablet: Tablet): Promise<void> {
  if (tablet.deviceId === null) return
  await owner.ok(api.devices.signOut, { params: { id: tablet.deviceId } })
  tablet.deviceId = null
}
