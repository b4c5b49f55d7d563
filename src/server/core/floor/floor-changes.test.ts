import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs } from '#contract/durations.ts'
import { password, setUpApp, type TestBrowser, type TestSocket } from '../../../../test/support/app.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'
import {
  assignTables,
  busyRestaurant,
  type BusyRestaurant,
} from '../../../../test/support/restaurants/busy-restaurant.ts'
import { addDays, localDay } from '../dates.ts'
import { fillDueDays } from './planned-days.ts'

const app = setUpApp()

const inDays = (days: number): string => addDays(localDay(app.now(), 'UTC'), days)

/** What the work announced to the screen. The crew member added last marks its end. */
async function announcedBy(
  { owner }: BusyRestaurant,
  screen: TestSocket,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const before = screen.received.length
  await work()
  await owner.ok(api.crew.add, { body: { name: `Last ${before}`, role: 'Server' } })
  await screen.next('crew-changed')
  return screen.received
    .slice(before)
    .map(({ type }) => type)
    .filter((type) => type.endsWith('-changed'))
}

const told = ['floor-changed', 'crew-changed']
const untold = ['crew-changed']

it('tells open crew screens who is assigned today, and nothing about other days', async () => {
  const restaurant = await busyRestaurant(app)
  const { owner, ids } = restaurant
  const screen = await connectScreen(restaurant.device, ids['Maya Chen'])
  const announced = (work: () => Promise<unknown>) => announcedBy(restaurant, screen, work)
  const host = (date: string) =>
    owner.ok(api.floor.assignHostStand, { body: { date, crewIds: [ids['Ana Ruiz'] ?? ''] } })

  expect(await announced(() => assignTables(restaurant, inDays(0), { 1: 'Maya Chen' }))).toEqual(told)
  expect(await announced(() => host(inDays(0)))).toEqual(told)
  expect(await announced(() => assignTables(restaurant, inDays(2), { 1: 'Maya Chen' }))).toEqual(untold)
  expect(await announced(() => host(inDays(2)))).toEqual(untold)
  expect(await announced(() => owner.ok(api.floor.copyFromPrevious, { body: { date: inDays(1) } }))).toEqual(
    told,
  )
  expect(await announced(() => owner.ok(api.floor.copyToWeek, { body: { sourceDate: inDays(2) } }))).toEqual(
    untold,
  )
  expect(await announced(() => owner.ok(api.weeklyPattern.clearDay, { body: { date: inDays(0) } }))).toEqual(
    told,
  )
})

it('tells open crew screens of tables and sections', async () => {
  const restaurant = await busyRestaurant(app)
  const { owner, ids } = restaurant
  const screen = await connectScreen(restaurant.device)
  const announced = (work: () => Promise<unknown>) => announcedBy(restaurant, screen, work)
  const [table] = await owner.ok(api.floor.tables, {})
  const id = table?.id ?? ''
  let sectionId = ''

  expect(
    await announced(async () => {
      sectionId = (await owner.ok(api.sections.add, { body: { name: 'Terrace' } })).id
    }),
  ).toEqual(told)
  const arrange = (arranged: { sectionId?: string; place?: { x: number; y: number } }) =>
    owner.ok(api.sections.arrange, { body: { tables: [{ tableId: id, ...arranged }] } })
  expect(await announced(() => arrange({ sectionId }))).toEqual(told)
  expect(await announced(() => arrange({ place: { x: 3, y: 4 } }))).toEqual(untold)
  expect(
    await announced(() =>
      owner.ok(api.sections.assign, {
        body: { date: inDays(0), sections: [{ sectionId, crewMemberId: ids['Maya Chen'] ?? '' }] },
      }),
    ),
  ).toEqual(told)
  expect(
    await announced(() =>
      owner.ok(api.sections.change, { params: { id: sectionId }, body: { name: 'Bar' } }),
    ),
  ).toEqual(told)
  expect(await announced(() => owner.ok(api.sections.reorder, { body: { ids: [sectionId] } }))).toEqual(told)
  expect(await announced(() => owner.ok(api.sections.remove, { params: { id: sectionId } }))).toEqual(told)
  expect(
    await announced(() => owner.ok(api.floor.addTable, { body: { tableNumber: '13', category: 'table' } })),
  ).toEqual(told)
  const setUp = (tableCount: number) =>
    owner.ok(api.floor.setUp, { body: { setupType: 'count', tableCount } })
  expect(await announced(() => setUp(13))).toEqual(untold)
  expect(await announced(() => setUp(14))).toEqual(told)
  expect(
    await announced(() => owner.ok(api.floor.removeTable, { params: { id }, query: { confirm: 'true' } })),
  ).toEqual(told)
  expect(await announced(() => owner.ok(api.floor.restoreTable, { params: { id }, body: {} }))).toEqual(told)
})

