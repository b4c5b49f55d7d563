// @vitest-environment jsdom
import { act, fireEvent, screen, within } from '@testing-library/react'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew/crew.ts'
import { password } from '../../../../test/support/app.ts'
import { chooseName, first, setUpCrewDashboard } from '../../../../test/support/pages/crew-dashboard.tsx'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'

const page = setUpCrewDashboard()
const { app, open, hire, ask } = page

const toastText = async (): Promise<string | null> => (await screen.findByRole('group')).textContent

/** The device of a crew member with their own login. */
async function signInAsThemselves(name: string): Promise<CrewMember> {
  const member = await hire(name)
  const login = { username: `own-${member.id}`, password }
  await page.restaurant.owner.ok(api.crew.change, { params: { id: member.id }, body: login })
  page.restaurant.device = app.browser()
  await page.restaurant.device.ok(api.accounts.crewLogin, { body: login })
  sessionStorage.setItem('crewMemberId', member.id)
  return member
}

/** What toasts say from now on, also those that are gone before anybody looks. */
function collectToasts(): () => string[] {
  const said = new Set<string>()
  const observer = new MutationObserver(() => {
    for (const toast of screen.queryAllByRole('group')) said.add(toast.textContent)
  })
  observer.observe(document.body, { childList: true, characterData: true, subtree: true })
  onTestFinished(() => observer.disconnect())
  return () => [...said]
}

describe('the picker', () => {
  it('shows that it is loading, then asks for the name, then shows it with its role', async () => {
    await hire('Maya')
    open()
    expect(screen.getByRole('heading', { level: 2, name: 'Select Your Name' })).toBeTruthy()
    expect(screen.getAllByText('Loading crew members...')).not.toEqual([])
    await chooseName('Maya')
    const card = await screen.findByRole('region', { name: 'Maya' })
    expect(within(card).getByText('Server')).toBeTruthy()
    expect(localStorage.getItem('crew-member-id')).toMatch(/./u)
  })

  it.each([
    ['/api/crew-by-restaurant', 'Failed to fetch crew members'],
    ['/api/tables-by-restaurant', 'Failed to fetch tables'],
    ['/api/crew-assignments', 'Failed to fetch assignments'],
  ])('reports that %s fails', async (path, message) => {
    const maya = await hire('Maya')
    localStorage.setItem('crew-member-id', maya.id)
    page.fail(path)
    open()
    expect(await toastText()).toBe(`Error${message}`)
  })

  it('forgets a name that no longer exists', async () => {
    localStorage.setItem('crew-member-id', 'gone')
    open()
    await expect.poll(() => localStorage.getItem('crew-member-id')).toBeNull()
    expect(screen.getByRole('heading', { level: 2, name: 'Select Your Name' })).toBeTruthy()
  })
})

it('leaves the calls that one name declined to the next name on the same device', async () => {
  await hire('Maya')
  await hire('Leo')
  open({
    roleCalls: ({ me, declined, onDecline }) => (
      <button type="button" onClick={() => onDecline('call')}>
        {`${me.name} declined ${declined.size}`}
      </button>
    ),
  })
  await chooseName('Maya')
  fireEvent.click(await screen.findByRole('button', { name: 'Maya declined 0' }))
  expect(await screen.findByRole('button', { name: 'Maya declined 1' })).toBeTruthy()
  fireEvent.click(first(screen.getAllByRole('button', { name: 'Change name' })))
  fireEvent.click(await screen.findByRole('radio', { name: /^Leo/u }))
  expect(await screen.findByRole('button', { name: 'Leo declined 0' })).toBeTruthy()
})

