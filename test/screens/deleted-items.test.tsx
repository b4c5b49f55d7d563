// @vitest-environment jsdom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../support/app.ts'
import { busyRestaurant, type Restaurant, tableNumbers } from '../support/restaurants/busy-restaurant.ts'
import {
  emptyOverview,
  fill,
  holdToast,
  openStaffApp,
  press,
  pressWhenReady,
  waitForToast,
} from '../support/pages/staff-app.tsx'

const app = setUpApp()

async function openAdminPortal({ owner }: Restaurant): Promise<void> {
  openStaffApp('/admin-dashboard', { 'GET /api/analytics/overview': emptyOverview }, owner)
  await screen.findByRole('heading', { name: 'Host Stand' })
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

it('a name that is in the crew already is asked about, whatever its case', async () => {
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
})
