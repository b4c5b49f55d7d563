import { expect, it } from 'vitest'
import { formatDuration, formatShare, pluralize } from './format.ts'

it.each([
  [0, '0s'],
  [400, '0s'],
  [44_600, '45s'],
  [59_600, '1m'],
  [150_000, '2m 30s'],
  [3_599_600, '1h'],
  [3_900_000, '1h 5m'],
  [90_000_000, '25h'],
])('formats %d ms', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

it.each([
  [0, 0, '–'],
  [0, 9, '0%'],
  [1, 900, '<1%'],
  [2, 3, '67%'],
  [899, 900, '>99%'],
  [9, 9, '100%'],
])('formats %d of %d as %s', (part, total, text) => {
  expect(formatShare(part, total)).toBe(text)
})

it('uses the singular only for one', () => {
  expect([pluralize(0, 'table'), pluralize(1, 'table'), pluralize(8, 'table')]).toEqual([
    '0 tables',
    '1 table',
    '8 tables',
  ])
})
