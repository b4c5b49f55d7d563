import { nameKey } from '#contract/primitives.ts'
import { targetMs } from '#contract/requests.ts'
import type { Alarm, Assignment, Fact } from '../storage/analytics.ts'
import type { Calendar } from './calendar.ts'

/** What is stored about some days of one restaurant. */
export type Material = {
  calendar: Calendar
  /** Oldest first. */
  facts: (Fact & { answerer?: string | null })[]
  alarms: Alarm[]
  assignments: Assignment[]
}

/** A request with what can be told of it, worked out once: each is then looked at in many sums. */
export type Told = {
  created: number
  /** Number of its day. */
  day: number
  type: Fact['type']
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
  inTime: boolean | null
}

/** Nobody's: whose tables and answers they are does not matter. */
export type Whose = string | null

/** The requests of these days, or those of them that concern one crew member. */
export function toldOf({ calendar, facts, assignments }: Material, whose: Whose, now: number): Told[] {
  const crewOf = crewByDay(calendar, assignments)
  const keyOf = keys()
  const told: Told[] = []
  let day = 0
  for (const fact of facts) {
    while (fact.created >= (calendar.starts[day + 1] ?? Infinity)) day++
    const table = keyOf(fact.table)
    const crewMemberId = crewOf[day]?.get(table)
    if (whose === null || crewMemberId === whose || fact.answerer === whose)
      told.push(toTold(fact, day, table, crewMemberId, now))
  }
  return told
}

function toTold(
  { created, type, table: tableNumber, asks, seen, accepted, closed, outcome }: Fact,
  day: number,
  table: string,
  crewMemberId: string | undefined,
  now: number,
): Told {
  const completed = outcome === 'completed' ? closed : null
  const response = accepted ?? completed
  const target = targetMs[type]
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
    inTime: response === null ? (waitedLonger ? false : null) : response <= target,
  }
}

function crewByDay({ days }: Calendar, assignments: Assignment[]): Map<string, string>[] {
  const byDay = new Map(days.map((day): [string, Map<string, string>] => [day, new Map()]))
  for (const { date, tableKey, crewMemberId } of assignments) byDay.get(date)?.set(tableKey, crewMemberId)
  return [...byDay.values()]
}

/** Tables are few, requests many. */
function keys(): (table: string) => string {
  const known = new Map<string, string>()
  return (table) => {
    const key = known.get(table)
    if (key !== undefined) return key
    const made = nameKey(table)
    known.set(table, made)
    return made
  }
}

export function alarmsOf({ calendar, alarms, assignments }: Material, whose: Whose): Alarm[] {
  if (whose === null) return alarms
  const crewOf = crewByDay(calendar, assignments)
  return alarms.filter(({ created, table, answerer }) => {
    const day = calendar.starts.findLastIndex((start) => start <= created)
    return answerer === whose || crewOf[day]?.get(nameKey(table)) === whose
  })
}

export type Time = 'response' | 'unseen' | 'accepted' | 'completed'

export function timesOf(told: Told[], time: Time): number[] {
  const times: number[] = []
  for (const one of told) {
    const ms = one[time]
    if (ms !== null) times.push(ms)
  }
  return times
}

export const responsesOf = (told: Told[]): number[] => timesOf(told, 'response')
