import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as visits from '../../../storage/guests/visits.ts'
import * as outsideAlerts from '../../../storage/outside/outside-alerts.ts'
import type { PartyMoveRow } from '../../../storage/requests/party-moves.ts'
import * as requestEvents from '../../../storage/requests/request-events.ts'
import * as transitions from '../../../storage/requests/request-transitions.ts'
import * as requests from '../../../storage/requests/requests.ts'
import { type RequestRow, unansweredSince } from '../../../storage/requests/requests.ts'
import { localDay } from '../../dates.ts'
import { notFound } from '../../errors.ts'
import { wasInParty } from '../../guests/parties.ts'
import { scheduleOutsideAlerts } from '../../outside/schedule.ts'
import { escalationTimes, loadEscalationSettings } from '../escalation/escalation.ts'
import { announceRequest, guestAttribution, recordEvent } from '../request-events.ts'
import {
  comesFirst,
  detailsWithout,
  type MoveTransaction,
  lockOpenAt,
  type Merger,
  mergeRequests,
  mergeUrgency,
  type MovedRequest,
  noteSince,
  placeAt,
  placeOf,
  placeRequest,
  repeatAsks,
  requireTable,
  type Table,
  urgencyOf,
  urgencyWithout,
} from './moved-requests.ts'

/**
 * Puts back what has not changed since the move. What both tables have asked for since becomes a request of each: nobody
 * has to wait at a table where they do not sit.
 */
export async function returnRequests(change: MoveTransaction, move: PartyMoveRow): Promise<void> {
  const { tx, restaurantId } = change
  const { fromKey, fromNumber, toKey, toNumber } = move
  const open = new OpenNeeds(await lockOpenAt(tx.db, restaurantId, [fromKey, toKey]))
  const before: MovedRequest[] = JSON.parse(move.requests)
  const ofParty = new Set(before.flatMap(({ id, into }) => (into === null ? id : [])))
  const added: (() => Promise<void>)[] = []
  const noteSinceJoined = new Map<string, string | null>()
  for (const { into, noteLength } of before) {
    const row = into === null ? undefined : open.find(into)
    if (row) noteSinceJoined.set(row.id, noteSince(row, noteLength?.merged))
  }
  for (const { id, into, noteLength, ...place } of before) {
    const row = open.find(id)
    if (into !== null || row?.tableKey !== toKey) continue
    const { party, others } = await divideAsks(change, move, row, before)
    if (party.length === 0) continue
    const own = { ...place, tableNumber: fromNumber }
    const same = open.findAt(place.tableKey, row)
    if (same && party.length < row.asks && !comesFirst(row, same)) {
      const joined = before.find((entry) => entry.into === id && entry.tableKey === toKey)?.noteLength
      const { note = null } = detailsWithout(row, undefined, joined)
      const leaves = noteSince(row, joined?.before ?? noteLength?.merged)
      await giveTo(change, open, id, party, { table: own, note, leaves, urgent: row })
      continue
    }
    if (same) await bring(change, open, row, own)
    else open.replace(row, await placeRequest(change, row, place))
    const table = { ...placeOf(row), tableNumber: toNumber }
    added.push(() => giveTo(change, open, id, others, { table, note: noteSince(row, noteLength?.merged) }))
  }
  for (const entry of before) await separateRequest(change, move, open, entry)
  for (const giveTheirs of added) await giveTheirs()
  for (const row of open.listAt(toKey)) {
    if (ofParty.has(row.id)) continue
    const { party } = await divideAsks(change, move, row, before)
    if (party.length === 0) continue
    const table = await requireTable(tx.db, restaurantId, fromNumber, await today(change))
    if (party.length === row.asks) await bring(change, open, row, table)
    else {
      const note = noteSinceJoined.has(row.id) ? (noteSinceJoined.get(row.id) ?? null) : row.note
      await giveTo(change, open, row.id, party, { table, note })
    }
  }
}

async function today({ ctx, tx, restaurantId }: MoveTransaction): Promise<string> {
  const restaurant = await restaurants.findById(tx.db, restaurantId)
  if (!restaurant) throw notFound('Restaurant')
  return localDay(ctx.now(), restaurant.timeZone)
}

