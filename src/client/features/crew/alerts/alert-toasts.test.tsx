// @vitest-environment jsdom
import { render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { hourMs } from '#contract/durations.ts'
import { QuietSocket } from '../../../../../test/support/pages/jsdom-socket.ts'
import { advanceTime } from '../../../../../test/support/pages/staff-app.tsx'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import { LiveChannel } from '../../../api/live/live-channel.ts'
import { LiveContext } from '../../../api/live/use-live.ts'
import { ToastProvider } from '../../../ui/toast/toast.tsx'
import { Chime } from '../device/chime.ts'
import { RequestsProvider } from '../requests/requests-provider.tsx'

const maya = { id: 'maya', name: 'Maya' }

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', QuietSocket)
  sessionStorage.setItem('restaurantId', 'The Copper Pot')
})
afterEach(() => vi.unstubAllGlobals())

/** A screen with a new request at table 7. */
async function openWithRequest(toastsRepeats?: boolean) {
  const chime = new Chime()
  const play = vi.spyOn(chime, 'play')
  render(
    <ToastProvider>
      <LiveContext value={new LiveChannel()}>
        <RequestsProvider
          me={maya}
          covering={[]}
          chime={chime}
          sound="on"
          {...(toastsRepeats !== undefined && { toastsRepeats })}
        >
          <p>Requests</p>
        </RequestsProvider>
      </LiveContext>
    </ToastProvider>,
  )
  await advanceTime(100)
  const request = buildRequest({ id: 'a', tableNumber: '7', timestamp: Date.now() })
  QuietSocket.current?.receive({ type: 'new-request', seq: 1, request })
  await advanceTime(100)
  expect(shownToast()).toBe('New RequestTable 7 needs service')
  return { request, sounds: () => play.mock.calls.length }
}

const shownToast = (): string | undefined => screen.queryByRole('group')?.textContent

it('says of a request that calls again that its table needs service, not that it is new', async () => {
  await openWithRequest()
  await advanceTime(6_000)
  expect(shownToast()).toBeUndefined()
  await advanceTime(4_000)
  expect(shownToast()).toBe('Table 7 needs service')
})

it('a request whose completion was undone is not called new', async () => {
  const { request } = await openWithRequest()
  QuietSocket.current?.receive({ type: 'request-completed', seq: 2, id: 'a', by: maya })
  await advanceTime(100)
  await advanceTime(6_000)
  expect(shownToast()).toBeUndefined()
  QuietSocket.current?.receive({ type: 'new-request', seq: 3, request })
  await advanceTime(100)
  await advanceTime(9_000)
  expect(shownToast()).toBeUndefined()
  await advanceTime(1_000)
  expect(shownToast()).toBe('Table 7 needs service')
})

it('a request that waits again only sounds where its ticket can be looked at', async () => {
  const { sounds } = await openWithRequest(false)
  await advanceTime(6_000)
  const before = sounds()
  await advanceTime(4_000)
  expect(sounds()).toBe(before + 1)
  expect(shownToast()).toBeUndefined()
})

it.each([-hourMs, hourMs])('calls as loudly after the device’s clock is set by %d ms', async (setMs) => {
  const { sounds } = await openWithRequest()
  vi.setSystemTime(Date.now() + setMs)
  await advanceTime(10_000)
  expect(sounds()).toBe(2)
  await advanceTime(10_000)
  const request = buildRequest({ id: 'b', tableNumber: '8', timestamp: Date.now() })
  QuietSocket.current?.receive({ type: 'new-request', seq: 2, request })
  await advanceTime(100)
  expect(sounds()).toBe(3)
  expect(shownToast()).toBe('New RequestTable 8 needs service')
  await advanceTime(10_000)
  expect(sounds()).toBe(4)
})
