// @vitest-environment jsdom
import { randomUUID } from 'node:crypto'
import { QueryClientProvider } from '@tanstack/react-query'
import { act, fireEvent, render, screen, within } from '@testing-library/react'
import * as v from 'valibot'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew.ts'
import { ServerMessage } from '#contract/live.ts'
import { password, startTestApp, type TestApp } from '../../../../test/support/app.ts'
import type { Restaurant } from '../../../../test/support/busy-restaurant.ts'
import { stubBrowserWebSocket } from '../../../../test/support/jsdom-socket.ts'
import { LiveChannel } from '../../api/live-channel.ts'
import { createQueryClient } from '../../api/queries.ts'
import { LiveContext } from '../../api/use-live.ts'
import { ToastProvider } from '../../ui/toast.tsx'
import { CrewDashboard, type CrewDashboardProps } from './crew-dashboard.tsx'

let app: TestApp
let restaurant: Restaurant
/** Paths whose calls fail, by their beginning. */
let failing: string[]

const isMessage = (value: unknown): value is ServerMessage => v.is(ServerMessage, value)

beforeAll(async () => {
  app = await startTestApp({ guestLimits: false })
})
afterAll(() => app.stop())

beforeEach(async () => {
  restaurant = await app.restaurant({ tables: ['4', '7'] })
  failing = []
  stubBrowserWebSocket(() => ({ origin: app.url, cookie: restaurant.device.cookieHeader }))
  const network = fetch
  // Relative addresses are requested by the page, which runs on the restaurant's device.
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    if (!path.startsWith('/')) return await network(path, init)
    if (failing.some((start) => path.startsWith(start))) return new Response('', { status: 500 })
    const { signal: _, ...rest } = init
    return await restaurant.device.fetch(path, rest)
  })
  sessionStorage.setItem('restaurantId', restaurant.name)
})
afterEach(() => vi.unstubAllGlobals())

function open(props: CrewDashboardProps = {}): void {
  const live = new LiveChannel({ url: () => `${app.url.replace('http', 'ws')}/ws`, isMessage })
  render(
    <QueryClientProvider client={createQueryClient()}>
      <ToastProvider>
        <LiveContext value={live}>
          <CrewDashboard {...props} />
        </LiveContext>
      </ToastProvider>
    </QueryClientProvider>,
  )
}

const hire = (name: string) => restaurant.owner.ok(api.crew.add, { body: { name, role: 'Server' } })
const ask = (tableNumber: string) =>
  app.browser().ok(api.requests.send, {
    body: { id: randomUUID(), restaurantId: restaurant.name, tableNumber, serviceType: 'food' },
  })
const toastText = async (): Promise<string | null> => (await screen.findByRole('group')).textContent

function first(found: HTMLElement[]): HTMLElement {
  const [element] = found
  if (!element) throw new Error('No element was found')
  return element
}

async function choose(name: string): Promise<void> {
  fireEvent.click(first(await screen.findAllByRole('button', { name: 'Select your name' })))
  fireEvent.click(await screen.findByRole('radio', { name: new RegExp(`^${name}`, 'u') }))
}

describe('the picker', () => {
  it('shows that it is loading, then asks for the name, then shows it with its role', async () => {
    await hire('Maya')
    open()
    expect(screen.getByRole('heading', { level: 2, name: 'Select Your Name' })).toBeTruthy()
    expect(screen.getAllByText('Loading crew members...')).not.toEqual([])
    await choose('Maya')
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
    failing = [path]
    open()
    expect(await toastText()).toBe(`Error${message}`)
  })

  it('forgets a name that no longer exists', async () => {
    localStorage.setItem('crew-member-id', 'gone')
    open()
    await vi.waitFor(() => expect(localStorage.getItem('crew-member-id')).toBeNull())
    expect(screen.getByRole('heading', { level: 2, name: 'Select Your Name' })).toBeTruthy()
  })
})

