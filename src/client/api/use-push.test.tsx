// @vitest-environment jsdom
import { act, renderHook } from '@testing-library/react'
import { expect, it, onTestFinished, vi } from 'vitest'
import { QuietSocket, UnreachableSocket } from '../../../test/support/pages/jsdom-socket.ts'
import { LiveChannel } from './live/live-channel.ts'
import { LiveContext } from './live/use-live.ts'
import { useClearedNotifications, usePush } from './use-push.ts'

it('does nothing in a browser without push', async () => {
  const { result } = renderHook(() => usePush('maya', 'crew'))
  expect(result.current.push).toEqual({ state: 'unsupported' })
  await act(async () => {
    expect(await result.current.switchOn()).toEqual({ state: 'unsupported' })
    await result.current.switchOff()
  })
  expect(result.current.push).toEqual({ state: 'unsupported' })
})

it('clears alerts when somebody looks at the page, but not before it shows what they say', async () => {
  const told: unknown[] = []
  const registration = { active: { postMessage: (message: unknown) => void told.push(message) } }
  const container = { getRegistration: async () => registration }
  Object.defineProperty(navigator, 'serviceWorker', { value: container, configurable: true })
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'serviceWorker'))
  vi.stubGlobal('PushManager', {})
  vi.stubGlobal('Notification', {})
  const wake = () => act(async () => void window.dispatchEvent(new Event('online')))

  vi.stubGlobal('WebSocket', UnreachableSocket)
  const live = new LiveChannel()
  renderHook(() => useClearedNotifications('crew'), {
    wrapper: ({ children }) => <LiveContext value={live}>{children}</LiveContext>,
  })
  await wake()
  expect(told).toEqual([])

  vi.stubGlobal('WebSocket', QuietSocket)
  await wake()
  expect(told).toEqual(['clear-notifications'])

  // Lost and back while nobody has looked away.
  vi.stubGlobal('WebSocket', UnreachableSocket)
  await act(async () => QuietSocket.current?.lose())
  expect([live.connection.state, told.length]).toEqual(['reconnecting', 1])
  await wake()
  expect([live.connection.state, told.length]).toEqual(['reconnecting', 1])
  vi.stubGlobal('WebSocket', QuietSocket)
  await wake()
  expect([live.connection.state, told.length]).toEqual(['live', 2])
})
