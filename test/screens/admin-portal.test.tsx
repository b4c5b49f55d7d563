// @vitest-environment jsdom
import { act, cleanup, fireEvent, renderHook, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs } from '#contract/durations.ts'
import { useBroadcast } from '../../src/client/features/admin/use-broadcast.ts'
import { addDays } from '../../src/client/lib/time/dates.ts'
import { weekdayName, weekdayOf } from '../../src/client/lib/time/weekdays.ts'
import { password, setUpApp } from '../support/app.ts'
import {
  advanceTime,
  type Answers,
  emptyOverview,
  fill,
  findTitle,
  focusedName,
  freezeTime,
  getButton,
  holdToast,
  openStaffApp,
  press,
  pressFocused,
  pressWhenReady,
  waitForToast,
} from '../support/pages/staff-app.tsx'
import {
  addCrew,
  assignTables,
  assignmentsOf,
  busyRestaurant,
  type Restaurant,
  tableNumbers,
  today,
} from '../support/restaurants/busy-restaurant.ts'

const app = setUpApp()
/** One whose midnight a test brings about. */
const nextDay = setUpApp()
const overview = 'GET /api/analytics/overview'

async function openAdminPortal({ owner }: Pick<Restaurant, 'owner'>, answers: Answers = {}) {
  const opened = openStaffApp('/admin-dashboard', { [overview]: emptyOverview, ...answers }, owner)
  await screen.findByRole('heading', { name: 'Host Stand' }, { timeout: 20_000 })
  return opened
}

const tableSection = (): HTMLElement => screen.getByRole('region', { name: 'Tables' })
const valueOf = (label: string): string => screen.getByLabelText<HTMLInputElement>(label).value
const findHost = (name: string): Promise<HTMLInputElement> => screen.findByLabelText<HTMLInputElement>(name)
const findCrewField = (table: string): Promise<HTMLElement> =>
  screen.findByLabelText(`Assign crew to table ${table}`)

async function isAssigned(table: string, name: string): Promise<void> {
  await waitFor(() => {
    const change = screen.getByLabelText(`Change crew of table ${table}`)
    expect(change.closest('[role="gridcell"]')?.textContent).toContain(name)
  })
}

async function assign(table: string, name: string): Promise<void> {
  await waitFor(async () => expect((await findCrewField(table)).matches(':disabled')).toBe(false))
  const crewField = await findCrewField(table)
  act(() => crewField.focus())
  const search = await findCrewField(table)
  fireEvent.input(search, { target: { value: name } })
  fireEvent.keyDown(search, { key: 'Enter' })
}

async function change(table: string): Promise<void> {
  const button = await screen.findByLabelText(`Change crew of table ${table}`)
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull())
  fireEvent.click(button)
}

it('shows a table once, though another tab makes this one read the tables before it is answered', async () => {
  const restaurant = await busyRestaurant(app)
  const stored = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  await openAdminPortal(restaurant, {
    'POST /api/tables': async () => {
      const table = await restaurant.owner.ok(api.floor.addTable, { body: { tableNumber: '13' } })
      stored.resolve()
      await answer.promise
      return [201, table]
    },
  })
  fill({ 'Table Number': '13' })
  press('button', 'Add Table')
  await stored.promise
  const otherTab = renderHook(() => useBroadcast('floor', () => undefined))
  otherTab.result.current()
  await findCrewField('13')
  answer.resolve()
  await waitForToast('Table added successfully')
  expect(screen.getAllByLabelText('Assign crew to table 13')).toHaveLength(1)
})

