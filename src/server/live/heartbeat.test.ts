import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hourMs } from '#contract/durations.ts'
import { silentSocket } from '../../../test/support/pages/silent-socket.ts'
import { anonymousActor } from '../core/actor.ts'
import { Connection } from './connection.ts'
import { startHeartbeat } from './heartbeat.ts'
import { createSeenTime } from './seen-time.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A staff screen, when it was pinged, and what the heartbeat says of it. */
function startScreen({ isGuest = false, now = Date.now } = {}) {
  const start = now()
  const pingedAt: number[] = []
  const silentAt: number[] = []
  const endedAt: number[] = []
  const socket = {
    ...silentSocket,
    ping: () => pingedAt.push(now() - start),
    terminate: () => endedAt.push(now() - start),
  }
  const screen = new Connection(socket, anonymousActor(), start)
  if (!isGuest) screen.screen = { sound: true, push: false, visible: true }
  const stop = startHeartbeat(now, new Set([screen]), {
    onSilent: () => silentAt.push(now() - start),
    onTick() {},
  })
  return { screen, pingedAt, silentAt, endedAt, stop }
}

it('notices within 7.5 seconds that a screen no longer answers', () => {
  const { screen, pingedAt, silentAt, stop } = startScreen()
  vi.advanceTimersByTime(4_500)
  screen.markHeard(Date.now())
  // Faked, an immediate runs a millisecond later.
  vi.advanceTimersByTime(7_501)
  expect(pingedAt).toEqual([4_500, 9_000])
  expect(silentAt).toHaveLength(1)
  expect(silentAt[0]).toBeLessThanOrEqual(4_500 + 7_501)
  stop()
})

it('reads what came while the server was busy before it calls a screen silent', () => {
  const { screen, silentAt, stop } = startScreen()
  vi.advanceTimersByTime(4_900)
  vi.setSystemTime(Date.now() + 20_000)
  vi.advanceTimersToNextTimer()
  screen.markHeard(Date.now())
  vi.advanceTimersByTime(7_000)
  expect(silentAt).toEqual([])
  vi.advanceTimersByTime(1_000)
  expect(silentAt).toHaveLength(1)
  stop()
})

it('a screen that has just sent something is not pinged', () => {
  const { screen, pingedAt, silentAt, stop } = startScreen()
  for (let seconds = 0; seconds < 30; seconds += 3) {
    vi.advanceTimersByTime(3_000)
    screen.markHeard(Date.now())
  }
  expect(pingedAt).toEqual([])
  expect(silentAt).toEqual([])
  stop()
})

it('ends a screen that has not answered for a minute, but not one that was not asked', () => {
  const { screen, endedAt, stop } = startScreen()
  vi.advanceTimersByTime(10_000)
  vi.setSystemTime(Date.now() + hourMs)
  screen.markHeard(Date.now())
  vi.setSystemTime(Date.now() + hourMs)
  vi.advanceTimersToNextTimer()
  expect(endedAt).toEqual([])
  screen.markHeard(Date.now())
  vi.advanceTimersByTime(60_000)
  expect(endedAt).toEqual([])
  vi.advanceTimersByTime(2_000)
  expect(endedAt).not.toEqual([])
  stop()
})

it('ends a guest only when two pings have each had their time to be answered', () => {
  const { pingedAt, endedAt, stop } = startScreen({ isGuest: true })
  vi.advanceTimersByTime(89_500)
  expect({ pingedAt, endedAt }).toEqual({ pingedAt: [30_000, 60_000], endedAt: [] })
  vi.advanceTimersByTime(500)
  expect(endedAt).toEqual([90_000])
  stop()
})

describe('a jump of the clock', () => {
  const start = ({ isGuest = false } = {}) => startScreen({ isGuest, now: createSeenTime(Date.now) })
  const jump = (ms: number) => vi.setSystemTime(Date.now() + ms)

  it('forward leaves each ping its time to be answered', () => {
    const { screen, pingedAt, endedAt, stop } = start({ isGuest: true })
    vi.advanceTimersByTime(31_000)
    expect(pingedAt).toHaveLength(1)
    jump(hourMs)
    vi.advanceTimersByTime(27_000)
    expect({ pings: pingedAt.length, endedAt }).toEqual({ pings: 1, endedAt: [] })
    vi.advanceTimersByTime(30_000)
    expect({ pings: pingedAt.length, endedAt }).toEqual({ pings: 2, endedAt: [] })
    screen.markHeard(pingedAt[1] ?? 0)
    vi.advanceTimersByTime(29_000)
    expect(endedAt).toEqual([])
    stop()
  })

  it('forward makes no screen silent that was not asked', () => {
    const { silentAt, stop } = start()
    vi.advanceTimersByTime(1_000)
    jump(hourMs)
    vi.advanceTimersByTime(3_000)
    expect(silentAt).toEqual([])
    vi.advanceTimersByTime(4_500)
    expect(silentAt).toHaveLength(1)
    stop()
  })

  it('back keeps nobody from being asked, and from being missed', () => {
    const { pingedAt, silentAt, endedAt, stop } = start()
    vi.advanceTimersByTime(1_000)
    jump(-hourMs)
    vi.advanceTimersByTime(8_500)
    expect(pingedAt).not.toEqual([])
    expect(silentAt).toHaveLength(1)
    vi.advanceTimersByTime(54_000)
    expect(endedAt).not.toEqual([])
    stop()
  })
})
