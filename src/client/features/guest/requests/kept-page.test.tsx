// @vitest-environment jsdom
import { act, fireEvent, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { buildGuestPage, buildTap } from '../../../../../test/support/pages/guest-page.ts'
import { stubHeldSockets } from '../../../../../test/support/pages/jsdom-socket.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import { GuestApp } from '../guest-app.tsx'
import { createBrowserOutbox } from '../taps/browser-outbox.ts'
import { GuestChannel } from './guest-channel.ts'

const storedAnswer = (id: string): Response => Response.json({ request: { id } })

it('follows its table as the device that its first tap has made known, even a refused one', async () => {
  const { sockets } = stubHeldSockets()
  const refusal = { code: 'closed', message: 'We are closed' }
  const taps = [Response.json(refusal, { status: 409 }), ...['tap-2', 'tap-3'].map(storedAnswer)]
  const requests = { requests: [], listening: true, barrier: null }
  vi.stubGlobal('fetch', async (_url: string, { method }: { method: string }) =>
    method === 'POST' ? taps.shift() : Response.json(requests),
  )
  const outbox = createBrowserOutbox()
  render(<GuestApp page={buildGuestPage({ kept: 0 })} outbox={outbox} live={new GuestChannel()} />)
  expect(sockets).toHaveLength(1)
  await act(async () => outbox.add(buildTap()))
  expect(sockets).toHaveLength(2)
  await act(async () => outbox.add({ ...buildTap(), id: 'tap-2' }))
  expect(sockets).toHaveLength(3)
  await act(async () => outbox.add({ ...buildTap(), id: 'tap-3' }))
  expect(sockets).toHaveLength(3)
})

it('lets the guest cancel what the server says this device asked for, such as after two parties joined', async () => {
  stubHeldSockets()
  const request = buildRequest({ id: 'the-one-that-goes-on', tableNumber: '7' })
  vi.stubGlobal('fetch', async () =>
    Response.json({ requests: [request], mine: [request.id], listening: true, barrier: null }),
  )
  render(<GuestApp page={buildGuestPage({ kept: 0 })} outbox={createBrowserOutbox()} />)
  await screen.findByRole('button', { name: 'Cancel request' })
})

it('offers nothing more for a request that is not this device’s after all', async () => {
  const request = buildRequest({ id: 'theirs', tableNumber: '7', timestamp: Date.now() - 600_000 })
  const refusal = { code: 'forbidden', message: 'Only the device that asked can do that' }
  vi.stubGlobal('fetch', async (_url: string, { method }: { method: string }) =>
    method === 'POST'
      ? Response.json(refusal, { status: 403 })
      : Response.json({ requests: [request], listening: true, barrier: null }),
  )
  render(<GuestApp page={buildGuestPage({ requests: [request], mine: [request.id] })} />)
  screen.getByRole('button', { name: 'Still waiting' })
  fireEvent.click(screen.getByRole('button', { name: 'Cancel request' }))
  await screen.findByText(refusal.message)
  expect(document.querySelectorAll('.requests button')).toHaveLength(0)
  expect(document.querySelectorAll('.requests li')).toHaveLength(1)
})

it('offers a reminder as soon as the server takes it, though this device’s clock is slow', () => {
  const now = Date.now() + 60_000
  const times = { timestamp: now - 600_000, stillWaiting: 1, stillWaitingAt: now - 90_000 }
  const request = buildRequest({ id: 'ours', tableNumber: '7', ...times })
  render(<GuestApp page={buildGuestPage({ requests: [request], mine: [request.id], now })} />)
  screen.getByRole('button', { name: 'Still waiting' })
})

it('calls nothing cancelled unless our server says so', async () => {
  const request = buildRequest({ id: 'ours', tableNumber: '7' })
  vi.stubGlobal('fetch', async (_url: string, { method }: { method: string }) =>
    method === 'POST'
      ? Response.json({ ok: true })
      : Response.json({ requests: [request], mine: [request.id], listening: true, barrier: null }),
  )
  render(<GuestApp page={buildGuestPage({ requests: [request], mine: [request.id] })} />)
  fireEvent.click(screen.getByRole('button', { name: 'Cancel request' }))
  await screen.findByRole('alert')
  expect(screen.getByRole('button', { name: 'Cancel request' })).toBeDefined()
})
