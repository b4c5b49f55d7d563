// @vitest-environment jsdom
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { first, setUpCrewDashboard } from '../../../../../test/support/pages/crew-dashboard.tsx'
import { connectScreen } from '../../../../../test/support/pages/crew-view.ts'
import { pressFocused } from '../../../../../test/support/pages/staff-app.tsx'
import { assignTables, today } from '../../../../../test/support/restaurants/busy-restaurant.ts'

const page = setUpCrewDashboard()
const { app, open, hire, ask } = page

const findTicket = async (table: string): Promise<HTMLElement> => {
  const heading = await screen.findByRole('heading', { level: 3, name: `Table ${table}` })
  return first([heading.closest('li')].filter((item) => item !== null))
}

describe('the list', () => {
  it('shows a request the moment a guest sends it, and drops it once it is complete', async () => {
    open()
    await screen.findByText('No active requests')
    const tabNames = ['All', 'Drinks', 'Food', 'Check', 'Help', 'Other']
    expect(screen.getAllByRole('tab')).toEqual(tabNames.map((name) => screen.getByRole('tab', { name })))
    await act(() => ask('4'))
    const heading = await screen.findByRole('heading', { name: 'Table 4' })
    expect(heading.closest('li')?.textContent).toMatch(/Food Order\d+s agoNEW/u)
    expect(screen.getByRole('tab', { name: 'Food' }).getAttribute('aria-describedby')).toSatisfy(
      (id: string) => document.getElementById(id)?.textContent === '1 open',
    )
    fireEvent.click(screen.getByRole('button', { name: 'Mark Complete' }))
    await screen.findByText('No active requests')
    expect(screen.queryByRole('heading', { name: 'Table 4' })).toBeNull()
    expect(await screen.findByText('Table 4 complete')).toBeTruthy()
  })

  it('marks nothing in the first list as new', async () => {
    await ask('7')
    open()
    await screen.findByRole('heading', { name: 'Table 7' })
    expect(screen.queryByText('NEW')).toBeNull()
    expect(screen.queryByRole('group')).toBeNull()
  })

  it('says that a table asks again and again, and what it asked for before', async () => {
    await ask('4', 'drinks')
    open()
    const completeTable4 = async (): Promise<void> => {
      const ticket = within(await findTicket('4'))
      fireEvent.click(ticket.getByRole('button', { name: 'Mark Complete' }))
      await screen.findByText('No active requests')
      // The screen does not wait for the server, where the next tap would count as a repeat.
      const history = () => page.restaurant.device.ok(api.tables.history, { query: { tableNumber: '4' } })
      await expect.poll(async () => (await history()).filter(({ closedAt }) => closedAt === null)).toEqual([])
    }
    await completeTable4()
    for (const type of ['check', 'drinks'] as const) {
      await act(() => ask('4', type))
      await completeTable4()
    }
    await act(() => ask('4', 'drinks'))
    const ticket = await findTicket('4')
    expect(ticket.textContent).toContain('3× in 10 min')
    fireEvent.click(within(ticket).getByRole('button', { name: 'More for table 4' }))
    const history = await screen.findByRole('region', { name: 'Last 90 minutes' })
    const rows = await within(history).findAllByRole('listitem')
    expect(rows.map(({ textContent }) => textContent.replaceAll(/\d+s/gu, '0s'))).toEqual([
      'Drinkswaits · 0s ago',
      'Drinkswaited 0s · 0s ago',
      'Check/Billwaited 0s · 0s ago',
      'Drinkswaited 0s · 0s ago',
    ])
  })

  it('is not rendered again for the drawer that a ticket opens, nor as that closes', async () => {
    const looks = vi.fn<() => void>()
    vi.stubGlobal('matchMedia', (query: string) => {
      if (query === '(height < 30rem) and (width >= 40rem)') looks()
      return { matches: false, addEventListener() {}, removeEventListener() {} }
    })
    await ask('4')
    open()
    const more = within(await findTicket('4')).getByRole('button', { name: 'More for table 4' })
    expect(looks).toHaveBeenCalled()
    const rendersFor = (button: HTMLElement): number => {
      looks.mockClear()
      fireEvent.click(button)
      return looks.mock.calls.length
    }
    const renders: { opened: number; closed: number }[] = []
    // The list may be rendered for something else meanwhile.
    while (renders.length < 3) {
      const opened = rendersFor(more)
      const dialog = await screen.findByRole('dialog')
      const closed = rendersFor(within(dialog).getByRole('button', { name: 'Close' }))
      await waitFor(() => expect(dialog.isConnected).toBe(false))
      renders.push({ opened, closed })
    }
    expect(Math.min(...renders.map(({ opened }) => opened))).toBe(0)
    expect(Math.min(...renders.map(({ closed }) => closed))).toBe(0)
  })

  it('goes on saying how long the table waits while a colleague serves it', async () => {
    const tom = await hire('Tom')
    const { request } = await ask('4', 'drinks')
    open()
    fireEvent.click(within(await findTicket('4')).getByRole('button', { name: 'More for table 4' }))
    const history = await screen.findByRole('region', { name: 'Last 90 minutes' })
    await within(history).findByText(/^waits ·/u)
    const colleague = await connectScreen(page.restaurant.device, tom.id)
    await act(() => colleague.request({ type: 'accept-request', id: request.id }))
    await screen.findByText(/^waited \d+s ·/u)
    await act(() => ask('4', 'check'))
    await screen.findByText(/^waits ·/u)
  })

  it('explains what nobody has verified once the tap is painted', async () => {
    await ask('4')
    open()
    const ticket = await findTicket('4')
    fireEvent.click(within(ticket).getByRole('button', { name: 'Unverified' }))
    const text = 'It was sent without the code on the table.'
    expect(screen.queryByText(text)).toBeNull()
    await screen.findByText(text)
  })

  it('ignores a second tap on the ticket that moved up', async () => {
    await ask('4')
    await ask('7')
    open()
    await screen.findByRole('heading', { name: 'Table 7' })
    // However long the list takes to show the first tap, the second comes at once.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    const tap = (): void => {
      fireEvent.click(first(screen.getAllByRole('button', { name: 'Mark Complete' })), {
        detail: 1,
      })
    }
    tap()
    await screen.findByText('1 Active')
    tap()
    expect((await findTicket('7')).dataset['tapped']).toBeUndefined()
    expect(screen.getByRole('heading', { name: 'Table 7' })).toBeTruthy()
  })

  it('marks the tapped ticket first, and changes the list after that is painted', async () => {
    await ask('4')
    await ask('7')
    open()
    await screen.findByText('2 Active')
    const ticket = await findTicket('4')
    fireEvent.click(within(ticket).getByRole('button', { name: 'On my way' }))
    expect(ticket.dataset['tapped']).toBe('')
    expect(within(ticket).queryByText('Crew is on the way')).toBeNull()
    await within(ticket).findByText('Crew is on the way')
    expect(ticket.dataset['tapped']).toBeUndefined()
    fireEvent.click(within(ticket).getByRole('button', { name: 'Mark Complete' }))
    expect(ticket.dataset['tapped']).toBe('')
    expect(ticket.isConnected).toBe(true)
    await screen.findByText('1 Active')
    expect(ticket.isConnected).toBe(false)
  })

  /** Tickets one below the other, as in a column; `scrolled` by so many. */
  function layOutTickets(scrolled: () => number): { blink: ReturnType<typeof vi.fn> } {
    vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
      const index = [...(this.parentElement?.children ?? [])].indexOf(this)
      return new DOMRect(0, (index - scrolled()) * 100, 300, 100)
    })
    const blink = vi.fn()
    Object.assign(Element.prototype, { animate: blink })
    onTestFinished(() => void Reflect.deleteProperty(Element.prototype, 'animate'))
    return { blink }
  }

  async function touch(table: string): Promise<HTMLElement> {
    const ticket = await findTicket(table)
    const button = within(ticket).getByRole('button', { name: 'Mark Complete' })
    fireEvent.pointerDown(button, { pointerType: 'touch' })
    fireEvent.click(button, { detail: 1 })
    return ticket
  }

  async function openThree(): Promise<{ accept: () => Promise<unknown> }> {
    const tom = await hire('Tom Novak')
    const { request } = await ask('4')
    await ask('7')
    await ask('12')
    open()
    await screen.findByText('3 Active')
    const colleague = await connectScreen(page.restaurant.device, tom.id)
    return { accept: () => act(() => colleague.request({ type: 'accept-request', id: request.id })) }
  }

  it('ignores a finger that lands where a colleague has just moved the tickets, and shows that', async () => {
    const { blink } = layOutTickets(() => 0)
    const { accept } = await openThree()
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_000)
    await accept()
    await screen.findByText('Tom')
    expect((await touch('7')).dataset['tapped']).toBeUndefined()
    expect(blink).toHaveBeenCalledOnce()
    now.mockReturnValue(performance.now() + 301)
    expect((await touch('7')).dataset['tapped']).toBe('')
    expect(blink).toHaveBeenCalledOnce()
    await screen.findByText('2 Active')
  })

  it('does not ignore a finger on a ticket that stays in its place while those above it change', async () => {
    let scrolled = 0
    const { blink } = layOutTickets(() => scrolled)
    const { accept } = await openThree()
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_000)
    await accept()
    await screen.findByText('Tom')
    // The browser keeps in place what is on the screen.
    scrolled = -1
    expect((await touch('7')).dataset['tapped']).toBe('')
    expect(blink).not.toHaveBeenCalled()
    await screen.findByText('2 Active')
  })

  it('does not complete by a double tap on "On my way", and does by a tap beside it', async () => {
    await ask('4')
    open()
    await screen.findByRole('heading', { name: 'Table 4' })
    const tap = (name: string, clientX: number) =>
      fireEvent.click(screen.getByRole('button', { name }), { detail: 1, clientX })
    tap('On my way', 100)
    tap('Mark Complete', 104)
    expect(await screen.findByRole('button', { name: 'Release' })).toBeTruthy()
    expect(screen.getByRole('heading', { name: 'Table 4' })).toBeTruthy()
    tap('Mark Complete', 160)
    await expect.poll(() => screen.queryByRole('heading', { name: 'Table 4' })).toBeNull()
  })

  it('says why an undo is refused', async () => {
    const { request } = await ask('4')
    const completions = () =>
      app.ctx.db.reader
        .selectFrom('requestEvent')
        .select('id')
        .where('requestId', '=', request.id)
        .where('kind', '=', 'completed')
        .execute()
    open()
    const complete = async (): Promise<void> => {
      const ticket = within(await findTicket('4'))
      fireEvent.click(ticket.getByRole('button', { name: 'Mark Complete' }))
    }
    await complete()
    fireEvent.click(await screen.findByText('Undo', { selector: '[role="group"] button' }))
    await complete()
    await expect.poll(async () => (await completions()).length).toBe(2)
    await screen.findByText('Recently completed')
    await act(() => ask('4'))
    await findTicket('4')
    const recent = screen.getByText('Recently completed').closest('details') ?? document.body
    fireEvent.click(within(recent).getByText('Undo'))
    await screen.findByText('The table has already asked again')
    await screen.findByText('1 Active')
  })
})

