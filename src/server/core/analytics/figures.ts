import type { Figures, Totals, WithinTarget } from '#contract/analytics.ts'
import { serviceTypes, targetResponseMs } from '#contract/requests.ts'
import type { Escalation } from '../../storage/analytics.ts'
import { compareNames } from '../collation.ts'
import { localHour } from '../dates.ts'
import { computeSections } from './crew-sections.ts'
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

type FiguresQuery = Pick<Figures, 'range' | 'before' | 'timeZone' | 'asOf'> & { crewMemberId: Scope }

export function computeFigures(
  { crewMemberId, ...query }: FiguresQuery,
  data: AnalyticsData,
  before: AnalyticsData,
  measured: ListeningHistory,
): Figures {
  const { calendar, assignments } = data
  const now = query.asOf
  const facts = toRequestFacts(data, crewMemberId, now)
  const hours = groupByIndex(facts, 24, ({ created }) => localHour(created, calendar.offsetAt(created)))
  const days = groupByIndex(facts, calendar.days.length, ({ dayIndex }) => dayIndex)
  const types = groupByIndex(facts, serviceTypes.length, ({ type }) => serviceTypes.indexOf(type))
  const { sections, unassigned, byLoad } = computeSections(facts, assignments, crewMemberId)
  return {
    ...query,
    scope: crewMemberId === null ? 'restaurant' : 'own',
    totals: computeTotals(facts, escalationsInScope(data, crewMemberId)),
    previous: computeTotals(
      toRequestFacts(before, crewMemberId, now),
      escalationsInScope(before, crewMemberId),
    ),
    byHour: hours.map((inHour, hour) => ({ hour, ...summarize(inHour) })),
    byDay: calendar.days.map((day, index) => ({ day, ...summarize(days[index] ?? []) })),
    byType: serviceTypes.map((serviceType, index) => ({
      serviceType,
      ...summarize(types[index] ?? []),
      targetMs: targetResponseMs[serviceType],
      withinTarget: countWithinTarget(types[index] ?? []),
    })),
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

function countWithinTarget(facts: RequestFact[]): WithinTarget {
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
