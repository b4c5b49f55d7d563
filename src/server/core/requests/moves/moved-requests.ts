import { nameKey } from '#contract/primitives.ts'
import { isUniqueViolation } from '../../../storage/engine/errors.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as floor from '../../../storage/floor/floor.ts'
import * as outsideAlerts from '../../../storage/outside/outside-alerts.ts'
import * as requestEvents from '../../../storage/requests/request-events.ts'
import { listNotes, notesAfter } from '../../../storage/requests/request-notes.ts'
import * as transitions from '../../../storage/requests/request-transitions.ts'
import type { Details, RequestPlace, Urgency } from '../../../storage/requests/request-transitions.ts'
import * as requests from '../../../storage/requests/requests.ts'
import { type RequestRow, unansweredSince } from '../../../storage/requests/requests.ts'
import type { Announce, Ctx } from '../../ctx.ts'
import { notFound } from '../../errors.ts'
import { scheduleOutsideAlerts } from '../../outside/schedule.ts'
import { type Tx, write } from '../../transaction.ts'
import { listCrewOnDuty, timeOfLevel } from '../escalation/escalation.ts'
import {
  announceRequest,
  type Attribution,
  guestAttribution,
  recordEvent,
  requestTopics,
} from '../request-events.ts'

/** A table with the crew that looks after it now. `verified`: whether its own code has been scanned. */
export type Table = Omit<RequestPlace, 'movedTo'> & { tableNumber: string }

/** A request as it was before its party moved, for an undo. */
export type MovedRequest = RequestPlace & {
  id: string
  /** The request that it was merged into. */
  into: string | null
  /** When more people were to be called for it. */
  nextLevelAt?: number | null
  /** The urgency of the request it was merged into, before and after. */
  urgency?: { before: Urgency; merged: Urgency }
  /** When those outside were to be alerted for the request it was merged into, before and after. */
  alertDueAt?: { before: number | null; merged: number | null } | null
  choice?: { before: string | null; merged: string | null }
  /** Notes only grow, at their end. Their texts are stored nowhere else. */
  noteLength?: { before: number; merged: number }
}

/** The transaction that moves a party, and who moves it. */
export type MoveTransaction = { ctx: Ctx; tx: Tx; by: Attribution; restaurantId: string }

const maxAttempts = 3

/** Again when a guest at the other table asks for the same at the same moment: then the two are merged. */
export async function writeRetrying(ctx: Ctx, work: (tx: Tx) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(ctx, work)
    } catch (error) {
      if (!isUniqueViolation(error) || attempt === maxAttempts) throw error
    }
  }
}

export async function requireTable(
  db: Db,
  restaurantId: string,
  number: string,
  today: string,
): Promise<Table> {
  const table = await floor.findByNumber(db, restaurantId, number)
  if (!table && (await floor.countTables(db, restaurantId)) > 0) throw notFound(`Table ${number}`)
  return {
    tableId: table?.id ?? null,
    tableKey: nameKey(number),
    tableNumber: table?.tableNumber ?? number,
    verified: 0,
    crew: table ? (await listCrewOnDuty(db, restaurantId, table.id, today)).join(' ') : '',
  }
}

export async function lockOpenAt(db: Db, restaurantId: string, tableKeys: string[]): Promise<RequestRow[]> {
  const listed: RequestRow[] = []
  for (const tableKey of tableKeys) listed.push(...(await requests.listOpen(db, restaurantId, tableKey)))
  const ids = listed.map(({ id }) => id)
  return ids.length === 0 ? [] : transitions.lockOpen(db, restaurantId, ids)
}

/** All that are open at the table, or those of these ids. Returns what they were like. */
export async function moveRequests(
  change: MoveTransaction,
  moveId: string,
  from: string,
  target: Table,
  ids?: ReadonlySet<string>,
): Promise<MovedRequest[]> {
  const open = await lockOpenAt(change.tx.db, change.restaurantId, [from, target.tableKey])
  const atTarget = new Map(
    open.filter(({ tableKey }) => tableKey === target.tableKey).map((row) => [row.serviceType, row]),
  )
  const before: MovedRequest[] = []
  for (const row of open) {
    if (row.tableKey !== from || (ids && !ids.has(row.id))) continue
    const same = atTarget.get(row.serviceType)
    if (same) before.push(...(await mergeRequests(change, moveId, { row, same, target })))
    else before.push(await moveRequest(change, row, target))
  }
  return before
}

async function moveRequest(change: MoveTransaction, row: RequestRow, target: Table): Promise<MovedRequest> {
  await placeRequest(change, row, placeAt(row, target))
  return { id: row.id, into: null, ...placeOf(row), noteLength: unchangedNote(row) }
}

