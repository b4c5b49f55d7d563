import {
  countDays,
  type DayRange,
  type ExpectedTimes,
  type Figures,
  type Overview,
} from '#contract/analytics.ts'
import { dayMs } from '#contract/durations.ts'
import { nameKey } from '#contract/primitives.ts'
import type { AnalyticsContext, AnalyticsQuery, QueryOf } from '../../ports/analytics.ts'
import * as analytics from '../../storage/analytics/analytics.ts'
import * as listening from '../../storage/analytics/listening.ts'
import type { QueryDb } from '../../storage/engine/types.ts'
import * as retention from '../../storage/retention.ts'
import {
  addDays,
  type Calendar,
  createCalendar,
  createOffsetLookup,
  firstInstantOf,
  firstWholeDay,
  localDay,
} from '../dates.ts'
import * as csv from './event-csv.ts'
import { computeExpectedTimes } from './expected-times.ts'
import { computeFigures } from './figures.ts'
import { computeOverview } from './overview.ts'
import type { AnalyticsData } from './request-facts.ts'
import { elapsedSpan } from './unattended-time.ts'

export type AnalyticsResult =
  | { kind: 'figures'; figures: Figures }
  | { kind: 'overview'; overview: Overview }
  | { kind: 'expectedTimes'; expectedTimes: ExpectedTimes }
  | { kind: 'events'; bytes: Uint8Array<ArrayBuffer> }

/** The messages to and from the thread that runs queries. */
export type WorkerRequest = { id: number; question: AnalyticsQuery }
export type WorkerFailure = { id: number; error: string; outage: boolean }
export type WorkerReply = { id: number; answer: AnalyticsResult } | WorkerFailure

/** All that an answer is made of is read from one snapshot of the database. */
export const runInSnapshot = (db: QueryDb, query: AnalyticsQuery): Promise<AnalyticsResult> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((snapshot) => runQuery(snapshot, query))

/** `db` must be a read-only snapshot of the database. */
export async function runQuery(db: QueryDb, query: AnalyticsQuery): Promise<AnalyticsResult> {
  switch (query.kind) {
    case 'figures':
      return { kind: 'figures', figures: await queryFigures(db, query) }
    case 'overview':
      return { kind: 'overview', overview: await queryOverview(db, query) }
    case 'expectedTimes':
      return { kind: 'expectedTimes', expectedTimes: await queryExpectedTimes(db, query) }
    case 'events':
      return { kind: 'events', bytes: new TextEncoder().encode(await queryEvents(db, query)) }
  }
}

async function queryFigures(db: QueryDb, { subject, range }: QueryOf<'figures'>): Promise<Figures> {
  const { restaurantId, timeZone, now, scope } = subject
  const { from, to } = range
  const before = { from: addDays(from, -countDays(range)), to: addDays(from, -1) }
  const { removedBefore, keptFrom, firstDay } = await findBeginning(db, subject)
  const data = await loadData(db, subject, range)
  const measured = elapsedSpan(data.calendar.dayStarts, Math.max(subject.createdAt, removedBefore ?? 0), now)
  const atStart = await listening.findChangeAt(db, restaurantId, measured.from)
  const changes = await listening.listChanges(db, restaurantId, measured)
  return computeFigures(
    { range: { from, to }, before, keptFrom, firstDay, timeZone, asOf: now, crewMemberId: scope },
    data,
    isKnown(before, { keptFrom, firstDay }) ? await loadData(db, subject, before) : null,
    { ...measured, changes: [...(atStart ? [atStart] : []), ...changes] },
  )
}

type Beginning = Pick<Figures, 'keptFrom' | 'firstDay'>

/** The first day of which all requests are kept, or that of the very first request. */
async function findBeginning(
  db: QueryDb,
  { restaurantId, timeZone }: AnalyticsContext,
): Promise<Beginning & { removedBefore: number | null }> {
  const removedBefore = await findRemovedBefore(db, restaurantId)
  if (removedBefore !== null)
    return { removedBefore, keptFrom: firstWholeDay(removedBefore, timeZone), firstDay: null }
  const at = await analytics.findFirstCreatedAt(db, restaurantId)
  return { removedBefore, keptFrom: null, firstDay: at === null ? null : localDay(at, timeZone) }
}

/** Days of which some were before the beginning are nothing to compare with. */
const isKnown = ({ from }: DayRange, { keptFrom, firstDay }: Beginning): boolean =>
  from >= (keptFrom ?? firstDay ?? from)

const findRemovedBefore = async (db: QueryDb, restaurantId: string): Promise<number | null> =>
  (await retention.find(db, restaurantId))?.requestsRemovedBefore ?? null

