// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import type { JSX } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { advanceTime } from '../../../../../test/support/pages/staff-app.tsx'
import { Chime } from '../device/chime.ts'
import { ShiftCard } from './shift-card.tsx'
import { useShift } from './use-shift.ts'

/** Whether the browser may show notifications, once it has been answered. */
let permission: PromiseWithResolvers<NotificationPermission>
let alerts: string[]

const subscription = {
  toJSON: () => ({ endpoint: 'https://push.example/1', keys: { p256dh: 'key', auth: 'secret' } }),
}
const registration = {
  active: {},
  pushManager: { getSubscription: async () => null, subscribe: async () => subscription },
  getNotifications: async () => [],
  showNotification: async (title: string) => void alerts.push(title),
}

beforeEach(() => {
  permission = Promise.withResolvers()
  alerts = []
  const container = { register: async () => registration, getRegistration: async () => registration }
  Object.defineProperty(navigator, 'serviceWorker', { value: container, configurable: true })
  vi.stubGlobal('PushManager', {})
  vi.stubGlobal('caches', { open: async () => ({ put: async () => {} }) })
  vi.stubGlobal('Notification', {
    permission: 'default',
    prototype: {},
    requestPermission: async () => await permission.promise,
  })
  vi.stubGlobal('fetch', async (_url: string, { method = 'GET' }: RequestInit) =>
    Response.json(method === 'POST' ? { id: 'device-1' } : { publicKey: 'AQID' }),
  )
})

afterEach(() => {
  Reflect.deleteProperty(navigator, 'serviceWorker')
  vi.unstubAllGlobals()
})

const chime = new Chime()

function Screen(): JSX.Element {
  return <ShiftCard shift={useShift('maya', false, { chime, sound: 'on' })} />
}

const button = (name: string): HTMLElement => screen.getByRole('button', { name })

function startAndAnswerYes(): void {
  render(<Screen />)
  fireEvent.click(button('Start shift'))
  fireEvent.click(button('Yes'))
  expect(button('Yes').getAttribute('aria-busy')).toBe('true')
  expect(button('No').matches(':disabled')).toBe(true)
}

it('asks about the alert once the browser has allowed it, also after an early "Yes"', async () => {
  startAndAnswerYes()
  permission.resolve('granted')
  await screen.findByRole('heading', { name: 'Seen the alert?' })
  expect(alerts).toEqual(['Tableside'])
})

it('waits ten seconds for the browser, and goes on without alerts', async () => {
  vi.useFakeTimers()
  startAndAnswerYes()
  await advanceTime(9_900)
  expect(button('Yes').getAttribute('aria-busy')).toBe('true')
  await advanceTime(200)
  expect(screen.queryByRole('region')).toBeNull()
  permission.resolve('denied')
  await advanceTime(0)
  expect(alerts).toEqual([])
})

it('offers a shift once a night: a page that is loaded again after midnight is still in it', () => {
  const open = (): void => {
    cleanup()
    render(<Screen />)
  }
  vi.useFakeTimers({ now: new Date(2026, 10, 27, 17) })
  open()
  fireEvent.click(button('Start shift'))
  fireEvent.click(button('Yes'))
  vi.setSystemTime(new Date(2026, 10, 28, 1, 30))
  open()
  expect(screen.queryByRole('region')).toBeNull()
  vi.setSystemTime(new Date(2026, 10, 28, 17))
  open()
  expect(button('Start shift')).toBeTruthy()
})

it('offers a shift although the last one began by a clock that was years ahead', () => {
  vi.useFakeTimers({ now: new Date(2036, 0, 1) })
  render(<Screen />)
  fireEvent.click(button('Start shift'))
  fireEvent.click(button('Yes'))
  cleanup()
  vi.setSystemTime(new Date(2026, 10, 27, 17))
  render(<Screen />)
  expect(button('Start shift')).toBeTruthy()
})

it('is still in a shift that the previous version of the page started today', () => {
  vi.useFakeTimers({ now: new Date(2026, 10, 27, 17) })
  localStorage.setItem('shift_maya', '2026-11-27')
  render(<Screen />)
  expect(screen.queryByRole('region')).toBeNull()
})