/** Puts a request at a table, and says so. */
export async function placeRequest(
  { ctx, tx, by }: MoveTransaction,
  row: RequestRow,
  place: RequestPlace,
): Promise<RequestRow> {
  const byAccepter = by.actorKind === 'crew' && by.actorId !== null && by.actorId === row.acceptedBy
  const placed = await transitions.changePlace(tx.db, row, place, { byAccepter })
  recordEvent(ctx, tx, by, placed, 'moved')
  announceRequest(tx.announce, placed)
  return placed
}

/** The proof of another table's code says nothing about this one. */
export const placeAt = ({ tableNumber }: RequestRow, target: Table): RequestPlace => ({
  tableId: target.tableId,
  tableKey: target.tableKey,
  movedTo: nameKey(tableNumber) === target.tableKey ? null : target.tableNumber,
  verified: target.verified,
  crew: target.crew,
})

export const placeOf = ({ tableId, tableKey, movedTo, verified, crew }: RequestRow): RequestPlace => ({
  tableId,
  tableKey,
  movedTo,
  verified,
  crew,
})

/**
 * Both tables wait for the same. `open` opens `row` where it is to go on and is not open yet, once the other one is
 * closed.
 */
export type Merger = {
  row: RequestRow
  same: RequestRow
  target: Table
  open?: () => Promise<RequestRow>
}

/** Whichever somebody is on the way for, or else the older one, goes on for both. */
export async function mergeRequests(
  change: MoveTransaction,
  moveId: string,
  { row, same, target, open }: Merger,
): Promise<MovedRequest[]> {
  const { ctx, tx, by, restaurantId } = change
  const goesOn = comesFirst(row, same)
  const given = goesOn ? same : row
  const merged = await transitions.merge(tx.db, given, {
    into: goesOn ? row.id : same.id,
    at: ctx.now(),
    movedTo: given === row ? placeAt(row, target).movedTo : given.movedTo,
  })
  const kept = goesOn ? ((await open?.()) ?? row) : same
  recordEvent(ctx, tx, by, merged, 'merged')
  await repeatAsks(change, moveId, {
    asks: await requestEvents.listAsks(tx.db, restaurantId, given.id),
    requestId: kept.id,
  })
  const message = { type: 'request-completed' as const, id: given.id, by: null, mergedInto: kept.id }
  for (const topic of requestTopics(merged)) tx.announce(topic, { ...message, cancelled: true })
  const urgency = { before: urgencyOf(kept), merged: await mergeUrgency(ctx, tx.db, kept, given) }
  // A guest without the code of the table that they come to, beside others who have scanned it.
  const isStranger = by.actorKind === 'guest' && target.verified < same.verified
  const details = mergeDetails(kept, given, isStranger ? same : null)
  const both = await transitions.addAsks(tx.db, kept, {
    asks: given.asks,
    lastAskedAt: Math.max(row.lastAskedAt, same.lastAskedAt),
    remind: unansweredSince(given) !== null,
    isNoteFirst: isStranger && given === same,
    ...urgency.merged,
    ...details,
  })
  const alertDueAt = await joinAlerts(ctx, tx.db, { kept, given, both })
  const choice = { before: kept.choice, merged: details.choice }
  const noteLength = { before: noteLengthOf(kept), merged: noteLengthOf(both) }
  const { id, nextLevelAt } = given
  const before = {
    id,
    into: kept.id,
    ...placeOf(given),
    nextLevelAt,
    urgency,
    alertDueAt,
    choice,
    noteLength,
  }
  if (kept === same) {
    announceRequest(tx.announce, both)
    return [before]
  }
  await placeRequest(change, both, {
    ...placeAt(row, target),
    verified: Math.max(same.verified, target.verified),
  })
  return [{ id: kept.id, into: null, ...placeOf(row), noteLength: unchangedNote(both) }, before]
}

/** Those outside are alerted as soon as for either of the two. */
async function joinAlerts(
  ctx: Ctx,
  db: Db,
  { kept, given, both }: Record<'kept' | 'given' | 'both', RequestRow>,
): Promise<Required<MovedRequest>['alertDueAt']> {
  const { restaurantId, id: requestId, level } = both
  if (level < 2 || (kept.level === 2 && given.level < 2)) return null
  const before = await outsideAlerts.findFirstDue(db, { restaurantId, requestId })
  await scheduleOutsideAlerts(ctx, db, both, given)
  return { before, merged: await outsideAlerts.findFirstDue(db, { restaurantId, requestId }) }
}