/** To a table, where it joins what else is open there for the same. */
async function bring(
  change: MoveTransaction,
  open: OpenNeeds,
  row: RequestRow,
  target: Table,
): Promise<void> {
  const same = open.findAt(target.tableKey, row)
  if (same && same.id !== row.id) return join(change, open, { row, same, target })
  open.replace(row, await placeRequest(change, row, placeAt(row, target)))
}

async function join(change: MoveTransaction, open: OpenNeeds, merger: Merger): Promise<void> {
  const { ctx, tx, restaurantId } = change
  await mergeRequests(change, ctx.newId(), merger)
  for (const each of [merger.row, merger.same]) {
    const current = await requests.find(tx.db, restaurantId, each.id)
    open.replace(each, current?.closedAt === null ? current : undefined)
  }
}

type Division = {
  table: Table
  note: string | null
  /** The note that is left to the others, if it is not all of it. */
  leaves?: string | null
  /** As urgent as they have found it, they find it at the table where the same is open already. */
  urgent?: RequestRow
}

async function giveTo(
  change: MoveTransaction,
  open: OpenNeeds,
  id: string,
  [first, ...rest]: readonly requestEvents.Ask[],
  division: Division,
): Promise<void> {
  const row = open.find(id)
  if (!row || !first) return
  const same = open.findAt(division.table.tableKey, row)
  const given = await giveAsks(change, row, [first, ...rest], { ...division, same })
  if (!given) return
  open.replace(row, given.left)
  if (same) open.replace(same, given.own)
  else open.add(given.own)
}

/** Separates again what the move, which was undone since, had merged into a request that is only now open again. */
export async function separateFrom(
  change: MoveTransaction,
  move: PartyMoveRow,
  kept: RequestRow,
): Promise<void> {
  const tables = [...new Set([kept.tableKey, move.fromKey, move.toKey])]
  const open = new OpenNeeds(await lockOpenAt(change.tx.db, change.restaurantId, tables))
  const before: MovedRequest[] = JSON.parse(move.requests)
  for (const entry of before)
    if (entry.into === kept.id) await separateRequest(change, move, open, entry, { waitsAnew: true })
}

async function separateRequest(
  change: MoveTransaction,
  move: PartyMoveRow,
  open: OpenNeeds,
  { id, into, nextLevelAt, urgency, alertDueAt, choice, noteLength, ...place }: MovedRequest,
  { waitsAnew = false } = {},
): Promise<void> {
  const { ctx, tx, by, restaurantId } = change
  const { db, announce } = tx
  const kept = into === null ? undefined : open.find(into)
  if (!kept) return
  const isThere = kept.tableKey === place.tableKey
  const given = await requests.find(db, restaurantId, id)
  if (given?.mergedInto !== kept.id) return
  const givenAsks = await requestEvents.listAsks(db, restaurantId, id)
  const moved = new Set(givenAsks.map((ask) => requestEvents.movedAskId(move.id, ask.id)))
  const asks = (await requestEvents.listAsks(db, restaurantId, kept.id)).filter((ask) => moved.has(ask.id))
  if (asks.length === 0) return
  const table = {
    ...place,
    tableNumber: place.tableKey === move.fromKey ? move.fromNumber : move.toNumber,
  }
  if (asks.length >= kept.asks) {
    // Only those who asked for this one still wait, so what goes on is theirs.
    const own = await transitions.setDetails(db, kept, given)
    open.replace(kept, own)
    return bring(change, open, own, table)
  }
  if (isThere) return
  const reduced = await transitions.reduceAsks(db, kept, asks.length, {
    ...(urgency && urgencyWithout(kept, urgency)),
    ...detailsWithout(kept, choice, noteLength),
  })
  const { acceptMs } = await loadEscalationSettings(db, restaurantId)
  const anew = await escalationTimes(ctx, db, given)
  const times =
    given.acceptedAt === null
      ? { ...anew, nextLevelAt: (waitsAnew ? null : nextLevelAt) ?? anew.nextLevelAt }
      : { nextLevelAt: null, acceptUntil: ctx.now() + acceptMs }
  if (!reduced) return
  open.replace(kept, reduced)
  await storeRetractions(change, kept, asks)
  const left = new Set(asks.map((ask) => ask.id))
  await storeRetractions(
    change,
    given,
    givenAsks.filter((ask) => !left.has(requestEvents.movedAskId(move.id, ask.id))),
  )
  const separated = { ...place, ...times, asks: asks.length }
  const openAgain = async (): Promise<RequestRow> => {
    const opened = await transitions.separate(db, given, separated)
    await scheduleOutsideAlerts(ctx, db, opened)
    return opened
  }
  recordEvent(ctx, tx, by, given, 'reopened')
  announceRequest(announce, reduced)
  const same = open.findAt(place.tableKey, kept)
  if (same)
    await join(change, open, { row: { ...given, ...separated }, same, target: table, open: openAgain })
  else {
    const opened = await openAgain()
    open.add(opened)
    announceRequest(announce, opened)
  }
  // Last, as whoever schedules alerts locks the channels first.
  const about = { restaurantId, requestId: kept.id }
  if (reduced.level < kept.level) await outsideAlerts.removeOpenOf(db, about)
  else if (alertDueAt) await outsideAlerts.restoreDue(db, about, alertDueAt)
}

