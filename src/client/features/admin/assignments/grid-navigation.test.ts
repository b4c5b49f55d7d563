import { expect, it } from 'vitest'
import { nextCell } from './grid-navigation.ts'

/** Four cells in a row, and two in the last. */
const go = (key: string, from: number, { ctrl = false, rtl = false } = {}): number | null =>
  nextCell(key, ctrl, from, { cells: 10, perRow: 4, rtl })

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
  expect([go('Home', 6, { ctrl: true }), go('End', 1, { ctrl: true })]).toEqual([0, 9])
})

it('leaves every other key alone', () => {
  expect([go('a', 1), go('Enter', 1), go('Tab', 1), go('Escape', 1)]).toEqual([null, null, null, null])
})
