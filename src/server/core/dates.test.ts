import { expect, it, vi } from 'vitest'
import { addDays, createCalendar, createOffsetLookup, formatLocalTime, localDay, localHour } from './dates.ts'

const hour = 3_600_000
const at = Date.parse

const lengths = (timeZone: string, from: string, to: string) => {
  const { days, dayStarts } = createCalendar(timeZone, from, to)
  return days.map((day, index) => [day, ((dayStarts[index + 1] ?? 0) - (dayStarts[index] ?? 0)) / hour])
}

it('knows the length of each day', () => {
  expect(lengths('Europe/Berlin', '2027-03-27', '2027-03-29')).toEqual([
    ['2027-03-27', 24],
    ['2027-03-28', 23],
    ['2027-03-29', 24],
  ])
  expect(lengths('America/New_York', '2027-11-07', '2027-11-07')).toEqual([['2027-11-07', 25]])
  // The clocks there change by half an hour.
  expect(lengths('Australia/Lord_Howe', '2027-04-04', '2027-04-04')).toEqual([['2027-04-04', 24.5]])
  expect(lengths('UTC', '2028-02-28', '2028-03-01').map(([day]) => day)).toEqual([
    '2028-02-28',
    '2028-02-29',
    '2028-03-01',
  ])
})

it('starts a day late if its midnight is skipped', () => {
  const { dayStarts } = createCalendar('Africa/Cairo', '2027-04-30', '2027-04-30')
  expect(dayStarts).toEqual([at('2027-04-29T22:00:00Z'), at('2027-04-30T21:00:00Z')])
})

it('gives a day that the zone skipped no duration', () => {
  expect(lengths('Pacific/Apia', '2011-12-29', '2011-12-31').map(([, hours]) => hours)).toEqual([24, 0, 24])
})

it('formats local time', () => {
  const show = (timeZone: string, instant: string) =>
    formatLocalTime(at(instant), createOffsetLookup(timeZone)(at(instant)))
  expect(show('Europe/Berlin', '2027-03-28T00:59:59.999Z')).toBe('2027-03-28T01:59:59.999+01:00')
  expect(show('Europe/Berlin', '2027-03-28T01:00:00Z')).toBe('2027-03-28T03:00:00.000+02:00')
  expect(show('America/St_Johns', '2027-01-01T03:29:00Z')).toBe('2026-12-31T23:59:00.000-03:30')
  expect(show('Asia/Kathmandu', '2027-01-01T00:00:00Z')).toBe('2027-01-01T05:45:00.000+05:45')
  expect(
    localHour(at('2027-01-01T03:29:00Z'), createOffsetLookup('America/St_Johns')(at('2027-01-01T03:29:00Z'))),
  ).toBe(23)
})

it('finds the local day of an instant', () => {
  expect(localDay(at('2027-03-27T23:00:00Z'), 'Europe/Berlin')).toBe('2027-03-28')
  expect(localDay(at('2027-03-28T21:59:59.999Z'), 'Europe/Berlin')).toBe('2027-03-28')
  expect(localDay(at('2027-03-28T03:00:00Z'), 'America/New_York')).toBe('2027-03-27')
})

it('finds the local day at every midnight and clock change, however often it is asked', () => {
  const zones = [
    'Europe/Berlin',
    'America/St_Johns',
    'Asia/Kathmandu',
    'Africa/Cairo',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    '+05:37',
  ]
  // Cairo skips the midnight that begins 30 April; the others change their clocks or merely begin a day.
  const days = ['2027-03-28', '2027-04-04', '2027-04-30', '2027-10-31', '2028-02-29']
  const mistakes = days.flatMap((day) =>
    zones.flatMap((zone) => {
      const { dayStarts, offsetAt } = createCalendar(zone, day, day)
      const around = dayStarts.flatMap((start) => [
        start - 60_000,
        start - 1,
        start,
        start - 1,
        start + 59_999,
      ])
      return around.flatMap((instant) => {
        const expected = new Date(instant + offsetAt(instant)).toISOString().slice(0, 10)
        return localDay(instant, zone) === expected ? [] : [{ zone, instant, expected }]
      })
    }),
  )
  expect(mistakes).toEqual([])
})

it('finds the local day again without looking it up', () => {
  const conversions = vi.spyOn(Temporal.Instant.prototype, 'toZonedDateTimeISO')
  const noon = at('2027-06-01T12:00:00Z')
  for (let time = 0; time < 60_000; time += 100) localDay(noon + time, 'Europe/Berlin')
  expect(conversions).toHaveBeenCalledTimes(1)
  localDay(noon, 'Asia/Tokyo')
  localDay(noon + 60_000, 'Europe/Berlin')
  expect(conversions).toHaveBeenCalledTimes(3)
})

it('finds the offset on both sides of a clock change, in any order', () => {
  const offsetAt = createOffsetLookup('Europe/Berlin')
  const change = at('2027-03-28T01:00:00Z')
  const instants = [change - 1, change, change - 1, at('2027-10-31T01:00:00Z'), change, change - 1]
  expect(instants.map((instant) => offsetAt(instant) / hour)).toEqual([1, 2, 1, 1, 2, 1])
})

it('adds and subtracts days', () => {
  expect(addDays('2027-12-31', 1)).toBe('2028-01-01')
  expect(addDays('2028-03-01', -1)).toBe('2028-02-29')
})