/** At once, as in `repeatAsks`. */
const storeRetractions = (
  { ctx, tx, restaurantId }: MoveTransaction,
  { id: requestId }: RequestRow,
  asks: readonly requestEvents.Ask[],
): Promise<void> =>
  tx.recordAtOnce(
    asks.map(({ id, actorId }) => ({
      restaurantId,
      id: requestEvents.takenBackId(id),
      requestId,
      at: ctx.now(),
      kind: 'taken_back',
      ...guestAttribution(actorId),
    })),
  )

/** Who waits for an open request: the party that moved, and the guests of the table that it moved to. */
type DividedAsks = { party: requestEvents.Ask[]; others: requestEvents.Ask[] }

/** Leaves out what the move itself has joined, unless both are of the same table. `before`: what the move remembers. */
async function divideAsks(
  { tx: { db }, restaurantId }: MoveTransaction,
  move: PartyMoveRow,
  row: RequestRow,
  before: readonly MovedRequest[],
): Promise<DividedAsks> {
  const isOfParty = before.some(({ id, into }) => id === row.id && into === null)
  const joined = new Map<string, boolean>()
  for (const { id, into, tableKey } of before) {
    if (into !== row.id) continue
    for (const ask of await requestEvents.listAsks(db, restaurantId, id))
      joined.set(requestEvents.movedAskId(move.id, ask.id), tableKey === move.fromKey)
  }
  const asks = await requestEvents.listAsks(db, restaurantId, row.id)
  const mergedLater = await listMergedLater(db, move, row, asks)
  const devices = [...new Set(asks.flatMap(({ actorId }) => actorId ?? []))]
  const visitsOf = Map.groupBy(await visits.listOf(db, restaurantId, devices), ({ guestId }) => guestId)
  const divided: DividedAsks = { party: [], others: [] }
  for (const ask of asks) {
    const joinedParty = joined.get(ask.id)
    if (joinedParty !== undefined && joinedParty !== isOfParty) continue
    divided[(joinedParty ?? (await isAskOfParty(ask))) ? 'party' : 'others'].push(ask)
  }
  return divided

  async function isAskOfParty({ id, at, actorId }: requestEvents.Ask): Promise<boolean> {
    const isEarlier = at <= move.at && !mergedLater.has(requestEvents.repeatedAskId(id) ?? '')
    if (isEarlier || actorId === null) return isOfParty && at <= move.at
    return wasInParty(db, move, move.toKey, visitsOf.get(actorId) ?? [])
  }
}

