// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { PushDevice } from './push.ts'

/** A push service that answers only when a test lets it. */
class FakePushService {
  subscribed = false
  /** How often it was asked whether this browser is subscribed. */
  questions = 0
  #subscription = Promise.withResolvers<void>()
  #state = Promise.resolve()
  #endSilence = (): void => {}

  readonly getSubscription = async () => {
    this.questions += 1
    await this.#state
    return this.subscribed ? this.#describe() : null
  }

  readonly subscribe = async () => {
    await this.#subscription.promise
    this.subscribed = true
    return this.#describe()
  }

  /** From now on it does not even say whether this browser is subscribed. */
  silence(): void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#state = promise
    this.#endSilence = resolve
  }

  answer(): void {
    this.#endSilence()
    this.#subscription.resolve()
  }

  #describe() {
    return {
      endpoint: 'https://push.example/1',
      options: { applicationServerKey: new Uint8Array([1, 2, 3]).buffer },
      toJSON: () => ({ endpoint: 'https://push.example/1', keys: { p256dh: 'key', auth: 'secret' } }),
      unsubscribe: async () => {
        this.subscribed = false
        return true
      },
    }
  }
}

let service: FakePushService
let calls: string[]

beforeEach(() => {
  vi.useFakeTimers()
  service = new FakePushService()
  calls = []
  const registration = { active: {}, pushManager: service, getNotifications: async () => [] }
  const container = { register: async () => registration, getRegistration: async () => registration }
  Object.defineProperty(navigator, 'serviceWorker', { value: container, configurable: true })
  vi.stubGlobal('PushManager', FakePushService)
  vi.stubGlobal('caches', { open: async () => ({ put: async () => {} }) })
  allowNotifications('default')
  vi.stubGlobal('fetch', async (url: string, { method = 'GET' }: RequestInit) => {
    calls.push(`${method} ${url}`)
    if (method === 'DELETE') return new Response(null, { status: 204 })
    return Response.json(method === 'POST' ? { id: 'device-1' } : { publicKey: 'AQID' })
  })
})

afterEach(() => {
  Reflect.deleteProperty(navigator, 'serviceWorker')
  vi.unstubAllGlobals()
})

function allowNotifications(permission: NotificationPermission): void {
  vi.stubGlobal('Notification', { permission, requestPermission: async () => 'granted' })
}

const stored = 'POST /api/push-subscriptions'

/** Whether it is over by now. */
function watch(task: Promise<unknown>): () => boolean {
  let isOver = false
  void task.then(() => {
    isOver = true
  })
  return () => isOver
}

it('goes on after 10 seconds when the push service does not answer, and stores a late answer', async () => {
  const device = new PushDevice('crew')
  const switchedOn = device.switchOn('maya')
  await vi.advanceTimersByTimeAsync(0)
  const before = service.questions
  const synced = watch(device.sync('maya'))
  await vi.advanceTimersByTimeAsync(9_900)
  expect([service.questions, synced()]).toEqual([before, false])
  await vi.advanceTimersByTimeAsync(200)
  expect([service.questions, synced()]).toEqual([before + 1, true])
  expect([device.push, calls.includes(stored)]).toEqual([{ state: 'off' }, false])

  service.answer()
  expect(await switchedOn).toEqual({ state: 'on' })
  expect(device.push).toEqual({ state: 'on' })
  expect(calls.filter((call) => call === stored)).toHaveLength(1)
})

it('push is off at once when it is switched off before the push service answered, and a late answer changes nothing', async () => {
  const device = new PushDevice('manager')
  await device.sync(null)
  const switchedOn = device.switchOn(null)
  await vi.advanceTimersByTimeAsync(0)
  const switchedOff = watch(device.switchOff())
  await vi.advanceTimersByTimeAsync(0)
  expect([switchedOff(), device.push]).toEqual([true, { state: 'off' }])

  service.answer()
  await switchedOn
  await vi.advanceTimersByTimeAsync(0)
  expect(device.push).toEqual({ state: 'off' })
  expect(calls).not.toContain(stored)
  expect(service.subscribed).toBe(false)
})

it('stays off when the push service answers more than 10 seconds after it was switched off', async () => {
  const device = new PushDevice('manager')
  await device.sync(null)
  const switchedOn = device.switchOn(null)
  await vi.advanceTimersByTimeAsync(0)
  await device.switchOff()
  await vi.advanceTimersByTimeAsync(11_000)
  service.answer()
  await switchedOn
  expect(service.subscribed).toBe(false)
  await new PushDevice('manager').sync(null)
  expect(device.push).toEqual({ state: 'off' })
  expect(calls).not.toContain(stored)
})

it('stays on when it is switched off and on again before the push service answered', async () => {
  const device = new PushDevice('manager')
  await device.sync(null)
  const first = device.switchOn(null)
  await vi.advanceTimersByTimeAsync(0)
  await device.switchOff()
  const second = device.switchOn(null)
  await vi.advanceTimersByTimeAsync(31_000)
  service.answer()
  await Promise.all([first, second])
  expect(service.subscribed).toBe(true)
  expect(device.push).toEqual({ state: 'on' })
  expect(calls.filter((call) => call === stored)).toHaveLength(1)
})

it('waits at most 10 seconds for the browser while the server may know the device', async () => {
  allowNotifications('granted')
  service.subscribed = true
  service.silence()
  const device = new PushDevice('crew')
  const switchedOff = watch(device.switchOff())
  await vi.advanceTimersByTimeAsync(9_900)
  expect(switchedOff()).toBe(false)
  await vi.advanceTimersByTimeAsync(200)
  expect(switchedOff()).toBe(true)

  service.answer()
  await vi.advanceTimersByTimeAsync(0)
  expect(service.subscribed).toBe(false)
  expect(device.push).toEqual({ state: 'off' })
  expect(calls).toEqual([])
})

it('takes the device off the server without waiting for the browser', async () => {
  const device = new PushDevice('manager')
  service.answer()
  expect(await device.switchOn(null)).toEqual({ state: 'on' })
  service.silence()
  const switchedOff = watch(device.switchOff())
  await vi.advanceTimersByTimeAsync(0)
  expect([switchedOff(), device.push]).toEqual([true, { state: 'off' }])
  expect(calls).toContain('DELETE /api/push-subscriptions/device-1')
  service.answer()
  await vi.advanceTimersByTimeAsync(0)
  expect(service.subscribed).toBe(false)
})
