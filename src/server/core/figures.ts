import {
  changeInPercent,
  type Figures,
  leastForAdjusted,
  loads,
  type Overview,
  type Section,
  type Spread,
  type Totals,
  type WithinTarget,
} from '#contract/analytics.ts'
import { nameKey } from '#contract/primitives.ts'
import { serviceTypes, targetMs } from '#contract/requests.ts'
import type { Alarm, Assignment, Fact, ListeningChange, RequestRow, Span } from '../storage/analytics.ts'
import { type Calendar, hourOf } from './calendar.ts'

/** As people count them: "Table 2" before "Table 10". */
const people = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** What is stored about some days of one restaurant. */
export type Material = {
  calendar: Calendar
  /** Oldest first. */
  facts: (Fact & { answerer?: string | null })[]
  alarms: Alarm[]
  assignments: Assignment[]
}

export type Measured = Span & { changes: ListeningChange[] }

/** A request with what can be told of it, worked out once: each is then looked at in many sums. */
type Told = {
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
type Whose = string | null

// ---- spreads

/** `Spread` of the contract says what the percentiles are. */
export function spreadOf(values: number[]): Spread {
  if (values.length === 0) return null
  const sorted = new Float64Array(values).toSorted()
  return {
    count: sorted.length,
    medianMs: nearestRank(sorted, 50),
    p90Ms: nearestRank(sorted, 90),
    p99Ms: nearestRank(sorted, 99),
    meanMs: Math.round(mean(sorted) ?? 0),
  }
}

const nearestRank = (sorted: Float64Array, percent: number): number =>
  sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? 0

function mean(values: ArrayLike<number>): number | null {
  if (values.length === 0) return null
  let sum = 0
  for (let index = 0; index < values.length; index++) sum += values[index] ?? 0
  return sum / values.length
}

type Time = 'response' | 'unseen' | 'accepted' | 'completed'

function timesOf(told: Told[], time: Time): number[] {
  const times: number[] = []
  for (const one of told) {
    const ms = one[time]
    if (ms !== null) times.push(ms)
  }
  return times
}

const responsesOf = (told: Told[]): number[] => timesOf(told, 'response')

// ---- single requests

/** The requests of these days, or those of them that concern one crew member. */
function tell({ calendar, facts, assignments }: Material, whose: Whose, now: number): Told[] {
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

function alarmsOf({ calendar, alarms, assignments }: Material, whose: Whose): Alarm[] {
  if (whose === null) return alarms
  const crewOf = crewByDay(calendar, assignments)
  return alarms.filter(({ created, table, answerer }) => {
    const day = calendar.starts.findLastIndex((start) => start <= created)
    return answerer === whose || crewOf[day]?.get(nameKey(table)) === whose
  })
}

// ---- sums

function withinTargetOf(told: Told[]): WithinTarget {
  let within = 0
  let of = 0
  for (const { inTime } of told) {
    if (inTime !== null) of++
    if (inTime === true) within++
  }
  return { within, of }
}

function sum(told: Told[], of: (one: Told) => number): number {
  let all = 0
  for (const one of told) all += of(one)
  return all
}

const repeatsOf = (told: Told[]): number => sum(told, ({ asks }) => asks - 1)

function totalsOf(told: Told[], alarms: Alarm[]): Totals {
  const requestsWith = (kind: Alarm['kind']) =>
    new Set(alarms.filter((alarm) => alarm.kind === kind).map(({ request }) => request)).size
  const spreadOver = (time: Time) => spreadOf(timesOf(told, time))
  return {
    requests: told.length,
    times: {
      response: spreadOver('response'),
      unseen: spreadOver('unseen'),
      accepted: spreadOver('accepted'),
      completed: spreadOver('completed'),
    },
    withinTarget: withinTargetOf(told),
    repeatedAsks: repeatsOf(told),
    askedAgain: sum(told, ({ asks }) => (asks > 1 ? 1 : 0)),
    cancelled: sum(told, ({ cancelled }) => (cancelled ? 1 : 0)),
    escalated: requestsWith('escalated'),
    stillWaiting: requestsWith('still_waiting'),
  }
}

// ---- groups

const groupsOf = (told: Told[], count: number, groupOf: (one: Told) => number): Told[][] => {
  const groups = Array.from({ length: count }, (): Told[] => [])
  for (const one of told) groups[groupOf(one)]?.push(one)
  return groups
}

const counted = (told: Told[]) => ({ requests: told.length, response: spreadOf(responsesOf(told)) })

function byTable(told: Told[]): Figures['byTable'] {
  const tables = new Map<string, Told[]>()
  for (const one of told) {
    const table = tables.get(one.table)
    if (table) table.push(one)
    else tables.set(one.table, [one])
  }
  return [...tables.values()]
    .map((ofTable) => ({
      tableNumber: ofTable.at(-1)?.tableNumber ?? '',
      ...counted(ofTable),
      repeatedAsks: repeatsOf(ofTable),
      withinTarget: withinTargetOf(ofTable),
    }))
    .toSorted((a, b) => people.compare(a.tableNumber, b.tableNumber))
}

// ---- sections and their load

type SectionWork = Omit<Section, 'adjustedMs'> & {
  /** When the requests that are still open here will be closed, of one day. */
  open: number[]
  day: number
  answered: { response: number; load: number }[]
}

type Load = (typeof loads)[number]

function sectionsOf(told: Told[], assignments: Assignment[], whose: Whose) {
  const sections = new Map<string, SectionWork>()
  for (const { crewMemberId, name } of assignments) {
    if (whose !== null && crewMemberId !== whose) continue
    const known = sections.get(crewMemberId)
    if (known) known.tableDays++
    else sections.set(crewMemberId, emptySection({ id: crewMemberId, name }))
  }
  const byLoad = loads.map((load) => ({ load, requests: 0, responses: new Array<number>() }))
  let unassigned = 0
  for (const one of told) {
    const section = sections.get(one.crewMemberId ?? '')
    if (!section) {
      unassigned++
      continue
    }
    const load = addTo(section, one)
    const equals = byLoad[load - 1]
    if (!equals) continue
    equals.requests++
    if (one.response !== null) equals.responses.push(one.response)
  }
  const usual = byLoad.map(({ responses }) => spreadOf(responses))
  return {
    sections: [...sections.values()]
      .map((section) => toSection(section, whose === null ? usual : []))
      .toSorted((a, b) => people.compare(a.crewMember.name, b.crewMember.name)),
    unassigned,
    byLoad: byLoad.map(({ load, requests }, index) => ({ load, requests, response: usual[index] ?? null })),
  }
}

const emptySection = (crewMember: Section['crewMember']): SectionWork => ({
  crewMember,
  tableDays: 1,
  requests: 0,
  busiest: 0,
  open: [],
  day: -1,
  answered: [],
})

/** Counts a request in its section; tells under which load it came. */
function addTo(section: SectionWork, { created, closed, day, response }: Told): Load {
  const open = section.day === day ? section.open.filter((until) => until > created) : []
  open.push(closed === null ? Infinity : created + closed)
  section.open = open
  section.day = day
  section.requests++
  section.busiest = Math.max(section.busiest, open.length)
  const load = loads[open.length - 1] ?? 4
  if (response !== null) section.answered.push({ response, load })
  return load
}

function toSection(
  { crewMember, tableDays, requests, busiest, answered }: SectionWork,
  usual: Spread[],
): Section {
  const differences = answered.flatMap(({ response, load }) => {
    const median = usual[load - 1]?.medianMs
    return median === undefined ? [] : response - median
  })
  const adjustedMs = differences.length < leastForAdjusted ? null : (spreadOf(differences)?.medianMs ?? null)
  return { crewMember, tableDays, requests, busiest, adjustedMs }
}

// ---- time in which no screen listened

/** The part of the days that is over, since the restaurant was there. */
export function measuredSpan(starts: number[], createdAt: number, now: number): Span {
  const from = Math.max(starts[0] ?? 0, createdAt)
  return { from, to: Math.max(from, Math.min(starts.at(-1) ?? 0, now)) }
}

/** Before the first change nobody ever listened; a change that says the same again changes nothing. */
function silencesOf({ from, to, changes }: Measured): Span[] {
  const silences: Span[] = []
  let silentSince: number | null = from
  for (const { at, listening } of [...changes, { at: to, listening: 1 }]) {
    const when = Math.min(Math.max(at, from), to)
    if (listening === 0) silentSince ??= when
    else {
      if (silentSince !== null && when > silentSince) silences.push({ from: silentSince, to: when })
      silentSince = null
    }
  }
  return silences
}

function unheardOf(told: Told[], measured: Measured): NonNullable<Figures['unheard']> {
  const silences = silencesOf(measured)
  const [atCreation, whileWaiting] = [cursor(silences), cursor(silences)]
  let whileWaitingMs = 0
  let requests = 0
  let coveredUntil = measured.from
  for (const { created, response, closed } of told) {
    if ((silences[atCreation(created)]?.from ?? Infinity) <= created) requests++
    const from = Math.max(created, coveredUntil)
    const to = Math.min(created + (response ?? closed ?? Infinity), measured.to)
    if (to <= from) continue
    whileWaitingMs += overlap(silences, whileWaiting(from), from, to)
    coveredUntil = to
  }
  const ms = silences.reduce((sum, { from, to }) => sum + to - from, 0)
  return { measuredMs: measured.to - measured.from, ms, whileWaitingMs, requests }
}

/** Finds the first span that ends after an instant, for instants that only grow. */
function cursor(spans: Span[]): (at: number) => number {
  let index = 0
  return (at) => {
    while (index < spans.length && (spans[index]?.to ?? 0) <= at) index++
    return index
  }
}

function overlap(spans: Span[], first: number, from: number, to: number): number {
  let sum = 0
  for (let index = first; index < spans.length; index++) {
    const span = spans[index]
    if (!span || span.from >= to) break
    sum += Math.min(span.to, to) - Math.max(span.from, from)
  }
  return sum
}

// ---- the whole

export type Asked = Pick<Figures, 'range' | 'before' | 'timeZone' | 'asOf'> & { whose: Whose }

export function figuresOf(
  { whose, ...asked }: Asked,
  material: Material,
  before: Material,
  measured: Measured,
): Figures {
  const { calendar, assignments } = material
  const now = asked.asOf
  const told = tell(material, whose, now)
  const hours = groupsOf(told, 24, ({ created }) => hourOf(created, calendar.offsetAt(created)))
  const days = groupsOf(told, calendar.days.length, ({ day }) => day)
  const types = groupsOf(told, serviceTypes.length, ({ type }) => serviceTypes.indexOf(type))
  const { sections, unassigned, byLoad } = sectionsOf(told, assignments, whose)
  return {
    ...asked,
    scope: whose === null ? 'restaurant' : 'own',
    totals: totalsOf(told, alarmsOf(material, whose)),
    previous: totalsOf(tell(before, whose, now), alarmsOf(before, whose)),
    byHour: hours.map((ofHour, hour) => ({ hour, ...counted(ofHour) })),
    byDay: calendar.days.map((day, index) => ({ day, ...counted(days[index] ?? []) })),
    byType: serviceTypes.map((serviceType, index) => ({
      serviceType,
      ...counted(types[index] ?? []),
      targetMs: targetMs[serviceType],
      withinTarget: withinTargetOf(types[index] ?? []),
    })),
    byTable: byTable(told),
    sections,
    unassigned,
    byLoad: whose === null ? byLoad : [],
    unheard: whose === null ? unheardOf(told, measured) : null,
  }
}

const daysBefore = 7

/** `week` is today and the seven days before it. */
export function overviewOf(
  { timeZone, now }: { timeZone: string; now: number },
  week: Omit<Material, 'alarms'>,
  latest: RequestRow[],
): Overview {
  const told = tell({ ...week, alarms: [] }, null, now)
  const day = week.calendar.days.at(-1) ?? ''
  const isToday = (one: Told) => one.day === daysBefore
  const today = told.filter(isToday)
  const before = told.filter((one) => !isToday(one))
  const [response, usual] = [mean(responsesOf(today)), mean(responsesOf(before))]
  const active = week.assignments.filter(({ date }) => date === day)
  return {
    day,
    timeZone,
    requestsToday: today.length,
    requestsChange: changeInPercent(today.length, before.length / daysBefore),
    averageResponseMs: response === null ? null : Math.round(response),
    medianResponseMs: spreadOf(responsesOf(today))?.medianMs ?? null,
    responseChange: changeInPercent(response, usual),
    activeTables: active.length,
    tables: active
      .map(({ table, tableKey, crewMemberId, name }) => ({
        tableNumber: table,
        crewMember: { id: crewMemberId, name },
        requests: today.filter((one) => one.table === tableKey).length,
      }))
      .toSorted((a, b) => people.compare(a.tableNumber, b.tableNumber)),
    latest: latest.map(toLatest),
  }
}

function toLatest(row: RequestRow): Overview['latest'][number] {
  const { createdAt: created, acceptedAt, answeredAt, closedAt, closedAs } = row
  const answered = answeredAt ?? (closedAs === 'completed' ? closedAt : null)
  return {
    id: row.id,
    tableNumber: row.tableNumber,
    serviceType: row.serviceType,
    timestamp: created,
    state: closedAs ?? (acceptedAt === null ? 'waiting' : 'accepted'),
    asks: row.asks,
    responseMs: answered === null ? null : answered - created,
  }
}