describe('another name from the owner', () => {
  const rename = ({ id }: CrewMember, name: string) =>
    page.restaurant.owner.ok(api.crew.change, { params: { id }, body: { name } })

  it('is shown at once where the name was chosen', async () => {
    const maya = await hire('Maya')
    localStorage.setItem('crew-member-id', maya.id)
    open()
    await screen.findByText('Maya, Server')
    await act(() => rename(maya, 'Maja'))
    await screen.findByText('Maja, Server')
    expect(await screen.findByRole('region', { name: 'Maja' })).toBeTruthy()
  })

  it('is shown although it came after the crew was read and before the live channel was there', async () => {
    const maya = await hire('Maya')
    const letChannelThrough = page.holdChannel()
    open()
    fireEvent.click(first(await screen.findAllByRole('button', { name: 'Select your name' })))
    await screen.findByRole('radio', { name: /^Maya/u })
    await rename(maya, 'Maja')
    letChannelThrough()
    await screen.findByRole('radio', { name: /^Maja/u })
  })

  it('is shown at once to the crew member with their own login', async () => {
    const maya = await signInAsThemselves('Maya')
    open()
    await screen.findByText('Maya, Server')
    await act(() => rename(maya, 'Maja'))
    await screen.findByText('Maja, Server')
  })

  it('is shown after a reconnection', async () => {
    const maya = await hire('Maya')
    localStorage.setItem('crew-member-id', maya.id)
    open()
    await screen.findByText('Maya, Server')
    const { db, bus } = app.ctx
    await db.transact((rows) =>
      rows.updateTable('crewMember').set({ name: 'Maja' }).where('id', '=', maya.id).execute(),
    )
    bus.publish([{ kind: 'crew-member-changed', crewMemberId: maya.id }])
    await screen.findByText('Maja, Server')
  })
})

it('marks the tapped section of a small screen first, and shows it after that is painted', async () => {
  open()
  await screen.findByText('No active requests')
  const rail = first([...document.querySelectorAll<HTMLElement>('.crew-rail')])
  const [me, requests] = ['Me', 'Requests'].map((name) => screen.getByRole('button', { name }))
  const marked = (): (string | null)[] =>
    [me, requests].map((each) => each?.getAttribute('aria-current') ?? null)
  if (me) fireEvent.click(me)
  expect(marked()).toEqual(['page', null])
  expect(rail.dataset['away']).toBeUndefined()
  await expect.poll(() => rail.dataset['away']).toBe('true')
  expect(marked()).toEqual(['page', null])
})

