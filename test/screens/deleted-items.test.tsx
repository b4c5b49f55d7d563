// @vitest-environment jsdom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../support/app.ts'
import {
  emptyOverview,
  fill,
  holdToast,
  openStaffApp,
  press,
  pressWhenReady,
  waitForToast,
} from '../support/pages/staff-app.tsx'
import { busyRestaurant, type Restaurant, tableNumbers } from '../support/restaurants/busy-restaurant.ts'

const app = setUpApp()

async function openAdminPortal({ owner }: Restaurant) {
  const opened = openStaffApp('/admin-dashboard', { 'GET /api/analytics/overview': emptyOverview }, owner)
  await screen.findByRole('heading', { name: 'Host Stand' })
  return opened
}

const findDialog = async (name: string) => within(await screen.findByRole('dialog', { name }))
const fillIn = (dialog: ReturnType<typeof within>, label: string, value: string): void =>
  void fireEvent.input(dialog.getByLabelText(label), { target: { value } })

it('a table comes back with Undo as the same table, under another number if it has to', async () => {
  const restaurant = await app.restaurant({ tables: ['1', '2'] })
  const { owner } = restaurant
  const [, table] = await owner.ok(api.floor.tables, {})
  await openAdminPortal(restaurant)
  await pressWhenReady('Delete table 2')
  await holdToast('Table deleted successfully')
  press('button', 'Undo')
  await waitForToast('Table 2 is back')
  expect((await owner.ok(api.floor.tables, {}))[1]).toEqual(table)

  await pressWhenReady('Delete table 2')
  await holdToast('Table deleted successfully')
  await owner.ok(api.floor.addTable, { body: { tableNumber: '2' } })
  press('button', 'Undo')
  const dialog = await findDialog('Restore Table 2')
  dialog.getByText(/^Another table has this number now/u)
  fillIn(dialog, 'Table Number', '1')
  fireEvent.click(dialog.getByRole('button', { name: 'Restore' }))
  await waitForToast('This table already exists')
  fillIn(dialog, 'Table Number', '2b')
  fireEvent.click(dialog.getByRole('button', { name: 'Restore' }))
  await waitForToast('Table 2b is back')
  expect(await tableNumbers(restaurant)).toEqual(['1', '2', '2b'])
  expect((await owner.ok(api.floor.tables, {}))[2]?.id).toBe(table?.id)
})

it('what somebody else has restored meanwhile is said to be back already, and leaves the list', async () => {
  const restaurant = await busyRestaurant(app)
  const { owner, ids } = restaurant
  const tables = await owner.ok(api.floor.tables, {})
  const params = { id: tables[0]?.id ?? '' }
  const member = { id: ids['Tom Novak'] ?? '' }
  await owner.ok(api.floor.removeTable, { params, query: { confirm: 'true' } })
  await owner.ok(api.crew.remove, { params: member })
  await openAdminPortal(restaurant)
  const closed = () => screen.queryAllByRole('button', { name: 'Recently deleted (1)' })
  await waitFor(() => expect(closed()).toHaveLength(2))
  for (const list of closed()) fireEvent.click(list)
  await screen.findByRole('button', { name: 'Restore Tom Novak' })
  await owner.ok(api.floor.restoreTable, { params, body: {} })
  await owner.ok(api.crew.restore, { params: member, body: {} })
  await pressWhenReady('Restore 1')
  await waitForToast('Table 1 is back already')
  await pressWhenReady('Restore Tom Novak')
  await waitForToast('Tom Novak is back already')
  await waitFor(() => expect(screen.queryByRole('button', { name: /^Recently deleted/ })).toBeNull())
  await screen.findByRole('button', { name: 'Delete table 1' })
})

