// @vitest-environment jsdom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { preload } from '../../src/client/app/routes.tsx'
import { setUpApp } from '../support/app.ts'
import { QuietSocket } from '../support/pages/jsdom-socket.ts'
import {
  type Answers,
  currentPath,
  device,
  findTitle,
  openStaffApp,
  withoutFigures,
} from '../support/pages/staff-app.tsx'

const app = setUpApp()

const pressCtrlK = (): boolean => fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
const findInput = (): Promise<HTMLElement> => screen.findByRole('combobox', { name: 'Find anything' })

/** What a screen reader says: the option that the input points to. */
async function highlighted(input: HTMLElement): Promise<string | null | undefined> {
  await waitFor(() => expect(input.getAttribute('aria-activedescendant')).toBeTruthy())
  return document.getElementById(input.getAttribute('aria-activedescendant') ?? '')?.textContent
}

const managerSignedIn: Answers = {
  ...withoutFigures,
  'GET /api/session': [
    200,
    {
      restaurantName: 'The Copper Pot',
      grants: ['manager'],
      crewMember: null,
      manager: { username: 'sam' },
    },
  ],
  'GET /api/admin/current-user': [200, { restaurantName: 'The Copper Pot', managerUsername: 'sam' }],
}

async function openOwnersMenu(path = '/dashboard'): Promise<HTMLElement> {
  const { owner } = await app.restaurant({ tables: ['7', 'Patio 2'] })
  openStaffApp(path, withoutFigures, owner)
  await screen.findByRole('button', { name: 'Find' })
  // The button is there a moment before the page listens. Once it does, the browser does not search as well.
  await expect.poll(pressCtrlK).toBe(false)
  return await findInput()
}

