import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { clampDrag, isDragged, isSwipe } from './swipe-distance.ts'

it('follows the finger in one direction, up to 80 px', () => {
  const positions = [100, 109, 161, 400, 60, -400]
  expect(positions.map((to) => clampDrag(100, to, 'right'))).toEqual([0, 9, 61, 80, 0, 0])
  expect(positions.map((to) => clampDrag(100, to, 'left'))).toEqual([0, 0, 0, 0, -40, -80])
})

it('a movement is a swipe beyond 60 px, and a tap up to 8', () => {
  expect([0, 8, 9, 60, 61].map((offset) => [isDragged(offset), isSwipe(offset)])).toEqual([
    [false, false],
    [false, false],
    [true, false],
    [true, false],
    [true, true],
  ])
})

it('a swipe is the same in both directions', () => {
  fc.assert(
    fc.property(fc.integer({ min: -500, max: 500 }), (by) => {
      const [left, right] = [clampDrag(0, -by, 'left'), clampDrag(0, by, 'right')]
      expect(-left === right || (left === 0 && right === 0)).toBe(true)
      expect(isSwipe(left)).toBe(isSwipe(right))
    }),
  )
})