describe('what the server refuses', () => {
  it('is reported, whatever it was, and changes nothing', async () => {
    const restaurant = await busyRestaurant(app)
    await assignTables(restaurant, today, { 1: 'Maya Chen' })
    const tables = await restaurant.owner.ok(api.floor.tables, {})
    const actions: [message: string, call: string, work: () => unknown][] = [
      [
        'Failed to set up tables',
        'POST /api/tables/setup',
        () => {
          press('button', 'Change Tables')
          press('button', 'Set Up Tables')
        },
      ],
      [
        'Failed to add table',
        'POST /api/tables',
        () => {
          fill({ 'Table Number': '99' })
          press('button', 'Add Table')
        },
      ],
      // A table without assignments is deleted without confirmation.
      [
        'Failed to delete table',
        `DELETE /api/tables/${tables.at(-1)?.id}`,
        () => press('button', 'Delete table 12'),
      ],
      [
        'Failed to add crew member',
        'POST /api/crew',
        () => {
          fill({ 'Crew Member Name': 'Zoe' })
          press('button', 'Add Crew Member')
        },
      ],
      [
        'Failed to remove crew member',
        `DELETE /api/crew/${restaurant.ids['Tom Novak']}`,
        () => press('button', 'Remove Tom Novak'),
      ],
      ['Failed to update assignments', 'POST /api/table-assignments/bulk', () => assign('2', 'Maya Chen')],
      [
        'Failed to copy assignments to entire week',
        'POST /api/table-assignments/copy-to-week',
        () => press('button', 'Copy to Week'),
      ],
      [
        'Failed to update host stand assignments',
        'POST /api/host-stand-assignments',
        () => press('checkbox', 'Ana Ruiz'),
      ],
      [
        'Failed to update manager credentials',
        'POST /api/admin/manager-credentials',
        async () => {
          await screen.findByLabelText('Manager Username')
          fill({ 'Manager Username': 'sam', 'Manager Password': 'lantern-7' })
          press('button', 'Update Credentials')
        },
      ],
      [
        'Failed to copy assignments',
        'POST /api/table-assignments/copy-from-previous',
        async () => {
          press('button', 'Next day')
          await pressWhenReady('Copy from Previous Day')
        },
      ],
    ]
    const { answers, refusals } = await openAdminPortal(restaurant)
    await isAssigned('1', 'Maya Chen')
    const before = await assignmentsOf(restaurant)
    for (const [message, call, work] of actions) {
      answers[call] = [500, 'Out of order']
      await work()
      await holdToast('Error', message)
      expect(refusals).toContain(`500 ${call}`)
      await waitFor(() => expect(document.querySelector('[aria-busy="true"]')).toBeNull())
      expect([call, await assignmentsOf(restaurant)]).toEqual([call, before])
      expect(await tableNumbers(restaurant)).toHaveLength(12)
      delete answers[call]
      press('button', 'Dismiss')
    }
  })

  it('rolls the host stand back to the server’s state', async () => {
    const restaurant = await busyRestaurant(app)
    const { answers } = await openAdminPortal(restaurant)
    const [ana, ben] = [await findHost('Ana Ruiz'), await findHost('Ben Host')]
    await waitFor(() => expect(ana.disabled).toBe(false))
    fireEvent.click(ana)
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({ 'Host Stand': 'Ana Ruiz' })
    const arrived = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    answers['POST /api/host-stand-assignments'] = async () => {
      arrived.resolve()
      await answer.promise
      return [500, '']
    }
    fireEvent.click(ben)
    await arrived.promise
    await waitFor(() => expect(ben.checked).toBe(true))
    // Meanwhile somebody else removes Ana.
    await restaurant.owner.ok(api.floor.assignHostStand, { body: { date: today, crewIds: [] } })
    answer.resolve()
    await waitForToast('Failed to update host stand assignments')
    await waitFor(() => expect([ana.checked, ben.checked]).toEqual([false, false]))
    delete answers['POST /api/host-stand-assignments']
    fireEvent.click(ana)
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({ 'Host Stand': 'Ana Ruiz' })
  })

  it('loses no tick on a slow network', async () => {
    const restaurant = await busyRestaurant(app)
    const answer = Promise.withResolvers<void>()
    await openAdminPortal(restaurant, {
      'POST /api/host-stand-assignments': () => answer.promise.then(() => undefined),
    })
    const [ana, ben] = [await findHost('Ana Ruiz'), await findHost('Ben Host')]
    await waitFor(() => expect(ana.disabled).toBe(false))
    for (const host of [ana, ben, ana, ana]) fireEvent.click(host)
    answer.resolve()
    await expect
      .poll(async () => (await assignmentsOf(restaurant))['Host Stand']?.split(', ').toSorted())
      .toEqual(['Ana Ruiz', 'Ben Host'])
    expect([ana.checked, ben.checked]).toEqual([true, true])
  })

  it('reports what failed, even when nothing can be loaded any more', async () => {
    const restaurant = await busyRestaurant(app)
    const { answers } = await openAdminPortal(restaurant)
    const ana = await findHost('Ana Ruiz')
    await waitFor(() => expect(ana.disabled).toBe(false))
    delete answers[overview]
    const network = vi.spyOn(restaurant.owner, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'))
    fireEvent.click(ana)
    await waitForToast('Failed to update host stand assignments')
    await within(tableSection()).findByText('Failed to fetch assignments')
    await waitForToast('Failed to update host stand assignments')
    await waitFor(() => expect(ana.checked).toBe(false))
    press('button', 'Refresh figures')
    const figures = screen.getByRole('region', { name: 'Dashboard Overview' })
    await within(figures).findByText('The figures could not be loaded.')
    network.mockRestore()
    answers[overview] = emptyOverview
    fireEvent.click(within(tableSection()).getByRole('button', { name: 'Try again' }))
    await waitFor(() => expect(ana.disabled).toBe(false))
    fireEvent.click(ana)
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({ 'Host Stand': 'Ana Ruiz' })
  })

  it.each([
    ['GET /api/crew', 'Failed to fetch crew members'],
    ['GET /api/tables', 'Failed to fetch tables'],
    ['GET /api/table-assignments-by-date', 'Failed to fetch assignments'],
  ])('reports that %s fails, and loads it again on request', async (call, message) => {
    const restaurant = await busyRestaurant(app)
    await assignTables(restaurant, today, { 1: 'Maya Chen' })
    const { answers } = openStaffApp(
      '/admin-dashboard',
      { [overview]: emptyOverview, [call]: [500, 'Out of order'] },
      restaurant.owner,
    )
    await findTitle('Admin Portal')
    await waitForToast(message)
    await within(screen.getByRole('region', { name: 'Table Management' })).findByText(message)
    delete answers[call]
    press('button', 'Try again')
    await isAssigned('1', 'Maya Chen')
  })

  it('leads to the login when the session is over', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const { refusals } = await openAdminPortal(restaurant)
    await restaurant.owner.fetch('/api/logout')
    fill({ 'Table Number': '99' })
    press('button', 'Add Table')
    await waitForToast('Please log in to access admin portal')
    expect(refusals).toContain('401 POST /api/tables')
    await findTitle('Admin Login')
  })
})

