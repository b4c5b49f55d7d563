// @vitest-environment jsdom
import { act, render, screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { buildGuestPage, buildTap } from '../../../../../test/support/pages/guest-page.ts'
import { GuestApp } from '../guest-app.tsx'
import { createBrowserOutbox } from './browser-outbox.ts'

const page = buildGuestPage()
const ask = buildTap()

let network: 'down' | 'up'
const answers: Record<string, unknown> = {
  POST: { request: { id: 'tap-1' } },
  GET: { requests: [], listening: true, barrier: null },
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  network = 'down'
  vi.stubGlobal('fetch', async (_url: string, { method }: { method: string }) => {
    if (network === 'down') throw new TypeError('Failed to fetch')
    return Response.json(answers[method])
  })
})

/** Sets whether the phone itself reports a connection. */
function setOnline(online: boolean): void {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(online)
  window.dispatchEvent(new Event(online ? 'online' : 'offline'))
}

const notice = (): string | null => document.querySelector('.offline')?.textContent ?? null

it('says that the phone is not connected, and that a tap is kept, until it is back', async () => {
  const outbox = createBrowserOutbox()
  render(<GuestApp page={page} outbox={outbox} />)
  expect(notice()).toBeNull()
  act(() => setOnline(false))
  expect(notice()).toBe(
    'Your phone is not connected. What you tap is kept and sent as soon as it is. Please wave to your waiter meanwhile.',
  )
  await act(async () => outbox.add(ask))
  const sentence =
    'Your phone is not connected. Your tap is kept and sent as soon as it is. Please wave to your waiter meanwhile.'
  expect(notice()).toBe(sentence)
  expect(screen.getByRole('status').textContent).toContain(sentence)
  network = 'up'
  await act(async () => {
    setOnline(true)
    await vi.advanceTimersByTimeAsync(0)
  })
  expect(notice()).toBeNull()
  expect(screen.getByText('Request Sent!')).toBeTruthy()
})

it('the page does not blame the phone when the server cannot be reached', async () => {
  setOnline(true)
  const outbox = createBrowserOutbox()
  render(<GuestApp page={page} outbox={outbox} />)
  await act(async () => {
    outbox.add(ask)
    await vi.advanceTimersByTimeAsync(0)
  })
  expect(notice()).toBe(
    "We can't reach the restaurant right now. Your tap is kept and sent as soon as we can. Please wave to your waiter meanwhile.",
  )
  network = 'up'
  await act(() => vi.advanceTimersByTimeAsync(6_000))
  expect(notice()).toBeNull()
})

it('notices without a tap that the server cannot be reached', async () => {
  setOnline(true)
  render(<GuestApp page={page} outbox={createBrowserOutbox()} />)
  await act(() => vi.advanceTimersByTimeAsync(20_000))
  expect(notice()).toContain("We can't reach the restaurant right now. What you tap is kept")
  network = 'up'
  await act(() => vi.advanceTimersByTimeAsync(5_000))
  expect(notice()).toBeNull()
})

it('offers to take back a tap while it cannot be sent, and sends it no more', async () => {
  const outbox = createBrowserOutbox()
  render(<GuestApp page={page} outbox={outbox} />)
  await act(async () => {
    setOnline(false)
    outbox.add(ask)
  })
  const cancel = screen.getByRole('button', { name: 'Cancel request' })
  act(() => cancel.click())
  expect(screen.queryByText('Sending…')).toBeNull()
  expect(notice()).toContain('What you tap is kept')
  expect(document.activeElement?.tagName).toBe('H1')
  network = 'up'
  await act(async () => {
    setOnline(true)
    await vi.advanceTimersByTimeAsync(60_000)
  })
  expect(screen.queryByText('Request Sent!')).toBeNull()
  expect(outbox.waiting()).toEqual([])
})
