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
])('formats %d ms', (ms, words) => {
  expect(formatDuration(ms)).toBe(words)
})

it.each([
  [0, 0, '–'],
  [0, 9, '0%'],
  [1, 900, '<1%'],
  [2, 3, '67%'],
  [899, 900, '>99%'],
  [9, 9, '100%'],
])('formats %d of %d as %s', (part, of, words) => {
  expect(formatShare(part, of)).toBe(words)
})

it('counts one and many', () => {
  expect([pluralize(0, 'table'), pluralize(1, 'table'), pluralize(8, 'table')]).toEqual([
    '0 tables',
    '1 table',
    '8 tables',
  ])
})
