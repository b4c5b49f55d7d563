// @vitest-environment jsdom
import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { buildGuestPage } from '../../../../test/support/pages/guest-page.ts'
import { buildRequest } from '../../../../test/support/restaurants/service-request.ts'
import { GuestApp } from './guest-app.tsx'
import { setLanguage } from './language.ts'

const request = buildRequest({ id: 'r1', tableNumber: '7', timestamp: Date.now() - 600_000 })
const waiting = buildGuestPage({ requests: [request], mine: ['r1'], listening: false })
const advice = 'Please wave to your waiter'

afterEach(() => setLanguage({ language: 'en', texts: {} }))

/** What can be read on the page, without what is only read aloud. */
const shown = (): string =>
  [...document.body.querySelectorAll('[role=alert], main')].map(({ textContent }) => textContent).join(' ')
const timesAdvised = (): number => shown().split(advice).length - 1

it('is given once when a guest says "Still waiting" and nobody is listening', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ request, told: true }))
  render(<GuestApp page={waiting} />)
  expect(timesAdvised()).toBe(1)
  fireEvent.click(screen.getByRole('button', { name: 'Still waiting' }))
  await screen.findByText('It is noted, but no staff screen is on.')
  expect(timesAdvised()).toBe(1)
})

it('is given once at a muted table when the phone loses its connection', () => {
  render(<GuestApp page={buildGuestPage({ barrier: 'table_muted' })} />)
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  act(() => void window.dispatchEvent(new Event('offline')))
  expect(timesAdvised()).toBe(1)
})

it('is given once, in another language too, when the server is away', async () => {
  setLanguage({ language: 'eo', texts: {} })
  const away = { code: 'unavailable', message: 'The server cannot reach its data' }
  vi.stubGlobal('fetch', async () => Response.json(away, { status: 503 }))
  render(<GuestApp page={{ ...waiting, listening: true }} />)
  fireEvent.click(screen.getByRole('button', { name: 'Still waiting' }))
  await screen.findByText('Please wave to your waiter meanwhile.')
  expect(screen.getByRole('alert').textContent).toBe("We can't reach the restaurant right now.")
  expect(timesAdvised()).toBe(1)
})