describe('an assignment', () => {
  it('can be cleared again, with Undo', async () => {
    const restaurant = await busyRestaurant(app)
    await assignTables(restaurant, today, { 1: 'Maya Chen' })
    await openAdminPortal(restaurant)
    await change('1')
    fireEvent.click(await screen.findByRole('option', { name: /Assign nobody/ }))
    await holdToast('Nobody is assigned to table 1')
    await findCrewField('1')
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({})
    press('button', 'Undo')
    await isAssigned('1', 'Maya Chen')
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({ 1: 'Maya Chen' })
  })

  it('of a Server who was added by mistake is undone', async () => {
    const restaurant = await busyRestaurant(app)
    await assignTables(restaurant, today, { 1: 'Maya Chen' })
    await openAdminPortal(restaurant)
    await change('1')
    const search = await screen.findByRole('combobox', { name: 'Change crew of table 1' })
    fireEvent.input(search, { target: { value: 'Mya' } })
    fireEvent.keyDown(search, { key: 'Enter' })
    await holdToast('Mya added and assigned')
    press('button', 'Undo')
    await isAssigned('1', 'Maya Chen')
    await waitFor(() => expect(screen.queryByLabelText('Remove Mya')).toBeNull())
    expect(await restaurant.owner.ok(api.crew.list, {})).toHaveLength(5)
  })
})

