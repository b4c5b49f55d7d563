import { describe, expect, it } from 'vitest'
import { createCalendar } from '../dates.ts'
import { chanceOfAtLeast, computePace, groupByWeekHour } from './pace.ts'
import { type AnalyticsData, toRequestFacts } from './request-facts.ts'

const calendar = createCalendar('Europe/Berlin', '2027-03-01', '2027-03-28')
const secondMs = 1000

/** Requests of one hour of a day, one every minute, and after how many seconds they are answered. */
const ask = (day: string, hour: number, waits: readonly number[]): AnalyticsData['records'] =>
  waits.map((wait, minute) => ({
    created: Temporal.PlainDateTime.from(day).with({ hour, minute }).toZonedDateTime('Europe/Berlin')
      .epochMilliseconds,
    type: 'check',
    table: '1',
    asks: 1,
    seen: null,
    accepted: wait * secondMs,
    closed: null,
    outcome: null,
  }))

function paceOf(records: AnalyticsData['records']) {
  const sorted = records.toSorted((a, b) => a.created - b.created)
  const facts = toRequestFacts({ calendar, records: sorted, escalations: [], assignments: [] }, null, 0)
  return computePace(facts, groupByWeekHour(facts, calendar))
}

const times = (count: number, of: (index: number) => number): number[] =>
  Array.from({ length: count }, (_, i) => of(i))
/** Mondays to Wednesdays of two weeks, with waits from 30 to 60 seconds. */
const calmDays = ['2027-03-01', '2027-03-02', '2027-03-03', '2027-03-08', '2027-03-09', '2027-03-10']
const calm = calmDays.flatMap((day) =>
  ask(
    day,
    12,
    times(8, (i) => 30 + i * 4),
  ),
)
const friday = (count: number, wait: number) =>
  ['2027-03-05', '2027-03-12'].flatMap((day) =>
    ask(
      day,
      19,
      times(count, (i) => wait + i),
    ),
  )

describe('the slowest time of the week', () => {
  it('is the pair of hours with the longest median, if chance does not explain it', () => {
    expect(paceOf([...calm, ...friday(6, 180)])).toEqual({
      medianMs: 46_000,
      slowest: { weekday: 4, fromHour: 18, answered: 12, medianMs: 182_000 },
    })
  })

  it('is not named while all times are alike', () => {
    expect(
      paceOf([
        ...calm,
        ...ask(
          '2027-03-05',
          19,
          times(8, (i) => 32 + i * 4),
        ),
        ...ask(
          '2027-03-12',
          19,
          times(8, (i) => 30 + i * 4),
        ),
      ]),
    ).toMatchObject({ slowest: null })
  })

  it.each([
    ['too few were answered', friday(4, 180)],
    [
      'all came on one day',
      ask(
        '2027-03-05',
        19,
        times(20, (i) => 180 + i),
      ),
    ],
  ])('is not named when %s', (_, slow) => {
    expect(paceOf([...calm, ...slow])).toMatchObject({ slowest: null })
  })

  it('is unknown without enough to compare it with', () => {
    expect(paceOf([])).toBeNull()
    expect(paceOf(calm.slice(0, 8))).toBeNull()
  })
})

it('counts the hours of the wall clock when it is put forward', () => {
  const night = ask('2027-03-28', 1, [30]).concat(ask('2027-03-28', 3, [30]))
  const facts = toRequestFacts({ calendar, records: night, escalations: [], assignments: [] }, null, 0)
  expect(groupByWeekHour(facts, calendar).map(({ weekday, hour }) => [weekday, hour])).toEqual([
    [6, 1],
    [6, 3],
  ])
})

it('knows how likely heads are', () => {
  expect(chanceOfAtLeast(0, 0)).toBe(1)
  expect(chanceOfAtLeast(3, 3)).toBeCloseTo(1 / 8)
  expect(chanceOfAtLeast(8, 10)).toBeCloseTo(56 / 1024)
  expect(chanceOfAtLeast(1_000, 2_000)).toBeCloseTo(0.509, 3)
})