it('what somebody else has deleted meanwhile is said to be gone already, and leaves the list', async () => {
  const restaurant = await busyRestaurant(app)
  const { owner, ids } = restaurant
  await owner.ok(api.managers.setCredentials, { body: { username: 'sam', password: 'lantern-7' } })
  const terrace = await owner.ok(api.sections.add, { body: { name: 'Terrace' } })
  const [first, second] = await owner.ok(api.floor.tables, {})
  const { managers } = await owner.ok(api.managers.currentUser, {})
  await openAdminPortal(restaurant)
  await screen.findByRole('button', { name: 'Delete table 1' })
  await screen.findByRole('button', { name: 'Remove Tom Novak' })
  await screen.findByRole('button', { name: 'Remove sam' })

  await owner.ok(api.floor.removeTable, { params: { id: first?.id ?? '' }, query: { confirm: 'true' } })
  await pressWhenReady('Delete table 1')
  await waitForToast('Table 1 has already been deleted')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Delete table 1' })).toBeNull())
  expect(screen.getAllByRole('button', { name: 'Recently deleted (1)' })).toHaveLength(1)

  await owner.ok(api.crew.remove, { params: { id: ids['Tom Novak'] ?? '' } })
  await pressWhenReady('Remove Tom Novak')
  await waitForToast('Tom Novak has already been removed')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Remove Tom Novak' })).toBeNull())

  await pressWhenReady('Remove sam')
  const question = await findDialog('Remove sam?')
  await owner.ok(api.managers.remove, { params: { id: managers?.[0]?.id ?? '' } })
  fireEvent.click(question.getByRole('button', { name: 'Remove' }))
  await waitForToast('sam has already been removed')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Remove sam' })).toBeNull())

  openStaffApp('/admin-dashboard/floor', { 'GET /api/analytics/overview': emptyOverview }, owner)
  await pressWhenReady('Delete Terrace')
  const deletion = await findDialog('Delete Terrace?')
  await owner.ok(api.sections.remove, { params: { id: terrace.id } })
  fireEvent.click(deletion.getByRole('button', { name: 'Delete' }))
  await waitForToast('Terrace has already been deleted')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Delete Terrace' })).toBeNull())

  // A guest waits there, so it was asked about; meanwhile it went all the same.
  const table = { restaurantId: restaurant.name, tableNumber: '2', serviceType: 'drinks' } as const
  await app.browser().ok(api.requests.send, { body: table })
  await pressWhenReady('Delete table 2')
  const tableDeletion = await findDialog('Delete table 2?')
  await owner.ok(api.floor.removeTable, { params: { id: second?.id ?? '' }, query: { confirm: 'true' } })
  fireEvent.click(tableDeletion.getByRole('button', { name: 'Delete' }))
  await waitForToast('Table 2 has already been deleted')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Delete table 2' })).toBeNull())
})

it('a section comes back with Undo, or from the list of the deleted', async () => {
  const restaurant = await busyRestaurant(app)
  const { owner } = restaurant
  const { id } = await owner.ok(api.sections.add, { body: { name: 'Terrace' } })
  const names = async () => (await owner.ok(api.tables.plan, {})).sections.map(({ name }) => name)
  openStaffApp('/admin-dashboard/floor', { 'GET /api/analytics/overview': emptyOverview }, owner)
  await pressWhenReady('Delete Terrace')
  fireEvent.click((await findDialog('Delete Terrace?')).getByRole('button', { name: 'Delete' }))
  await holdToast('Terrace deleted')
  press('button', 'Undo')
  await waitForToast('Terrace is back')
  expect(await names()).toEqual(['Terrace'])

  await owner.ok(api.sections.remove, { params: { id } })
  await owner.ok(api.sections.add, { body: { name: 'Terrace' } })
  openStaffApp('/admin-dashboard/floor', { 'GET /api/analytics/overview': emptyOverview }, owner)
  await pressWhenReady('Recently deleted (1)')
  await pressWhenReady('Restore Terrace')
  const dialog = await findDialog('Restore Terrace')
  fillIn(dialog, 'Section Name', 'Old terrace')
  fireEvent.click(dialog.getByRole('button', { name: 'Restore' }))
  await waitForToast('Old terrace is back')
  expect((await names()).toSorted()).toEqual(['Old terrace', 'Terrace'])
})

it('a table where a guest waits is asked about first', async () => {
  const restaurant = await app.restaurant({ tables: ['1', '2'] })
  const tap = { restaurantId: restaurant.name, tableNumber: '2', serviceType: 'drinks' } as const
  await app.browser().ok(api.requests.send, { body: tap })
  await openAdminPortal(restaurant)
  await pressWhenReady('Delete table 2')
  const dialog = await findDialog('Delete table 2?')
  dialog.getByText(/^1 request is waiting at this table. Delete it anyway\?/u)
  fireEvent.click(dialog.getByRole('button', { name: 'Delete' }))
  await waitForToast('Table deleted successfully')
  expect(await tableNumbers(restaurant)).toEqual(['1'])
})

