import { expect, it } from 'vitest'
import { nextIndex } from './list-navigation.ts'

/** Four items in a row, and two in the last. */
const go = (key: string, from: number, { ctrlKey = false, rtl = false } = {}): number | null =>
  nextIndex({ key, ctrlKey }, from, { count: 10, perRow: 4, rtl })

it('moves sideways through the rows, and stops at both ends', () => {
  expect([go('ArrowRight', 3), go('ArrowLeft', 4), go('ArrowRight', 9), go('ArrowLeft', 0)]).toEqual([
    4,
    3,
    null,
    null,
  ])
  expect([go('ArrowRight', 3, { rtl: true }), go('ArrowLeft', 3, { rtl: true })]).toEqual([2, 4])
})

it('keeps its column up and down, if the last row is long enough', () => {
  expect([go('ArrowDown', 1), go('ArrowDown', 7), go('ArrowUp', 9), go('ArrowUp', 2)]).toEqual([
    5,
    9,
    5,
    null,
  ])
  expect([go('PageDown', 0), go('PageUp', 9)]).toEqual([8, 1])
})

it('goes to the ends of the row, or of the grid with Ctrl', () => {
  expect([go('Home', 6), go('End', 4), go('End', 8)]).toEqual([4, 7, 9])
  expect([go('Home', 6, { ctrlKey: true }), go('End', 1, { ctrlKey: true })]).toEqual([0, 9])
})

it('wraps around if the list does', () => {
  const wrapped = (key: string, from: number): number | null =>
    nextIndex({ key, ctrlKey: false }, from, { count: 3, perRow: 3, wrap: true })
  expect([wrapped('ArrowRight', 2), wrapped('ArrowLeft', 0), wrapped('ArrowDown', 1)]).toEqual([0, 2, null])
})

it('ignores every other key', () => {
  expect([go('a', 1), go('Enter', 1), go('Tab', 1), go('Escape', 1)]).toEqual([null, null, null, null])
})