describe('another name from the owner', () => {
  const rename = ({ id }: CrewMember, name: string) =>
    restaurant.owner.ok(api.crew.change, { params: { id }, body: { name } })

  it('is shown at once where the name was chosen', async () => {
    const maya = await hire('Maya')
    localStorage.setItem('crew-member-id', maya.id)
    open()
    await screen.findByText('· Maya, Server')
    await act(() => rename(maya, 'Maja'))
    await screen.findByText('· Maja, Server')
    expect(await screen.findByRole('region', { name: 'Maja' })).toBeTruthy()
  })

  it('is shown at once to the crew member with their own login', async () => {
    const maya = await hire('Maya')
    const login = { username: `maya-${maya.id}`, password }
    await restaurant.owner.ok(api.crew.change, { params: { id: maya.id }, body: login })
    restaurant.device = app.browser()
    await restaurant.device.ok(api.accounts.crewLogin, { body: login })
    sessionStorage.setItem('crewMemberId', maya.id)
    open()
    await screen.findByText('· Maya, Server')
    await act(() => rename(maya, 'Maja'))
    await screen.findByText('· Maja, Server')
  })

  it('is shown after a reconnection', async () => {
    const maya = await hire('Maya')
    localStorage.setItem('crew-member-id', maya.id)
    open()
    await screen.findByText('· Maya, Server')
    const { db, bus } = app.ctx
    await db.transact((rows) =>
      rows.updateTable('crewMember').set({ name: 'Maja' }).where('id', '=', maya.id).execute(),
    )
    bus.publish([{ kind: 'crew-member-changed', crewMemberId: maya.id }])
    await screen.findByText('· Maja, Server', undefined, { timeout: 5000 })
  })
})

describe('the messaging panel', () => {
  it('asks for a name first, and gets the crew member once the server has confirmed them', async () => {
    await hire('Maya')
    open({ messages: ({ me: { name, role } }) => <p>{`Messages of ${name}, ${role}`}</p> })
    expect(screen.getByText('Select your name to access team messaging')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Messages' })).toBeNull()
    await choose('Maya')
    await screen.findByText('Messages of Maya, Server')
    expect(screen.queryByText('Select your name to access team messaging')).toBeNull()
    expect(screen.getByRole('button', { name: 'Messages' })).toBeTruthy()
  })
})

describe('the list', () => {
  it('shows a request the moment a guest sends it, and drops it once it is complete', async () => {
    open()
    await screen.findByText('No active requests')
    expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual([
      'All',
      'Drinks',
      'Food',
      'Check',
      'Help',
      'Other',
    ])
    await act(() => ask('4'))
    const heading = await screen.findByRole('heading', { name: 'Table 4' })
    expect(heading.closest('li')?.textContent).toContain('Food OrderNEW0s ago')
    expect(screen.getByRole('tab', { name: 'Food' }).getAttribute('aria-describedby')).toSatisfy(
      (id: string) => document.getElementById(id)?.textContent === '1 open',
    )
    fireEvent.click(screen.getByRole('button', { name: 'Mark Complete' }))
    expect(screen.queryByRole('heading', { name: 'Table 4' })).toBeNull()
    await screen.findByText('No active requests')
    expect(await screen.findByText('Table 4 complete')).toBeTruthy()
  })

  it('marks nothing in the first list as new', async () => {
    await ask('7')
    open()
    await screen.findByRole('heading', { name: 'Table 7' })
    expect(screen.queryByText('NEW')).toBeNull()
    expect(screen.queryByRole('group')).toBeNull()
  })

  it('ignores a second tap on the ticket that moved up', async () => {
    await ask('4')
    await ask('7')
    open()
    await screen.findByRole('heading', { name: 'Table 7' })
    const tap = (): void => {
      fireEvent.click(first(screen.getAllByRole('button', { name: 'Mark Complete' })), {
        detail: 1,
      })
    }
    tap()
    tap()
    expect(screen.getByRole('heading', { name: 'Table 7' })).toBeTruthy()
  })
})

describe('the sound', () => {
  it('is shown as missing on a device without sound', () => {
    open()
    const button = screen.getByRole('button', { name: 'No sound here' })
    expect(button.matches(':disabled')).toBe(true)
  })
})

describe('without a sign-in', () => {
  it('goes to the restaurant login after a second', async () => {
    restaurant.device.cookies.clear()
    open()
    expect(await toastText()).toBe('UnauthorizedPlease log in to access this page.')
    await vi.waitFor(() => expect(location.pathname).toBe('/restaurant-login'), { timeout: 3000 })
  })
})
