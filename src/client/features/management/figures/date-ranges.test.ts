import { expect, it } from 'vitest'
import { rangeForChoice } from './date-ranges.ts'

it('ends every range today, with as many days as its name says', () => {
  expect(rangeForChoice('today', '2026-03-01')).toEqual({ from: '2026-03-01', to: '2026-03-01' })
  expect(rangeForChoice('week', '2026-03-01')).toEqual({ from: '2026-02-23', to: '2026-03-01' })
  expect(rangeForChoice('month', '2026-03-01')).toEqual({ from: '2026-01-31', to: '2026-03-01' })
  expect(rangeForChoice('quarter', '2026-03-01')).toEqual({ from: '2025-12-02', to: '2026-03-01' })
})
