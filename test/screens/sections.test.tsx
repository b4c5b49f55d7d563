// @vitest-environment jsdom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../support/app.ts'
import {
  type Answers,
  emptyOverview,
  fill,
  focusedName,
  holdToast,
  openStaffApp,
  press,
  pressWhenReady,
  waitForToast,
} from '../support/pages/staff-app.tsx'
import {
  assignmentsOf,
  assignTables,
  type BusyRestaurant,
  busyRestaurant,
  tablesBySection,
  today,
} from '../support/restaurants/busy-restaurant.ts'

const app = setUpApp()

// jsdom lays nothing out, and so scrolls nothing.
beforeEach(() => {
  Object.assign(Element.prototype, { scrollIntoView: () => {} })
  onTestFinished(() => void Reflect.deleteProperty(Element.prototype, 'scrollIntoView'))
})

async function openAdminPortal({ owner }: BusyRestaurant, answers: Answers = {}) {
  const opened = openStaffApp(
    '/admin-dashboard/floor',
    { 'GET /api/analytics/overview': emptyOverview, ...answers },
    owner,
  )
  await screen.findByRole('button', { name: 'Add Section' }, { timeout: 20_000 })
  return opened
}

const sectionsCard = (): HTMLElement => screen.getByRole('region', { name: 'Sections' })
const group = (name: string): Promise<HTMLElement> => within(sectionsCard()).findByRole('region', { name })
const tableButton = (number: string): HTMLElement =>
  within(sectionsCard()).getByRole('button', { name: new RegExp(`^Table ${number}(?:$|,)`, 'u') })

async function addSections(...names: string[]): Promise<void> {
  for (const name of names) {
    fill({ 'Section Name': name })
    press('button', 'Add Section')
    await group(name)
  }
}

async function divide(
  restaurant: BusyRestaurant,
  parts: Record<string, string[]>,
): Promise<Record<string, string>> {
  const { owner } = restaurant
  const tables = await owner.ok(api.floor.tables, {})
  const ids: Record<string, string> = {}
  for (const [name, numbers] of Object.entries(parts)) {
    const { id } = await owner.ok(api.sections.add, { body: { name } })
    ids[name] = id
    const members = tables.filter(({ tableNumber }) => numbers.includes(tableNumber))
    await owner.ok(api.sections.arrange, {
      body: { tables: members.map((table) => ({ tableId: table.id, sectionId: id })) },
    })
  }
  return ids
}

describe('dividing the floor', () => {
  it('is done by choosing tables, then a section or its digit, and can be undone', async () => {
    const restaurant = await busyRestaurant(app)
    await openAdminPortal(restaurant)
    expect(screen.queryByRole('group', { name: 'Show sections as' })).toBeNull()
    await addSections('Terrace', 'Bar')
    fireEvent.click(tableButton('1'))
    fireEvent.click(tableButton('2'))
    expect(tableButton('2').getAttribute('aria-pressed')).toBe('true')
    fireEvent.click(within(sectionsCard()).getByRole('button', { name: 'Terrace' }))
    await waitForToast('2 tables moved to Terrace')
    expect(await tablesBySection(restaurant)).toEqual({ Terrace: ['1', '2'], Bar: [] })
    expect(within(await group('Terrace')).getAllByRole('button', { name: /^Table/u })).toHaveLength(2)
    // Without a choice, the digit moves the table that has the focus.
    tableButton('3').focus()
    fireEvent.keyDown(tableButton('3'), { key: '2' })
    await holdToast('Table 3 moved to Bar')
    expect(await tablesBySection(restaurant)).toEqual({ Terrace: ['1', '2'], Bar: ['3'] })
    await waitFor(() => expect(document.activeElement).toBe(tableButton('3')))
    press('button', 'Undo')
    await expect.poll(() => tablesBySection(restaurant)).toEqual({ Terrace: ['1', '2'], Bar: [] })
    tableButton('1').focus()
    fireEvent.keyDown(tableButton('1'), { key: '0' })
    await waitForToast('Table 1 taken out of the section')
    expect(await tablesBySection(restaurant)).toEqual({ Terrace: ['2'], Bar: [] })
  })

  it('renames, moves and deletes sections', async () => {
    const restaurant = await busyRestaurant(app)
    await divide(restaurant, { Terrace: ['1'], Bar: ['2'] })
    await openAdminPortal(restaurant)
    await group('Terrace')
    press('button', 'Rename Bar')
    const dialog = await screen.findByRole('dialog')
    fireEvent.input(within(dialog).getByLabelText('Section Name'), { target: { value: 'terrace' } })
    fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }))
    await waitForToast('This section already exists')
    fireEvent.input(within(dialog).getByLabelText('Section Name'), { target: { value: 'Lounge' } })
    fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }))
    await group('Lounge')
    await pressWhenReady('Move Lounge up')
    await expect
      .poll(async () => Object.keys(await tablesBySection(restaurant)))
      .toEqual(['Lounge', 'Terrace'])
    press('button', 'Delete Terrace')
    await pressWhenReady('Delete')
    await waitForToast('Terrace deleted')
    expect(await tablesBySection(restaurant)).toEqual({ Lounge: ['2'] })
    await waitFor(() => expect(within(sectionsCard()).queryByRole('region', { name: 'Terrace' })).toBeNull())
  })

  it('shows the server’s state again when a move is refused', async () => {
    const restaurant = await busyRestaurant(app)
    await divide(restaurant, { Terrace: [] })
    const { answers } = await openAdminPortal(restaurant)
    await group('Terrace')
    answers['POST /api/floor-plan'] = [500, 'Out of order']
    tableButton('4').focus()
    fireEvent.keyDown(tableButton('4'), { key: '1' })
    await waitForToast('Error', 'Failed to move tables')
    await waitFor(async () =>
      expect(within(await group('Terrace')).queryByRole('button', { name: /^Table/u })).toBeNull(),
    )
    expect(await tablesBySection(restaurant)).toEqual({ Terrace: [] })
  })

  it('moves a table on the map with Shift and an arrow key, and keeps the places of the others', async () => {
    const restaurant = await busyRestaurant(app)
    await divide(restaurant, { Terrace: ['1', '2', '3', '4'] })
    await openAdminPortal(restaurant)
    await group('Terrace')
    press('button', 'Map')
    await screen.findByRole('group', { name: 'Map of the floor' })
    const places = async () => {
      const { tables } = await restaurant.owner.ok(api.tables.plan, {})
      return Object.fromEntries(tables.map(({ tableNumber, place }) => [tableNumber, place]))
    }
    expect(Object.values(await places()).every((place) => place === null)).toBe(true)
    tableButton('1').focus()
    fireEvent.keyDown(tableButton('1'), { key: 'ArrowRight', shiftKey: true })
    await expect.poll(places).toMatchObject({ 1: { x: 1, y: 0 }, 2: { x: 0, y: 0 }, 3: { x: 0, y: 1 } })
    expect(Object.values(await places())).not.toContain(null)
    fireEvent.keyDown(tableButton('1'), { key: 'ArrowDown' })
    expect(focusedName()).toMatch(/^Table 4/u)
    fireEvent.keyDown(tableButton('4'), { key: 'ArrowLeft' })
    expect(focusedName()).toMatch(/^Table 3/u)
  })
})

