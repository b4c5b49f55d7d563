import { dayMs, hourMs, minuteMs, secondMs } from '#contract/durations.ts'
import { keysOf } from '#contract/keys-of.ts'
import type { ServiceType } from '#contract/requests/requests.ts'

/**
 * What happened at the demo restaurant: guests come for lunch and for dinner, most of them on Friday and Saturday
 * evening, and wait longest then and on the patio. Made by the same random numbers every time.
 */
export type PlannedRequest = {
  createdAt: number
  /** By its place in the list of tables. */
  table: number
  serviceType: ServiceType
  seenMs: number
  responseMs: number
  completedMs: number
  /** When its guest asked once more; null if that did not happen. */
  askedAgainMs: number | null
}

/**
 * The machine's own zone; before noon there, that of a city where today's guests have had their lunch: in each of these
 * it is afternoon or evening while it is morning or night in another one.
 */
export function chooseTimeZone(now: number): string {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (dayOf(now, own).hour >= 12) return own
  const cities = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo']
  return cities.find((city) => dayOf(now, city).hour >= 13) ?? own
}

const dayOf = (at: number, timeZone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone)

/** Requests by weekday, Monday first: in the week before last, and in the week that today is compared with. */
const weeks = [
  [13, 15, 17, 20, 27, 30, 21],
  [14, 16, 18, 20, 28, 32, 22],
]
const daysPerWeek = 7
export const historyDays = weeks.length * daysPerWeek
const requestsToday = 24
const [meanBefore, meanToday] = [163 * secondMs, 150 * secondMs]

/** How many guests there are at each hour, on most days and on Fridays and Saturdays. */
const usualHours: Record<number, number> = {
  11: 1,
  12: 5,
  13: 4,
  14: 1,
  16: 0.5,
  17: 1.5,
  18: 4,
  19: 6,
  20: 4.5,
  21: 2,
  22: 0.5,
}
const busyHours: Record<number, number> = { ...usualHours, 18: 6, 19: 12, 20: 11, 21: 5, 22: 1.5 }
const busiest = Math.max(...Object.values(busyHours))
/** Hardly anybody comes then, unless a day has no other hours yet: today has its guests at whatever time it is. */
const otherHours = 0.0001

const isBusyDay = (day: Temporal.ZonedDateTime): boolean => day.dayOfWeek === 5 || day.dayOfWeek === 6

/** How many guests usually come at this hour of this day. */
const busyness = (at: number, timeZone: string): number => {
  const day = dayOf(at, timeZone)
  return (isBusyDay(day) ? busyHours : usualHours)[day.hour] ?? otherHours
}

/** How often guests ask for what, and how much longer or shorter it takes than other things. */
const efforts: Record<ServiceType, { share: number; effort: number }> = {
  general: { share: 5, effort: 0.9 },
  drinks: { share: 6, effort: 1.1 },
  food: { share: 4, effort: 1.2 },
  check: { share: 4, effort: 0.9 },
  assistance: { share: 1, effort: 0.7 },
  other: { share: 1, effort: 1 },
}
const needs = keysOf(efforts).map((serviceType) => ({ serviceType, ...efforts[serviceType] }))

const stepMs = 5 * minuteMs
/** No table asks for anything more in this time, so that its requests stay apart. */
const leastApartMs = 12 * minuteMs
/** How old the newest request is, so that all are completed. */
const newestAgeMs = 15 * minuteMs

/** `shares`: how often each table asks; the last `slowTables` of them are far from the kitchen. */
export function planHistory(
  now: number,
  timeZone: string,
  { shares, slowTables }: { shares: readonly number[]; slowTables: number },
): PlannedRequest[] {
  const random = createRandom(1)
  const today = dayOf(now, timeZone).startOfDay()
  const midnight = today.epochMilliseconds
  const past = weeks.map((counts, week) =>
    Array.from({ length: daysPerWeek }, (_, index) => {
      const day = today.subtract({ days: (weeks.length - week) * daysPerWeek - index })
      const opens = day.epochMilliseconds
      return spread(counts[day.dayOfWeek - 1] ?? 0, opens, opens + dayMs - hourMs)
    }).flat(),
  )
  const newest = now - newestAgeMs
  const current = spread(requestsToday, Math.max(midnight + minuteMs, newest - 10 * hourMs), newest)
  const tables = shares.map((share, index) => ({ share, index, lastAt: Number.NEGATIVE_INFINITY }))
  return [
    ...past.flatMap((times) => withMean(times.map(plan), meanBefore)),
    ...withMean(current.map(plan), meanToday),
  ]

  /** This many times between the two, most of them at hours with most guests. */
  function spread(count: number, from: number, to: number): number[] {
    const steps = Math.ceil((to - from) / stepMs)
    const weights = Array.from({ length: steps }, (_, step) => busyness(from + step * stepMs, timeZone))
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    const times: number[] = []
    let passed = 0
    let next = random()
    for (const [step, weight] of weights.entries()) {
      passed += (weight / total) * count
      for (; next < passed && times.length < count; next = times.length + random())
        times.push(from + Math.floor((step + random()) * stepMs))
    }
    while (times.length < count) times.push(to - 1)
    return times.toSorted((a, b) => a - b).map((at) => Math.min(at, to - 1))
  }

  function plan(createdAt: number): PlannedRequest {
    const table = pick(tables.filter((each) => createdAt - each.lastAt > leastApartMs))
    table.lastAt = createdAt
    const { serviceType, effort } = pick(needs)
    const crowd = busyness(createdAt, timeZone) / busiest
    const distance = table.index >= shares.length - slowTables ? 1.4 : 1
    const responseMs = (50 + 60 * random() + 190 * crowd) * effort * distance * secondMs
    return {
      createdAt,
      table: table.index,
      serviceType,
      seenMs: Math.round((2 + 7 * random()) * secondMs),
      responseMs,
      completedMs: Math.round((40 + 70 * random()) * secondMs),
      askedAgainMs: random() < 0.3 ? 180 * secondMs : null,
    }
  }

  /** Each as often as its share. */
  function pick<Item extends { share: number }>(items: readonly Item[]): Item {
    let rest = random() * items.reduce((sum, { share }) => sum + share, 0)
    const picked = items.find(({ share }) => (rest -= share) < 0) ?? items.at(-1)
    if (!picked) throw new Error('nothing to pick from')
    return picked
  }
}

/** Exactly this mean, each in the same proportion, in whole seconds. */
function withMean(requests: PlannedRequest[], mean: number): PlannedRequest[] {
  const sum = requests.reduce((total, { responseMs }) => total + responseMs, 0)
  const factor = (mean * requests.length) / sum
  const seconds = requests.map(({ responseMs }) => Math.round((responseMs * factor) / secondMs))
  let missing = (mean * requests.length) / secondMs - seconds.reduce((total, value) => total + value, 0)
  return requests.map((request, index) => {
    const correction = Math.sign(missing)
    missing -= correction
    const responseMs = ((seconds[index] ?? 0) + correction) * secondMs
    const { completedMs, askedAgainMs } = request
    return {
      ...request,
      responseMs,
      completedMs: responseMs + completedMs,
      askedAgainMs: askedAgainMs !== null && askedAgainMs < responseMs ? askedAgainMs : null,
    }
  })
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
