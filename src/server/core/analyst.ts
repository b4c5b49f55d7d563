import { daysOf, type DayRange, type Figures, type Overview } from '#contract/analytics.ts'
import * as analytics from '../storage/analytics.ts'
import type { Db } from '../storage/types.ts'
import { type Calendar, calendarOf, clockOf, dayAfter } from './calendar.ts'
import * as csv from './event-csv.ts'
import { figuresOf } from './figures.ts'
import { overviewOf } from './overview.ts'
import type { Question, QuestionOf, Subject } from './ports.ts'
import type { Material } from './told-requests.ts'
import { measuredSpan } from './unheard.ts'

export type Answer =
  | { kind: 'figures'; figures: Figures }
  | { kind: 'overview'; overview: Overview }
  | { kind: 'events'; bytes: Uint8Array<ArrayBuffer> }

/** How its thread is spoken to, and answers. */
export type Asked = { id: number; question: Question }
export type Failure = { id: number; error: string; outage: boolean }
export type Reply = { id: number; answer: Answer } | Failure

/** `db` reads only, and sees one moment of the database. */
export async function answer(db: Db, question: Question): Promise<Answer> {
  switch (question.kind) {
    case 'figures':
      return { kind: 'figures', figures: await figures(db, question) }
    case 'overview':
      return { kind: 'overview', overview: await overview(db, question) }
    case 'events':
      return { kind: 'events', bytes: new TextEncoder().encode(await events(db, question)) }
  }
}

async function figures(db: Db, { subject, range }: QuestionOf<'figures'>): Promise<Figures> {
  const { restaurantId, timeZone, now, whose } = subject
  const { from, to } = range
  const before = { from: dayAfter(from, -daysOf(range)), to: dayAfter(from, -1) }
  const material = await materialOf(db, subject, range)
  const measured = measuredSpan(material.calendar.starts, subject.createdAt, now)
  const atStart = await analytics.listeningAt(db, restaurantId, measured.from)
  const changes = await analytics.listening(db, restaurantId, measured)
  return figuresOf(
    { range: { from, to }, before, timeZone, asOf: now, whose },
    material,
    await materialOf(db, subject, before),
    { ...measured, changes: [...(atStart ? [atStart] : []), ...changes] },
  )
}

async function materialOf(db: Db, subject: Subject, range: DayRange): Promise<Material> {
  const { restaurantId, timeZone, whose } = subject
  const calendar = calendarOf(timeZone, range.from, range.to)
  const span = spanOf(calendar)
  const read = whose === null ? analytics.facts : analytics.signedFacts
  return {
    calendar,
    facts: await read(db, restaurantId, span),
    alarms: await analytics.alarms(db, restaurantId, span),
    assignments: await analytics.assignments(db, restaurantId, untilToday(subject, range)),
  }
}

const spanOf = ({ starts }: Calendar): analytics.Span => ({ from: starts[0] ?? 0, to: starts.at(-1) ?? 0 })

/** What is planned for days to come is no work done. */
const untilToday = ({ today }: Subject, { from, to }: DayRange): DayRange => ({
  from,
  to: to < today ? to : today,
})

async function overview(db: Db, { subject }: QuestionOf<'overview'>): Promise<Overview> {
  const { restaurantId, timeZone, today } = subject
  const week = { from: dayAfter(today, -7), to: today }
  const calendar = calendarOf(timeZone, week.from, week.to)
  const facts = await analytics.facts(db, restaurantId, spanOf(calendar))
  const assignments = await analytics.assignments(db, restaurantId, { from: today, to: today })
  const todayOnly = { from: calendar.starts.at(-2) ?? 0, to: calendar.starts.at(-1) ?? 0 }
  const latest = await analytics.latest(db, restaurantId, todayOnly, 50)
  return overviewOf(subject, { calendar, facts, assignments }, latest)
}

async function events(db: Db, { subject, range, day }: QuestionOf<'events'>): Promise<string> {
  const { restaurantId, timeZone, whose } = subject
  const clock = clockOf(timeZone)
  const isFirst = day === range.from
  const ofDay = await analytics.assignments(db, restaurantId, untilToday(subject, { from: day, to: day }))
  const assignments = ofDay.filter(({ crewMemberId }) => whose === null || crewMemberId === whose)
  const tables = new Set(assignments.map(({ tableKey }) => tableKey))
  const span = spanOf(calendarOf(timeZone, day, day))
  const requests = (await analytics.events(db, restaurantId, span)).filter(
    ({ tableKey, answerer }) => whose === null || answerer === whose || tables.has(tableKey),
  )
  return [
    isFirst ? csv.head() : '',
    whose === null ? await listening(db, clock, subject, range, day) : '',
    csv.assignmentLines(assignments),
    csv.eventLines(clock, requests, whose),
  ].join('')
}

async function listening(
  db: Db,
  clock: (at: number) => number,
  { restaurantId, timeZone, createdAt, now }: Subject,
  range: DayRange,
  day: string,
): Promise<string> {
  const startOf = (day: string) => calendarOf(timeZone, day, day).starts[0] ?? 0
  const measured = measuredSpan([startOf(range.from), startOf(dayAfter(range.to, 1))], createdAt, now)
  const changes = await analytics.listening(db, restaurantId, {
    from: Math.max(startOf(day), measured.from + 1),
    to: Math.min(startOf(dayAfter(day, 1)), measured.to),
  })
  const start = day === range.from ? csv.rangeLines(clock, measured, await atStart()) : ''
  return start + csv.listeningLines(clock, changes)

  function atStart(): Promise<analytics.ListeningChange | undefined> {
    return analytics.listeningAt(db, restaurantId, measured.from)
  }
}