describe('assigning a section', () => {
  it('assigns its tables on the day, shows it in the grid, and can be undone', async () => {
    const restaurant = await busyRestaurant(app)
    await divide(restaurant, { Terrace: ['1', '2', '3'] })
    await assignTables(restaurant, today, { 1: 'Tom Novak', 9: 'Tom Novak' })
    await openAdminPortal(restaurant)
    await within(await group('Terrace')).findByText(/Tom Novak, 2 open/u)
    press('button', 'Assign Terrace')
    const dialog = await screen.findByRole('dialog')
    const member = restaurant.ids['Maya Chen'] ?? ''
    fireEvent.change(within(dialog).getByLabelText('Crew Member'), { target: { value: member } })
    fireEvent.click(within(dialog).getByRole('button', { name: 'Assign' }))
    await holdToast('Terrace: Maya Chen')
    const maya = 'Maya Chen'
    expect(await assignmentsOf(restaurant)).toEqual({ 1: maya, 2: maya, 3: maya, 9: 'Tom Novak' })
    await screen.findByLabelText('Change crew of table 2')
    await within(await group('Terrace')).findByText(/· Maya Chen$/u)
    press('button', 'Undo')
    await expect.poll(() => assignmentsOf(restaurant)).toEqual({ 1: 'Tom Novak', 9: 'Tom Novak' })
  })

  it('is refused when somebody else assigned its tables meanwhile', async () => {
    const restaurant = await busyRestaurant(app)
    await divide(restaurant, { Terrace: ['1', '2'] })
    await openAdminPortal(restaurant)
    await within(await group('Terrace')).findByText(/nobody assigned/u)
    await assignTables(restaurant, today, { 2: 'Tom Novak' })
    press('button', 'Assign Terrace')
    const dialog = await screen.findByRole('dialog')
    fireEvent.click(within(dialog).getByRole('button', { name: 'Assign' }))
    await waitForToast('Somebody else changed these tables meanwhile')
    await within(await group('Terrace')).findByText(/Tom Novak, 1 open/u)
    expect(await assignmentsOf(restaurant)).toEqual({ 2: 'Tom Novak' })
  })

  it('gives all sections to the servers whose own they are, on a day without assignments', async () => {
    const restaurant = await busyRestaurant(app)
    const sections = await divide(restaurant, { Terrace: ['1', '2'], Bar: ['3'], Garden: ['4'] })
    for (const [section, name] of [
      ['Terrace', 'Maya Chen'],
      ['Bar', 'Tom Novak'],
    ] as const)
      await restaurant.owner.ok(api.crew.change, {
        params: { id: restaurant.ids[name] ?? '' },
        body: { sectionId: sections[section] ?? '' },
      })
    await openAdminPortal(restaurant)
    await screen.findByText('Server · Terrace')
    await pressWhenReady('Assign Own Sections')
    await waitForToast('Terrace: Maya Chen, Bar: Tom Novak')
    expect(await assignmentsOf(restaurant)).toEqual({ 1: 'Maya Chen', 2: 'Maya Chen', 3: 'Tom Novak' })
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Assign Own Sections' })).toBeNull())
  })

  it('is prepared by giving a crew member a section of their own', async () => {
    const restaurant = await busyRestaurant(app)
    const { Terrace = '' } = await divide(restaurant, { Terrace: ['1'] })
    await openAdminPortal(restaurant)
    await group('Terrace')
    fireEvent.click(screen.getByRole('button', { name: /^Maya Chen/u }))
    const dialog = await screen.findByRole('dialog')
    fireEvent.change(await within(dialog).findByLabelText('Section'), { target: { value: Terrace } })
    fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }))
    await screen.findByText('Server · Terrace')
    const { members } = await restaurant.owner.ok(api.tables.plan, {})
    expect(members).toEqual([{ crewMemberId: restaurant.ids['Maya Chen'], sectionId: Terrace }])
  })
})

