import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { callAfter } from './call-after.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('calls each task at its moment by one timer, which ends with the last of them', () => {
  const called: string[] = []
  const start = Date.now()
  const calls = [300, 100, 200, 100].map((ms, index) =>
    callAfter(ms, () => called.push(`${index} after ${Date.now() - start}`)),
  )
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(100)
  expect(called).toEqual(['1 after 100', '3 after 100'])
  calls[2]?.()
  vi.advanceTimersByTime(150)
  expect(called).toHaveLength(2)
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(50)
  expect(called.at(-1)).toBe('0 after 300')
  expect(vi.getTimerCount()).toBe(0)
})

it('calls what is past already, and nothing that was taken back', () => {
  const called: string[] = []
  callAfter(-50, () => called.push('past'))
  const takeBack = callAfter(50, () => called.push('taken back'))
  takeBack()
  vi.runAllTimers()
  expect(called).toEqual(['past'])
})
