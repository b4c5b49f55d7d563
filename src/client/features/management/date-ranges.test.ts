import { expect, it } from 'vitest'
import { parseCustomRange, rangeForChoice } from './date-ranges.ts'

it('ends every range today, with as many days as its name says', () => {
  expect(rangeForChoice('today', '2026-03-01')).toEqual({ from: '2026-03-01', to: '2026-03-01' })
  expect(rangeForChoice('week', '2026-03-01')).toEqual({ from: '2026-02-23', to: '2026-03-01' })
  expect(rangeForChoice('month', '2026-03-01')).toEqual({ from: '2026-01-31', to: '2026-03-01' })
  expect(rangeForChoice('quarter', '2026-03-01')).toEqual({ from: '2025-12-02', to: '2026-03-01' })
})

it('takes two dates, or says what is wrong with them', () => {
  expect(parseCustomRange('2026-02-23', '2026-03-01')).toEqual({
    range: { from: '2026-02-23', to: '2026-03-01' },
  })
  expect(parseCustomRange('', '2026-03-01')).toEqual({ problem: 'Please choose a date' })
  expect(parseCustomRange('2026-03-02', '2026-03-01')).toEqual({
    problem: 'Please choose a first day that is not after the last',
  })
  expect(parseCustomRange('2010-01-01', '2026-03-01')).toEqual({ problem: 'Please choose at most 3660 days' })
})
