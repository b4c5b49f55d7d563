import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { hourMs } from '#contract/durations.ts'
import { silentSocket } from '../../../test/support/pages/silent-socket.ts'
import { anonymousActor } from '../core/actor.ts'
import { Connection } from './connection.ts'
import { startHeartbeat } from './heartbeat.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A staff screen, when it was pinged, and what the heartbeat says of it. */
function startScreen() {
  const start = Date.now()
  const pingedAt: number[] = []
  const silentAt: number[] = []
  const endedAt: number[] = []
  const socket = {
    ...silentSocket,
    ping: () => pingedAt.push(Date.now() - start),
    terminate: () => endedAt.push(Date.now() - start),
  }
  const screen = new Connection(socket, anonymousActor(), start)
  screen.screen = { sound: true, push: false, visible: true }
  const stop = startHeartbeat(Date.now, new Set([screen]), {
    onSilent: () => silentAt.push(Date.now() - start),
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
