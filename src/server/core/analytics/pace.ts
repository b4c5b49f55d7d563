import { type Pace, slowTimeRule } from '#contract/analytics.ts'
import { type Calendar, localHour } from '../dates.ts'
import { summarizeDurations } from './percentiles.ts'
import { type RequestFact, responseTimes } from './request-facts.ts'

export type WeekHour = { /** 0 is Monday. */ weekday: number; hour: number; facts: RequestFact[] }

/** Only hours with requests, Monday first. */
export function groupByWeekHour(facts: RequestFact[], { days, offsetAt }: Calendar): WeekHour[] {
  const weekdays = days.map((day) => Temporal.PlainDate.from(day).dayOfWeek - 1)
  const groups = new Map<number, WeekHour>()
  for (const fact of facts) {
    const weekday = weekdays[fact.dayIndex] ?? 0
    const hour = localHour(fact.created, offsetAt(fact.created))
    const key = weekday * 24 + hour
    const group = groups.get(key)
    if (group) group.facts.push(fact)
    else groups.set(key, { weekday, hour, facts: [fact] })
  }
  return [...groups].toSorted(([a], [b]) => a - b).map(([, group]) => group)
}

/** A time of the week is named only if chance alone would name any in fewer than one restaurant of twenty. */
const accepted = 0.05

/** The hours of the week in which guests waited longest, if the difference is more than chance explains. */
export function computePace(facts: RequestFact[], weekHours: WeekHour[]): Pace {
  const usual = summarizeDurations(responseTimes(facts))
  const pairs = pairsOfHours(weekHours)
  if (!usual || pairs.length < slowTimeRule.pairs) return null
  const slow = pairs.filter(({ times }) => {
    const longer = times.filter((ms) => ms > usual.medianMs).length
    const shorter = times.filter((ms) => ms < usual.medianMs).length
    return chanceOfAtLeast(longer, longer + shorter) * pairs.length < accepted
  })
  const [slowest] = slow
    .map(({ weekday, hour, times }) => ({
      weekday,
      fromHour: hour,
      answered: times.length,
      medianMs: summarizeDurations(times)?.medianMs ?? 0,
    }))
    .toSorted((a, b) => b.medianMs - a.medianMs || b.answered - a.answered)
  return { medianMs: usual.medianMs, slowest: slowest ?? null }
}

/** Every two consecutive hours of a day about which enough is known. */
function pairsOfHours(weekHours: WeekHour[]) {
  const byKey = new Map(weekHours.map((each) => [each.weekday * 24 + each.hour, each]))
  return Array.from({ length: 7 * 24 }, (_, key) => key).flatMap((key) => {
    const [weekday, hour] = [Math.floor(key / 24), key % 24]
    if (hour + slowTimeRule.hours > 24) return []
    const hours = Array.from(
      { length: slowTimeRule.hours },
      (_, index) => byKey.get(key + index)?.facts ?? [],
    )
    const answered = hours.flat().filter(({ response }) => response !== null)
    const days = new Set(answered.map(({ dayIndex }) => dayIndex))
    if (answered.length < slowTimeRule.answered || days.size < slowTimeRule.days) return []
    return [{ weekday, hour, times: responseTimes(answered) }]
  })
}

/** The sign test: how likely at least `heads` heads are with that many fair coins. */
export function chanceOfAtLeast(heads: number, coins: number): number {
  let sum = 0
  // The logarithm of the binomial coefficient, so that thousands of coins overflow nothing.
  let logWays = 0
  for (let count = coins; count >= heads; count--) {
    sum += Math.exp(logWays - coins * Math.LN2)
    logWays += Math.log(count) - Math.log(coins - count + 1)
  }
  return sum
}
