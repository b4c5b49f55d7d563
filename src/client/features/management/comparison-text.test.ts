import { expect, it } from 'vitest'
import { comparison, dayLabelFormatter, previousPeriodText, incompleteText } from './comparison-text.ts'

it('words a comparison to suit what is measured', () => {
  expect(comparison('count', 12, 'the day before')).toBe('12% more than the day before')
  expect(comparison('count', -4, 'the day before')).toBe('4% fewer than the day before')
  expect(comparison('time', -8, 'the day before')).toBe('8% faster than the day before')
  expect(comparison('time', 0, 'the day before')).toBe('as fast as the day before')
  expect(comparison('time', null, 'the day before')).toBeNull()
})

it('names the previous period', () => {
  expect(previousPeriodText({ from: '2026-11-20', to: '2026-11-20' })).toBe('on the day before')
  expect(previousPeriodText({ from: '2026-11-14', to: '2026-11-20' })).toBe('in the 7 days before')
})

it('says that a range is not over yet', () => {
  const text = (from: string, to: string): string | null => incompleteText({ from, to }, '2026-11-20')
  expect(text('2026-11-14', '2026-11-19')).toBeNull()
  expect(text('2026-11-14', '2026-11-20')).toBe('Today is not over yet.')
  expect(text('2026-11-20', '2026-12-24')).toBe('Today is not over yet.')
  expect(text('2026-11-21', '2026-12-24')).toBe('These days are still to come.')
})

it('adds the year when the range crosses one', () => {
  expect(dayLabelFormatter({ from: '2026-01-01', to: '2026-12-31' })('2026-11-20')).toBe('Nov 20')
  expect(dayLabelFormatter({ from: '2025-11-20', to: '2026-11-20' })('2026-11-20')).toBe('Nov 20, 2026')
})
