import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { setCatalogue } from '../texts/translate.ts'
import { addDays, formatDate, formatElapsed, formatTime, formatTimeAgo, localDate } from './dates.ts'
import { formatTimeOfDay } from './time-of-day.ts'

it('returns the calendar day of the browser, not of UTC', () => {
  expect(localDate(new Date(2026, 0, 5, 0, 0, 1))).toBe('2026-01-05')
  expect(localDate(new Date(2026, 11, 31, 23, 59, 59).getTime())).toBe('2026-12-31')
})

it('counts across months, leap days and daylight saving', () => {
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
  expect(addDays('2028-03-01', -1)).toBe('2028-02-29')
  expect(addDays('2026-03-28', 2)).toBe('2026-03-30')
})

it.each([
  [0, '0s ago'],
  [-5000, '0s ago'],
  [3999, '3s ago'],
  [59_999, '59s ago'],
  [60_000, '1m ago'],
  [3_599_999, '59m ago'],
  [3_600_000, '1h ago'],
  [86_399_999, '23h ago'],
  [172_800_000, '2d ago'],
])('formats %d ms', (passed, text) => {
  expect(formatTimeAgo(passed)).toBe(text)
})

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

it.each([
  ['en', ['en-US'], /^7:42\sPM$/],
  ['en', ['en-GB'], /^19:42$/],
  ['en', ['en-US@posix'], /^7:42\sPM$/],
  ['en', ['de-DE', 'en-GB'], /^19:42$/],
  ['de', ['en-US'], /^19:42$/],
  ['en', ['de-DE'], /^19:42$/],
  ['en', ['hi-IN'], /^7:42\sPM$/],
  ['ar', ['ar-EG'], /7:42/],
])('says the time in a page in %s on a device in %j', (lang, languages, time) => {
  vi.stubGlobal('document', { documentElement: { lang } })
  vi.stubGlobal('navigator', { languages })
  expect(formatTime(new Date(2026, 0, 5, 19, 42).getTime())).toMatch(time)
})

it.each([
  ['de', ['de-DE'], '08:05'],
  ['fr', ['en-US'], '08:05'],
  ['en', ['en-GB'], '08:05'],
  ['en', ['de-DE'], '08:05'],
  ['es', ['es-ES'], '8:05'],
  ['hi', ['hi-IN'], '8:05 am'],
  ['vi', ['vi-VN'], '08:05'],
])('writes a time in a page in %s on a device in %j as it does after a date: %s', (lang, languages, time) => {
  vi.stubGlobal('document', { documentElement: { lang } })
  vi.stubGlobal('navigator', { languages })
  const at = new Date(2026, 0, 5, 8, 5).getTime()
  expect([
    formatTime(at),
    formatTimeOfDay('08:05'),
    /[\d:]+:\d\d(?: am)?/u.exec(formatDate(at, { dateStyle: 'medium', timeStyle: 'short' }))?.[0],
    /[\d:]+:\d\d(?: am)?/u.exec(formatDate(at, { weekday: 'long', hour: 'numeric', minute: '2-digit' }))?.[0],
  ]).toEqual([time, time, time, time])
})

it('keeps the number of a time that has passed with its unit', () => {
  onTestFinished(() => setCatalogue('en', new Map()))
  setCatalogue(
    'de',
    new Map([
      ['{count}m', '{count} min'],
      ['{count}h', '{count} Std.'],
      ['{time} ago', 'vor {time}'],
    ]),
  )
  vi.stubGlobal('document', { documentElement: { lang: 'de' } })
  expect([formatElapsed(180_000), formatTimeAgo(7_200_000)]).toEqual(['3\u{a0}min', 'vor 2\u{a0}Std.'])
})

it('makes what writes the times of a list only once, and follows a device to another time zone', () => {
  vi.stubGlobal('document', { documentElement: { lang: 'fr' } })
  vi.stubGlobal('navigator', { languages: ['fr-FR'] })
  vi.stubEnv('TZ', 'Europe/Berlin')
  const made = vi.spyOn(Intl, 'DateTimeFormat')
  const noon = Date.UTC(2026, 0, 5, 12)
  expect([noon, noon + 60_000].map(formatTime)).toEqual(['13:00', '13:01'])
  expect(made).toHaveBeenCalledTimes(1)
  vi.stubEnv('TZ', 'Asia/Tokyo')
  expect(formatTime(noon)).toBe('21:00')
})
