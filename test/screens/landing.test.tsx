// @vitest-environment jsdom
import { cleanup, render, screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Ticket } from '../../src/client/features/crew/requests/ticket.tsx'
import { ToastProvider } from '../../src/client/ui/toast/toast.tsx'
import { findTitle, openStaffApp, press } from '../support/pages/staff-app.tsx'
import { buildRequest } from '../support/restaurants/service-request.ts'

it('the picture on the landing page works: a waiter is called, and answers', async () => {
  openStaffApp('/')
  await findTitle('Restaurant Service Management')
  const guest = within(screen.getByRole('region', { name: 'A guest’s phone' }))
  const crew = within(screen.getByRole('region', { name: 'The crew’s screen' }))
  expect(crew.queryByRole('button')).toBeNull()
  press('button', 'Call Waiter')
  expect(guest.getByText('Sent')).toBeDefined()
  await guest.findByText('Seen by the crew')
  press('button', 'Call Waiter')
  expect(crew.getByText('asked 2×')).toBeDefined()
  press('button', 'On my way')
  press('button', 'Release')
  press('button', 'On my way')
  expect(guest.getByText('Maya is on the way')).toBeDefined()
  expect(crew.getByText('You’re on it')).toBeDefined()
  press('button', 'Mark Complete')
  expect(guest.getByText('Done')).toBeDefined()
  expect(document.activeElement).toBe(guest.getByRole('button', { name: 'Call Waiter' }))
})

/** How an element is built: its parts and their looks, without what it says or does. */
function partsOf(element: Element): unknown[] {
  const { tagName, className, children } = element
  if (tagName === 'svg') return ['svg', element.getAttribute('width')]
  return [tagName, className, ...[...children].map(partsOf)]
}

const ticketOf = (root: ParentNode): unknown[] => {
  const ticket = root.querySelector('.ticket')
  // Which opens what only the crew's screen has.
  ticket?.querySelector('.ticket-more')?.remove()
  return ticket ? partsOf(ticket).slice(1) : []
}

it.each([
  ['waits', []],
  ['is taken', ['On my way']],
])('shows a ticket that %s as the crew sees it', async (_state, presses) => {
  openStaffApp('/')
  await findTitle('Restaurant Service Management')
  press('button', 'Call Waiter')
  await screen.findByText('Seen by the crew')
  for (const name of presses) press('button', name)
  const shown = ticketOf(document)
  cleanup()

  const maya = { id: 'maya', name: 'Maya' }
  const isTaken = presses.length > 0
  const request = buildRequest({
    id: 'r1',
    tableNumber: '12',
    serviceType: 'general',
    timestamp: Date.now() - 2_000,
    ...(isTaken && { state: 'accepted', acceptedBy: maya, acceptedAt: Date.now() }),
  })
  const unused = (): void => undefined
  render(
    <ToastProvider>
      <Ticket
        {...{ request, muted: false, act: unused, observe: () => unused, onMore: unused, me: maya }}
        {...{ owner: 'me', arrivedAt: Date.now(), unsent: null, repeats: 1 }}
      />
    </ToastProvider>,
  )
  expect(shown.length).toBeGreaterThan(3)
  expect(shown).toEqual(ticketOf(document))
})
