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

/** An hour of this day and of the same day a week later; each guest waits a little longer than the one before. */
const evening = (day: string, hour: number, count: number, wait: number, step = 1) =>
  [0, 1].flatMap((weeks) =>
    ask(
      Temporal.PlainDate.from(day).add({ weeks }).toString(),
      hour,
      times(count, (i) => wait + i * step),
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

  it.each([
    ['first', 240, 180, 3],
    ['last', 180, 240, 4],
  ])('is the slower of two, also if it comes %s in the week', (_, thursday, friday, weekday) => {
    const slow = [...evening('2027-03-04', 19, 12, thursday), ...evening('2027-03-05', 19, 12, friday)]
    expect(paceOf([...calm, ...slow])?.slowest).toMatchObject({ weekday, answered: 24 })
  })

  it('is the one about which more is known, of two that are as slow', () => {
    const slow = [...evening('2027-03-04', 19, 6, 180, 0), ...evening('2027-03-05', 19, 8, 180, 0)]
    expect(paceOf([...calm, ...slow])?.slowest).toMatchObject({ weekday: 4, answered: 16 })
  })

  it('is not named while guests wait as long as usual, however many are asked', () => {
    expect(paceOf([...calm, ...evening('2027-03-05', 19, 50, 20, 1)])).toMatchObject({ slowest: null })
  })

  it('is not named when chance makes one of so many as slow', () => {
    // Nine of ten are longer: alone that would be rare enough.
    const slow = ['2027-03-05', '2027-03-12'].flatMap((day, week) =>
      ask(day, 19, [week * 60 + 30, 60, 60, 60, 60]),
    )
    expect(paceOf([...calm, ...slow])).toMatchObject({ slowest: null })
  })

  it('does not reach into the next day', () => {
    const late = [...evening('2027-03-05', 23, 4, 180), ...evening('2027-03-06', 0, 4, 180)]
    expect(paceOf([...calm, ...late])).toMatchObject({ slowest: null })
  })

  it('counts only what was answered', () => {
    const asked = evening('2027-03-05', 19, 20, 180)
    const records = asked.map((record, index) => (index % 5 === 0 ? record : { ...record, accepted: null }))
    expect(paceOf([...calm, ...records])).toMatchObject({ slowest: null })
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

it('begins the week on Monday, whatever came first', () => {
  const asked = [...ask('2027-03-02', 9, [30]), ...ask('2027-03-08', 12, [30])]
  const facts = toRequestFacts({ calendar, records: asked, escalations: [], assignments: [] }, null, 0)
  expect(groupByWeekHour(facts, calendar).map(({ weekday, hour }) => [weekday, hour])).toEqual([
    [0, 12],
    [1, 9],
  ])
})

it('knows how likely heads are', () => {
  expect(chanceOfAtLeast(0, 0)).toBe(1)
  expect(chanceOfAtLeast(3, 3)).toBeCloseTo(1 / 8)
  expect(chanceOfAtLeast(8, 10)).toBeCloseTo(56 / 1024)
  expect(chanceOfAtLeast(1_000, 2_000)).toBeCloseTo(0.509, 3)
})