async function loadData(db: QueryDb, subject: AnalyticsContext, range: DayRange): Promise<AnalyticsData> {
  const { restaurantId, timeZone, scope } = subject
  const calendar = createCalendar(timeZone, range.from, range.to)
  const span = toSpan(calendar)
  const listRecords = scope === null ? analytics.listRecords : analytics.listRecordsWithAnswerer
  const records = await listRecords(db, restaurantId, span)
  const ownNeeds = await analytics.findOwnNeeds(db, restaurantId, span, records)
  return {
    calendar,
    records: await analytics.withOwnTargets(db, restaurantId, span, records, ownNeeds),
    ownNeeds,
    escalations: await analytics.listEscalations(db, restaurantId, span),
    assignments: await analytics.listAssignments(db, restaurantId, clampToToday(subject, range)),
  }
}

const toSpan = ({ dayStarts: starts }: Calendar): analytics.Span => ({
  from: starts[0] ?? 0,
  to: starts.at(-1) ?? 0,
})

/** Assignments for future days are plans, not work that was done. */
const clampToToday = ({ today }: AnalyticsContext, { from, to }: DayRange): DayRange => ({
  from,
  to: to < today ? to : today,
})

async function queryOverview(db: QueryDb, { subject }: QueryOf<'overview'>): Promise<Overview> {
  const { restaurantId, timeZone, today } = subject
  const week = { from: addDays(today, -7), to: today }
  const calendar = createCalendar(timeZone, week.from, week.to)
  const span = toSpan(calendar)
  const stored = await analytics.listRecords(db, restaurantId, span)
  const ownNeeds = await analytics.findOwnNeeds(db, restaurantId, span, stored)
  const records = await analytics.withOwnTargets(db, restaurantId, span, stored, ownNeeds)
  const assignments = await analytics.listAssignments(db, restaurantId, { from: today, to: today })
  const todayOnly = { from: calendar.dayStarts.at(-2) ?? 0, to: calendar.dayStarts.at(-1) ?? 0 }
  const latest = await analytics.listLatest(db, restaurantId, todayOnly, 50)
  const isComparable = isKnown(week, await findBeginning(db, subject))
  return computeOverview({ ...subject, isComparable }, { calendar, records, ownNeeds, assignments }, latest)
}

/** Enough for two hundred of each kind, and recent enough to be about the restaurant as it is. */
const latestRecords = { count: 10_000, days: 56 }

async function queryExpectedTimes(
  db: QueryDb,
  { subject: { restaurantId, now } }: QueryOf<'expectedTimes'>,
): Promise<ExpectedTimes> {
  const span = { from: now - latestRecords.days * dayMs, to: now + 1 }
  const latest = await analytics.listLatestRecords(db, restaurantId, span, latestRecords.count)
  const records = latest.toReversed()
  const ownNeeds = await analytics.findOwnNeeds(db, restaurantId, span, records)
  return computeExpectedTimes(records, now, ownNeeds)
}

async function queryEvents(db: QueryDb, { subject, range, day }: QueryOf<'events'>): Promise<string> {
  const { restaurantId, timeZone, scope } = subject
  const offsetAt = createOffsetLookup(timeZone)
  const isFirst = day === range.from
  const allAssignments = await analytics.listAssignments(
    db,
    restaurantId,
    clampToToday(subject, { from: day, to: day }),
  )
  const assignments = allAssignments.filter(({ crewMemberId }) => scope === null || crewMemberId === scope)
  const tables = new Set(assignments.map(({ tableKey }) => tableKey))
  const span = toSpan(createCalendar(timeZone, day, day))
  const requests = (await analytics.listRequestsWithEvents(db, restaurantId, span)).filter(
    ({ table, answerer }) => scope === null || answerer === scope || tables.has(nameKey(table)),
  )
  return [
    isFirst ? csv.eventsHeader() : '',
    scope === null ? await queryListening(db, offsetAt, subject, range, day) : '',
    csv.assignmentLines(assignments),
    csv.eventLines(offsetAt, requests, scope),
  ].join('')
}

async function queryListening(
  db: QueryDb,
  offsetAt: (at: number) => number,
  { restaurantId, timeZone, createdAt, now }: AnalyticsContext,
  range: DayRange,
  day: string,
): Promise<string> {
  const startOf = (day: string) => firstInstantOf(day, timeZone)
  const knownSince = Math.max(createdAt, (await findRemovedBefore(db, restaurantId)) ?? 0)
  const measured = elapsedSpan([startOf(range.from), startOf(addDays(range.to, 1))], knownSince, now)
  const changes = await listening.listChanges(db, restaurantId, {
    from: Math.max(startOf(day), measured.from + 1),
    to: Math.min(startOf(addDays(day, 1)), measured.to),
  })
  const lines = csv.listeningLines(offsetAt, changes)
  if (day !== range.from) return lines
  const atStart = await listening.findChangeAt(db, restaurantId, measured.from)
  return csv.rangeLines(offsetAt, measured, atStart) + lines
}
