import type { Figures, Totals, WithinTarget } from '#contract/analytics.ts'
import { serviceTypes, targetResponseMs } from '#contract/requests.ts'
import type { Escalation } from '../../storage/analytics.ts'
import { localHour } from '../dates.ts'
import { computeSections } from './crew-sections.ts'
import { compareNames } from '../collation.ts'
import { summarizeDurations } from './percentiles.ts'
import {
  escalationsInScope,
  type AnalyticsData,
  responseTimes,
  toRequestFacts,
  type DurationKind,
  durationsOf,
  type RequestFact,
  type Scope,
} from './request-facts.ts'
import { type ListeningHistory, measureUnattendedTime } from './unattended-time.ts'

type FiguresQuery = Pick<Figures, 'range' | 'before' | 'timeZone' | 'asOf'> & { whose: Scope }

export function computeFigures(
  { whose, ...asked }: FiguresQuery,
  data: AnalyticsData,
  before: AnalyticsData,
  measured: ListeningHistory,
): Figures {
  const { calendar, assignments } = data
  const now = asked.asOf
  const facts = toRequestFacts(data, whose, now)
  const hours = groupByIndex(facts, 24, ({ created }) => localHour(created, calendar.offsetAt(created)))
  const days = groupByIndex(facts, calendar.days.length, ({ day }) => day)
  const types = groupByIndex(facts, serviceTypes.length, ({ type }) => serviceTypes.indexOf(type))
  const { sections, unassigned, byLoad } = computeSections(facts, assignments, whose)
  return {
    ...asked,
    scope: whose === null ? 'restaurant' : 'own',
    totals: computeTotals(facts, escalationsInScope(data, whose)),
    previous: computeTotals(toRequestFacts(before, whose, now), escalationsInScope(before, whose)),
    byHour: hours.map((ofHour, hour) => ({ hour, ...summarize(ofHour) })),
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
    byLoad: whose === null ? byLoad : [],
    unheard: whose === null ? measureUnattendedTime(facts, measured) : null,
  }
}

function computeTotals(facts: RequestFact[], escalations: Escalation[]): Totals {
  const requestsWith = (kind: Escalation['kind']) =>
    new Set(escalations.filter((alarm) => alarm.kind === kind).map(({ request }) => request)).size
  const spreadOver = (time: DurationKind) => summarizeDurations(durationsOf(facts, time))
  return {
    requests: facts.length,
    times: {
      response: spreadOver('response'),
      unseen: spreadOver('unseen'),
      accepted: spreadOver('accepted'),
      completed: spreadOver('completed'),
    },
    withinTarget: countWithinTarget(facts),
    repeatedAsks: countRepeats(facts),
    askedAgain: sumBy(facts, ({ asks }) => (asks > 1 ? 1 : 0)),
    cancelled: sumBy(facts, ({ cancelled }) => (cancelled ? 1 : 0)),
    escalated: requestsWith('escalated'),
    stillWaiting: requestsWith('still_waiting'),
  }
}

function countWithinTarget(facts: RequestFact[]): WithinTarget {
  let within = 0
  let of = 0
  for (const { withinTarget: inTime } of facts) {
    if (inTime !== null) of++
    if (inTime === true) within++
  }
  return { within, of }
}

function sumBy(facts: RequestFact[], valueOf: (one: RequestFact) => number): number {
  let total = 0
  for (const one of facts) total += valueOf(one)
  return total
}

const countRepeats = (facts: RequestFact[]): number => sumBy(facts, ({ asks }) => asks - 1)

function groupByTable(facts: RequestFact[]): Figures['byTable'] {
  const tables = new Map<string, RequestFact[]>()
  for (const one of facts) {
    const table = tables.get(one.table)
    if (table) table.push(one)
    else tables.set(one.table, [one])
  }
  return [...tables.values()]
    .map((ofTable) => ({
      tableNumber: ofTable.at(-1)?.tableNumber ?? '',
      ...summarize(ofTable),
      repeatedAsks: countRepeats(ofTable),
      withinTarget: countWithinTarget(ofTable),
    }))
    .toSorted((a, b) => compareNames(a.tableNumber, b.tableNumber))
}

const groupByIndex = (
  facts: RequestFact[],
  count: number,
  groupOf: (one: RequestFact) => number,
): RequestFact[][] => {
  const groups = Array.from({ length: count }, (): RequestFact[] => [])
  for (const one of facts) groups[groupOf(one)]?.push(one)
  return groups
}

const summarize = (facts: RequestFact[]) => ({
  requests: facts.length,
  response: summarizeDurations(responseTimes(facts)),
})
