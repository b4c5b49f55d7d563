import { expect, it } from 'vitest'
import { comparison, counted, dayLabel, inDaysBefore, stillToCome } from './words.ts'

it('compares in the words of what is measured', () => {
  expect(comparison('count', 12, 'the day before')).toBe('12% more than the day before')
  expect(comparison('count', -4, 'the day before')).toBe('4% fewer than the day before')
  expect(comparison('time', -8, 'the day before')).toBe('8% faster than the day before')
  expect(comparison('time', 0, 'the day before')).toBe('as fast as the day before')
  expect(comparison('time', null, 'the day before')).toBeNull()
})

it('names the days before', () => {
  expect(inDaysBefore({ from: '2026-11-20', to: '2026-11-20' })).toBe('on the day before')
  expect(inDaysBefore({ from: '2026-11-14', to: '2026-11-20' })).toBe('in the 7 days before')
})

it('says what is still to come', () => {
  const said = (from: string, to: string): string | null => stillToCome({ from, to }, '2026-11-20')
  expect(said('2026-11-14', '2026-11-19')).toBeNull()
  expect(said('2026-11-14', '2026-11-20')).toBe('Today is not over yet.')
  expect(said('2026-11-20', '2026-12-24')).toBe('Today is not over yet.')
  expect(said('2026-11-21', '2026-12-24')).toBe('These days are still to come.')
})

it('tells the same day of two years apart', () => {
  expect(dayLabel({ from: '2026-01-01', to: '2026-12-31' })('2026-11-20')).toBe('Nov 20')
  expect(dayLabel({ from: '2025-11-20', to: '2026-11-20' })('2026-11-20')).toBe('Nov 20, 2026')
})

it('counts one and many', () => {
  expect([counted(0, 'table'), counted(1, 'table'), counted(8, 'table')]).toEqual([
    '0 tables',
    '1 table',
    '8 tables',
  ])
})