describe('the keyboard', () => {
  const focusedTicket = () => document.activeElement?.closest('li')?.querySelector('h3')?.textContent
  const key = (key: string, modifiers = {}): void => {
    fireEvent.keyDown(document.activeElement ?? document.body, { key, ...modifiers })
  }
  const selectedTab = () => screen.getByRole('tab', { selected: true }).querySelector('span')?.textContent

  it('works through the list, and ends at its title', async () => {
    await ask('4')
    await ask('7')
    open()
    await screen.findByText('2 Active')
    within(await findTicket('4'))
      .getByRole('button', { name: 'Mark Complete' })
      .focus()
    pressFocused()
    await expect.poll(focusedTicket).toBe('Table 7')
    pressFocused()
    await screen.findByText('No active requests')
    expect(document.activeElement?.textContent).toBe('Service Requests')
  })

  it('marks the tab that a key chooses first, and changes the list after that is painted', async () => {
    await ask('4', 'drinks')
    await ask('7', 'food')
    open()
    await screen.findByText('2 Active')
    await import('../gestures/shortcuts.ts')
    Object.assign(Element.prototype, { scrollIntoView() {} })
    onTestFinished(() => void Reflect.deleteProperty(Element.prototype, 'scrollIntoView'))
    await expect
      .poll(() => {
        if (focusedTicket() === undefined) key('j')
        return focusedTicket()
      })
      .toBe('Table 4')
    key('3')
    expect(selectedTab()).toBe('Food')
    expect(screen.getAllByRole('heading', { level: 3 })).toHaveLength(2)
    await expect.poll(() => screen.queryByRole('heading', { name: 'Table 4' })).toBeNull()
    expect(selectedTab()).toBe('Food')
  })

  it('leaves the focus where it has gone before the list shows the tap', async () => {
    await ask('4')
    await ask('7')
    open()
    await screen.findByText('2 Active')
    const seven = within(await findTicket('7')).getByRole('button', { name: 'Mark Complete' })
    within(await findTicket('4'))
      .getByRole('button', { name: 'On my way' })
      .focus()
    pressFocused()
    seven.focus()
    await within(await findTicket('4')).findByRole('button', { name: 'Release' })
    expect(document.activeElement).toBe(seven)
  })

  it('has shortcuts, which can be turned off', async () => {
    const scrolledTo: Element[] = []
    Object.assign(Element.prototype, {
      scrollIntoView(this: Element) {
        scrolledTo.push(this)
      },
    })
    onTestFinished(() => void Reflect.deleteProperty(Element.prototype, 'scrollIntoView'))
    for (const table of ['1', '4', '7', '12']) await ask(table, table === '7' ? 'food' : 'drinks')
    open()
    await screen.findByText('4 Active')
    // The page loads them after its first paint.
    await import('../gestures/shortcuts.ts')
    await expect
      .poll(() => {
        if (focusedTicket() === undefined) key('j')
        return [document.activeElement?.tagName, focusedTicket()]
      })
      .toEqual(['BUTTON', 'Table 1'])
    for (const next of ['j', 'ArrowDown', 'k']) key(next)
    expect(focusedTicket()).toBe('Table 4')
    expect(scrolledTo.at(-1)).toBe(await findTicket('4'))
    key('a')
    await within(await findTicket('4')).findByText('Crew is on the way')
    key('c')
    await screen.findByText('3 Active')
    // The ticket on which somebody is on the way stood first.
    expect(focusedTicket()).toBe('Table 1')
    key('u')
    await screen.findByText('4 Active')
    key('3')
    await expect.poll(selectedTab).toBe('Food')
    key('c', { ctrlKey: true })
    key('?')
    const list = within(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' }))
    await list.findByText('Mark Complete')
    fireEvent.click(list.getByRole('checkbox', { name: 'Use keyboard shortcuts' }))
    key('Escape')
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
    key('c')
    key('1')
    await screen.findByText('4 Active')
    expect(selectedTab()).toBe('Food')
  })
})

it.each([
  ['On my way', '.ticket-go', '.ticket-more'],
  ['More', '.ticket-more', '.ticket-more'],
  ['Mark Complete', '[data-complete]', '[data-complete]'],
])(
  'keeps the focus in place when a colleague accepts the request that has it on "%s"',
  async (_name, from, to) => {
    const [maya, tom] = [await hire('Maya Lind'), await hire('Tom Novak')]
    localStorage.setItem('crew-member-id', maya.id)
    open()
    const { request } = await ask('4')
    await ask('7')
    const find = (button: string) =>
      document.querySelector<HTMLElement>(`[data-request='${request.id}'] ${button}`)
    await expect.poll(() => find(from)).not.toBeNull()
    const before = find(from)
    act(() => before?.focus())
    const colleague = await connectScreen(page.restaurant.device, tom.id)
    await act(() => colleague.request({ type: 'accept-request', id: request.id }))
    await screen.findByText('Tom')
    expect(before?.isConnected).toBe(false)
    expect(document.activeElement).toBe(find(to))
    expect(document.activeElement?.closest('.accepted-line')).not.toBeNull()
  },
)

it('says how many requests wait elsewhere when the chosen section has none', async () => {
  const [maya, leo] = [await hire('Maya Lind'), await hire('Leo Marsh')]
  const terrace = await page.restaurant.owner.ok(api.sections.add, { body: { name: 'Terrace' } })
  await assignTables({ ...page.restaurant, ids: { Leo: leo.id } }, today, { 7: 'Leo' })
  const colleague = await connectScreen(page.restaurant.device, leo.id)
  await colleague.request({ type: 'listening', sound: true, push: false })
  await ask('7')
  localStorage.setItem('crew-member-id', maya.id)
  localStorage.setItem('section-filter', terrace.id)
  open()
  await screen.findByRole('button', { name: '1 elsewhere. Show all sections' })
  expect(screen.getByText('1 elsewhere', { selector: 'p' })).toBeTruthy()
  expect(screen.queryByText('No active requests')).toBeNull()
})

it('says since when a table is seated, where the crew opens tables', async () => {
  const maya = await hire('Maya Lind')
  await page.restaurant.owner.ok(api.restaurant.change, { body: { seating: true } })
  await page.restaurant.owner.ok(api.seating.open, { body: { tableNumber: '7' } })
  await assignTables({ ...page.restaurant, ids: { Maya: maya.id } }, today, { 7: 'Maya', 12: 'Maya' })
  localStorage.setItem('crew-member-id', maya.id)
  open()
  const chips = within(await screen.findByRole('list', { name: 'My tables' })).getAllByRole('listitem')
  await expect
    .poll(() => chips.map((chip) => chip.textContent))
    .toEqual([expect.stringMatching(/^7Seated \d+s$/u), '12'])
  await ask('7')
  fireEvent.click(await screen.findByRole('button', { name: 'More for table 7' }))
  expect(await screen.findByText(/^Seated since \d+:\d\d/u)).toBeTruthy()
})

it('says which request a button at the table asked for', async () => {
  const [table] = await page.restaurant.owner.ok(api.floor.tables, {})
  const { token } = await page.restaurant.owner.ok(api.tableButtons.add, {
    body: { tableId: table?.id ?? '', serviceType: 'check' },
  })
  open()
  await ask('7')
  await app.browser().ok(api.buttons.press, { body: { token } })
  const ticket = (await screen.findByText('by button')).closest('li')
  expect(ticket?.textContent).toContain('Check/Bill')
  expect(screen.getAllByText('by button')).toHaveLength(1)
})
