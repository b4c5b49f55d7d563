import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { fitTableName, computeWallLayout } from './wall-layout.ts'

const wide = { width: 1920, height: 960 }
const tall = { width: 1080, height: 1800 }

it('gets smaller in steps, down to the smallest readable size', () => {
  const layouts = (size: typeof wide) =>
    [1, 8, 9, 15, 16, 25, 40].map((count) => Object.values(computeWallLayout(size, count)))
  expect(layouts(wide)).toEqual([
    [4, 2, 1],
    [4, 2, 8],
    [5, 3, 9],
    [5, 3, 15],
    [5, 5, 16],
    [5, 5, 25],
    [5, 5, 24],
  ])
  expect(layouts(tall)).toEqual([
    [2, 4, 1],
    [2, 4, 8],
    [3, 5, 9],
    [3, 5, 15],
    [3, 9, 16],
    [3, 9, 25],
    [3, 9, 26],
  ])
})

it('shows each request or counts it in the last cell', () => {
  const sizes = fc.record({
    width: fc.integer({ min: 200, max: 4000 }),
    height: fc.integer({ min: 100, max: 4000 }),
  })
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 500 }), (size, count) => {
      const { columns, rows, shown } = computeWallLayout(size, count)
      expect(shown).toBeLessThanOrEqual(count)
      expect(shown + (shown < count ? 1 : 0)).toBeLessThanOrEqual(columns * rows)
    }),
  )
})

it('writes a name in one line, or breaks it between words', () => {
  expect(['7', '112', 'Bar 4', 'Patio 3', 'Terrace', 'By the fountain'].map(fitTableName)).toEqual([
    { lines: 1, letters: 1 },
    { lines: 1, letters: 3 },
    { lines: 1, letters: 5 },
    { lines: 1, letters: 7 },
    { lines: 1, letters: 7 },
    { lines: 2, letters: 8 },
  ])
})

it('breaks a long name so that it is as large as possible', () => {
  expect(['The long table by the fountain', 'Terrace by the fountain, left 12'].map(fitTableName)).toEqual([
    { lines: 3, letters: 12 },
    { lines: 3, letters: expect.closeTo(13.17, 2) },
  ])
})