describe('the messaging panel', () => {
  it('asks for a name first, and gets the crew member once the server has confirmed them', async () => {
    await hire('Maya')
    open({ messages: ({ me: { name, role } }) => <p>{`Messages of ${name}, ${role}`}</p> })
    expect(screen.getByText('Select your name to access team messaging')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Messages' })).toBeNull()
    await chooseName('Maya')
    await screen.findByText('Messages of Maya, Server')
    expect(screen.queryByText('Select your name to access team messaging')).toBeNull()
    expect(screen.getByRole('button', { name: 'Messages' })).toBeTruthy()
  })
})

describe('the sound', () => {
  it('is shown as missing on a device without sound', () => {
    open()
    const button = screen.getByRole('button', { name: 'No sound here' })
    expect(button.matches(':disabled')).toBe(true)
  })
})

describe('somebody who is removed from the crew', () => {
  const remove = ({ id }: CrewMember) => page.restaurant.owner.ok(api.crew.remove, { params: { id } })

  it('reads so where their name is chosen, and the screen asks for another one', async () => {
    const maya = await hire('Maya')
    open()
    await chooseName('Maya')
    await screen.findByRole('region', { name: 'Maya' })
    const texts = collectToasts()
    await act(() => remove(maya))
    await screen.findByRole('heading', { level: 2, name: 'Select Your Name' })
    await expect.poll(texts).toEqual(['Maya was removed from the crewSelect your name'])
    expect(screen.queryByRole('alert')).toBeNull()
    expect(localStorage.getItem('crew-member-id')).toBeNull()
  })

  it('is signed out without an error where they have their own login', async () => {
    const maya = await signInAsThemselves('Maya')
    open()
    await screen.findByText('Maya, Server')
    await act(() => remove(maya))
    expect(await toastText()).toBe('Signed outPlease log in to access this page.')
    expect(screen.queryByRole('alert')).toBeNull()
    await expect.poll(() => location.pathname).toBe('/restaurant-login')
  })
})

describe('without a sign-in', () => {
  it('goes to the restaurant login after a second', async () => {
    page.restaurant.device.cookies.clear()
    open()
    expect(await toastText()).toBe('UnauthorizedPlease log in to access this page.')
    await expect.poll(() => location.pathname).toBe('/restaurant-login')
  })

  it('leaves nothing behind to which Back would return', async () => {
    page.restaurant.device.cookies.clear()
    open()
    const entries = history.length
    await expect.poll(() => location.pathname).toBe('/restaurant-login')
    expect(history.length).toBe(entries)
  })

  it('goes to the restaurant login, too, when the session ends meanwhile', async () => {
    open()
    await screen.findByText('Live')
    await act(() => page.restaurant.device.fetch('/api/logout'))
    expect(await toastText()).toBe('UnauthorizedPlease log in to access this page.')
    await expect.poll(() => location.pathname).toBe('/restaurant-login')
  })
})

it('says on an open screen that the owner has deleted the restaurant', async () => {
  open()
  await screen.findByText('Live')
  const { name, owner } = page.restaurant
  await act(() => owner.ok(api.restaurant.remove, { body: { restaurantName: name } }))
  expect(await toastText()).toBe(
    'Signed outThe owner has deleted this restaurant. Only the owner can still sign in.',
  )
  expect(screen.queryByRole('alert')).toBeNull()
  await expect.poll(() => location.pathname).toBe('/restaurant-login')
})

describe('a screen that slept', () => {
  /** Its connection is gone until the returned function is called. */
  async function fallAsleep(): Promise<() => void> {
    const sockets: WebSocket[] = []
    const Opened = WebSocket
    vi.stubGlobal('WebSocket', function openAndKeep(url: string) {
      const socket = new Opened(url)
      sockets.push(socket)
      return socket
    })
    open()
    await screen.findByText('Live')
    const wake = page.holdChannel()
    await act(async () => sockets.at(-1)?.close())
    await expect.poll(() => screen.queryByText('Live')).toBeNull()
    return wake
  }

  it('says that the owner has deleted the restaurant meanwhile', async () => {
    const wake = await fallAsleep()
    const { name, owner } = page.restaurant
    await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
    const texts = collectToasts()
    wake()
    await expect
      .poll(texts)
      .toEqual(['Signed outThe owner has deleted this restaurant. Only the owner can still sign in.'])
    await expect.poll(() => location.pathname).toBe('/restaurant-login')
    expect(texts()).toHaveLength(1)
  })

  it.each(['a demo', 'a session'])('says no such thing at the end of %s', async (what) => {
    const wake = await fallAsleep()
    const { name, owner, device } = page.restaurant
    if (what === 'a session') await device.fetch('/api/logout')
    else {
      sessionStorage.setItem('demo', '0')
      await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
    }
    wake()
    expect(await toastText()).toBe('UnauthorizedPlease log in to access this page.')
    await expect.poll(() => location.pathname).toBe('/restaurant-login')
  })
})

describe('moving a party', () => {
  const openDrawer = async (table: string) =>
    fireEvent.click(await screen.findByRole('button', { name: `More for table ${table}` }))

  it('says what will happen, moves, and offers to undo it', async () => {
    const maya = await hire('Maya Lind')
    localStorage.setItem('crew-member-id', maya.id)
    open()
    await ask('12', 'drinks')
    await ask('4')
    await ask('4', 'drinks')
    await screen.findByRole('button', { name: 'More for table 12' })
    const drawers = await screen.findAllByRole('button', { name: 'More for table 4' })
    fireEvent.click(first(drawers))
    fireEvent.click(await screen.findByRole('button', { name: 'Move to another table' }))
    const field = await screen.findByLabelText('Move table 4 to table')
    expect(document.activeElement).toBe(field)
    // Those without open requests are suggested first.
    const suggested = within(await screen.findByRole('list', { name: 'Tables' }))
    expect(suggested.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['1', '7', '12'])
    fireEvent.change(field, { target: { value: ' 12' } })
    await screen.findByText(
      '2 open requests and 2 phones go to table 12. Table 12 already waits for Drinks: they become one.',
    )
    fireEvent.click(screen.getByRole('button', { name: 'Move to table 12' }))
    await screen.findByText('Table 4 moved to 12')
    expect(await screen.findAllByRole('button', { name: 'More for table 12' })).toHaveLength(2)
    expect(screen.getByText('moved from 4')).toBeTruthy()
    expect(screen.getByText('asked 2×')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'More for table 4' })).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    await expect.poll(() => screen.queryAllByRole('button', { name: 'More for table 4' }).length).toBe(2)
    await expect.poll(() => screen.queryByText('moved from 4')).toBeNull()
  })

  it('shows why the server refuses, and moves a party without a ticket from the section of the shift', async () => {
    const maya = await hire('Maya Lind')
    localStorage.setItem('crew-member-id', maya.id)
    open()
    await ask('4')
    await openDrawer('4')
    fireEvent.click(await screen.findByRole('button', { name: 'Move to another table' }))
    fireEvent.change(await screen.findByLabelText('Move table 4 to table'), { target: { value: '99' } })
    fireEvent.click(screen.getByRole('button', { name: 'Move' }))
    await screen.findByText('Table 99 not found')
    fireEvent.click(screen.getByRole('button', { name: 'Close' }))
    fireEvent.click(await screen.findByRole('button', { name: 'Move a party' }))
    const [from, to] = [await screen.findByLabelText('From table'), screen.getByLabelText('To table')]
    const wrongFields = () => [from, to].filter((field) => field.getAttribute('aria-invalid') === 'true')
    const enter = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } })
    const move = () => fireEvent.click(screen.getByRole('button', { name: 'Move to table 7' }))
    enter(to, '7')
    move()
    await screen.findByText('Please enter a table number')
    expect(wrongFields()).toEqual([from])
    enter(from, '99')
    expect(wrongFields()).toEqual([])
    move()
    await screen.findByText('Table 99 not found')
    expect(wrongFields()).toEqual([from])
    enter(from, '4')
    enter(to, '98')
    fireEvent.click(screen.getByRole('button', { name: 'Move' }))
    await screen.findByText('Table 98 not found')
    expect(wrongFields()).toEqual([to])
    enter(to, '7')
    await screen.findByText('One open request and one phone go to table 7.')
    move()
    await screen.findByText('moved from 4')
    fireEvent.click(await screen.findByRole('button', { name: 'Unverified' }))
    await screen.findByText('It was sent at table 4. The code of this one was not scanned.')
  })

  it('says what is true once somebody else has moved the party, also if only its phone was left', async () => {
    const [maya, tom] = [await hire('Maya Lind'), await hire('Tom')]
    localStorage.setItem('crew-member-id', maya.id)
    const { request } = await ask('4')
    open()
    fireEvent.click(await screen.findByRole('button', { name: 'Move a party' }))
    fireEvent.change(await screen.findByLabelText('From table'), { target: { value: '4' } })
    fireEvent.change(screen.getByLabelText('To table'), { target: { value: '7' } })
    await screen.findByText('One open request and one phone go to table 7.')
    const colleague = await connectScreen(page.restaurant.device, tom.id)
    const move = (from: string, to: string) =>
      act(() => colleague.request({ type: 'move-party', id: `${from}-to-${to}`, from, to }))
    await move('4', '12')
    await screen.findByText('Table 4 has not asked for anything.')
    await act(() => colleague.request({ type: 'complete-request', id: request.id }))
    fireEvent.change(screen.getByLabelText('From table'), { target: { value: '12' } })
    await screen.findByText('One phone goes to table 7.')
    await move('12', '1')
    await screen.findByText('Table 12 has not asked for anything.')
  })

  it('keeps the drawer of a ticket at the table of its party, without what is over', async () => {
    const [maya, tom] = [await hire('Maya Lind'), await hire('Tom')]
    localStorage.setItem('crew-member-id', maya.id)
    const { request } = await ask('4')
    open()
    await openDrawer('4')
    const colleague = await connectScreen(page.restaurant.device, tom.id)
    await act(() => colleague.request({ type: 'accept-request', id: request.id }))
    const findDrawer = async (name: string) => within(await screen.findByRole('dialog', { name }))
    await (await findDrawer('Table 4')).findByRole('button', { name: 'Release' })
    await act(() => colleague.request({ type: 'move-party', id: 'move', from: '4', to: '12' }))
    const drawer = await findDrawer('Table 12')
    await act(() => colleague.request({ type: 'complete-request', id: request.id }))
    await expect.poll(() => drawer.queryByRole('button', { name: 'Release' })).toBeNull()
    expect(screen.queryByRole('dialog', { name: 'Table 4' })).toBeNull()
    expect(drawer.getByRole('button', { name: 'Move to another table' })).toBeTruthy()
  })

  it('says since when a table is seated only while it is, also where nobody has chosen a name', async () => {
    const { owner, device } = page.restaurant
    await owner.ok(api.restaurant.change, { body: { seating: true } })
    await device.ok(api.seating.open, { body: { tableNumber: '4' } })
    await ask('4')
    open()
    await openDrawer('4')
    await screen.findByText(/^Seated since/u)
    await act(() => device.ok(api.seating.close, { body: { tableNumber: '4', anyway: true } }))
    await expect.poll(() => screen.queryByText(/^Seated since/u)).toBeNull()
  })
})
