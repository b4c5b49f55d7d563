import { afterEach, expect, it, vi } from 'vitest'
import { formatHours, axisHour } from './week-text.ts'

afterEach(() => vi.unstubAllGlobals())

it.each([
  ['en', ['en-US'], '12 to 2 PM', ['11 AM', '12 PM', '11 PM']],
  ['en', ['en-GB'], '12:00 to 14:00', ['11', '12', '23']],
  ['en', ['de-DE'], '12:00 to 14:00', ['11', '12', '23']],
  ['de', ['en-US'], '12 to 14 Uhr', ['11', '12', '23']],
  ['fr', ['fr-FR'], '12 to 14 h', ['11', '12', '23']],
])('hours in a page in %s on a device in %j: %s', (lang, languages, hours, labels) => {
  vi.stubGlobal('document', { documentElement: { lang } })
  vi.stubGlobal('navigator', { languages })
  const plain = (text: string): string => text.replaceAll(/\s/gu, ' ')
  expect(plain(formatHours(12, 14))).toBe(hours)
  expect([11, 12, 23].map((hour) => plain(axisHour(hour)))).toEqual(labels)
})
