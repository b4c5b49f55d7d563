import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { parseNumber } from '../parse-number.ts'
import { formatDuration, formatNumber, formatShare, formatTypedNumber } from './format.ts'
import { setCatalogue } from './translate.ts'

const speak = (lang: string): void => void vi.stubGlobal('document', { documentElement: { lang } })

beforeEach(() => speak('en'))
afterEach(() => {
  setCatalogue('en', new Map())
  vi.unstubAllGlobals()
})

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

it('formats in the page’s language, with the digits on the tables', () => {
  setCatalogue(
    'de',
    new Map([
      ['{count}m', '{count} min'],
      ['{count}s', '{count} s'],
    ]),
  )
  speak('de')
  expect([formatDuration(256_000), formatShare(2, 3), formatNumber(1234.5)]).toEqual([
    '4\u00a0min 16\u00a0s',
    '67\u00a0%',
    '1.234,5',
  ])
  speak('ar-EG')
  expect(formatNumber(12)).toBe('12')
})

it.each([
  ['en', 22.5, '22.5'],
  ['de', 22.5, '22,5'],
  ['de', 1800, '1800'],
  ['fr', 0.125, '0,125'],
  ['ar-EG', 22.5, '22.5'],
])('fills a field in %s with %d as it is typed there: %s', (lang, value, typed) => {
  speak(lang)
  expect([formatTypedNumber(value), parseNumber(typed)]).toEqual([typed, value])
})
