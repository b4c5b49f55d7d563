// @vitest-environment jsdom
import { act, render, screen } from '@testing-library/react'
import { type JSX } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { useNow } from './use-now.ts'

const start = new Date('2026-06-01T18:00:00Z').getTime()

function Time(): JSX.Element {
  return <time>{useNow(1000) - start}</time>
}

const shown = (): (string | null)[] => screen.getAllByRole('time').map((time) => time.textContent)

function show(visibility: DocumentVisibilityState): void {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(visibility)
  act(() => {
    document.dispatchEvent(new Event('visibilitychange'))
  })
}

function pass(ms: number): void {
  act(() => {
    vi.advanceTimersByTime(ms)
  })
}

/** The timers of readers. A page that an earlier test left behind may set others at any time. */
let readerTimers: () => number

beforeEach(() => {
  vi.useFakeTimers({ now: start })
  const set = vi.spyOn(globalThis, 'setInterval')
  const clear = vi.spyOn(globalThis, 'clearInterval')
  readerTimers = () => {
    const stopped = new Set(clear.mock.calls.map(([timer]) => timer))
    const timers = set.mock.results.filter((_, index) => set.mock.calls[index]?.[1] === 1000)
    return timers.filter(({ value }) => !stopped.has(value)).length
  }
})

it('updates all readers with one timer, and stops it with the last one', () => {
  const { unmount } = render([<Time key="a" />, <Time key="b" />])
  expect(readerTimers()).toBe(1)
  pass(3000)
  expect(shown()).toEqual(['3000', '3000'])
  unmount()
  expect(readerTimers()).toBe(0)
})

it('stops while the page is hidden, and is correct as soon as it is shown', () => {
  render(<Time />)
  show('hidden')
  expect(readerTimers()).toBe(0)
  pass(60_500)
  expect(shown()).toEqual(['0'])
  show('visible')
  expect(shown()).toEqual(['60500'])
})

it('starts with the current time after a period without readers', () => {
  render(<Time />).unmount()
  vi.setSystemTime(start + 90_000)
  render(<Time />)
  expect(shown()).toEqual(['90000'])
})