it.each([
  [
    'restored',
    (owner: TestBrowser, id: string) => owner.ok(api.floor.restoreTable, { params: { id }, body: {} }),
  ],
  ['added again', (owner: TestBrowser) => owner.ok(api.floor.addTable, { body: { tableNumber: '12' } })],
  [
    'set up again',
    (owner: TestBrowser) =>
      owner.ok(api.floor.setUp, { body: { setupType: 'custom', customTables: ['11', '12', '13'] } }),
  ],
])('tells the phones of a party that was moved to a table when that is %s', async (_, bringBack) => {
  const { owner, device, name } = await app.restaurant({ tables: ['4', '7', '12'] })
  const guest = app.browser()
  await guest.fetch(`/customer?${new URLSearchParams({ r: name, t: '4' }).toString()}`)
  const crew = await connectScreen(device)
  for (const [from, to] of [
    ['4', '7'],
    ['7', '12'],
  ] as const) {
    app.advance(1_000)
    await crew.request({ type: 'move-party', id: `${from}-${to}`, from, to })
  }
  const page = await guest.connect()
  const place = { restaurantId: name, tableNumber: '4' }
  const follow = () => page.request({ type: 'set-restaurant-context', ...place })
  expect(await follow()).toMatchObject({ movedTo: '12' })
  const removed: string[] = []
  for (const tableNumber of ['12', '7']) {
    const table = (await owner.ok(api.floor.tables, {})).find((each) => each.tableNumber === tableNumber)
    removed.push(table?.id ?? '')
    await owner.ok(api.floor.removeTable, { params: { id: table?.id ?? '' }, query: { confirm: 'true' } })
    await page.next('table-changed')
    await follow()
  }
  expect(await follow()).not.toHaveProperty('movedTo')
  await bringBack(owner, removed[0] ?? '')
  await page.next('table-changed')
  expect(await follow()).toMatchObject({ movedTo: '12' })
})

it('tells open crew screens when the weekly pattern fills today, and not when it fills days ahead', async () => {
  const restaurant = await busyRestaurant(app)
  const { owner, name } = restaurant
  const everyDay = [0, 1, 2, 3, 4, 5, 6]
  await assignTables(restaurant, inDays(0), { 1: 'Maya Chen' })
  await owner.ok(api.weeklyPattern.save, { body: { sourceDate: inDays(0), weekdays: everyDay } })

  /** Sessions do not last that long. */
  async function announcedAfter(days: number): Promise<string[]> {
    app.advance(days * dayMs)
    await owner.ok(api.accounts.ownerLogin, { body: { username: name, password } })
    const device = app.browser()
    await device.ok(api.accounts.restaurantLogin, { body: { restaurantName: name, password } })
    return announcedBy(restaurant, await connectScreen(device), () => fillDueDays(app.ctx))
  }
  expect(await announcedAfter(1)).toEqual(untold)
  // As if the server had been away.
  expect(await announcedAfter(21)).toEqual(told)
})
