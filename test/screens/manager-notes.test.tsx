// @vitest-environment jsdom
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../support/app.ts'
import { QuietSocket } from '../support/pages/jsdom-socket.ts'
import { fill, openStaffApp, press, waitForToast, withoutFigures } from '../support/pages/staff-app.tsx'

const app = setUpApp()

it('the owner lets guests write to the manager', async () => {
  const { owner } = await app.restaurant({ tables: ['7'] })
  openStaffApp('/admin-dashboard/settings', withoutFigures, owner)
  const rule = await screen.findByLabelText('A word to the manager', {}, { timeout: 20_000 })
  expect(rule).toHaveProperty('checked', false)
  fireEvent.click(rule)
  await waitForToast('Rules saved')
  expect((await owner.ok(api.restaurant.settings, {})).managerNotes).toBe(true)
})

it('a manager sees a note at once, looks after it and answers', async () => {
  const { owner, name } = await app.restaurant({ tables: ['7'] })
  await owner.ok(api.restaurant.change, { body: { managerNotes: true } })
  openStaffApp('/management-dashboard', withoutFigures, owner, QuietSocket)
  const card = within(
    await screen.findByRole('region', { name: 'Messages from guests' }, { timeout: 20_000 }),
  )
  expect(card.getByText('No one is waiting for an answer.')).toBeDefined()
  const guest = app.browser()
  const body = { id: 'n1', restaurantId: name, tableNumber: '7', text: 'The soup is cold' }
  const stateOf = async () => {
    const [note] = await guest.ok(api.guestNotes.mine, { query: { restaurantId: name } })
    return note
  }
  await guest.ok(api.guestNotes.send, { body })
  await expect.poll(() => QuietSocket.current?.hasList).toBe(true)
  act(() => QuietSocket.current?.receive({ type: 'manager-notes-changed' }))
  expect(await card.findByText('The soup is cold')).toBeDefined()
  // Somebody looks at the page.
  await expect.poll(async () => (await stateOf())?.state).toBe('seen')
  fill({ 'Your name, as guests read it': 'Anna' })
  press('button', 'I’ll take care of it')
  await waitFor(() =>
    expect(card.getByText('Anna', { selector: 'bdi' }).parentElement?.textContent).toBe(
      'Anna is taking care of it',
    ),
  )
  await expect.poll(stateOf).toMatchObject({ state: 'taken', by: 'Anna' })
  press('button', 'Close…')
  fill({ 'Short answer (optional)': 'A new soup is on its way.' })
  press('button', 'Close')
  await waitFor(() => expect(card.getByText('No one is waiting for an answer.')).toBeDefined())
  await expect.poll(stateOf).toMatchObject({ state: 'closed', answer: 'A new soup is on its way.' })
  fireEvent.click(card.getByText('The last 30 days'))
  expect(await card.findByText('A new soup is on its way.')).toBeDefined()
})

it('a manager sees at once where a guest who wrote is, as the crew moves the party', async () => {
  const { owner, device, name } = await app.restaurant({ tables: ['4', '7'] })
  await owner.ok(api.restaurant.change, { body: { managerNotes: true } })
  const body = { id: 'n1', restaurantId: name, tableNumber: '7', text: 'The soup is cold' }
  await app.browser().ok(api.guestNotes.send, { body })
  openStaffApp('/management-dashboard', withoutFigures, owner, QuietSocket)
  const card = within(
    await screen.findByRole('region', { name: 'Messages from guests' }, { timeout: 20_000 }),
  )
  expect(await card.findByText(/Table 7/)).toBeDefined()
  await expect.poll(() => QuietSocket.current?.hasList).toBe(true)
  const crew = await device.connect()
  await crew.request({ type: 'set-restaurant-context', restaurantId: name })
  app.advance(1_000)
  await crew.request({ type: 'move-party', id: 'move-1', from: '7', to: '4' })
  act(() => QuietSocket.current?.receive({ type: 'seating-changed' }))
  expect(await card.findByText(/Table 4/)).toBeDefined()
})

it('a manager who was slower than another reads who was faster', async () => {
  const { owner, name } = await app.restaurant({ tables: ['7'] })
  await owner.ok(api.restaurant.change, { body: { managerNotes: true } })
  const body = { id: 'n1', restaurantId: name, tableNumber: '7', text: 'The soup is cold' }
  await app.browser().ok(api.guestNotes.send, { body })
  const taken = { ...body, tableNumber: '7', timestamp: app.now(), verified: true, answer: null }
  openStaffApp(
    '/management-dashboard',
    { ...withoutFigures, 'POST /api/manager-notes/n1/take': [200, { ...taken, state: 'taken', by: 'Ben' }] },
    owner,
  )
  const card = within(
    await screen.findByRole('region', { name: 'Messages from guests' }, { timeout: 20_000 }),
  )
  fill({ 'Your name, as guests read it': 'Anna' })
  fireEvent.click(card.getByRole('button', { name: 'I’ll take care of it' }))
  await waitForToast('\u2068Ben\u2069 is taking care of it')
})