/**
 * In the history of another request, so that whoever asked can take it back there. At once: the same transaction may
 * read them again.
 */
export const repeatAsks = (
  { tx, restaurantId }: MoveTransaction,
  moveId: string,
  { asks, requestId, isNew }: { asks: readonly requestEvents.Ask[]; requestId: string; isNew?: boolean },
): Promise<void> =>
  tx.recordAtOnce(
    asks.map(({ id, at, actorId }, index) => ({
      restaurantId,
      id: requestEvents.movedAskId(moveId, id),
      requestId,
      at,
      kind: isNew && index === 0 ? 'created' : 'asked',
      ...guestAttribution(actorId),
    })),
  )

export const comesFirst = (a: RequestRow, b: RequestRow): boolean => {
  if ((a.acceptedAt === null) !== (b.acceptedAt === null)) return a.acceptedAt !== null
  return a.createdAt === b.createdAt ? a.id < b.id : a.createdAt < b.createdAt
}

export const urgencyOf = ({ level, nextLevelAt, stillWaiting, stillWaitingAt }: Urgency): Urgency => ({
  level,
  nextLevelAt,
  stillWaiting,
  stillWaitingAt,
})

/** The more urgent of the two says how urgent both are, and nobody is called later than either would have called them. */
export async function mergeUrgency(ctx: Ctx, db: Db, kept: RequestRow, given: RequestRow): Promise<Urgency> {
  const level = Math.max(kept.level, given.level)
  const times = [
    kept.level === level ? kept.nextLevelAt : await timeOfLevel(ctx, db, kept, level + 1),
    await timeOfLevel(ctx, db, given, level + 1),
  ].filter((at) => at !== null)
  return {
    level,
    nextLevelAt: kept.acceptedAt !== null || times.length === 0 ? null : Math.min(...times),
    stillWaiting: kept.stillWaiting + given.stillWaiting,
    stillWaitingAt:
      kept.stillWaitingAt === null || given.stillWaitingAt === null
        ? (kept.stillWaitingAt ?? given.stillWaitingAt)
        : Math.max(kept.stillWaitingAt, given.stillWaitingAt),
  }
}

/** What `kept` goes back to, unless that has changed since. */
export function urgencyWithout(
  kept: RequestRow,
  { before, merged }: { before: Urgency; merged: Urgency },
): Urgency {
  const isUnchanged = kept.level === merged.level && kept.stillWaiting === merged.stillWaiting
  if (!isUnchanged) return urgencyOf(kept)
  const waitsAsBefore = kept.acceptedAt === null && kept.nextLevelAt === merged.nextLevelAt
  return { ...before, nextLevelAt: waitsAsBefore ? before.nextLevelAt : kept.nextLevelAt }
}

/** The latest choice, unless one of the two has the say, and the time of the oldest note. */
function mergeDetails(kept: RequestRow, given: RequestRow, decisive: RequestRow | null): Details {
  const latest = decisive ?? (given.lastAskedAt > kept.lastAskedAt ? given : kept)
  const other = latest === given ? kept : given
  const times = [kept.noteAt, given.noteAt].filter((at) => at !== null)
  return {
    choice: latest.choice ?? other.choice,
    note: given.note,
    noteAt: times.length > 0 ? Math.min(...times) : null,
  }
}

const noteLengthOf = ({ note }: RequestRow): number => note?.length ?? 0
const unchangedNote = (row: RequestRow) => ({ before: noteLengthOf(row), merged: noteLengthOf(row) })

/**
 * What guests of either table may have added to the note since it had that length. All of it where one of them has
 * scanned the code, as theirs comes first then: nobody's allergy may be lost.
 */
export function noteSince({ note, verified }: RequestRow, length: number | undefined): string | null {
  if (note === null || note.length === length) return null
  return length === undefined || verified === 1 ? note : notesAfter(note, length)
}

/** What `kept` goes back to without the other party's, unless the choice has changed since. */
export function detailsWithout(
  kept: RequestRow,
  choice: MovedRequest['choice'],
  noteLength: MovedRequest['noteLength'],
): Partial<Details> {
  const since = noteSince(kept, noteLength?.merged)
  const own = kept.note?.slice(0, noteLength?.before) ?? null
  const note = since === kept.note ? since : listNotes(own, since)
  return {
    ...(choice && kept.choice === choice.merged && { choice: choice.before }),
    note,
    ...(note === null && { noteAt: null }),
  }
}

/** The phones there ask again where they are, and for the requests of that table. */
export const announceSeats = (announce: Announce, restaurantId: string, tableKey: string): void =>
  announce({ kind: 'table', restaurantId, tableKey }, { type: 'table-changed' })