describe('days', () => {
  it('are planned independently', async () => {
    const restaurant = await busyRestaurant(app)
    await assignTables(restaurant, today, { 1: 'Maya Chen' })
    await openAdminPortal(restaurant)
    expect(valueOf('Assignment Date')).toBe(today)
    await isAssigned('1', 'Maya Chen')
    press('button', 'Next day')
    expect(valueOf('Assignment Date')).toBe(addDays(today, 1))
    await assign('1', 'Tom Novak')
    await isAssigned('1', 'Tom Novak')
    press('button', 'Previous day')
    await isAssigned('1', 'Maya Chen')
    press('button', 'Previous day')
    await findCrewField('1')
    expect(valueOf('Assignment Date')).toBe(addDays(today, -1))
    fill({ 'Assignment Date': addDays(today, 1) })
    await isAssigned('1', 'Tom Novak')
    const days = (): HTMLElement[] =>
      within(screen.getByRole('list', { name: 'Days' })).getAllByRole('button')
    expect(days()).toHaveLength(7)
    expect(days()[1]?.getAttribute('aria-current')).toBe('date')
    await waitFor(() => expect(days()[0]?.textContent).toMatch(/today, 1 of 12 tables assigned/))
    days()[6]?.click()
    await waitFor(() => expect(valueOf('Assignment Date')).toBe(addDays(today, 6)))
    press('button', 'Next day')
    await waitFor(() => expect(days()[0]?.getAttribute('aria-current')).toBe('date'))
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({ 1: 'Maya Chen' })
    expect(await assignmentsOf(restaurant, addDays(today, 1))).toEqual({ 1: 'Tom Novak' })
  })

  it('repeat every week, except those set by hand, which can go back', async () => {
    const restaurant = await busyRestaurant(app)
    const [tomorrow, nextWeek] = [addDays(today, 1), addDays(today, 8)]
    await assignTables(restaurant, tomorrow, { 1: 'Maya Chen', 2: 'Tom Novak' })
    await openAdminPortal(restaurant)
    const pattern = (): HTMLElement => screen.getByRole('group', { name: 'Weekly pattern', hidden: true })
    const weekday = weekdayName(weekdayOf(tomorrow))
    const showDay = async (date: string, name: string, origin: string): Promise<void> => {
      fill({ 'Assignment Date': date })
      await isAssigned('1', name)
      await within(pattern()).findByText(origin)
    }
    fill({ 'Assignment Date': tomorrow })
    await isAssigned('1', 'Maya Chen')
    expect(screen.queryByRole('button', { name: 'Nobody on This Day' })).toBeNull()
    await pressWhenReady('Save as Weekly Pattern')
    const dialog = await screen.findByRole('dialog', { name: 'Weekly pattern' })
    const box = (name: string) => within(dialog).getByRole<HTMLInputElement>('checkbox', { name })
    expect(box(weekday).checked).toBe(true)
    fireEvent.click(box('Every day'))
    fireEvent.click(box('Every day'))
    fireEvent.click(within(dialog).getByRole('button', { name: 'Save Pattern' }))
    await waitForToast('Please choose a weekday')
    fireEvent.click(box(weekday))
    fireEvent.click(within(dialog).getByRole('button', { name: 'Save Pattern' }))
    await waitForToast('Weekly pattern saved')
    await within(pattern()).findByText('From the weekly pattern')
    fill({ 'Assignment Date': addDays(tomorrow, 1) })
    await within(pattern()).findByText(/^No weekly pattern for/u)

    await showDay(nextWeek, 'Maya Chen', 'From the weekly pattern')
    await change('1')
    fireEvent.click(await screen.findByRole('option', { name: /Tamara Bell/ }))
    await isAssigned('1', 'Tamara Bell')
    await within(pattern()).findByText('Set by hand: the weekly pattern leaves this day alone')
    getButton('Back to the Pattern').focus()
    press('button', 'Back to the Pattern')
    await holdToast(/follows the weekly pattern$/u)
    await isAssigned('1', 'Maya Chen')
    await within(pattern()).findByText('From the weekly pattern')
    expect(getButton('Back to the Pattern').disabled).toBe(true)
    await waitFor(() => expect(document.activeElement).toBe(pattern()))
    press('button', 'Undo')
    await isAssigned('1', 'Tamara Bell')

    await pressWhenReady('Nobody on This Day')
    await holdToast(/^Nobody is assigned on/u)
    await findCrewField('1')
    await expect.poll(() => assignmentsOf(restaurant, nextWeek)).toEqual({})
    press('button', 'Undo')
    await isAssigned('1', 'Tamara Bell')
    await pressWhenReady('Back to the Pattern')
    await isAssigned('1', 'Maya Chen')
    await pressWhenReady('Nobody on This Day')
    await holdToast(/^Nobody is assigned on/u)
    press('button', 'Undo')
    await within(pattern()).findByText('From the weekly pattern')

    press('button', 'End the Pattern')
    const question = await screen.findByRole('dialog', { name: /^End the weekly pattern/u })
    fireEvent.click(within(question).getByRole('button', { name: 'End the Pattern' }))
    await waitForToast(`${weekday} has no weekly pattern any more`)
    await waitFor(() => expect(pattern().textContent).toBe('Save as Weekly Pattern'))
    await findCrewField('1')
    expect(await assignmentsOf(restaurant, nextWeek)).toEqual({})
  })

  it('stay as they were once the day is over, also when what emptied it is undone after midnight', async () => {
    const restaurant = await busyRestaurant(nextDay)
    const { owner, name: username } = restaurant
    const yesterday = addDays(today, -1)
    for (const date of [yesterday, today]) {
      await assignTables(restaurant, date, { 1: 'Maya Chen' })
      await owner.ok(api.weeklyPattern.save, { body: { sourceDate: date, weekdays: [weekdayOf(date)] } })
    }
    await openAdminPortal(restaurant)
    await isAssigned('1', 'Maya Chen')
    press('button', 'Previous day')
    await waitFor(() => expect(valueOf('Assignment Date')).toBe(yesterday))
    await isAssigned('1', 'Maya Chen')
    await waitFor(() => expect(getButton('End the Pattern').disabled).toBe(false))
    expect(getButton('Nobody on This Day').disabled).toBe(true)
    press('button', 'Next day')
    await screen.findByText('From the weekly pattern')
    await pressWhenReady('Nobody on This Day')
    await holdToast(/^Nobody is assigned on/u)
    await findCrewField('1')
    nextDay.advance(dayMs)
    await owner.ok(api.accounts.ownerLogin, { body: { username, password } })
    press('button', 'Undo')
    await isAssigned('1', 'Maya Chen')
    expect(await assignmentsOf(restaurant, today)).toEqual({ 1: 'Maya Chen' })
  })

  it('copy the previous day without deleted members and tables, and undo it', async () => {
    const restaurant = await busyRestaurant(app)
    const yesterday = addDays(today, -1)
    const { refusals } = await openAdminPortal(restaurant)
    expect(getButton('Copy to Week').disabled).toBe(true)
    await pressWhenReady('Copy from Previous Day')
    await waitForToast('No assignments found for previous day')
    expect(refusals).toContain('404 POST /api/table-assignments/copy-from-previous')

    await assignTables(restaurant, yesterday, { 1: 'Maya Chen', 2: 'Tom Novak', 3: 'Tamara Bell' })
    await assignTables(restaurant, today, { 1: 'Tamara Bell', 5: 'Tamara Bell' })
    const hosts = [restaurant.ids['Ana Ruiz'] ?? '']
    await restaurant.owner.ok(api.floor.assignHostStand, { body: { date: yesterday, crewIds: hosts } })
    await restaurant.owner.ok(api.crew.remove, { params: { id: restaurant.ids['Tom Novak'] ?? '' } })
    cleanup()
    await openAdminPortal(restaurant)
    await isAssigned('5', 'Tamara Bell')
    press('button', 'Copy from Previous Day')
    await holdToast('Assignments copied from previous day')
    await expect
      .poll(() => assignmentsOf(restaurant))
      .toEqual({ 1: 'Maya Chen', 3: 'Tamara Bell', 5: 'Tamara Bell', 'Host Stand': 'Ana Ruiz' })
    await isAssigned('1', 'Maya Chen')
    expect((await findHost('Ana Ruiz')).checked).toBe(true)
    press('button', 'Undo')
    await isAssigned('1', 'Tamara Bell')
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({ 1: 'Tamara Bell', 5: 'Tamara Bell' })
    press('button', 'Previous day')
    await isAssigned('2', 'Former crew member')
  })

  it('neither copy nor undo over what another owner has set meanwhile', async () => {
    const restaurant = await busyRestaurant(app)
    await assignTables(restaurant, addDays(today, -1), { 1: 'Maya Chen', 2: 'Maya Chen' })
    await assignTables(restaurant, today, { 5: 'Tamara Bell' })
    const { refusals } = await openAdminPortal(restaurant)
    await isAssigned('5', 'Tamara Bell')
    await assignTables(restaurant, today, { 2: 'Tom Novak' })
    press('button', 'Copy from Previous Day')
    await waitForToast('Somebody else changed these tables meanwhile')
    expect(refusals).toContain('409 POST /api/table-assignments/copy-from-previous')
    await isAssigned('2', 'Tom Novak')
    expect(await assignmentsOf(restaurant)).toEqual({ 2: 'Tom Novak', 5: 'Tamara Bell' })

    await pressWhenReady('Copy from Previous Day')
    await holdToast('Assignments copied from previous day')
    await isAssigned('2', 'Maya Chen')
    await assignTables(restaurant, today, { 1: 'Tamara Bell' })
    press('button', 'Undo')
    await waitForToast('Somebody else changed this table meanwhile')
    await isAssigned('1', 'Tamara Bell')
    expect(await assignmentsOf(restaurant)).toEqual({
      1: 'Tamara Bell',
      2: 'Maya Chen',
      5: 'Tamara Bell',
    })
  })

  it('copy to the week, and undo it', async () => {
    const restaurant = await busyRestaurant(app)
    const [source, target] = [addDays(today, -1), addDays(today, 2)]
    await assignTables(restaurant, source, { 1: 'Maya Chen', 2: 'Tom Novak' })
    await assignTables(restaurant, target, { 2: 'Maya Chen', 7: 'Tamara Bell' })
    // Who has left is not copied.
    await restaurant.owner.ok(api.crew.remove, { params: { id: restaurant.ids['Tom Novak'] ?? '' } })
    await openAdminPortal(restaurant)
    press('button', 'Previous day')
    await isAssigned('1', 'Maya Chen')
    await pressWhenReady('Copy to Week')
    await holdToast('Copied assignments to all 7 days of the week')
    expect(await assignmentsOf(restaurant, target)).toEqual({ 1: 'Maya Chen' })
    press('button', 'Undo')
    await expect.poll(() => assignmentsOf(restaurant, addDays(source, 6))).toEqual({})
    expect(await assignmentsOf(restaurant, target)).toEqual({ 2: 'Maya Chen', 7: 'Tamara Bell' })
  })
})