describe('an owner', () => {
  it('finds a table by the keyboard alone', async () => {
    const input = await openOwnersMenu()
    expect(document.activeElement).toBe(input)
    fireEvent.change(input, { target: { value: 'patio' } })
    await waitFor(async () => expect(await highlighted(input)).toBe('Table Patio 2Table'))
    await screen.findByText('1 result')
    fireEvent.keyDown(input, { key: 'Enter' })
    await findTitle('Floor')
    expect(currentPath()).toBe('/admin-dashboard/floor?find=Patio+2')
    expect((await screen.findByLabelText<HTMLInputElement>('Find tables')).value).toBe('Patio 2')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('moves through what was found with the arrows', async () => {
    const input = await openOwnersMenu()
    fireEvent.change(input, { target: { value: 'crew' } })
    await waitFor(async () => expect(await highlighted(input)).toBe('CrewPage'))
    fireEvent.keyDown(input, { key: 'ArrowDown' })
    await waitFor(async () => expect(await highlighted(input)).toBe('Crew DashboardPage'))
    expect(within(screen.getByRole('listbox')).getAllByRole('option').length).toBeGreaterThan(2)
  })

  it('opens a day', async () => {
    const input = await openOwnersMenu()
    fireEvent.change(input, { target: { value: 'tomorrow' } })
    await waitFor(async () => expect(await highlighted(input)).toMatch(/^Tomorrow, /))
    fireEvent.keyDown(input, { key: 'Enter' })
    await findTitle('Floor')
    expect(currentPath()).toMatch(/^\/admin-dashboard\/floor\?date=\d{4}-\d\d-\d\d$/)
  })

  it.each(['/dashboard', '/admin-dashboard/settings'])(
    'lands on the setting itself, from %s',
    async (path) => {
      const input = await openOwnersMenu(path)
      fireEvent.change(input, { target: { value: 'opening hours' } })
      await waitFor(async () => expect(await highlighted(input)).toBe('Set the opening hoursAction'))
      fireEvent.keyDown(input, { key: 'Enter' })
      await findTitle('Settings')
      await screen.findByRole('heading', { name: 'Opening hours' })
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
      await waitFor(() => expect(document.activeElement?.textContent).toBe('Opening hours'))
    },
  )

  it('goes on where it was when nothing is chosen, and at the title of the page that is', async () => {
    const input = await openOwnersMenu()
    fireEvent.change(input, { target: { value: 'audit' } })
    await waitFor(async () => expect(await highlighted(input)).toBe('Audit logPage'))
    fireEvent.keyDown(input, { key: 'Enter' })
    await findTitle('Audit log')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Audit log'))

    const link = await screen.findByRole('link', { name: 'Needs' })
    link.focus()
    pressCtrlK()
    fireEvent.keyDown(await findInput(), { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(link))
  })

  it('leads on, however long the browser takes to forget a menu that was closed', async () => {
    await preload('/admin')
    const input = await openOwnersMenu()
    const allowed = Promise.withResolvers<void>()
    const go = history.go.bind(history)
    const going = vi.spyOn(history, 'go').mockImplementation((by) => void allowed.promise.then(() => go(by)))
    fireEvent.keyDown(input, { key: 'Escape' })
    await expect.poll(() => going.mock.calls).toEqual([[-1]])
    const hasGoneBack = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }))
    fireEvent.click(await screen.findByRole('link', { name: 'Set up' }))
    allowed.resolve()
    await hasGoneBack
    await findTitle('Get Set Up')
    await expect.poll(currentPath).toBe('/admin')
  })

  it('goes on in the empty cell of a table, which is drawn anew meanwhile', async () => {
    fireEvent.keyDown(await openOwnersMenu('/admin-dashboard/floor'), { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    const name = 'Assign crew to table Patio 2'
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>(name).disabled).toBe(false))
    screen.getByLabelText(name).focus()
    const used = document.activeElement
    pressCtrlK()
    const input = await findInput()
    await waitFor(() => expect(used?.isConnected).toBe(false))
    fireEvent.keyDown(input, { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe(name))
  })

  it('reads that nothing was found', async () => {
    const input = await openOwnersMenu()
    fireEvent.change(input, { target: { value: 'zzz' } })
    await screen.findAllByText('Nothing found')
    fireEvent.keyDown(input, { key: 'Enter' })
    expect(currentPath()).toBe('/dashboard')
    fireEvent.keyDown(input, { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('opens it with the button, too', async () => {
    const { owner } = await app.restaurant()
    openStaffApp('/admin', {}, owner)
    fireEvent.click(await screen.findByRole('button', { name: 'Find' }))
    await findInput()
  })
})

it('shows a manager only what managers may open', async () => {
  const { whenLoaded } = openStaffApp('/management-dashboard', managerSignedIn)
  await findTitle('Management Portal')
  await whenLoaded()
  fireEvent.click(await screen.findByRole('button', { name: 'Find' }))
  const input = await findInput()
  fireEvent.change(input, { target: { value: 'audit' } })
  await screen.findAllByText('Nothing found')
  fireEvent.change(input, { target: { value: 'analytics' } })
  await waitFor(async () => expect(await highlighted(input)).toBe('AnalyticsPage'))
})

it('shows a manager the figures of a day', async () => {
  openStaffApp('/management-dashboard', {
    ...managerSignedIn,
    'GET /api/analytics/overview': [500, 'Out of order'],
  })
  await findTitle('Management Portal')
  fireEvent.click(await screen.findByRole('button', { name: 'Find' }))
  const input = await findInput()
  fireEvent.change(input, { target: { value: 'today' } })
  await waitFor(async () => expect(await highlighted(input)).toMatch(/^Today, /))
  fireEvent.keyDown(input, { key: 'Enter' })
  const first = await screen.findByLabelText<HTMLInputElement>('First day')
  expect(currentPath()).toBe(`/management-dashboard/analytics?day=${first.value}`)
  expect(screen.getByLabelText<HTMLInputElement>('Last day').value).toBe(first.value)
})

describe('on the crew’s screen', () => {
  const openMenu = async (): Promise<HTMLElement> => {
    await findTitle('Crew Dashboard')
    await expect.poll(pressCtrlK).toBe(false)
    return await findInput()
  }

  it('an owner finds a table', async () => {
    const { owner } = await app.restaurant({ tables: ['7', 'Patio 2'] })
    openStaffApp('/waiter', withoutFigures, owner, QuietSocket)
    const input = await openMenu()
    fireEvent.change(input, { target: { value: 'patio' } })
    await waitFor(async () => expect(await highlighted(input)).toBe('Table Patio 2Table'))
    fireEvent.keyDown(input, { key: 'Enter' })
    await findTitle('Floor')
    expect(currentPath()).toBe('/admin-dashboard/floor?find=Patio+2')
  })

  it('a manager finds what managers may open', async () => {
    openStaffApp('/waiter', managerSignedIn, undefined, QuietSocket)
    const input = await openMenu()
    fireEvent.change(input, { target: { value: 'audit' } })
    await screen.findAllByText('Nothing found')
    fireEvent.change(input, { target: { value: 'weekly report' } })
    await waitFor(async () => expect(await highlighted(input)).toBe('Weekly reportPage'))
  })

  it('a device has none', async () => {
    const { whenLoaded } = openStaffApp('/waiter', device, undefined, QuietSocket)
    await findTitle('Crew Dashboard')
    await whenLoaded()
    expect(pressCtrlK()).toBe(true)
  })
})

it.each([
  ['/security', 'Security'],
  ['/portal-selection', 'Select Portal'],
  ['/admin-dashboard', 'Only for the Owner'],
])('a manager has it on %s, too', async (path, title) => {
  openStaffApp(path, managerSignedIn)
  await findTitle(title)
  fireEvent.click(await screen.findByRole('button', { name: 'Find' }))
  const input = await findInput()
  fireEvent.change(input, { target: { value: 'analytics' } })
  await waitFor(async () => expect(await highlighted(input)).toBe('AnalyticsPage'))
})

it('the command menu is not for devices of the crew', async () => {
  const { whenLoaded } = openStaffApp('/portal-selection', device)
  await findTitle('Select Portal')
  await whenLoaded()
  expect(pressCtrlK()).toBe(true)
  expect(screen.queryByRole('dialog')).toBeNull()
})
