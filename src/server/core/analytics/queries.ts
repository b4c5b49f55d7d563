import { countDays, type DayRange, type Figures, type Overview } from '#contract/analytics.ts'
import * as analytics from '../../storage/analytics.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as listening from '../../storage/listening.ts'
import { type Calendar, createCalendar, createOffsetLookup, addDays } from '../dates.ts'
import * as csv from './event-csv.ts'
import { computeFigures } from './figures.ts'
import { computeOverview } from './overview.ts'
import type { AnalyticsQuery, QueryOf, AnalyticsContext } from '../ports.ts'
import type { AnalyticsData } from './request-facts.ts'
import { elapsedSpan } from './unattended-time.ts'

export type AnalyticsResult =
  | { kind: 'figures'; figures: Figures }
  | { kind: 'overview'; overview: Overview }
  | { kind: 'events'; bytes: Uint8Array<ArrayBuffer> }

/** How its thread is spoken to, and answers. */
export type WorkerRequest = { id: number; question: AnalyticsQuery }
export type WorkerFailure = { id: number; error: string; outage: boolean }
export type WorkerReply = { id: number; answer: AnalyticsResult } | WorkerFailure

/** `db` reads only, and sees one moment of the database. */
export async function runQuery(db: Db, query: AnalyticsQuery): Promise<AnalyticsResult> {
  switch (query.kind) {
    case 'figures':
      return { kind: 'figures', figures: await queryFigures(db, query) }
    case 'overview':
      return { kind: 'overview', overview: await queryOverview(db, query) }
    case 'events':
      return { kind: 'events', bytes: new TextEncoder().encode(await queryEvents(db, query)) }
  }
}

async function queryFigures(db: Db, { subject, range }: QueryOf<'figures'>): Promise<Figures> {
  const { restaurantId, timeZone, now, whose } = subject
  const { from, to } = range
  const before = { from: addDays(from, -countDays(range)), to: addDays(from, -1) }
  const data = await loadData(db, subject, range)
  const measured = elapsedSpan(data.calendar.dayStarts, subject.createdAt, now)
  const atStart = await listening.findChangeAt(db, restaurantId, measured.from)
  const changes = await listening.listChanges(db, restaurantId, measured)
  return computeFigures(
    { range: { from, to }, before, timeZone, asOf: now, whose },
    data,
    await loadData(db, subject, before),
    { ...measured, changes: [...(atStart ? [atStart] : []), ...changes] },
  )
}

async function loadData(db: Db, subject: AnalyticsContext, range: DayRange): Promise<AnalyticsData> {
  const { restaurantId, timeZone, whose } = subject
  const calendar = createCalendar(timeZone, range.from, range.to)
  const span = toSpan(calendar)
  const listRecords = whose === null ? analytics.listRecords : analytics.listRecordsWithAnswerer
  return {
    calendar,
    facts: await listRecords(db, restaurantId, span),
    alarms: await analytics.listEscalations(db, restaurantId, span),
    assignments: await analytics.listAssignments(db, restaurantId, clampToToday(subject, range)),
  }
}

const toSpan = ({ dayStarts: starts }: Calendar): analytics.Span => ({
  from: starts[0] ?? 0,
  to: starts.at(-1) ?? 0,
})

/** What is planned for days to come is no work done. */
const clampToToday = ({ today }: AnalyticsContext, { from, to }: DayRange): DayRange => ({
  from,
  to: to < today ? to : today,
})

async function queryOverview(db: Db, { subject }: QueryOf<'overview'>): Promise<Overview> {
  const { restaurantId, timeZone, today } = subject
  const week = { from: addDays(today, -7), to: today }
  const calendar = createCalendar(timeZone, week.from, week.to)
  const facts = await analytics.listRecords(db, restaurantId, toSpan(calendar))
  const assignments = await analytics.listAssignments(db, restaurantId, { from: today, to: today })
  const todayOnly = { from: calendar.dayStarts.at(-2) ?? 0, to: calendar.dayStarts.at(-1) ?? 0 }
  const latest = await analytics.listLatest(db, restaurantId, todayOnly, 50)
  return computeOverview(subject, { calendar, facts, assignments }, latest)
}

async function queryEvents(db: Db, { subject, range, day }: QueryOf<'events'>): Promise<string> {
  const { restaurantId, timeZone, whose } = subject
  const clock = createOffsetLookup(timeZone)
  const isFirst = day === range.from
  const ofDay = await analytics.listAssignments(
    db,
    restaurantId,
    clampToToday(subject, { from: day, to: day }),
  )
  const assignments = ofDay.filter(({ crewMemberId }) => whose === null || crewMemberId === whose)
  const tables = new Set(assignments.map(({ tableKey }) => tableKey))
  const span = toSpan(createCalendar(timeZone, day, day))
  const requests = (await analytics.listRequestsWithEvents(db, restaurantId, span)).filter(
    ({ tableKey, answerer }) => whose === null || answerer === whose || tables.has(tableKey),
  )
  return [
    isFirst ? csv.csvHeader() : '',
    whose === null ? await queryListening(db, clock, subject, range, day) : '',
    csv.assignmentLines(assignments),
    csv.eventLines(clock, requests, whose),
  ].join('')
}

async function queryListening(
  db: Db,
  clock: (at: number) => number,
  { restaurantId, timeZone, createdAt, now }: AnalyticsContext,
  range: DayRange,
  day: string,
): Promise<string> {
  const startOf = (day: string) => createCalendar(timeZone, day, day).dayStarts[0] ?? 0
  const measured = elapsedSpan([startOf(range.from), startOf(addDays(range.to, 1))], createdAt, now)
  const changes = await listening.listChanges(db, restaurantId, {
    from: Math.max(startOf(day), measured.from + 1),
    to: Math.min(startOf(addDays(day, 1)), measured.to),
  })
  const start = day === range.from ? csv.rangeLines(clock, measured, await atStart()) : ''
  return start + csv.listeningLines(clock, changes)

  function atStart(): Promise<listening.ListeningChange | undefined> {
    return listening.findChangeAt(db, restaurantId, measured.from)
  }
}