it('the host stand shows 24 Hosts and whoever stands there, and all on request', async () => {
  const restaurant = await app.restaurant()
  const names = Array.from({ length: 30 }, (_, index) => `Host ${index + 10}`)
  const hosts = await Promise.all(names.map((name) => addCrew(restaurant.owner, name, 'Host')))
  const crewIds = hosts.filter(({ name }) => name === 'Host 38').map(({ id }) => id)
  await restaurant.owner.ok(api.floor.assignHostStand, { body: { date: today, crewIds } })
  await openAdminPortal(restaurant)
  const stand = within(screen.getByRole('region', { name: 'Host Stand' }))
  const shows = async (count: number): Promise<void> =>
    await waitFor(() => expect(stand.getAllByRole('checkbox')).toHaveLength(count))
  await shows(25)
  expect((await findHost('Host 38')).checked).toBe(true)
  fireEvent.click(stand.getByRole('button', { name: 'Show all 30' }))
  await shows(30)
  fireEvent.click(stand.getByRole('button', { name: 'Show fewer' }))
  await shows(25)
})

describe('table setup', () => {
  it('accepts a range or names, keeps existing tables, and explains what is wrong', async () => {
    const restaurant = await app.restaurant({ tables: ['1', 'Patio 1'] })
    await openAdminPortal(restaurant)
    expect(screen.queryByRole('region', { name: 'Table Setup' })).toBeNull()
    const change = (): Promise<void> => pressWhenReady('Change Tables')
    const submit = (): void => press('button', 'Set Up Tables')
    await change()
    for (const count of ['', '0', '-1', '2.5', 'ten', '1e2', '0x10']) {
      fill({ 'Number of Tables': count })
      submit()
      await holdToast('Please enter a valid number of tables')
      press('button', 'Dismiss')
    }
    fireEvent.click(screen.getByRole('tab', { name: 'By Range' }))
    expect([valueOf('Start'), valueOf('End')]).toEqual(['1', '10'])
    for (const [start, end] of [
      ['5', '4'],
      ['0', '4'],
      ['', '4'],
      ['1', '1.5'],
      ['1', '1e2'],
      ['0x1', '4'],
    ] as const) {
      fill({ Start: start, End: end })
      submit()
      await holdToast('Please enter a valid range (start must be less than or equal to end)')
      for (const label of ['Start', 'End']) {
        const invalid = { name: label, description: /^Please enter a valid range/ }
        expect(screen.getByRole('textbox', invalid).getAttribute('aria-invalid')).toBe('true')
      }
      press('button', 'Dismiss')
    }
    fill({ Start: '9', End: '10' })
    submit()
    await waitForToast('Tables set up successfully')
    expect(await tableNumbers(restaurant)).toEqual(['1', '9', '10', 'Patio 1'])

    await change()
    fireEvent.click(screen.getByRole('tab', { name: 'Custom' }))
    submit()
    await waitForToast('Please add at least one table')
    fill({ 'Table Name': 'PATIO  1' })
    press('button', 'Add')
    await holdToast('This table already exists')
    press('button', 'Dismiss')
    typeName('Bar')
    typeName('bar')
    await waitForToast('This table already exists')
    typeName('Window')
    press('button', 'Take Window off the list')
    submit()
    await waitForToast('Tables set up successfully')
    expect(await tableNumbers(restaurant)).toEqual(['1', '9', '10', 'Bar', 'Patio 1'])
    await change()
    press('button', 'Hide Setup')
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Table Setup' })).toBeNull())
  })

  it('counts a name that was not added yet, which must not exist', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    await openAdminPortal(restaurant)
    await pressWhenReady('Change Tables')
    fireEvent.click(screen.getByRole('tab', { name: 'Custom' }))
    typeName('Bar')
    fill({ 'Table Name': 'BAR' })
    press('button', 'Set Up Tables')
    await waitForToast('This table already exists')
    expect(document.activeElement).toBe(screen.getByLabelText('Table Name'))
    expect(await tableNumbers(restaurant)).toEqual(['1'])
    fill({ 'Table Name': 'Window' })
    press('button', 'Set Up Tables')
    await waitForToast('Tables set up successfully')
    expect(await tableNumbers(restaurant)).toEqual(['1', 'Bar', 'Window'])
  })

  function typeName(name: string): void {
    fill({ 'Table Name': name })
    fireEvent.keyDown(screen.getByLabelText('Table Name'), { key: 'Enter' })
  }
})

