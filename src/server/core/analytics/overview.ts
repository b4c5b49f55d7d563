import { changeInPercent, type Overview } from '#contract/analytics.ts'
import type { RequestRow } from '../../storage/analytics/analytics.ts'
import { toAskedNeed } from '../../storage/requests/asked-need.ts'
import { compareNames } from '../collation.ts'
import { countWithinTarget } from './figures.ts'
import { mean, summarizeDurations } from './percentiles.ts'
import { type AnalyticsData, type RequestFact, responseTimes, toRequestFacts } from './request-facts.ts'

const comparisonDays = 7

/** `week` is today and the seven days before it; those are compared if the restaurant had guests already. */
export function computeOverview(
  { timeZone, now, isComparable }: { timeZone: string; now: number; isComparable: boolean },
  week: Omit<AnalyticsData, 'escalations'>,
  latest: RequestRow[],
): Overview {
  const facts = toRequestFacts({ ...week, escalations: [] }, null, now)
  const day = week.calendar.days.at(-1) ?? ''
  const isToday = ({ dayIndex }: RequestFact) => dayIndex === comparisonDays
  const today = facts.filter(isToday)
  const before = facts.filter((fact) => !isToday(fact))
  const [response, usual] = [mean(responseTimes(today)), mean(responseTimes(before))]
  const changeOf = (value: number | null, usually: number | null): number | null =>
    isComparable ? changeInPercent(value, usually) : null
  const active = week.assignments.filter(({ date }) => date === day)
  return {
    day,
    timeZone,
    requestsToday: today.length,
    completedToday: today.filter(({ completed }) => completed !== null).length,
    openToday: today.filter(({ closed }) => closed === null).length,
    askedAgainToday: today.filter(({ asks }) => asks > 1).length,
    requestsChange: changeOf(today.length, before.length / comparisonDays),
    averageResponseMs: response === null ? null : Math.round(response),
    medianResponseMs: summarizeDurations(responseTimes(today))?.medianMs ?? null,
    withinTarget: countWithinTarget(today),
    responseChange: changeOf(response, usual),
    activeTables: active.length,
    tables: active
      .map(({ table, tableKey, crewMemberId, name }) => ({
        tableNumber: table,
        crewMember: { id: crewMemberId, name },
        requests: today.filter((fact) => fact.table === tableKey).length,
      }))
      .toSorted((a, b) => compareNames(a.tableNumber, b.tableNumber)),
    latest: latest.map(toLatest),
  }
}

function toLatest(row: RequestRow): Overview['latest'][number] {
  const { createdAt: created, acceptedAt, answeredAt, closedAt, closedAs } = row
  const answered = answeredAt ?? (closedAs === 'completed' ? closedAt : null)
  return {
    id: row.id,
    tableNumber: row.tableNumber,
    ...toAskedNeed(row),
    timestamp: created,
    state:
      closedAs === null || closedAs === 'merged' ? (acceptedAt === null ? 'waiting' : 'accepted') : closedAs,
    asks: row.asks,
    responseMs: answered === null ? null : answered - created,
  }
}
