import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type HttpReceiver, startHttpReceiver } from '../../../../test/support/outside/http-receiver.ts'
import { freePort } from '../../../../test/support/ports.ts'
import { createOutbound } from './outbound.ts'

let receiver: HttpReceiver
beforeEach(async () => {
  receiver = await startHttpReceiver()
})
afterEach(() => receiver.stop())

const message = { headers: { 'content-type': 'application/json' }, body: '{"a":"ü"}' }
const send = (url: string, allow: string[] = ['127.0.0.0/8']) =>
  createOutbound(allow).post(new URL(url), message)

const notAllowed =
  'Only https addresses on the public internet are reached. Whoever runs this server can allow others.'

describe('an outgoing call', () => {
  it('arrives as it was sent', async () => {
    expect(await send(`${receiver.url}/hook?a=b`)).toEqual({ problem: null })
    expect(receiver.received).toMatchObject([
      { path: '/hook?a=b', headers: { 'content-type': 'application/json' }, body: '{"a":"ü"}' },
    ])
  })

  it.for([
    [204, null],
    [400, 'It answered 400'],
    [503, 'It answered 503'],
  ] as const)('that is answered with %i has this problem: %s', async ([status, problem]) => {
    receiver.answer = status
    expect(await send(receiver.url)).toEqual({ problem })
  })

  it('follows no redirect', async () => {
    receiver.answer = { status: 307, headers: { location: `${receiver.url}/private` } }
    expect(await send(receiver.url)).toEqual({ problem: 'It answered 307: redirects are not followed' })
    expect(receiver.attempts).toBe(1)
  })

  it('fails where the receiver wants to speak another protocol', async () => {
    receiver.answer = { status: 101, headers: { connection: 'Upgrade', upgrade: 'websocket' } }
    expect(await send(receiver.url)).toEqual({ problem: 'It could not be reached' })
    expect(receiver.attempts).toBe(1)
  })

  it('says what is wrong with the receiver', async () => {
    expect(await send(`http://127.0.0.1:${await freePort()}`)).toEqual({
      problem: 'It refused the connection',
    })
    expect(await send(receiver.url.replace('http:', 'https:'))).toEqual({
      problem: 'It could not be reached',
    })
  })

  it('ends after 10 seconds without an answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    receiver.answer = 'never'
    const sending = send(receiver.url)
    await expect.poll(() => receiver.attempts).toBe(1)
    vi.advanceTimersByTime(10_000)
    expect(await sending).toEqual({ problem: 'It did not answer within 10 seconds' })
    vi.useRealTimers()
  })

  it('reads no endless answer', async () => {
    receiver.answer = 'endless'
    expect(await send(receiver.url)).toEqual({ problem: null })
    await expect.poll(() => receiver.connections).toBe(0)
  })

  it('ends when the server stops', async () => {
    receiver.answer = 'never'
    const outbound = createOutbound(['127.0.0.1'])
    const sending = outbound.post(new URL(receiver.url), message)
    await expect.poll(() => receiver.attempts).toBe(1)
    outbound.close()
    expect(await sending).toEqual({ problem: 'It could not be reached' })
  })
})

describe('an address', () => {
  it.for([
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://10.1.2.3/x',
    'https://169.254.169.254/latest/meta-data',
    'https://0x7f000001/x',
    'https://[::ffff:192.168.0.1]/x',
    'https://example.com:8443/x',
    'http://example.com/x',
  ])('is refused before anything is looked up: %s', (url) => {
    expect(createOutbound([]).problem(new URL(url))).toBe(notAllowed)
  })

  it('in a private network is refused after it was looked up', async () => {
    expect(createOutbound([]).problem(new URL('https://localhost/x'))).toBeNull()
    expect(await send('https://localhost/x', [])).toEqual({ problem: notAllowed })
    expect(await send(`http://localhost:${receiver.port}/x`, ['10.0.0.0/8'])).toEqual({ problem: notAllowed })
    expect(receiver.attempts).toBe(0)
  })

  it('is reached if its host, address or network is allowed', async () => {
    const { url, port } = receiver
    for (const [address, allowed] of [
      [`http://localhost:${port}`, 'LocalHost'],
      [`http://localhost:${port}`, '127.0.0.0/8'],
      [url, '127.0.0.1'],
    ] as const)
      expect(await send(address, ['fd00::/8', allowed])).toEqual({ problem: null })
    expect(await send(url, ['localhost'])).toEqual({ problem: notAllowed })
  })

  it('is connected to as it was checked, even if its name leads elsewhere a moment later', async () => {
    const answers = [['10.0.0.1', '127.0.0.1'], ['10.0.0.1']]
    const resolve = (_host: string, _options: object, done: (error: null, found: object[]) => void) =>
      done(
        null,
        (answers.shift() ?? []).map((address) => ({ address, family: 4 })),
      )
    const original = dns.lookup
    onTestFinished(() => {
      Object.assign(dns, { lookup: original })
      syncBuiltinESMExports()
    })
    Object.assign(dns, { lookup: resolve })
    syncBuiltinESMExports()
    expect(await send(`http://localhost:${receiver.port}`)).toEqual({ problem: null })
    expect(receiver.attempts).toBe(1)
    expect(answers).toHaveLength(1)
  })
})