describe('a single table', () => {
  it('is added by its number, once', async () => {
    const restaurant = await app.restaurant({ tables: ['1', '10'] })
    const { refusals } = await openAdminPortal(restaurant)
    const submit = (): void => press('button', 'Add Table')
    submit()
    await waitForToast('Please enter a table number')
    fill({ 'Table Number': ' 10 ' })
    submit()
    await waitForToast('This table already exists')
    expect(refusals).toContain('409 POST /api/tables')
    expect(valueOf('Table Number')).toBe(' 10 ')
    fill({ 'Table Number': '2' })
    submit()
    await waitForToast('Table added successfully')
    await findCrewField('2')
    expect(screen.getAllByLabelText(/^Delete table/).map(({ ariaLabel }) => ariaLabel)).toEqual([
      'Delete table 1',
      'Delete table 2',
      'Delete table 10',
    ])
    expect(await tableNumbers(restaurant)).toEqual(['1', '2', '10'])
  })

  it('is deleted at once when nothing is lost, and comes back with Undo', async () => {
    const restaurant = await app.restaurant({ tables: ['1', '2', '3'] })
    await openAdminPortal(restaurant)
    const two = await screen.findByLabelText('Delete table 2')
    act(() => two.focus())
    pressFocused()
    await holdToast('Table deleted successfully')
    expect(await tableNumbers(restaurant)).toEqual(['1', '3'])
    await waitFor(() => expect(focusedName()).toBe('Delete table 3'))
    press('button', 'Undo')
    await findCrewField('2')
    expect(await tableNumbers(restaurant)).toEqual(['1', '2', '3'])
  })
})

describe('the crew', () => {
  it('gains members by name and role, and loses them with Undo if nothing else is lost', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    await openAdminPortal(restaurant)
    const crew = async () =>
      (await restaurant.owner.ok(api.crew.list, {})).map(({ name, role }) => [name, role])
    press('button', 'Add Crew Member')
    await waitForToast('Please enter a crew member name')
    fill({ 'Crew Member Name': 'Bo Busser' })
    fireEvent.change(screen.getByLabelText('Role'), { target: { value: 'Busser' } })
    press('button', 'Add Crew Member')
    await waitForToast('Crew member added')
    expect(await crew()).toEqual([['Bo Busser', 'Busser']])
    await pressWhenReady('Remove Bo Busser')
    await holdToast('Bo Busser removed')
    await waitFor(() => expect(screen.queryByLabelText('Remove Bo Busser')).toBeNull())
    expect(await crew()).toEqual([])
    press('button', 'Undo')
    await screen.findByLabelText('Remove Bo Busser')
    expect(await crew()).toEqual([['Bo Busser', 'Busser']])
  })
})

