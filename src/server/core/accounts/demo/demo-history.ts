import { dayMs, hourMs, minuteMs, secondMs } from '#contract/durations.ts'
import { keysOf } from '#contract/keys-of.ts'
import { type ServiceType, targetResponseMs } from '#contract/requests/requests.ts'

/**
 * What happened at the demo restaurant: guests come for lunch and for dinner, most of them on Friday and Saturday
 * evening. Most are answered within the target; the others wait for minutes, above all then and on the patio. Made by the
 * same random numbers every time.
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

/** How often guests ask for what. */
const shareOf: Record<ServiceType, number> = {
  general: 5,
  drinks: 6,
  food: 4,
  check: 4,
  assistance: 1,
  other: 1,
}
const needs = keysOf(shareOf).map((serviceType) => ({ serviceType, share: shareOf[serviceType] }))

/** The others are answered within their target. */
const shareLate = 0.27

const stepMs = 5 * minuteMs
/** Then a guest may ask once more. */
const patienceMs = 3 * minuteMs
/** No table asks for anything more in this time, so that its requests stay apart. */
const leastApartMs = 14 * minuteMs
/** How old the newest request is, so that all are completed. */
const newestAgeMs = 15 * minuteMs

type Habits = {
  /** How often each table asks. */
  shares: readonly number[]
  /** So many of the last tables are far from the kitchen. */
  slowTables: number
  /** Today's guests have come at their usual hours until now, instead of the specified number at whatever time it is. */
  isUsualToday?: boolean
}

export function planHistory(
  now: number,
  timeZone: string,
  { shares, slowTables, isUsualToday = false }: Habits,
): PlannedRequest[] {
  const random = createRandom(1)
  const today = dayOf(now, timeZone).startOfDay()
  const midnight = today.epochMilliseconds
  const past = weeks.map((counts, week) =>
    Array.from({ length: daysPerWeek }, (_, index) =>
      guestsOf(today.subtract({ days: (weeks.length - week) * daysPerWeek - index }), counts),
    ).flat(),
  )
  const newest = now - newestAgeMs
  const current = isUsualToday
    ? guestsOf(today, weeks.at(-1)).filter((at) => at <= newest)
    : spread(requestsToday, Math.max(midnight + minuteMs, newest - 10 * hourMs), newest)
  const tables = shares.map((share, index) => ({ share, index, lastAt: Number.NEGATIVE_INFINITY }))
  return [
    ...past.flatMap((times) => answer(times.map(ask), meanBefore)),
    ...answer(current.map(ask), meanToday),
  ]

  /** `counts`: how many come on each weekday. */
  function guestsOf(day: Temporal.ZonedDateTime, counts: readonly number[] = []): number[] {
    const opens = day.epochMilliseconds
    return spread(counts[day.dayOfWeek - 1] ?? 0, opens, opens + dayMs - hourMs)
  }

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

  function ask(createdAt: number): Ask {
    const table = pick(tables.filter((each) => createdAt - each.lastAt > leastApartMs))
    table.lastAt = createdAt
    const { serviceType } = pick(needs)
    const crowd = busyness(createdAt, timeZone) / busiest
    const isFar = table.index >= shares.length - slowTables
    return {
      createdAt,
      table: table.index,
      serviceType,
      seenMs: Math.round((2 + 7 * random()) * secondMs),
      pressure: 0.7 * crowd + (isFar ? 0.3 : 0) + 0.6 * random(),
      luck: random(),
      serviceMs: Math.round((40 + 70 * random()) * secondMs),
      isAskedAgain: random() < 0.3,
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

type Ask = Pick<PlannedRequest, 'createdAt' | 'table' | 'serviceType' | 'seenMs'> & {
  /** How busy those are who would answer it. */
  pressure: number
  /** From 0 to 1. */
  luck: number
  serviceMs: number
  isAskedAgain: boolean
}

/** Those under the most pressure are late, and the later the more pressure; the mean is exact, in whole seconds. */
function answer(asks: Ask[], mean: number): PlannedRequest[] {
  const late = asks.toSorted((a, b) => b.pressure - a.pressure).slice(0, Math.round(shareLate * asks.length))
  const prompt = new Map(
    asks
      .filter((each) => !late.includes(each))
      .map((each) => {
        const share = 0.45 + 0.55 * each.luck
        return [each, Math.floor((targetResponseMs[each.serviceType] * share) / secondMs)]
      }),
  )
  let missing = (mean * asks.length) / secondMs - [...prompt.values()].reduce((sum, value) => sum + value, 0)
  const weights = new Map(late.map((each, rank) => [each, 1.5 - (rank + each.luck) / (late.length + 1)]))
  let weight = [...weights.values()].reduce((sum, value) => sum + value, 0)
  // Each gets its part of what is left, so that nothing is lost by rounding.
  return asks.map((each) => {
    const own = weights.get(each) ?? 0
    const seconds = prompt.get(each) ?? Math.round((missing * own) / weight)
    if (own > 0) {
      missing -= seconds
      weight -= own
    }
    const responseMs = seconds * secondMs
    const { createdAt, table, serviceType, seenMs, serviceMs, isAskedAgain } = each
    return {
      createdAt,
      table,
      serviceType,
      seenMs,
      responseMs,
      completedMs: responseMs + serviceMs,
      askedAgainMs: isAskedAgain && patienceMs < responseMs ? patienceMs : null,
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
