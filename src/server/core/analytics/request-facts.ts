import { nameKey } from '#contract/primitives.ts'
import { targetResponseMs } from '#contract/requests.ts'
import type { Escalation, Assignment, RequestRecord } from '../../storage/analytics.ts'
import type { Calendar } from '../dates.ts'

/** What is stored about some days of one restaurant. */
export type AnalyticsData = {
  calendar: Calendar
  /** Oldest first. */
  facts: (RequestRecord & { answerer?: string | null })[]
  alarms: Escalation[]
  assignments: Assignment[]
}

/** A request with what can be told of it, worked out once: each is then looked at in many sums. */
export type RequestFact = {
  created: number
  /** Number of its day. */
  day: number
  type: RequestRecord['type']
  tableNumber: string
  table: string
  crewMemberId: string | undefined
  asks: number
  cancelled: boolean
  /** All from its creation on. */
  response: number | null
  unseen: number | null
  accepted: number | null
  completed: number | null
  /** Completed or cancelled. */
  closed: number | null
  /** Null while it can still be answered in time, and where the guest did not wait so long. */
  withinTarget: boolean | null
}

/** Nobody's: whose tables and answers they are does not matter. */
export type Scope = string | null

/** The requests of these days, or those of them that concern one crew member. */
export function toRequestFacts(
  { calendar, facts, assignments }: AnalyticsData,
  scope: Scope,
  now: number,
): RequestFact[] {
  const crewOf = crewByDay(calendar, assignments)
  const keyOf = createNameKeyCache()
  const result: RequestFact[] = []
  let day = 0
  for (const record of facts) {
    while (record.created >= (calendar.dayStarts[day + 1] ?? Infinity)) day++
    const table = keyOf(record.table)
    const crewMemberId = crewOf[day]?.get(table)
    if (scope === null || crewMemberId === scope || record.answerer === scope)
      result.push(toRequestFact(record, day, table, crewMemberId, now))
  }
  return result
}

function toRequestFact(
  { created, type, table: tableNumber, asks, seen, accepted, closed, outcome }: RequestRecord,
  day: number,
  table: string,
  crewMemberId: string | undefined,
  now: number,
): RequestFact {
  const completed = outcome === 'completed' ? closed : null
  const response = accepted ?? completed
  const target = targetResponseMs[type]
  const waitedLonger = (closed ?? now - created) > target
  return {
    created,
    day,
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
    withinTarget: response === null ? (waitedLonger ? false : null) : response <= target,
  }
}

function crewByDay({ days }: Calendar, assignments: Assignment[]): Map<string, string>[] {
  const byDay = new Map(days.map((day): [string, Map<string, string>] => [day, new Map()]))
  for (const { date, tableKey, crewMemberId } of assignments) byDay.get(date)?.set(tableKey, crewMemberId)
  return [...byDay.values()]
}

/** Tables are few, requests many. */
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
  { calendar, alarms, assignments }: AnalyticsData,
  scope: Scope,
): Escalation[] {
  if (scope === null) return alarms
  const crewOf = crewByDay(calendar, assignments)
  return alarms.filter(({ created, table, answerer }) => {
    const day = calendar.dayStarts.findLastIndex((start) => start <= created)
    return answerer === scope || crewOf[day]?.get(nameKey(table)) === scope
  })
}

export type DurationKind = 'response' | 'unseen' | 'accepted' | 'completed'

export function durationsOf(facts: RequestFact[], time: DurationKind): number[] {
  const durations: number[] = []
  for (const one of facts) {
    const ms = one[time]
    if (ms !== null) durations.push(ms)
  }
  return durations
}

export const responseTimes = (facts: RequestFact[]): number[] => durationsOf(facts, 'response')
