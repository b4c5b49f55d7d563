import { expect, it } from 'vitest'
import { dayMs, hourMs } from '#contract/durations.ts'
import { targetResponseMs } from '#contract/requests/requests.ts'
import { computePace, groupByWeekHour } from '../../analytics/pace.ts'
import { toRequestFacts } from '../../analytics/request-facts.ts'
import { addDays, createCalendar, localDay } from '../../dates.ts'
import { chooseTimeZone, planHistory } from './demo-history.ts'

const habits = { shares: [3, 2, 2, 3, 2, 2, 2, 1, 1, 1, 2, 2], slowTables: 2 }
const zone = 'Europe/Berlin'
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
const localHour = (at: number): number =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).hour
const weekday = (at: number): number =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).dayOfWeek

/** Every weekday, and every time of the day from its second hour on, also when the clocks change. */
const instants = Array.from({ length: 14 }, (_, day) => {
  const midnight = Temporal.PlainDate.from('2027-03-20').add({ days: day }).toZonedDateTime(zone)
  return midnight.epochMilliseconds + hourMs + ((day * 7) % 22) * hourMs
})

it.each(instants)('the demo’s history has its exact figures at whatever time it is made (%i)', (now) => {
  const plan = planHistory(now, zone, habits)
  const midnight = Temporal.Instant.fromEpochMilliseconds(now)
    .toZonedDateTimeISO(zone)
    .startOfDay().epochMilliseconds
  const week = Temporal.Instant.fromEpochMilliseconds(midnight)
    .toZonedDateTimeISO(zone)
    .subtract({ days: 7 }).epochMilliseconds
  const today = plan.filter(({ createdAt }) => createdAt >= midnight)
  const before = plan.filter(({ createdAt }) => createdAt >= week && createdAt < midnight)
  expect([today.length, before.length]).toEqual([24, 150])
  expect(mean(today.map(({ responseMs }) => responseMs))).toBe(150_000)
  expect(mean(before.map(({ responseMs }) => responseMs))).toBe(163_000)
  for (const { createdAt, seenMs, responseMs, completedMs } of plan) {
    expect([0 < seenMs, seenMs < responseMs, responseMs < completedMs]).toEqual([true, true, true])
    expect(createdAt + completedMs).toBeLessThan(now)
  }
})

it('lets no table ask while something else of it is open, so that nothing merges', () => {
  for (const now of instants) {
    const plan = planHistory(now, zone, habits)
    for (const [, own] of Map.groupBy(plan, ({ table }) => table)) {
      const open = own.filter(
        ({ createdAt }, index) =>
          createdAt < (own[index - 1]?.createdAt ?? 0) + (own[index - 1]?.completedMs ?? 0),
      )
      expect(open).toEqual([])
    }
  }
})

it('the demo’s history has the rushes, the days and the slow tables of a restaurant', () => {
  const noon = instants[0] ?? 0
  const past = planHistory(noon, zone, habits).filter(({ createdAt }) => createdAt < noon - dayMs)
  const count = (hours: number[]) =>
    past.filter(({ createdAt }) => hours.includes(localHour(createdAt))).length
  expect(count([12, 13])).toBeGreaterThan(3 * count([15, 16]))
  expect(count([19, 20])).toBeGreaterThan(count([12, 13]))
  const on = (days: number[]) => past.filter(({ createdAt }) => days.includes(weekday(createdAt)))
  expect(on([5, 6]).length).toBeGreaterThan(1.5 * on([1, 2]).length)
  const waits = (list: typeof past) => mean(list.map(({ responseMs }) => responseMs))
  expect(waits(past.filter(({ table }) => table >= 10))).toBeGreaterThan(
    1.2 * waits(past.filter(({ table }) => table < 10)),
  )
  expect(past.some(({ askedAgainMs }) => askedAgainMs !== null)).toBe(true)
})

it('the demo’s history is on the machine’s own clock, or before noon on that of a city where guests have come', () => {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  for (const day of ['2027-01-15', '2027-07-15'])
    for (let hour = 0; hour < 24; hour++) {
      const now = Temporal.PlainDateTime.from(`${day}T00:59`).add({ hours: hour }).toZonedDateTime(own)
      const chosen = chooseTimeZone(now.epochMilliseconds)
      expect(chosen).toMatch(now.hour >= 12 ? new RegExp(`^${own}$`, 'u') : /^(Europe|America|Asia)\/\w+$/u)
      const midnight = now.withTimeZone(chosen).startOfDay().epochMilliseconds
      const hoursOfToday = planHistory(now.epochMilliseconds, chosen, habits)
        .filter(({ createdAt }) => createdAt >= midnight)
        .map(
          ({ createdAt }) =>
            Temporal.Instant.fromEpochMilliseconds(createdAt).toZonedDateTimeISO(chosen).hour,
        )
      expect(hoursOfToday.filter((each) => each < 11)).toEqual([])
    }
})

