import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { formatShortDuration, formatSignedPercent } from './overview-format.ts'

beforeEach(() => void vi.stubGlobal('document', { documentElement: { lang: 'en' } }))
afterEach(() => vi.unstubAllGlobals())

it('formats times and changes briefly', () => {
  expect([0, 42_400, 59_400, 59_500, 150_000, 3_600_000].map(formatShortDuration)).toEqual([
    '0s',
    '42s',
    '59s',
    '1.0m',
    '2.5m',
    '60.0m',
  ])
  expect([12, -8, 0].map(formatSignedPercent)).toEqual(['+12%', '-8%', '0%'])
})
