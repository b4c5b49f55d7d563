import type { Figures, Totals, WithinTarget } from '#contract/analytics.ts'
import { serviceTypes, targetResponseMs } from '#contract/requests/requests.ts'
import type { Escalation, OwnNeeds } from '../../storage/analytics/analytics.ts'
import { compareNames } from '../collation.ts'
import { localHour } from '../dates.ts'
import { computeSections } from './crew-sections.ts'
import { computePace, groupByWeekHour } from './pace.ts'
import { summarizeDurations } from './percentiles.ts'
import {
  type AnalyticsData,
  type DurationKind,
  durationsOf,
  escalationsInScope,
  type RequestFact,
  responseTimes,
  type Scope,
  toRequestFacts,
} from './request-facts.ts'
import { type ListeningHistory, measureUnattendedTime } from './unattended-time.ts'

type FiguresQuery = Pick<Figures, 'range' | 'before' | 'keptFrom' | 'firstDay' | 'timeZone' | 'asOf'> & {
  crewMemberId: Scope
}

export function computeFigures(
  { crewMemberId, ...query }: FiguresQuery,
  data: AnalyticsData,
  before: AnalyticsData | null,
  measured: ListeningHistory,
): Figures {
  const { calendar, assignments } = data
  const now = query.asOf
  const facts = toRequestFacts(data, crewMemberId, now)
  const hours = groupByIndex(facts, 24, ({ created }) => localHour(created, calendar.offsetAt(created)))
  const days = groupByIndex(facts, calendar.days.length, ({ dayIndex }) => dayIndex)
  const types = groupByIndex(facts, serviceTypes.length, ({ type }) =>
    serviceTypes.findIndex((each) => each === type),
  )
  const weekHours = groupByWeekHour(facts, calendar)
  const { sections, unassigned, byLoad } = computeSections(facts, assignments, crewMemberId)
  return {
    ...query,
    scope: crewMemberId === null ? 'restaurant' : 'own',
    totals: computeTotals(facts, escalationsInScope(data, crewMemberId)),
    previous:
      before &&
      computeTotals(toRequestFacts(before, crewMemberId, now), escalationsInScope(before, crewMemberId)),
    byHour: hours.map((inHour, hour) => ({ hour, ...summarize(inHour) })),
    byWeekHour: weekHours.map(({ weekday, hour, facts }) => ({ weekday, hour, ...summarize(facts) })),
    pace: computePace(facts, weekHours),
    byDay: calendar.days.map((day, index) => ({ day, ...summarize(days[index] ?? []) })),
    byType: serviceTypes.map((serviceType, index) => ({
      serviceType,
      ...summarize(types[index] ?? []),
      targetMs: targetResponseMs[serviceType],
      withinTarget: countWithinTarget(types[index] ?? []),
    })),
    ...groupByNeed(facts, data.ownNeeds),
    byTable: groupByTable(facts),
    sections,
    unassigned,
    byLoad: crewMemberId === null ? byLoad : [],
    unheard: crewMemberId === null ? measureUnattendedTime(facts, measured) : null,
  }
}

function computeTotals(facts: RequestFact[], escalations: Escalation[]): Totals {
  const countRequests = (kind: Escalation['kind']) =>
    new Set(escalations.filter((escalation) => escalation.kind === kind).map(({ request }) => request)).size
  const summarizeKind = (kind: DurationKind) => summarizeDurations(durationsOf(facts, kind))
  return {
    requests: facts.length,
    times: {
      response: summarizeKind('response'),
      unseen: summarizeKind('unseen'),
      accepted: summarizeKind('accepted'),
      completed: summarizeKind('completed'),
    },
    withinTarget: countWithinTarget(facts),
    repeatedAsks: countRepeats(facts),
    askedAgain: sumBy(facts, ({ asks }) => (asks > 1 ? 1 : 0)),
    cancelled: sumBy(facts, ({ cancelled }) => (cancelled ? 1 : 0)),
    escalated: countRequests('escalated'),
    stillWaiting: countRequests('still_waiting'),
  }
}

export function countWithinTarget(facts: RequestFact[]): WithinTarget {
  let within = 0
  let of = 0
  for (const { withinTarget } of facts) {
    if (withinTarget !== null) of++
    if (withinTarget === true) within++
  }
  return { within, of }
}

function sumBy(facts: RequestFact[], valueOf: (fact: RequestFact) => number): number {
  let total = 0
  for (const fact of facts) total += valueOf(fact)
  return total
}

const countRepeats = (facts: RequestFact[]): number => sumBy(facts, ({ asks }) => asks - 1)

function groupByNeed(facts: RequestFact[], ownNeeds: OwnNeeds = new Map()): Pick<Figures, 'byNeed'> {
  const groups = [...ownNeeds].map(([key, need]) => ({
    need,
    asked: facts.filter(({ type }) => type === key),
  }))
  const asked = groups.filter((group) => group.asked.length > 0)
  if (asked.length === 0) return {}
  return {
    byNeed: asked
      .map(({ need: { calls: _calls, ...need }, asked }) => ({
        need,
        ...summarize(asked),
        targetMs: need.targetMs ?? targetResponseMs.other,
        withinTarget: countWithinTarget(asked),
      }))
      .toSorted((a, b) => b.requests - a.requests),
  }
}

function groupByTable(facts: RequestFact[]): Figures['byTable'] {
  const tables = new Map<string, RequestFact[]>()
  for (const fact of facts) {
    const atTable = tables.get(fact.table)
    if (atTable) atTable.push(fact)
    else tables.set(fact.table, [fact])
  }
  return [...tables.values()]
    .map((atTable) => ({
      tableNumber: atTable.at(-1)?.tableNumber ?? '',
      ...summarize(atTable),
      repeatedAsks: countRepeats(atTable),
      withinTarget: countWithinTarget(atTable),
    }))
    .toSorted((a, b) => compareNames(a.tableNumber, b.tableNumber))
}

function groupByIndex(
  facts: RequestFact[],
  count: number,
  indexOf: (fact: RequestFact) => number,
): RequestFact[][] {
  const groups = Array.from({ length: count }, (): RequestFact[] => [])
  for (const fact of facts) groups[indexOf(fact)]?.push(fact)
  return groups
}

const summarize = (facts: RequestFact[]) => ({
  requests: facts.length,
  response: summarizeDurations(responseTimes(facts)),
})