it('the demo answers about three in four requests within their target, today as in the weeks before, and guests wait longest in the rush', () => {
  const isInTime = ({ responseMs, serviceType }: ReturnType<typeof planHistory>[number]) =>
    responseMs <= targetResponseMs[serviceType]
  for (const now of instants) {
    const plan = planHistory(now, zone, habits)
    const { epochMilliseconds: midnight } = Temporal.Instant.fromEpochMilliseconds(now)
      .toZonedDateTimeISO(zone)
      .startOfDay()
    const [past, today] = [
      plan.filter(({ createdAt }) => createdAt < midnight),
      plan.filter(({ createdAt }) => createdAt >= midnight),
    ]
    for (const list of [past, today]) {
      const share = list.filter(isInTime).length / list.length
      expect(share).toBeGreaterThanOrEqual(0.7)
      expect(share).toBeLessThanOrEqual(0.9)
    }
    const isRush = ({ createdAt }: (typeof plan)[number]) =>
      [5, 6].includes(weekday(createdAt)) && [19, 20].includes(localHour(createdAt))
    const late = past.filter((each) => !isInTime(each))
    expect(late.filter(isRush).length / late.length).toBeGreaterThan(
      (2 * past.filter(isRush).length) / past.length,
    )
  }
})

it.each(instants)('the demo’s slowest time is its rush, at whatever time it is made (%i)', (now) => {
  const today = localDay(now, zone)
  const calendar = createCalendar(zone, addDays(today, -28), addDays(today, -1))
  const usualToday = { shares: [3, 2, 2, 3, 2, 2, 1, 1], slowTables: 2, isUsualToday: true }
  for (const each of [habits, usualToday]) {
    const records = planHistory(now, zone, each)
      .filter(({ createdAt }) => localDay(createdAt, zone) < today)
      .map(({ createdAt, table, serviceType, seenMs, responseMs, completedMs }) => ({
        created: createdAt,
        type: serviceType,
        table: String(table),
        asks: 1,
        seen: seenMs,
        accepted: responseMs,
        closed: completedMs,
        outcome: 'completed' as const,
      }))
    const facts = toRequestFacts({ calendar, records, escalations: [], assignments: [] }, null, now)
    expect(computePace(facts, groupByWeekHour(facts, calendar))?.slowest).toMatchObject({
      weekday: expect.toBeOneOf([4, 5]),
      fromHour: expect.toBeOneOf([18, 19, 20]),
    })
  }
})

it('no guest of the demo’s past comes in the middle of the night', () => {
  for (const now of instants) {
    const past = planHistory(now, zone, habits).filter(({ createdAt }) => createdAt < now - dayMs)
    expect(past.map(({ createdAt }) => localHour(createdAt)).filter((hour) => hour < 11)).toEqual([])
  }
})

it('the guests of a day like any other have come by now at their usual hours, at none before they open', () => {
  const usual = { shares: [3, 2, 2, 3, 2, 2, 1, 1], slowTables: 2, isUsualToday: true }
  const midnight = Temporal.PlainDate.from('2027-03-26').toZonedDateTime(zone)
  const counts = Array.from({ length: 24 }, (_, hour) => {
    const now = midnight.epochMilliseconds + hour * hourMs
    const plan = planHistory(now, zone, usual)
    for (const [, own] of Map.groupBy(plan, ({ table }) => table))
      for (const [index, { createdAt, completedMs }] of own.entries())
        expect(createdAt + completedMs).toBeLessThan(own[index + 1]?.createdAt ?? now)
    const today = plan.filter(({ createdAt }) => createdAt >= midnight.epochMilliseconds)
    expect(today.map(({ createdAt }) => localHour(createdAt)).filter((each) => each < 11)).toEqual([])
    return today.length
  })
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  expect(counts[11]).toBe(0)
  expect(counts[23]).toBeGreaterThan(24)
})
