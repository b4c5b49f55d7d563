import { describe, expect, it } from 'vitest'
import { dayMs, minuteMs, secondMs } from '#contract/durations.ts'
import type { ToldRecord } from '../../storage/analytics/analytics.ts'
import { computeExpectedTimes } from './expected-times.ts'

const start = Date.UTC(2027, 0, 1)

/** One request after another, each completed before the next. */
const alone = (durations: readonly number[], fields: Partial<ToldRecord> = {}): ToldRecord[] =>
  durations.map((closed, index) => ({
    created: start + index * dayMs,
    type: 'food',
    closed,
    outcome: 'completed',
    expectedUntilMs: null,
    ...fields,
  }))

const spread = (count: number, from: number, to: number): number[] =>
  Array.from({ length: count }, (_, index) => from + (((index * 37) % count) * (to - from)) / count)

const groupsOf = (records: readonly ToldRecord[]) => computeExpectedTimes(records, start).similar
const rangeOf = (records: readonly ToldRecord[]) => groupsOf(records)[0]?.expected

describe('what guests are told to expect', () => {
  it('is nothing before 200 similar requests were completed', () => {
    const records = alone(spread(200, 2 * minuteMs, 5 * minuteMs))
    expect(groupsOf(records.slice(1))).toEqual([
      { serviceType: 'food', others: { from: 0, to: 1 }, requests: 199, expected: null },
    ])
    expect(groupsOf(records)).toEqual([
      {
        serviceType: 'food',
        others: { from: 0, to: 1 },
        requests: 200,
        expected: { fromMs: 2 * minuteMs, untilMs: 5 * minuteMs },
      },
    ])
  })

  it('holds for four in five of the last 200, however they are spread', () => {
    for (const [from, to] of [
      [0, 30 * secondMs],
      [20 * secondMs, 9 * minuteMs],
      [12 * minuteMs, 50 * minuteMs],
    ] as const) {
      const durations = spread(200, from, to)
      const range = rangeOf(alone(durations)) ?? { fromMs: NaN, untilMs: NaN }
      const held = durations.filter((ms) => ms >= range.fromMs && ms <= range.untilMs)
      expect(held.length).toBeGreaterThanOrEqual(160)
    }
  })

  it('forgets what is older than the last 200', () => {
    const slow = spread(200, 20 * minuteMs, 30 * minuteMs)
    const fast = spread(200, 2 * minuteMs, 5 * minuteMs)
    expect(rangeOf(alone([...slow, ...fast]))).toEqual({ fromMs: 2 * minuteMs, untilMs: 5 * minuteMs })
  })

  it('must hold for the latest 50 alone, too', () => {
    const usual = spread(180, minuteMs, 4 * minuteMs)
    const slow = spread(20, 15 * minuteMs, 20 * minuteMs)
    expect(rangeOf(alone([...slow, ...usual]))).toEqual({ fromMs: minuteMs, untilMs: 4 * minuteMs })
    expect(rangeOf(alone([...usual, ...slow]))).toEqual({ fromMs: minuteMs, untilMs: 20 * minuteMs })
  })

  it('must hold for the latest 50 where they are quicker, too', () => {
    const usual = spread(180, 3 * minuteMs, 6 * minuteMs)
    const quick = spread(20, 20 * secondMs, 40 * secondMs)
    expect(rangeOf(alone([...quick, ...usual]))).toEqual({ fromMs: 3 * minuteMs, untilMs: 6 * minuteMs })
    expect(rangeOf(alone([...usual, ...quick]))).toEqual({ fromMs: 0, untilMs: 6 * minuteMs })
  })

  it('is never more exact than a minute', () => {
    expect(rangeOf(alone(spread(200, 2 * minuteMs, 2 * minuteMs)))).toEqual({
      fromMs: minuteMs,
      untilMs: 2 * minuteMs,
    })
  })

  it('is about completed requests, not about those that guests took back', () => {
    const records = alone([minuteMs, minuteMs, minuteMs])
    const cancelled = records.map((record) => ({
      ...record,
      created: record.created + dayMs / 2,
      outcome: 'cancelled' as const,
    }))
    expect(groupsOf([...records, ...cancelled].toSorted((a, b) => a.created - b.created))).toMatchObject([
      { requests: 3 },
    ])
  })

  it('counts what nobody has closed yet among the others that are open', () => {
    const open = alone([minuteMs, minuteMs], { type: 'check', closed: null, outcome: null })
    const served = alone([minuteMs]).map((record) => ({ ...record, created: start + 2 * dayMs }))
    expect(groupsOf([...open, ...served])).toEqual([
      { serviceType: 'food', others: { from: 2, to: 4 }, requests: 1, expected: null },
    ])
  })

  it('is nothing where guests give up waiting', () => {
    const served = alone(spread(200, minuteMs, 4 * minuteMs))
    const withCancelled = (after: number) =>
      served.flatMap((record, index): ToldRecord[] => [
        record,
        ...(index % 3 === 0
          ? [{ ...record, created: record.created + dayMs / 2, closed: after, outcome: 'cancelled' as const }]
          : []),
      ])
    expect(rangeOf(withCancelled(30 * minuteMs))).toBeNull()
    expect(rangeOf(withCancelled(10 * secondMs))).toEqual(rangeOf(served))
  })

  it('is nothing beyond an hour', () => {
    expect(rangeOf(alone(spread(200, 55 * minuteMs, 60 * minuteMs)))).toMatchObject({
      untilMs: 60 * minuteMs,
    })
    expect(rangeOf(alone(spread(200, 10 * minuteMs, 90 * minuteMs)))).toBeNull()
  })

  it('depends on the need and on how many others are open', () => {
    const calm = alone(spread(200, minuteMs, 2 * minuteMs))
    const rush = Array.from({ length: 200 }, (_, index) => {
      const created = start + 1000 * dayMs + index * dayMs
      const record = {
        type: 'drinks',
        closed: 8 * minuteMs,
        outcome: 'completed',
        expectedUntilMs: null,
      } as const
      return [0, 1, 2].map((second): ToldRecord => ({ ...record, created: created + second * secondMs }))
    }).flat()
    const groups = groupsOf([...calm, ...rush])
    expect(groups.map(({ serviceType, others, requests }) => [serviceType, others.from, requests])).toEqual([
      ['drinks', 0, 200],
      ['drinks', 2, 200],
      ['food', 0, 200],
    ])
  })
})