describe('the form of a crew member with a section of their own', () => {
  const plan = 'GET /api/floor-plan'

  async function openForm(answers: Answers, doBefore = (): void => {}) {
    const restaurant = await busyRestaurant(app)
    const { owner } = restaurant
    const { Terrace = '', Bar = '' } = await divide(restaurant, { Terrace: ['1'], Bar: ['2'] })
    const id = restaurant.ids['Maya Chen'] ?? ''
    const setSection = (sectionId: string) =>
      owner.ok(api.crew.change, { params: { id }, body: { sectionId } })
    await setSection(Terrace)
    const opened = openStaffApp(
      '/admin-dashboard/floor',
      { 'GET /api/analytics/overview': emptyOverview, ...answers },
      owner,
    )
    const badge = await screen.findByRole('button', { name: /^Maya Chen/u }, { timeout: 20_000 })
    doBefore()
    fireEvent.click(badge)
    const form = within(await screen.findByRole('dialog'))
    const rename = (name: string): void => {
      fireEvent.input(form.getByLabelText('Name'), { target: { value: name } })
      fireEvent.click(form.getByRole('button', { name: 'Save' }))
    }
    const saved = () => opened.calls.filter(([call]) => call === `PATCH /api/crew/${id}`).at(-1)?.[1]
    const findSection = (): Promise<HTMLSelectElement> => form.findByLabelText<HTMLSelectElement>('Section')
    const storedSection = async () => (await owner.ok(api.tables.plan, {})).members[0]?.sectionId
    return { form, rename, saved, findSection, setSection, storedSection, Terrace, Bar }
  }

  it('saves no other section when a colleague has changed it since', async () => {
    const added = Promise.withResolvers<void>()
    const { rename, saved, findSection, setSection, storedSection, Terrace, Bar } = await openForm(
      { 'POST /api/tables': () => added.promise.then(() => undefined) },
      () => {
        fill({ 'Table Number': '99' })
        press('button', 'Add Table')
      },
    )
    expect((await findSection()).value).toBe(Terrace)
    await setSection(Bar)
    // After it the plan is loaded again.
    added.resolve()
    await screen.findByText('Server · Bar')
    rename('Maya Chan')
    await waitForToast('Crew member updated')
    expect(saved()).toEqual({ name: 'Maya Chan' })
    expect(await storedSection()).toBe(Bar)
  })

  it('opens when the section is known', async () => {
    const known = Promise.withResolvers<void>()
    const { form, rename, saved, findSection, storedSection, Terrace } = await openForm({
      [plan]: () => known.promise.then(() => undefined),
    })
    // The answer to what the form has asked before is there too.
    expect(await storedSection()).toBe(Terrace)
    expect(form.queryByLabelText('Name')).toBeNull()
    known.resolve()
    expect((await findSection()).value).toBe(Terrace)
    rename('Maya Chan')
    await waitForToast('Crew member updated')
    expect(saved()).toEqual({ name: 'Maya Chan' })
    expect(await storedSection()).toBe(Terrace)
  })

  it('leaves the section as it is if it cannot be loaded', async () => {
    const { form, rename, saved, storedSection, Terrace } = await openForm({ [plan]: [500, 'Out of order'] })
    await form.findByLabelText('Name')
    expect(form.queryByLabelText('Section')).toBeNull()
    rename('Maya Chan')
    await waitForToast('Crew member updated')
    expect(saved()).toEqual({ name: 'Maya Chan' })
    expect(await storedSection()).toBe(Terrace)
  })
})