describe('the subscription', () => {
  it('shows no price before the plan is known', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const released = Promise.withResolvers<void>()
    await openAdminPortal(restaurant, {
      'GET /api/subscription': () => released.promise.then(() => undefined),
    })
    // Another region of this name stands in its place while it is loading.
    const subscription = () => within(screen.getByRole('region', { name: 'Subscription Management' }))
    await waitFor(() => subscription().getByText('Inactive'))
    expect(subscription().queryByText(/\$/)).toBeNull()
    released.resolve()
    await waitFor(() => subscription().getByText('$100/month'))
  })
})

describe('the suggestions of a cell', () => {
  it('close 200 ms after it lost the focus', async () => {
    const restaurant = await busyRestaurant(app)
    await openAdminPortal(restaurant)
    const crewField = await findCrewField('1')
    await waitFor(() => expect(crewField.matches(':disabled')).toBe(false))
    fireEvent.pointerDown(crewField)
    act(() => crewField.focus())
    const countSuggestions = (): number => document.querySelectorAll('[role="option"]').length
    await waitFor(() => expect(countSuggestions()).toBe(5))
    freezeTime()
    act(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    })
    await advanceTime(190)
    expect(countSuggestions()).toBe(5)
    await advanceTime(20)
    expect(countSuggestions()).toBe(0)
    expect(await assignmentsOf(restaurant)).toEqual({})
  })
})

describe('the keyboard focus', () => {
  const focus = async (name: string): Promise<void> => (await screen.findByLabelText(name)).focus()
  const isOn = (name: string): Promise<void> => waitFor(() => expect(focusedName()).toBe(name))

  async function answer(question: string, name: string): Promise<void> {
    const dialog = await screen.findByRole('dialog', { name: question })
    await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true))
    within(dialog).getByRole('button', { name }).focus()
    pressFocused()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  }

  it('stays in place when a table is deleted', async () => {
    const restaurant = await app.restaurant({ tables: ['1', '2', '3'] })
    const { id } = await addCrew(restaurant.owner, 'Maya Chen')
    const [, two] = await restaurant.owner.ok(api.floor.tables, {})
    const assignments = [{ tableId: two?.id ?? '', crewMemberId: id }]
    await restaurant.owner.ok(api.floor.assign, { body: { date: today, assignments } })
    const { refusals } = await openAdminPortal(restaurant)
    await focus('Delete table 2')
    pressFocused()
    await answer('Delete table 2?', 'Cancel')
    expect(refusals).toContain(`409 DELETE /api/tables/${two?.id}`)
    await isOn('Delete table 2')
    pressFocused()
    await answer('Delete table 2?', 'Delete')
    await isOn('Delete table 3')
  })

  it('stays in place when crew members are removed, one after the other', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    for (const name of ['Ana', 'Ben', 'Cleo', 'Dan']) await addCrew(restaurant.owner, name)
    const ben = (await restaurant.owner.ok(api.crew.list, {})).find(({ name }) => name === 'Ben')
    await restaurant.owner.ok(api.crew.change, { params: { id: ben?.id ?? '' }, body: { pin: '4711' } })
    await openAdminPortal(restaurant)
    await focus('Remove Ben')
    pressFocused()
    await answer('Remove Ben?', 'Cancel')
    await isOn('Remove Ben')
    pressFocused()
    await answer('Remove Ben?', 'Remove')
    for (const [name, next] of [
      ['Cleo', 'Remove Dan'],
      ['Dan', 'Remove Ana'],
    ] as const) {
      await isOn(`Remove ${name}`)
      pressFocused()
      await waitForToast(`${name} removed`)
      await isOn(next)
    }
    pressFocused()
    await waitForToast('Ana removed')
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Crew Member Name')))
  })

  it('stays in place when a manager is removed', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    for (const username of ['sam', 'robin'])
      await restaurant.owner.ok(api.managers.setCredentials, { body: { username, password: 'lantern-7' } })
    await openAdminPortal(restaurant)
    await focus('Remove robin')
    pressFocused()
    await answer('Remove robin?', 'Remove')
    await waitFor(() => expect(screen.queryByLabelText('Remove robin')).toBeNull())
    await isOn('Remove sam')
  })
})

