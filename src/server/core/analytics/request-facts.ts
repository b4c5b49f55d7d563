import { nameKey } from '#contract/primitives.ts'
import { targetResponseMs } from '#contract/requests/requests.ts'
import type { Assignment, Escalation, OwnNeeds, RequestRecord } from '../../storage/analytics/analytics.ts'
import { serviceTypeOf } from '../../storage/requests/asked-need.ts'
import type { Calendar } from '../dates.ts'

/** Everything stored about some days of one restaurant. */
export type AnalyticsData = {
  calendar: Calendar
  /** Oldest first. */
  records: (RequestRecord & { answerer?: string | null })[]
  /** By the keys that the records hold; missing if they hold none. */
  ownNeeds?: OwnNeeds
  escalations: Escalation[]
  assignments: Assignment[]
}

/** A request with everything that the figures need, computed once because many figures use it. */
export type RequestFact = {
  created: number
  dayIndex: number
  type: RequestRecord['type']
  tableNumber: string
  table: string
  crewMemberId: string | undefined
  asks: number
  cancelled: boolean
  /** This and the following durations count from the request's creation, in milliseconds. */
  response: number | null
  unseen: number | null
  accepted: number | null
  completed: number | null
  /** Completed or cancelled. */
  closed: number | null
  /** Null while it can still be answered in time, and if it was closed unanswered within its target. */
  withinTarget: boolean | null
}

/** The crew member whose tables and answers count; null for everybody's. */
export type Scope = string | null

export function toRequestFacts(
  { calendar, records, ownNeeds, assignments }: AnalyticsData,
  scope: Scope,
  now: number,
): RequestFact[] {
  const crewOf = crewByDay(calendar, assignments)
  const cachedNameKey = createNameKeyCache()
  const result: RequestFact[] = []
  let dayIndex = 0
  for (const record of records) {
    while (record.created >= (calendar.dayStarts[dayIndex + 1] ?? Infinity)) dayIndex++
    const table = cachedNameKey(record.table)
    const crewMemberId = crewOf[dayIndex]?.get(table)
    if (scope === null || crewMemberId === scope || record.answerer === scope)
      result.push(toRequestFact(record, dayIndex, table, crewMemberId, now, ownNeeds))
  }
  return result
}

function toRequestFact(
  { created, type, table: tableNumber, asks, seen, accepted, closed, outcome, targetMs }: RequestRecord,
  dayIndex: number,
  table: string,
  crewMemberId: string | undefined,
  now: number,
  ownNeeds?: OwnNeeds,
): RequestFact {
  const completed = outcome === 'completed' ? closed : null
  const response = accepted ?? completed
  const target = targetMs ?? ownNeeds?.get(type)?.targetMs ?? targetResponseMs[serviceTypeOf(type)]
  const waitedPastTarget = (closed ?? now - created) > target
  return {
    created,
    dayIndex,
    type,
    tableNumber,
    table,
    crewMemberId,
    asks,
    cancelled: outcome === 'cancelled',
    response,
    unseen: seen,
    accepted,
    completed,
    closed,
    withinTarget: response === null ? (waitedPastTarget ? false : null) : response <= target,
  }
}

function crewByDay({ days }: Calendar, assignments: Assignment[]): Map<string, string>[] {
  const byDay = new Map(days.map((day): [string, Map<string, string>] => [day, new Map()]))
  for (const { date, tableKey, crewMemberId } of assignments) byDay.get(date)?.set(tableKey, crewMemberId)
  return [...byDay.values()]
}

/** Cached, since there are many requests at few tables. */
function createNameKeyCache(): (table: string) => string {
  const cache = new Map<string, string>()
  return (table) => {
    const key = cache.get(table)
    if (key !== undefined) return key
    const nameKeyOfTable = nameKey(table)
    cache.set(table, nameKeyOfTable)
    return nameKeyOfTable
  }
}

export function escalationsInScope(
  { calendar, escalations, assignments }: AnalyticsData,
  scope: Scope,
): Escalation[] {
  if (scope === null) return escalations
  const crewOf = crewByDay(calendar, assignments)
  return escalations.filter(({ created, table, answerer }) => {
    const dayIndex = calendar.dayStarts.findLastIndex((start) => start <= created)
    return answerer === scope || crewOf[dayIndex]?.get(nameKey(table)) === scope
  })
}

export type DurationKind = 'response' | 'unseen' | 'accepted' | 'completed'

export function durationsOf(facts: RequestFact[], kind: DurationKind): number[] {
  const durations: number[] = []
  for (const fact of facts) {
    const ms = fact[kind]
    if (ms !== null) durations.push(ms)
  }
  return durations
}

export const responseTimes = (facts: RequestFact[]): number[] => durationsOf(facts, 'response')