/** What the asks of a request repeat that were merged into it only after the move, whenever they were made. */
async function listMergedLater(
  db: Db,
  { restaurantId, at }: PartyMoveRow,
  row: RequestRow,
  asks: readonly requestEvents.Ask[],
): Promise<Set<string>> {
  const repeated = asks.flatMap(({ id }) => requestEvents.repeatedAskId(id) ?? [])
  const merged = await requestEvents.listMergedSince(db, restaurantId, repeated, at)
  return new Set(merged.flatMap(({ id, mergedInto }) => (mergedInto === row.id ? id : [])))
}

/**
 * Takes these asks out of a request that goes on for others, at another table: whoever made them waits at `table`, by the
 * request that is open there for the same, or by a new one. Returns what both have become.
 */
async function giveAsks(
  change: MoveTransaction,
  row: RequestRow,
  asks: readonly [requestEvents.Ask, ...requestEvents.Ask[]],
  { table, same, note, leaves, urgent }: Division & { same: RequestRow | undefined },
): Promise<{ left: RequestRow; own: RequestRow } | null> {
  const { ctx, tx, restaurantId } = change
  const { db, announce } = tx
  const latest = (await requestEvents.listAsks(db, restaurantId, row.id)).at(-1)
  const isChoiceTheirs = asks.some(({ id }) => id === latest?.id)
  const left = await transitions.reduceAsks(db, row, asks.length, {
    ...(isChoiceTheirs && { choice: null }),
    ...(leaves !== undefined && { note: leaves, noteAt: leaves === null ? null : row.noteAt }),
  })
  if (!left) return null
  const [{ at: createdAt }] = asks
  const choice = isChoiceTheirs ? row.choice : null
  const id = ctx.newId()
  const opened =
    same ??
    (await requests.insertOrMerge(db, restaurantId, {
      ...row,
      id,
      openRequestId: null,
      tableId: table.tableId,
      tableKey: table.tableKey,
      tableNumber: table.tableNumber,
      verified: table.verified,
      crew: table.crew,
      choice,
      note,
      createdAt,
      byButton: 0,
      called: '',
      // Whoever was on the way is so to the others.
      nextLevelAt:
        row.acceptedAt === null ? row.nextLevelAt : (await escalationTimes(ctx, db, row)).nextLevelAt,
    }))
  const isNew = opened.id === id
  const remaining = asks.length - (same ? 0 : 1)
  const own =
    remaining === 0
      ? opened
      : await transitions.addAsks(db, opened, {
          asks: remaining,
          lastAskedAt: Math.max(opened.lastAskedAt, ...asks.map(({ at }) => at)),
          remind: same !== undefined && urgent !== undefined && unansweredSince(urgent) !== null,
          isNoteFirst: false,
          ...(same && urgent ? await mergeUrgency(ctx, db, same, urgent) : urgencyOf(opened)),
          choice: choice ?? opened.choice,
          note,
          noteAt: opened.noteAt ?? (note === null ? null : row.noteAt),
        })
  if (isNew || opened.level < own.level) await scheduleOutsideAlerts(ctx, db, own, urgent)
  await storeRetractions(change, left, asks)
  await repeatAsks(change, requestEvents.givenAway, { asks, requestId: own.id, isNew })
  announceRequest(announce, left)
  announceRequest(announce, own, isNew ? 'new-request' : 'request-updated')
  return { left, own }
}

/** The open requests of some tables: each table has at most one for a service. */
class OpenNeeds {
  #rows: RequestRow[]

  constructor(rows: readonly RequestRow[]) {
    this.#rows = [...rows]
  }

  find(id: string): RequestRow | undefined {
    return this.#rows.find((row) => row.id === id)
  }

  /** What is open there for the same as this one. */
  findAt(tableKey: string, { serviceType }: RequestRow): RequestRow | undefined {
    return this.#rows.find((row) => row.tableKey === tableKey && row.serviceType === serviceType)
  }

  listAt(tableKey: string): RequestRow[] {
    return this.#rows.filter((row) => row.tableKey === tableKey)
  }

  add(row: RequestRow): void {
    this.#rows.push(row)
  }

  /** `after`: undefined when it is closed. */
  replace(before: RequestRow, after: RequestRow | undefined): void {
    this.#rows = this.#rows.filter(({ id }) => id !== before.id)
    if (after) this.add(after)
  }
}
