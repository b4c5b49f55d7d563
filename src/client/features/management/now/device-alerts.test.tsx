// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { QuietSocket } from '../../../../../test/support/pages/jsdom-socket.ts'
import { advanceTime, freezeTime } from '../../../../../test/support/pages/staff-app.tsx'
import { LiveChannel } from '../../../api/live/live-channel.ts'
import { LiveContext } from '../../../api/live/use-live.ts'
import { DeviceAlerts } from './device-alerts.tsx'

/** Whether the browser may show notifications, once somebody has answered it. */
let permission: PromiseWithResolvers<NotificationPermission>
/** What the browser's push service answers. */
let subscribed: PromiseWithResolvers<unknown>

const subscription = {
  toJSON: () => ({ endpoint: 'https://push.example/1', keys: { p256dh: 'key', auth: 'secret' } }),
}

beforeEach(() => {
  freezeTime()
  permission = Promise.withResolvers()
  subscribed = Promise.withResolvers()
  const pushManager = { getSubscription: async () => null, subscribe: async () => await subscribed.promise }
  const registration = { active: { postMessage: () => {} }, pushManager }
  const container = { register: async () => registration, getRegistration: async () => registration }
  Object.defineProperty(navigator, 'serviceWorker', { value: container, configurable: true })
  vi.stubGlobal('PushManager', {})
  vi.stubGlobal('caches', { open: async () => ({ put: async () => {} }) })
  const requestPermission = async () => await permission.promise
  vi.stubGlobal('Notification', { permission: 'default', requestPermission })
  vi.stubGlobal('WebSocket', QuietSocket)
  vi.stubGlobal('fetch', async (_url: string, { method = 'GET' }: RequestInit) =>
    Response.json(method === 'POST' ? { id: 'device-1' } : { publicKey: 'AQID' }),
  )
})

afterEach(() => {
  Reflect.deleteProperty(navigator, 'serviceWorker')
  vi.unstubAllGlobals()
})

const button = (name: string): HTMLElement => screen.getByRole('button', { name })
const isBusy = (): boolean => button('Get alerts on this device').matches('[aria-busy=true]:disabled')
const text = (): string => screen.getByRole('status').textContent

it('waits ten seconds for the push service once alerts are allowed, asks to try again, and takes a late answer', async () => {
  const live = new LiveChannel()
  render(<DeviceAlerts />, { wrapper: ({ children }) => <LiveContext value={live}>{children}</LiveContext> })
  fireEvent.click(button('Get alerts on this device'))
  // Whoever reads the browser's question takes their time.
  await advanceTime(60_000)
  expect(isBusy()).toBe(true)
  permission.resolve('granted')
  await advanceTime(9_900)
  expect(isBusy()).toBe(true)
  await advanceTime(200)
  expect(isBusy()).toBe(false)
  expect(text()).toBe('Alerts could not be turned on here. Please try again.')

  subscribed.resolve(subscription)
  await advanceTime(0)
  expect(text()).toMatch(/^This device is called when a guest waits too long/u)
  expect(button('Stop alerts on this device').matches(':enabled')).toBe(true)
})
