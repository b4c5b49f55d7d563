import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ErrorCode } from '#contract/errors.ts'
import type { ClientMessageInput } from '#contract/live.ts'
import { LiveError, LiveOutbox } from './live-outbox.ts'

let sentRefs: string[]
let sent: ClientMessageInput[]
let refs: number
let outbox: LiveOutbox
beforeEach(() => {
  vi.useFakeTimers()
  sentRefs = []
  sent = []
  refs = 0
  outbox = new LiveOutbox(
    (message) => {
      sent.push(message)
      sentRefs.push(message.ref ?? '')
    },
    () => `${++refs}`,
    () => undefined,
  )
  outbox.connectionOpened()
})

const complete = (id: string) => outbox.add({ type: 'complete-request', id })
const fail = (ref: string, code: ErrorCode): void =>
  outbox.handleAnswer({ type: 'error', ref, code, message: 'Something went wrong' })

/** Answers all attempts of one message alike, and returns after how many milliseconds each came. */
async function failFor(ms: number, ref: string, code: ErrorCode): Promise<number[]> {
  const startedAt = Date.now()
  const attempts: number[] = []
  while (Date.now() - startedAt < ms) {
    for (const sent of sentRefs.splice(0)) {
      expect(sent).toBe(ref)
      attempts.push(Date.now() - startedAt)
      fail(ref, code)
    }
    await vi.advanceTimersByTimeAsync(100)
  }
  return attempts
}

it('sends what is tapped after the clock of the device was set back as soon as ever', async () => {
  for (let tap = 1; tap <= 10; tap += 1) void complete(`before ${tap}`)
  vi.setSystemTime(Date.now() - 3_600_000)
  void complete('after')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(sent.at(-1)).toMatchObject({ id: 'after' })
  // As many in a second as ever.
  for (let tap = 1; tap <= 11; tap += 1) void complete(`again ${tap}`)
  expect(sent).toHaveLength(21)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(sent).toHaveLength(22)
})

describe('what waited for the connection until it was too late', () => {
  const hourMs = 3_600_000

  it('is refused, although no timer ran while the device slept, and the rest is sent', async () => {
    outbox.connectionLost()
    const late = outbox.add({ type: 'complete-request', id: 'a' }, { sendBefore: Date.now() + hourMs })
    const inTime = outbox.add({ type: 'complete-request', id: 'b' }, { sendBefore: Date.now() + 2 * hourMs })
    vi.setSystemTime(Date.now() + hourMs)
    outbox.connectionOpened()
    await expect(late).rejects.toMatchObject({ code: 'timeout' })
    expect(sentRefs).toEqual(['2'])
    outbox.handleAnswer({ type: 'ack', ref: '2' })
    await inTime
    expect(outbox.isEmpty).toBe(true)
  })

  it('is sent again if it may have arrived', async () => {
    const completed = outbox.add({ type: 'complete-request', id: 'a' }, { sendBefore: Date.now() + hourMs })
    outbox.connectionLost()
    vi.setSystemTime(Date.now() + hourMs)
    outbox.connectionOpened()
    expect(sentRefs).toEqual(['1', '1'])
    outbox.handleAnswer({ type: 'ack', ref: '1' })
    await completed
  })
})

describe('a tap that is sent late', () => {
  const tap = (type: 'accept-request' | 'release-request', id = 'a') =>
    outbox.add({ type, id }, { tappedAt: Date.now() })
  const agesOf = (id: string) =>
    sent.splice(0).flatMap((message) => ('id' in message && message.id === id ? [{ ...message }] : []))

  it('says how long ago it was tapped, and one that is sent at once says nothing', () => {
    void tap('accept-request')
    expect(agesOf('a')).toEqual([{ type: 'accept-request', id: 'a', ref: '1' }])
    outbox.connectionLost()
    vi.setSystemTime(Date.now() + 5_000)
    outbox.connectionOpened()
    expect(agesOf('a')).toEqual([{ type: 'accept-request', id: 'a', ref: '1', ageMs: 5_000 }])
    outbox.connectionLost()
    vi.setSystemTime(Date.now() + 2 * 86_400_000)
    outbox.connectionOpened()
    expect(agesOf('a')).toEqual([{ type: 'accept-request', id: 'a', ref: '1', ageMs: 86_400_000 }])
  })

  it('says nothing after an undo of its own that waits with it', () => {
    void tap('accept-request')
    outbox.connectionLost()
    void tap('release-request')
    void tap('accept-request')
    void tap('accept-request', 'b')
    vi.setSystemTime(Date.now() + 5_000)
    sent.length = 0
    outbox.connectionOpened()
    expect(agesOf('a')).toMatchObject([{ ageMs: 5_000 }, { type: 'release-request' }, { ref: '3' }])
    outbox.handleAnswer({ type: 'ack', ref: '2' })
    outbox.connectionLost()
    vi.setSystemTime(Date.now() + 5_000)
    outbox.connectionOpened()
    expect(agesOf('a').at(-1)).toEqual({ type: 'accept-request', id: 'a', ref: '3' })
  })
})

describe('what fails for a while', () => {
  it('is sent again more and more slowly while the server is unavailable, until it is not', async () => {
    const completed = complete('a')
    const attempts = await failFor(120_000, '1', 'unavailable')
    const pauses = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0))
    expect(pauses[0]).toBeLessThanOrEqual(1_100)
    expect(Math.max(...pauses)).toBeGreaterThanOrEqual(5_000)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(10_100)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(sentRefs).toEqual(['1'])
    outbox.handleAnswer({ type: 'ack', ref: '1' })
    await completed
    expect(outbox.isEmpty).toBe(true)
  })

  it('is sent again after an unexpected error too, but not for ever', async () => {
    const completed = complete('a')
    completed.catch(() => {})
    const attempts = await failFor(60_000, '1', 'internal')
    await expect(completed).rejects.toEqual(new LiveError('internal', 'Something went wrong'))
    expect(attempts.length).toBeGreaterThan(3)
    expect(attempts.at(-2)).toBeLessThan(15_000)
    expect(outbox.isEmpty).toBe(true)
  })

  it('counts the time of unexpected errors anew on a new connection', async () => {
    const completed = complete('a')
    fail('1', 'internal')
    outbox.connectionLost()
    await vi.advanceTimersByTimeAsync(20_000)
    sentRefs.length = 0
    outbox.connectionOpened()
    fail('1', 'internal')
    await vi.advanceTimersByTimeAsync(2_000)
    expect(sentRefs).toEqual(['1', '1'])
    outbox.handleAnswer({ type: 'ack', ref: '1' })
    await completed
  })

  it('waits as long for many messages as for one, and short again after a success', async () => {
    const completed = ['a', 'b', 'c'].map(complete)
    expect(sentRefs.splice(0)).toEqual(['1', '2', '3'])
    for (const ref of ['1', '2', '3']) fail(ref, 'unavailable')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(sentRefs.splice(0)).toEqual(['1', '2', '3'])
    outbox.handleAnswer({ type: 'ack', ref: '1' })
    for (const ref of ['2', '3']) fail(ref, 'unavailable')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(sentRefs.splice(0)).toEqual(['2', '3'])
    for (const ref of ['2', '3']) outbox.handleAnswer({ type: 'ack', ref })
    await Promise.all(completed)
  })

  it('is refused at once if it is not idempotent', async () => {
    const handedOver = outbox.add({ type: 'hand-over-requests', toId: 'b' })
    fail('1', 'internal')
    await expect(handedOver).rejects.toMatchObject({ code: 'internal' })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sentRefs).toEqual(['1'])
  })
})