it('crew members and managers are listed until they are restored', async () => {
  const restaurant = await busyRestaurant(app)
  const { owner, ids } = restaurant
  await owner.ok(api.managers.setCredentials, { body: { username: 'sam', password: 'lantern-7' } })
  for (const name of ['Tom Novak', 'Maya Chen'])
    await owner.ok(api.crew.remove, { params: { id: ids[name] ?? '' } })
  await openAdminPortal(restaurant)
  await pressWhenReady('Recently deleted (2)')
  await pressWhenReady('Restore Tom Novak')
  await waitForToast('Tom Novak is back')
  await screen.findByRole('button', { name: 'Remove Tom Novak' })
  await screen.findByRole('button', { name: 'Recently deleted (1)' })

  await owner.ok(api.crew.add, { body: { name: 'maya chen', role: 'Busser' } })
  press('button', 'Restore Maya Chen')
  const dialog = await findDialog('Restore Maya Chen')
  // As colleagues may have the same name.
  fireEvent.click(dialog.getByRole('button', { name: 'Restore' }))
  await waitForToast('Maya Chen is back')
  expect((await owner.ok(api.crew.list, {})).some(({ id }) => id === ids['Maya Chen'])).toBe(true)

  await pressWhenReady('Remove sam')
  fireEvent.click((await findDialog('Remove sam?')).getByRole('button', { name: 'Remove' }))
  await holdToast('sam was removed')
  await screen.findByRole('button', { name: 'Recently deleted (1)' })
  press('button', 'Undo')
  await waitForToast('sam is back')
  await screen.findByRole('button', { name: 'Remove sam' })
})

it('what is deleted is listed in the instant in which it goes, so that nothing moves under the next tap', async () => {
  const restaurant = await busyRestaurant(app)
  const { owner } = restaurant
  await owner.ok(api.crew.add, { body: { name: 'Zoe', role: 'Busser' } })
  const { answers, whenLoaded } = openStaffApp(
    '/admin-dashboard',
    { 'GET /api/analytics/overview': emptyOverview },
    owner,
  )
  await screen.findByRole('button', { name: 'Remove Zoe' })
  await screen.findByRole('button', { name: 'Delete table 7' })
  await whenLoaded()
  const never = () => new Promise<undefined>(() => undefined)
  answers['GET /api/deleted-crew'] = never
  answers['GET /api/deleted-tables'] = never
  press('button', 'Remove Zoe')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Remove Zoe' })).toBeNull())
  expect(screen.getAllByRole('button', { name: /^Recently deleted/ })).toHaveLength(1)
  press('button', 'Delete table 7')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Delete table 7' })).toBeNull())
  const lists = screen.getAllByRole('button', { name: 'Recently deleted (1)' })
  expect(lists).toHaveLength(2)
  for (const list of lists) fireEvent.click(list)
  await screen.findByRole('button', { name: 'Restore Zoe' })
  await screen.findByRole('button', { name: 'Restore 7' })
})

it('whoever was added although the answer was lost is asked about before there are two', async () => {
  const restaurant = await busyRestaurant(app)
  const { answers } = await openAdminPortal(restaurant)
  const add = (): Promise<void> => {
    fill({ 'Crew Member Name': 'Zoe' })
    return pressWhenReady('Add Crew Member')
  }
  answers['POST /api/crew'] = async (body) => {
    expect((await restaurant.owner.send('POST', '/api/crew', body)).status).toBe(201)
    delete answers['POST /api/crew']
    answers['GET /api/crew'] = [503, { code: 'unavailable', message: 'Not now' }]
    throw new TypeError('Failed to fetch')
  }
  await add()
  await waitForToast('Failed to add crew member')
  // Neither does it add anybody while the crew cannot be read.
  await add()
  await waitForToast('Not now')
  delete answers['GET /api/crew']
  await add()
  fireEvent.click((await findDialog('Add another Zoe?')).getByRole('button', { name: 'Cancel' }))
  await screen.findByRole('button', { name: 'Remove Zoe' })
  const crew = await restaurant.owner.ok(api.crew.list, {})
  expect(crew.filter(({ name }) => name === 'Zoe')).toHaveLength(1)
})

it('a name that is in the crew already is asked about, whatever its case, and told where one is changed', async () => {
  const restaurant = await busyRestaurant(app)
  const names = async () =>
    (await restaurant.owner.ok(api.crew.list, {})).map(({ name }) => name.toLowerCase())
  await openAdminPortal(restaurant)
  const add = (): void => {
    fill({ 'Crew Member Name': 'maya  chen' })
    press('button', 'Add Crew Member')
  }
  add()
  fireEvent.click((await findDialog('Add another Maya Chen?')).getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(await names()).toHaveLength(5)
  add()
  fireEvent.click((await findDialog('Add another Maya Chen?')).getByRole('button', { name: 'Add anyway' }))
  await waitForToast('Crew member added')
  expect((await names()).filter((name) => name === 'maya chen')).toHaveLength(2)

  fireEvent.click(screen.getByRole('button', { name: /^Tom Novak/u }))
  const change = await findDialog('Tom Novak')
  const told = /^Maya Chen is in the crew already/u
  fireEvent.input(await change.findByLabelText('Name'), { target: { value: 'MAYA CHEN' } })
  await change.findByText(told)
  fireEvent.input(change.getByLabelText('Name'), { target: { value: 'Maya Novak' } })
  await waitFor(() => expect(change.queryByText(told)).toBeNull())
})
