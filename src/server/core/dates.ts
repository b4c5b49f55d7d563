import { dayMs, hourMs, minuteMs } from '#contract/durations.ts'

/** A range of local days: when each begins, and the offset of the wall clock at any instant. */
export type Calendar = {
  days: string[]
  /** When each day begins and, last, when the last day ends. */
  dayStarts: number[]
  offsetAt: OffsetLookup
}

/** How many milliseconds the wall clock is ahead of UTC at an instant. */
export type OffsetLookup = (at: number) => number

/** Both days inclusive. Days last 23, 24 or 25 hours, or none at all where a zone skipped one. */
export function createCalendar(timeZone: string, from: string, to: string): Calendar {
  const first = Temporal.PlainDate.from(from)
  const count = first.until(to).days + 1
  const dates = Array.from({ length: count + 1 }, (_, index) => first.add({ days: index }))
  return {
    days: dates.slice(0, count).map((date) => date.toString()),
    dayStarts: dates.map((date) => date.toZonedDateTime(timeZone).epochMilliseconds),
    offsetAt: createOffsetLookup(timeZone),
  }
}

export const addDays = (day: string, days: number): string =>
  Temporal.PlainDate.from(day).add({ days }).toString()

export const firstInstantOf = (day: string, timeZone: string): number =>
  Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds

/** The first day that begins no sooner than this. */
export function firstWholeDay(at: number, timeZone: string): string {
  const day = localDay(at, timeZone)
  return firstInstantOf(day, timeZone) < at ? addDays(day, 1) : day
}

const atWallClock = (at: number, timeZone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone)

/** The local days of one minute, by time zone: no zone begins a day within a minute of UTC. */
let localDays = { minute: Number.NaN, byZone: new Map<string, string>() }

/** The day in this time zone at an instant, yyyy-MM-dd. Looking it up is slow, so it is remembered for a minute. */
export function localDay(at: number, timeZone: string): string {
  const minute = Math.floor(at / minuteMs)
  if (localDays.minute !== minute) localDays = { minute, byZone: new Map() }
  const { byZone } = localDays
  const day = byZone.get(timeZone) ?? atWallClock(at, timeZone).toPlainDate().toString()
  byZone.set(timeZone, day)
  return day
}

/** For loops over many instants: remembers the last period between two clock changes. */
export function createOffsetLookup(timeZone: string): OffsetLookup {
  let period = { from: Infinity, until: -Infinity, offset: 0 }
  return (at) => {
    if (at < period.from || at >= period.until) period = offsetPeriod(atWallClock(at, timeZone))
    return period.offset
  }
}

function offsetPeriod(time: Temporal.ZonedDateTime): { from: number; until: number; offset: number } {
  // "Previous" is before the given time: one nanosecond later includes a change at the time itself.
  const previous = time.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')
  const next = time.getTimeZoneTransition('next')
  return {
    from: previous?.epochMilliseconds ?? -Infinity,
    until: next?.epochMilliseconds ?? Infinity,
    offset: time.offsetNanoseconds / 1e6,
  }
}

/** 0 to 23. */
export const localHour = (at: number, offset: number): number =>
  Math.floor((((at + offset) % dayMs) + dayMs) / hourMs) % 24

/** The wall clock with its offset from UTC: 2027-03-28T03:00:00.000+02:00. */
export function formatLocalTime(at: number, offset: number): string {
  const minutes = Math.abs(Math.trunc(offset / minuteMs))
  const pad = (value: number) => String(value).padStart(2, '0')
  const sign = offset < 0 ? '-' : '+'
  const time = new Date(at + offset).toISOString().slice(0, -1)
  return `${time}${sign}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}
