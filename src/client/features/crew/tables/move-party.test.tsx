// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { api } from '#contract/api.ts'
import type { ServerMessage } from '#contract/live.ts'
import { QuietSocket, UnreachableSocket } from '../../../../../test/support/pages/jsdom-socket.ts'
import { advanceTime } from '../../../../../test/support/pages/staff-app.tsx'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import { LiveChannel } from '../../../api/live/live-channel.ts'
import { LiveContext } from '../../../api/live/use-live.ts'
import { createQueryClient } from '../../../api/queries.ts'
import { ToastProvider } from '../../../ui/toast/toast.tsx'
import { Chime } from '../device/chime.ts'
import { RequestsProvider } from '../requests/requests-provider.tsx'
import { MoveParty } from './move-party.tsx'

const maya = { id: 'maya', name: 'Maya' }
let chime: Chime

beforeEach(async () => {
  chime = new Chime()
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', QuietSocket)
  vi.stubGlobal('fetch', async () => await new Promise(() => {}))
  sessionStorage.setItem('restaurantId', 'The Copper Pot')
  await open()
})

async function open(): Promise<void> {
  render(
    <QueryClientProvider client={createQueryClient()}>
      <ToastProvider>
        <LiveContext value={new LiveChannel()}>
          <RequestsProvider me={maya} covering={[]} chime={chime} sound="unavailable">
            <MoveParty from="4" onMoved={() => {}} />
          </RequestsProvider>
        </LiveContext>
      </ToastProvider>
    </QueryClientProvider>,
  )
  await advanceTime(100)
}
afterEach(() => vi.unstubAllGlobals())

const shownToast = (): string | undefined => screen.queryByRole('group')?.textContent

async function press(name: string): Promise<void> {
  fireEvent.click(screen.getByRole('button', { name }))
  await advanceTime(100)
}

async function receive(message: ServerMessage): Promise<void> {
  act(() => QuietSocket.current?.receive(message))
  await advanceTime(100)
}

async function moveToTable12(): Promise<void> {
  fireEvent.change(screen.getByLabelText('Move table 4 to table'), { target: { value: '12' } })
  await press('Move')
}

it('does not look through all tables again for the tap that moves', async () => {
  cleanup()
  const numbers = Array.from({ length: 500 }, (_, index) => `${index + 1}`)
  const tables = numbers.map((tableNumber) => ({ id: tableNumber, tableNumber, category: 'table' }))
  vi.stubGlobal('fetch', async (path: string) =>
    path.startsWith(api.floor.tablesByRestaurant.path) ? Response.json(tables) : await new Promise(() => {}),
  )
  await open()
  for (const tableNumber of numbers.slice(0, 100))
    await receive({
      type: 'new-request',
      seq: Number(tableNumber),
      request: buildRequest({ id: tableNumber, tableNumber, timestamp: Date.now() }),
    })
  fireEvent.change(screen.getByLabelText('Move table 4 to table'), { target: { value: '412' } })
  await advanceTime(100)
  const compare = vi.spyOn(String.prototype, 'normalize')
  fireEvent.click(screen.getByRole('button', { name: 'Move to table 412' }))
  expect(compare.mock.calls.length).toBeLessThan(50)
})

it('keeps the offer to undo the move while another table goes on calling', async () => {
  const request = buildRequest({ id: 'a', tableNumber: '7', timestamp: Date.now() })
  await receive({ type: 'new-request', seq: 1, request })
  await expect.poll(shownToast).toBe('New RequestTable 7 needs service')
  await advanceTime(6_000)
  await moveToTable12()
  await expect.poll(shownToast).toBe('Table 4 moved to 12Undo')
  // The alert repeats ten seconds after it was first given.
  await advanceTime(5_000)
  await expect.poll(shownToast).toBe('Table 4 moved to 12Undo')
})

it('is no news where it was made, but to whoever is on the way where a colleague made it', async () => {
  const play = vi.spyOn(chime, 'play')
  const request = buildRequest({ id: 'a', tableNumber: '4', state: 'accepted', acceptedBy: maya })
  await receive({ type: 'request-updated', seq: 1, request })
  const other = { ...request, id: 'b', tableNumber: '7' }
  await receive({ type: 'request-updated', seq: 2, request: other })
  await moveToTable12()
  await receive({
    type: 'request-updated',
    seq: 3,
    request: { ...request, tableNumber: '12' },
  })
  await expect.poll(shownToast).toBe('Table 4 moved to 12Undo')
  expect(play).not.toHaveBeenCalled()
  await receive({
    type: 'request-updated',
    seq: 4,
    request: { ...other, tableNumber: '9' },
  })
  await expect.poll(shownToast).toContain('Table 7 moved to 9')
  await advanceTime(15_000)
  await expect.poll(shownToast).toBeUndefined()
  await receive({
    type: 'request-updated',
    seq: 5,
    request: { ...request, tableNumber: '15' },
  })
  await expect.poll(shownToast).toBe('Table 12 moved to 15')
  expect(play.mock.calls).toEqual([['call'], ['call']])
})

it('offers to undo the move again, for the rest of its time, where the undo did not reach the server', async () => {
  await moveToTable12()
  await advanceTime(4_000)
  vi.stubGlobal('WebSocket', UnreachableSocket)
  act(() => QuietSocket.current?.lose())
  await press('Undo')
  await expect.poll(shownToast).toBe('Table 4 moved to 12No connection to the serverUndo')
  await advanceTime(5_000)
  await expect.poll(shownToast).toBe('Table 4 moved to 12No connection to the serverUndo')
  await advanceTime(1_500)
  await expect.poll(shownToast).toBeUndefined()
})
