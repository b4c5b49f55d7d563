import { expect, it } from 'vitest'
import { nextIndex } from './list-navigation.ts'

/** Four items in a row, and two in the last. */
const go = (key: string, from: number, { ctrlKey = false, rtl = false } = {}): number | null =>
  nextIndex({ key, ctrlKey }, from, { count: 10, perRow: 4, rtl })

it('goes through the rows sideways, and stops at both ends', () => {
  expect([go('ArrowRight', 3), go('ArrowLeft', 4), go('ArrowRight', 9), go('ArrowLeft', 0)]).toEqual([
    4,
    3,
    null,
    null,
  ])
  expect([go('ArrowRight', 3, { rtl: true }), go('ArrowLeft', 3, { rtl: true })]).toEqual([2, 4])
})

it('stays in its column up and down, as far as the last row reaches', () => {
  expect([go('ArrowDown', 1), go('ArrowDown', 7), go('ArrowUp', 9), go('ArrowUp', 2)]).toEqual([
    5,
    9,
    5,
    null,
  ])
  expect([go('PageDown', 0), go('PageUp', 9)]).toEqual([8, 1])
})

it('goes to the ends of the row, and with Ctrl of the grid', () => {
  expect([go('Home', 6), go('End', 4), go('End', 8)]).toEqual([4, 7, 9])
  expect([go('Home', 6, { ctrlKey: true }), go('End', 1, { ctrlKey: true })]).toEqual([0, 9])
})

it('goes round where the list wraps', () => {
  const round = (key: string, from: number): number | null =>
    nextIndex({ key, ctrlKey: false }, from, { count: 3, perRow: 3, wrap: true })
  expect([round('ArrowRight', 2), round('ArrowLeft', 0), round('ArrowDown', 1)]).toEqual([0, 2, null])
})

it('leaves every other key alone', () => {
  expect([go('a', 1), go('Enter', 1), go('Tab', 1), go('Escape', 1)]).toEqual([null, null, null, null])
})
