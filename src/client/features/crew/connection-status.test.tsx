// @vitest-environment jsdom
import { act, render, screen } from '@testing-library/react'
import type { JSX } from 'react'
import { expect, it, onTestFinished, vi } from 'vitest'
import { UnreachableSocket } from '../../../../test/support/pages/jsdom-socket.ts'
import { LiveChannel } from '../../api/live/live-channel.ts'
import { LiveContext } from '../../api/live/use-live.ts'
import { ConnectionStatus } from './connection-status.tsx'
import { OfflineBanner } from './offline/offline-banner.tsx'

function open(content: JSX.Element): void {
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', UnreachableSocket)
  onTestFinished(() => void vi.unstubAllGlobals())
  render(<LiveContext value={new LiveChannel()}>{content}</LiveContext>)
}

const lose = (): void => act(() => void vi.advanceTimersByTime(3000))

it('says in a region that was there before that the connection is lost', () => {
  open(<OfflineBanner />)
  const region = screen.getByRole('status')
  expect(region.textContent).toBe('')
  lose()
  expect(region.textContent).toBe('Reconnecting…')
  expect(region.isConnected).toBe(true)
  expect(screen.getByText(/New requests don’t show here/u)).toBeTruthy()
})

it('says that the connection is lost where there is no banner, too', () => {
  open(<ConnectionStatus />)
  lose()
  expect(screen.getByRole('status').textContent).toBe('Reconnecting…')
})
