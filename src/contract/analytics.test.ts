import { expect, it } from 'vitest'
import { DayRange } from './analytics.ts'
import { parse } from './parse.ts'

it('takes two days, or says what is wrong with them', () => {
  const parseRange = (from: string, to: string) => parse(DayRange, { from, to })
  expect(parseRange('2026-02-23', '2026-03-01')).toMatchObject({
    value: { from: '2026-02-23', to: '2026-03-01' },
  })
  expect(parseRange('', '2026-03-01')).toMatchObject({ message: 'Please choose a date' })
  expect(parseRange('2026-03-02', '2026-03-01')).toMatchObject({
    message: 'Please choose a first day that is not after the last',
  })
  expect(parseRange('2010-01-01', '2026-03-01')).toMatchObject({
    message: 'Please choose at most 3660 days',
  })
})