it('needs of the restaurant’s own are told apart, by the name that they had last', () => {
  const need = { id: 'water', name: { en: 'Water' } }
  const told = { type: 'other:water', created: start - dayMs, expectedUntilMs: 2 * minuteMs } as const
  const records = [
    ...alone([5 * minuteMs], told),
    ...alone([minuteMs], { type: 'other' }),
    ...alone(spread(200, minuteMs, 2 * minuteMs), { type: 'other:water' }),
  ]
  const { similar, kept } = computeExpectedTimes(
    records,
    start,
    new Map([['other:water', { ...need, calls: 'all' }]]),
  )
  expect(similar).toMatchObject([
    { serviceType: 'other', requests: 1, expected: null },
    { serviceType: 'other', need, requests: 200, expected: { fromMs: minuteMs, untilMs: 2 * minuteMs } },
  ])
  expect(similar[0]).not.toHaveProperty('need')
  expect(kept).toEqual([{ serviceType: 'other', need, told: 1, kept: 0 }])
})

describe('the time that a guest was told', () => {
  const told = (
    closed: number | null,
    outcome: ToldRecord['outcome'],
    created = start - dayMs,
  ): ToldRecord => ({
    created,
    type: 'check',
    closed,
    outcome,
    expectedUntilMs: 3 * minuteMs,
  })
  const keptOf = (...records: ToldRecord[]) => computeExpectedTimes(records, start).kept

  it('was kept if the request was completed by then', () => {
    expect(
      keptOf(
        told(3 * minuteMs, 'completed'),
        told(10 * secondMs, 'completed'),
        told(181 * secondMs, 'completed'),
      ),
    ).toEqual([{ serviceType: 'check', told: 3, kept: 2 }])
  })

  it('was not kept if the guest gave up later, or still waits', () => {
    expect(keptOf(told(4 * minuteMs, 'cancelled'), told(null, null))).toEqual([
      { serviceType: 'check', told: 2, kept: 0 },
    ])
  })

  it('cannot be judged if the request was cancelled in time, or is not late yet', () => {
    expect(keptOf(told(minuteMs, 'cancelled'), told(null, null, start - minuteMs))).toEqual([])
  })

  it('counts for 30 days, and only if the guest was told one', () => {
    expect(keptOf(told(minuteMs, 'completed', start - 30 * dayMs))).toEqual([])
    expect(keptOf({ ...told(minuteMs, 'completed'), expectedUntilMs: null })).toEqual([])
  })
})
