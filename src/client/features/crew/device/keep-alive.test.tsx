// @vitest-environment jsdom
import { render } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { KeepAlive } from './keep-alive.ts'

const players: FakeAudio[] = []

class FakeAudio {
  loop = false
  paused = true
  src: string | null
  constructor(src: string) {
    this.src = src
    players.push(this)
  }
  async play(): Promise<void> {
    this.paused = false
  }
  pause(): void {
    this.paused = true
  }
  load(): void {}
  removeAttribute(): void {
    this.src = null
  }
}

function openOn(userAgent: string) {
  vi.stubGlobal('navigator', { userAgent, maxTouchPoints: 5 })
  return render(<KeepAlive />)
}

beforeEach(() => {
  players.length = 0
  vi.stubGlobal('Audio', FakeAudio)
})
afterEach(() => vi.unstubAllGlobals())

it('plays in a loop of the browser, without a timer, until it goes away', () => {
  vi.useFakeTimers()
  const { unmount } = openOn('Android 15 Chrome')
  expect(players).toMatchObject([{ loop: true, paused: false }])
  expect(vi.getTimerCount()).toBe(0)
  unmount()
  window.dispatchEvent(new Event('pointerup'))
  expect(players).toMatchObject([{ paused: true, src: null }])
})

it('goes on at the next touch after a call', () => {
  openOn('Android 15 Chrome')
  players[0]?.pause()
  window.dispatchEvent(new Event('pointerup'))
  expect(players).toMatchObject([{ paused: false }])
})

it('does nothing where the screen sleeps all the same, or the device never would', () => {
  for (const userAgent of ['iPhone OS 18_5 Safari', 'Windows NT 10.0 Chrome']) openOn(userAgent)
  expect(players).toEqual([])
})
