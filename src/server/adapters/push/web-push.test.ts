import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type PushService, startPushService } from '../../../../test/support/outside/push-service.ts'
import { freePort } from '../../../../test/support/ports.ts'
import { generatePushKeys, createWebPush } from './web-push.ts'

let service: PushService
beforeEach(async () => {
  service = await startPushService()
})
afterEach(() => service.stop())

const message = { payload: '{}', topic: 'topic', urgency: 'high', ttl: 60 } as const
const keys = generatePushKeys()
const subject = 'mailto:tableside@localhost'

function sender() {
  const push = createWebPush({ keys, subject, privateService: service.pushService })
  const send = (device: { endpoint: string; keys: { p256dh: string; auth: string } }, payload = '{}') =>
    push.send({ endpoint: device.endpoint, ...device.keys }, { ...message, payload })
  return { push, send }
}

describe('a push', () => {
  it('can be decrypted by its device', async () => {
    const { push, send } = sender()
    const device = service.device()
    expect(await send(device, '{"notification":"Grüße 👋"}')).toBe('sent')
    expect(device.received).toEqual([{ notification: 'Grüße 👋', topic: 'topic', urgency: 'high', ttl: 60 }])
    push.close()
  })

  it.for([
    [201, 'sent'],
    [200, 'sent'],
    [404, 'gone'],
    [410, 'gone'],
    [400, 'failed'],
    [403, 'failed'],
    [413, 'failed'],
    [429, 'failed'],
    [500, 'failed'],
    [301, 'failed'],
  ] as const)('that is answered with %i is %s', async ([status, outcome]) => {
    const { push, send } = sender()
    const device = service.device()
    device.answer = status
    expect(await send(device)).toBe(outcome)
    push.close()
  })

  it('fails if the push service is unavailable or the server stops', async () => {
    const { push, send } = sender()
    expect(
      await send({ keys: service.device().keys, endpoint: `https://localhost:${await freePort()}/x` }),
    ).toBe('failed')
    const device = service.device()
    device.answer = 'never'
    const sending = send(device)
    await expect.poll(() => device.attempts).toBe(1)
    push.close()
    expect(await sending).toBe('failed')
  })

  it('does not wait for unanswered ones, which fail after 10 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { push, send } = sender()
    const silent = Array.from({ length: 127 }, () => Object.assign(service.device(), { answer: 'never' }))
    const unanswered = silent.map((device) => send(device))
    await expect.poll(() => silent.every(({ attempts: tries }) => tries === 1)).toBe(true)
    expect(await send(service.device())).toBe('sent')
    vi.advanceTimersByTime(10_000)
    expect(new Set(await Promise.all(unanswered))).toEqual(new Set(['failed']))
    push.close()
    vi.useRealTimers()
  })

  it('fails if it cannot be signed, and the device is kept', async () => {
    const push = createWebPush({
      keys: { ...keys, privateKey: 'none' },
      subject,
      privateService: service.pushService,
    })
    const { endpoint, keys: its } = service.device()
    expect(await push.send({ endpoint, ...its }, message)).toBe('failed')
    push.close()
  })

  it('to invalid keys means that the device is gone', async () => {
    const { push, send } = sender()
    const p256dh = Buffer.alloc(65, 4).toString('base64url')
    const { endpoint, keys } = service.device()
    expect(await send({ endpoint, keys: { ...keys, p256dh } })).toBe('gone')
    push.close()
  })
})

describe('an address', () => {
  it.for([
    'https://127.0.0.1/x',
    'https://localhost/x',
    'https://[::1]/x',
    'https://10.1.2.3/x',
    'https://169.254.169.254/latest/meta-data',
    'https://0x7f000001/x',
    'https://[::ffff:192.168.0.1]/x',
    'https://push.example.com:8443/x',
  ])('in a private network is refused: %s', async (endpoint) => {
    const device = service.device()
    const push = createWebPush({ keys, subject })
    expect(await push.send({ ...device.keys, endpoint }, message)).toBe('gone')
    push.close()
  })
})
