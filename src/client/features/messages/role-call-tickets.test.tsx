// @vitest-environment jsdom
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { type JSX, useState } from 'react'
import { expect, it } from 'vitest'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { RoleCall } from '#contract/crew/shift.ts'
import { stubHeldSockets } from '../../../../test/support/pages/jsdom-socket.ts'
import { LiveChannel } from '../../api/live/live-channel.ts'
import { LiveContext } from '../../api/live/use-live.ts'
import { ToastProvider } from '../../ui/toast/toast.tsx'
import { RoleCallTickets } from './role-call-tickets.tsx'

const maya: CrewMember = { id: 'maya', name: 'Maya', role: 'Server' }
const buildCall = (id: string): RoleCall => ({
  id,
  role: 'Server',
  messageKey: 'NEED_HELP',
  tableNumber: '4',
  from: { id: 'leo', name: 'Leo' },
  timestamp: 1000,
  claimedBy: null,
  alerts: 1,
})

function Rail(): JSX.Element {
  const [declined, setDeclined] = useState<ReadonlySet<string>>(new Set())
  return (
    <section>
      <h2 id="requests" tabIndex={-1}>
        Service Requests
      </h2>
      <button type="button">All</button>
      <RoleCallTickets
        me={maya}
        declined={declined}
        onDecline={(id) => setDeclined(new Set(declined).add(id))}
      />
    </section>
  )
}

it('moves the focus to the next call, and after the last one to the requests', async () => {
  stubHeldSockets()
  const calls = ['a', 'b'].map(buildCall)
  const message = { type: 'pending-requests' as const, requests: [], recent: [], calls }
  const live = new LiveChannel({ kept: { message, at: 1000 } })
  render(
    <LiveContext value={live}>
      <ToastProvider>
        <Rail />
      </ToastProvider>
    </LiveContext>,
  )
  const decline = (): void => {
    const [button] = screen.getAllByRole('button', { name: 'Not me' })
    button?.focus()
    if (button) fireEvent.click(button)
  }
  decline()
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: "I'll do it" })))
  decline()
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Service Requests' })),
  )
})

it('shows in a toast a call that came while the screen was away', async () => {
  const { sockets } = stubHeldSockets()
  render(
    <LiveContext value={new LiveChannel()}>
      <ToastProvider>
        <Rail />
      </ToastProvider>
    </LiveContext>,
  )
  const receive = (...calls: RoleCall[]): void => {
    const data = JSON.stringify({ type: 'pending-requests', requests: [], recent: [], calls })
    act(() => void sockets[0]?.dispatchEvent(new MessageEvent('message', { data })))
  }
  receive(buildCall('a'))
  receive(buildCall('a'), { ...buildCall('b'), from: { id: 'tom', name: 'Tom' }, alerts: 2 })
  const toast = await screen.findByRole('group')
  expect(toast.textContent).toBe('Tom asks any ServerNeed help at my station · Table 4')
})
