import { expect, it } from 'vitest'
import { comparison, counted, daysBefore, duration, share } from './words.ts'

it.each([
  [0, '0s'],
  [400, '0s'],
  [44_600, '45s'],
  [59_600, '1m'],
  [150_000, '2m 30s'],
  [3_599_600, '1h'],
  [3_900_000, '1h 5m'],
  [90_000_000, '25h'],
])('says %d ms in words', (ms, words) => {
  expect(duration(ms)).toBe(words)
})

it.each([
  [0, 0, '–'],
  [0, 9, '0%'],
  [1, 900, '<1%'],
  [2, 3, '67%'],
  [899, 900, '>99%'],
  [9, 9, '100%'],
])('calls %d of %d %s', (part, of, words) => {
  expect(share(part, of)).toBe(words)
})

it('compares in the words of what is measured', () => {
  expect(comparison('count', 12, 'the day before')).toBe('12% more than the day before')
  expect(comparison('count', -4, 'the day before')).toBe('4% fewer than the day before')
  expect(comparison('time', -8, 'the day before')).toBe('8% faster than the day before')
  expect(comparison('time', 0, 'the day before')).toBe('as fast as the day before')
  expect(comparison('time', null, 'the day before')).toBeNull()
})

it('names the days before', () => {
  expect(daysBefore({ from: '2026-11-20', to: '2026-11-20' })).toBe('the day before')
  expect(daysBefore({ from: '2026-11-14', to: '2026-11-20' })).toBe('the 7 days before')
})

it('counts one and many', () => {
  expect([counted(0, 'table'), counted(1, 'table'), counted(8, 'table')]).toEqual([
    '0 tables',
    '1 table',
    '8 tables',
  ])
})
