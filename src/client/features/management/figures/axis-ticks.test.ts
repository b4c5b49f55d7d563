import { expect, it } from 'vitest'
import { countTicks, labelInterval, timeTicks } from './axis-ticks.ts'

it.each([
  [0, [0, 1]],
  [3, [0, 1, 2, 3]],
  [24, [0, 10, 20, 30]],
  [168, [0, 50, 100, 150, 200]],
])('divides counts up to %d into round steps', (top, ticks) => {
  expect(countTicks(top)).toEqual(ticks)
})

it.each([
  [0, [0, 1]],
  [220, [0, 60, 120, 180, 240]],
  [100, [0, 30, 60, 90, 120]],
  [400_000, [0, 172_800, 345_600, 518_400]],
])('divides %d seconds into steps of a clock', (top, ticks) => {
  expect(timeTicks(top * 1000)).toEqual(ticks.map((tick) => tick * 1000))
})

it('skips labels that would overlap', () => {
  expect(labelInterval(7, 400, 44)).toBe(1)
  expect(labelInterval(90, 400, 44)).toBe(10)
})
