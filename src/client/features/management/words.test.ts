import { expect, it } from 'vitest'
import { comparison, counted, daysBefore } from './words.ts'

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
