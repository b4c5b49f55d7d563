import { dayMs, hourMs, minuteMs } from '#contract/durations.ts'

const quarterHourMs = 15 * minuteMs

/** A run of local days: when each begins, and what the clock on the wall shows. */
export type Calendar = {
  days: string[]
  /** When each day begins, and when the last one ends: one more than there are days. */
  dayStarts: number[]
  /** Milliseconds that the wall clock is ahead of UTC, for instants of these days. */
  offsetAt(at: number): number
}

/** Both days inclusive. Days have 23, 24 or 25 hours, as the zone has it. */
export function createCalendar(timeZone: string, from: string, to: string): Calendar {
  const firstMidnight = Date.parse(from)
  const count = Math.round((Date.parse(to) - firstMidnight) / dayMs) + 1
  const midnights = Array.from({ length: count + 1 }, (_, index) => firstMidnight + index * dayMs)
  const periods = offsetPeriods(timeZone, firstMidnight - 2 * dayMs, firstMidnight + (count + 2) * dayMs)
  return {
    days: midnights.slice(0, count).map(formatDay),
    dayStarts: midnights.map((midnight) => instantAtWallClock(periods, midnight)),
    offsetAt: (at) => periods.findLast((spell) => spell.from <= at)?.offset ?? periods[0]?.offset ?? 0,
  }
}

/** So many days after this one, or before it. */
export const addDays = (day: string, days: number): string => formatDay(Date.parse(day) + days * dayMs)

const formatDay = (midnight: number): string => new Date(midnight).toISOString().slice(0, 10)

/** How far the wall clock is ahead of UTC at any instant; clocks are changed on full quarters of an hour. */
export function createOffsetLookup(timeZone: string): (at: number) => number {
  const offset = createOffsetReader(timeZone)
  const cache = new Map<number, number>()
  return (at) => {
    const quarter = Math.floor(at / quarterHourMs)
    const offsetMs = cache.get(quarter) ?? offset(quarter * quarterHourMs)
    cache.set(quarter, offsetMs)
    return offsetMs
  }
}

/** 0 to 23. */
export const localHour = (at: number, offset: number): number =>
  Math.floor((((at + offset) % dayMs) + dayMs) / hourMs) % 24

/** As the wall clock shows it, with how far it is from UTC: 2027-03-28T03:00:00.000+02:00. */
export function formatLocalTime(at: number, offset: number): string {
  const minutes = Math.abs(Math.trunc(offset / minuteMs))
  const part = (value: number) => String(value).padStart(2, '0')
  const sign = offset < 0 ? '-' : '+'
  return `${new Date(at + offset).toISOString().slice(0, -1)}${sign}${part(Math.floor(minutes / 60))}:${part(minutes % 60)}`
}

/** From `from` on, until the next spell begins, the wall clock is `offset` ahead of UTC. */
type OffsetPeriod = { from: number; offset: number }

function offsetPeriods(timeZone: string, from: number, to: number): OffsetPeriod[] {
  const offset = createOffsetReader(timeZone)
  const periods: OffsetPeriod[] = [{ from: -Infinity, offset: offset(from) }]
  for (let day = from; day < to; day += dayMs) {
    if (offset(day) === offset(day + dayMs)) continue
    periods.push({ from: findTransition(offset, day, day + dayMs), offset: offset(day + dayMs) })
  }
  return periods
}

/** The instant at which the clocks are changed. */
function findTransition(offset: (at: number) => number, from: number, to: number): number {
  const before = offset(from)
  let [early, late] = [from, to]
  while (late - early > 1000) {
    const middle = Math.floor((early + late) / 2000) * 1000
    if (offset(middle) === before) early = middle
    else late = middle
  }
  return late
}

/** The first instant at which the wall clock shows this or later: where midnight is skipped, the day begins later. */
function instantAtWallClock(periods: OffsetPeriod[], wallClock: number): number {
  const match = periods
    .map((spell, index) => ({
      at: Math.max(spell.from, wallClock - spell.offset),
      before: periods[index + 1]?.from ?? Infinity,
    }))
    .find(({ at, before }) => at < before)
  return match?.at ?? wallClock
}

function createOffsetReader(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (at) => {
    const shown: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {}
    for (const { type, value } of format.formatToParts(at)) shown[type] = Number(value)
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
  }
}
