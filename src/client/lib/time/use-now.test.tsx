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

beforeEach(() => {
  vi.useFakeTimers({ now: start })
})

it('updates all readers with one timer, and stops it with the last one', () => {
  const others = vi.getTimerCount()
  const { unmount } = render([<Time key="a" />, <Time key="b" />])
  expect(vi.getTimerCount()).toBe(others + 1)
  pass(3000)
  expect(shown()).toEqual(['3000', '3000'])
  unmount()
  expect(vi.getTimerCount()).toBe(others)
})

it('stops while the page is hidden, and is correct as soon as it is shown', () => {
  // What an earlier page of this worker still waits for.
  const others = vi.getTimerCount()
  render(<Time />)
  show('hidden')
  expect(vi.getTimerCount()).toBe(others)
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
