import { expect, it } from 'vitest'
import { countTicks, labelInterval, timeTicks, placeLabels, wrapLabel } from './chart-labels.ts'

const measure = (text: string): number => Array.from(new Intl.Segmenter().segment(text)).length

it.each<[label: string, width: number, lines: string[]]>([
  ['Call Waiter', 20, ['Call Waiter']],
  ['Call Waiter', 8, ['Call', 'Waiter']],
  ['By the old apple tree', 10, ['By the old', 'apple tree']],
  ['until somebody accepted it', 7, ['until', 'some-', 'body', 'acce-', 'pted it']],
  ['Terrassenplatz 12', 9, ['Terrass-', 'enplatz', '12']],
  ['9% of 34', 6, ['9% of', '34']],
  ['half in 2\u{a0}min 16\u{a0}s', 15, ['half in 2\u{a0}min', '16\u{a0}s']],
  ['2026-11-26', 6, ['2026-', '11-26']],
  ['👩‍🍳👩‍🍳👩‍🍳', 2, ['👩‍🍳👩‍🍳', '👩‍🍳']],
  ['Wie', 0, ['W', 'i', 'e']],
  ['', 8, []],
])('writes %j in lines of %d', (label, width, lines) => {
  expect(wrapLabel(label, width, measure)).toEqual(lines)
})

it.each([
  [8, ['Mon 10', 'Tue 11', 'Wed 12']],
  // The second one would touch the first.
  [16, ['Mon 10', 'Wed 12']],
])('keeps labels apart and within the chart where a character is %d wide', (wide, expected) => {
  const labels = ['Mon 10', 'Tue 11', 'Wed 12']
  const width = 240
  const placed = placeLabels(labels, {
    xOf: (index) => 20 + index * 100,
    width,
    nth: 1,
    measure: (text) => text.length * wide,
  })
  expect(placed.map(({ label }) => label)).toEqual(expected)
  const half = 3 * wide
  expect(placed[0]?.x).toBeGreaterThanOrEqual(half)
  expect(placed.at(-1)?.x).toBeLessThanOrEqual(width - half)
})

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
