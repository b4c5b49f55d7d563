import type { ExpectedTimes, SimilarRequests } from '#contract/analytics.ts'
import { dayMs, minuteMs } from '#contract/durations.ts'
import {
  type ExpectedTime,
  type RequestNeed,
  type ServiceType,
  serviceTypes,
} from '#contract/requests/requests.ts'
import type { OwnNeeds, ToldRecord } from '../../storage/analytics/analytics.ts'
import type { NeedKey } from '../../storage/requests/asked-need.ts'

/** A range is shown only if it held for this share of the last similar requests, and of the latest of them alone. */
const heldShare = 0.8
const similarCount = 200
const latestCount = 50
/** Nobody is helped by a longer one. */
const longestMs = 60 * minuteMs
const promiseDays = 30

/** Requests are similar if they are for the same need, and about as many others were open when they were made. */
export const loadClasses = [
  { from: 0, to: 1 },
  { from: 2, to: 4 },
  { from: 5, to: 9 },
  { from: 10, to: null },
] as const

export const loadClassOf = (others: number) =>
  loadClasses.find(({ to }) => to === null || others <= to) ?? loadClasses[3]

type Outcome = { ms: number; completed: boolean }

/** `records` are the restaurant's latest, oldest first. */
export function computeExpectedTimes(
  records: readonly ToldRecord[],
  now: number,
  ownNeeds: OwnNeeds = new Map(),
): ExpectedTimes {
  const needs = [
    ...serviceTypes.map((serviceType): KeyedNeed => [serviceType, { serviceType }]),
    ...[...ownNeeds].map(([key, { calls: _calls, ...need }]): KeyedNeed => [
      key,
      { serviceType: 'other', need },
    ]),
  ]
  return { similar: groupSimilar(records, needs), kept: countKept(records, now, needs) }
}

/** What requests say of their need, and how an answer names it. */
type KeyedNeed = [NeedKey, { serviceType: ServiceType; need?: RequestNeed }]

function groupSimilar(records: readonly ToldRecord[], needs: readonly KeyedNeed[]): SimilarRequests[] {
  const outcomes = new Map<string, Outcome[]>()
  let closings: number[] = []
  for (const { created, type, closed, outcome } of records) {
    closings = closings.filter((at) => at > created)
    const key = groupKey(type, closings.length)
    closings.push(closed === null ? Infinity : created + closed)
    if (closed === null || outcome === null) continue
    const group = outcomes.get(key) ?? []
    group.push({ ms: closed, completed: outcome === 'completed' })
    outcomes.set(key, group)
  }
  return needs.flatMap(([key, named]) =>
    loadClasses.flatMap((others) => {
      const group = outcomes.get(groupKey(key, others.from)) ?? []
      if (group.length === 0) return []
      const requests = Math.min(similarCount, group.filter(({ completed }) => completed).length)
      return { ...named, others, requests, expected: findRange(group) }
    }),
  )
}

const groupKey = (type: NeedKey, others: number): string => `${type} ${loadClassOf(others).from}`

/** Null where too few similar requests were completed, or no range held often enough. */
function findRange(group: readonly Outcome[]): ExpectedTime | null {
  const sample = takeLatest(group)
  const durations = sample.filter(({ completed }) => completed).map(({ ms }) => ms)
  if (durations.length < similarCount) return null
  const sorted = durations.toSorted((a, b) => a - b)
  for (const cut of [similarCount / 10, similarCount / 20]) {
    const untilMs = roundUp(sorted[similarCount - 1 - cut] ?? Infinity)
    const fromMs = Math.min(roundDown(sorted[cut] ?? 0), untilMs - minuteMs)
    const range = { fromMs, untilMs }
    if (untilMs <= longestMs && holds(range, sample) && holds(range, sample.slice(-latestCount))) return range
  }
  return null
}

/** The last similar requests that were completed, and those that guests cancelled meanwhile. */
function takeLatest(group: readonly Outcome[]): readonly Outcome[] {
  let completed = 0
  const start = group.findLastIndex((outcome) => outcome.completed && ++completed === similarCount)
  return group.slice(Math.max(0, start))
}

/** A guest who cancels later than expected gave up, while an earlier one says nothing about the crew. */
function holds({ fromMs, untilMs }: ExpectedTime, sample: readonly Outcome[]): boolean {
  const judged = sample.filter(({ completed, ms }) => completed || ms > untilMs)
  const held = judged.filter(({ completed, ms }) => completed && ms >= fromMs && ms <= untilMs)
  return held.length >= heldShare * judged.length
}

const stepOf = (ms: number): number => (ms <= 10 * minuteMs ? 1 : 5) * minuteMs
const roundUp = (ms: number): number => Math.max(1, Math.ceil(ms / stepOf(ms))) * stepOf(ms)
const roundDown = (ms: number): number => Math.floor(ms / stepOf(ms)) * stepOf(ms)

/** What guests were told in the last days, without what they cancelled in time and what is not late yet. */
function countKept(
  records: readonly ToldRecord[],
  now: number,
  needs: readonly KeyedNeed[],
): ExpectedTimes['kept'] {
  return needs.flatMap(([key, named]) => {
    const told = records.filter(
      ({ type, created, expectedUntilMs }) =>
        type === key && expectedUntilMs !== null && created > now - promiseDays * dayMs,
    )
    const judged = told.filter(({ outcome, expectedUntilMs, created, closed }) =>
      outcome === 'completed' ? true : (closed ?? now - created) > (expectedUntilMs ?? 0),
    )
    const kept = judged.filter(
      ({ outcome, closed, expectedUntilMs }) =>
        outcome === 'completed' && (closed ?? 0) <= (expectedUntilMs ?? 0),
    )
    return judged.length === 0 ? [] : { ...named, told: judged.length, kept: kept.length }
  })
}