it('keeps what was typed about a crew member when the server refuses it', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  const hire = (name: string) => restaurant.owner.ok(api.crew.add, { body: { name, role: 'Server' } })
  const [leo, maya] = [await hire('Leo'), await hire('Maya')]
  const body = { username: 'leo', password: 'lantern-at-dusk' }
  await restaurant.owner.ok(api.crew.change, { params: { id: leo.id }, body })
  const { answers, refusals, whenLoaded } = await openAdminPortal(restaurant)
  fireEvent.click(await screen.findByText('Maya'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Maya' }))
  const fieldOf = (label: string) => dialog.getByLabelText<HTMLInputElement>(label)
  await dialog.findByLabelText('Username')
  for (const [label, value] of [
    ['Name', 'Maya Chen'],
    ['Username', 'leo'],
    ['Password', 'copper-at-noon'],
  ] as const)
    fireEvent.input(fieldOf(label), { target: { value } })
  // Nor when loading the member again fails.
  answers[`GET /api/crew/${maya.id}`] = [503, { code: 'unavailable', message: 'Please try again' }]
  fireEvent.click(dialog.getByRole('button', { name: 'Save' }))
  await waitForToast('This username is not available')
  await waitFor(() => expect(refusals).toContain(`503 GET /api/crew/${maya.id}`))
  expect(refusals.some((refusal) => refusal.startsWith('409 '))).toBe(true)
  await whenLoaded()
  expect(fieldOf('Name').value).toBe('Maya Chen')
  expect(fieldOf('Username').value).toBe('leo')
})

it('saves the sounds of requests when the owner says so, not while they look through the list', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  const { calls } = openStaffApp('/admin-dashboard/alerts', {}, restaurant.owner)
  const sounds = await screen.findByLabelText('Request Sounds')
  for (const value of ['wood', 'signals']) fireEvent.change(sounds, { target: { value } })
  press('button', 'Save Sounds')
  await waitForToast('Sounds saved')
  expect(calls.map(([, body]) => body)).toEqual([{ alarmSet: 'signals' }])
  expect(await restaurant.owner.ok(api.restaurant.settings, {})).toMatchObject({ alarmSet: 'signals' })
})

describe('passwords', () => {
  it('of managers are set together with a username', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    await openAdminPortal(restaurant)
    await screen.findByLabelText('Manager Username')
    // Not the region that stood in its place while it was loading.
    const users = within(screen.getByRole('region', { name: 'User Management' }))
    await users.findByText('None yet')
    const empty = { 'Manager Username': '', 'Manager Password': '' }
    for (const typed of [{}, { 'Manager Username': 'sam' }, { 'Manager Password': 'lantern-7' }]) {
      fill({ ...empty, ...typed })
      press('button', 'Update Credentials')
      await holdToast('Please fill in both username and password')
      press('button', 'Dismiss')
    }
    fill({ 'Manager Username': ' sam ' })
    press('button', 'Update Credentials')
    await waitForToast('Manager credentials updated successfully')
    await users.findByText('sam')
    expect(valueOf('Manager Password')).toBe('')
    fill({ 'Manager Username': 'SAM' })
    await users.findByText('There is a manager called sam already, who gets this password.')
    const body = { restaurantName: restaurant.name, username: 'sam', password: 'lantern-7' }
    expect((await app.browser().call(api.managers.login, { body })).status).toBe(200)
  })

  it('of the restaurant change for all other devices', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const { refusals } = openStaffApp('/admin-dashboard/people', {}, restaurant.owner)
    await screen.findByLabelText('Current Password')
    press('button', 'Change Password')
    await waitForToast('Please enter your current password')
    fill({
      'Current Password': 'not-it',
      'New Password': 'lantern-at-dusk',
      'Confirm New Password': 'lantern-at-dusk',
    })
    press('button', 'Change Password')
    await waitForToast('Your current password is wrong')
    expect(refusals).toContain('400 POST /api/restaurant-password')
    fill({ 'Current Password': password })
    press('button', 'Change Password')
    await waitForToast('Password changed')
    expect(valueOf('Current Password')).toBe('')
    expect((await restaurant.device.call(api.accounts.session, {})).status).toBe(401)
    const body = { restaurantName: restaurant.name, password: 'lantern-at-dusk' }
    await app.browser().ok(api.accounts.restaurantLogin, { body })
  })
})

it('how long things are kept is only taken in whole numbers of days, as people write them', async () => {
  const { owner } = await app.restaurant()
  const { calls } = openStaffApp('/admin-dashboard/settings', { [overview]: emptyOverview }, owner)
  await screen.findByLabelText('Messages, in days', {}, { timeout: 20_000 })
  const card = within(screen.getByRole('region', { name: 'How long things are kept' }))
  const refusal = 'Please enter a whole number of days'
  for (const typed of ['1e2', '0x10', '1.5', '1,5', '-90', '90 days', '٩٠']) {
    fill({ 'Messages, in days': typed })
    fireEvent.click(card.getByRole('button', { name: 'Save' }))
    await card.findByText(refusal)
    fill({ 'Messages, in days': '' })
    await waitFor(() => expect(card.queryByText(refusal)).toBeNull())
  }
  expect(calls.filter(([path]) => path.includes('retention'))).toEqual([])
  expect((await owner.ok(api.retention.state, {})).retention.messages).toBeNull()
})
