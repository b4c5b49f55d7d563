import { nameKey } from '#contract/primitives.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import * as visits from '../../../storage/guests/visits.ts'
import * as outsideAlerts from '../../../storage/outside/outside-alerts.ts'
import type { PartyMoveRow } from '../../../storage/requests/party-moves.ts'
import * as requestEvents from '../../../storage/requests/request-events.ts'
import * as transitions from '../../../storage/requests/request-transitions.ts'
import * as requests from '../../../storage/requests/requests.ts'
import type { RequestRow } from '../../../storage/requests/requests.ts'
import type { Ctx } from '../../ctx.ts'
import { localDay } from '../../dates.ts'
import { notFound } from '../../errors.ts'
import { wasInParty } from '../../guests/parties.ts'
import { scheduleOutsideAlerts } from '../../outside/schedule.ts'
import type { Tx } from '../../transaction.ts'
import { escalationTimes, loadEscalationSettings } from '../escalation/escalation.ts'
import { announceRequest, guestAttribution, recordEvent } from '../request-events.ts'
import {
  detailsWithout,
  type MoveTransaction,
  lockOpenAt,
  mergeRequests,
  movedAskId,
  type MovedRequest,
  noteSince,
  placeAt,
  placeOf,
  placeRequest,
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
  for (const { id, into, noteLength, ...place } of before) {
    const row = open.find(id)
    if (into !== null || row?.tableKey !== toKey) continue
    const { party, others } = await divideAsks(change, move, row, before)
    if (party.length === 0) continue
    if (!open.has(place.tableKey, row)) {
      open.replace(row, await placeRequest(change, row, place))
      const table = { ...placeOf(row), tableNumber: toNumber }
      added.push(() => giveTo(change, open, id, others, { table, note: noteSince(row, noteLength) }))
    } else if (party.length === row.asks)
      await bring(change, open, row, { ...place, tableNumber: fromNumber })
  }
  for (const entry of before) await separateRequest(change, move, open, entry)
  for (const giveTheirs of added) await giveTheirs()
  for (const row of open.listAt(toKey)) {
    if (ofParty.has(row.id)) continue
    const { party } = await divideAsks(change, move, row, before)
    if (party.length === 0) continue
    const table = await requireTable(tx.db, restaurantId, fromNumber, await today(change))
    if (party.length === row.asks) await bring(change, open, row, table)
    else if (!open.has(fromKey, row)) await giveTo(change, open, row.id, party, { table, note: row.note })
  }
}

async function today({ ctx, tx, restaurantId }: MoveTransaction): Promise<string> {
  const restaurant = await restaurants.findById(tx.db, restaurantId)
  if (!restaurant) throw notFound('Restaurant')
  return localDay(ctx.now(), restaurant.timeZone)
}

/** To a table, where it joins what is open there for the same. */
async function bring(
  change: MoveTransaction,
  open: OpenNeeds,
  row: RequestRow,
  target: Table,
): Promise<void> {
  const { ctx, tx, restaurantId } = change
  const same = open.findAt(target.tableKey, row)
  if (!same) return open.replace(row, await placeRequest(change, row, placeAt(row, target)))
  await mergeRequests(change, ctx.newId(), { row, same, target })
  for (const each of [row, same]) {
    const current = await requests.find(tx.db, restaurantId, each.id)
    open.replace(each, current?.closedAt === null ? current : undefined)
  }
}

async function giveTo(
  change: MoveTransaction,
  open: OpenNeeds,
  id: string,
  [first, ...rest]: readonly requestEvents.Ask[],
  { table, note }: { table: Table; note: string | null },
): Promise<void> {
  const row = open.find(id)
  if (!row || !first) return
  const same = open.findAt(table.tableKey, row)
  const given = await giveAsks(change, row, [first, ...rest], { table, same, note })
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
  for (const entry of before) if (entry.into === kept.id) await separateRequest(change, move, open, entry)
}

async function separateRequest(
  change: MoveTransaction,
  move: PartyMoveRow,
  open: OpenNeeds,
  { id, into, urgency, choice, noteLength, ...place }: MovedRequest,
): Promise<void> {
  const { ctx, tx, by, restaurantId } = change
  const { db, announce } = tx
  const kept = into === null ? undefined : open.find(into)
  const isThere = kept?.tableKey === place.tableKey
  if (!kept || (!isThere && open.has(place.tableKey, kept))) return
  const given = await requests.find(db, restaurantId, id)
  if (given?.mergedInto !== kept.id) return
  const givenAsks = await requestEvents.listAsks(db, restaurantId, id)
  const moved = new Set(givenAsks.map((ask) => movedAskId(move.id, ask.id)))
  const asks = (await requestEvents.listAsks(db, restaurantId, kept.id)).filter((ask) => moved.has(ask.id))
  if (asks.length === 0) return
  if (asks.length >= kept.asks) {
    // Only those who asked for this one still wait, so what goes on is theirs.
    const number = place.tableKey === move.fromKey ? move.fromNumber : move.toNumber
    const movedTo = nameKey(kept.tableNumber) === place.tableKey ? null : number
    const own = await transitions.setDetails(db, kept, given)
    open.replace(kept, await placeRequest(change, own, { ...place, movedTo }))
    return
  }
  if (isThere) return
  const reduced = await transitions.reduceAsks(db, kept, asks.length, {
    ...(urgency && urgencyWithout(kept, urgency)),
    ...detailsWithout(kept, choice, noteLength),
  })
  const { acceptMs } = await loadEscalationSettings(db, restaurantId)
  const times =
    given.acceptedAt === null
      ? await escalationTimes(ctx, db, given)
      : { nextLevelAt: null, acceptUntil: ctx.now() + acceptMs }
  const separated = await transitions.separate(db, given, { ...place, ...times, asks: asks.length })
  if (!reduced || !separated) return
  if (reduced.level < kept.level) await outsideAlerts.removeOpenOf(db, { restaurantId, requestId: kept.id })
  await scheduleOutsideAlerts(ctx, db, separated)
  open.replace(kept, reduced)
  open.add(separated)
  for (const ask of asks) recordRetraction(ctx, tx, kept, ask)
  const left = new Set(asks.map((ask) => ask.id))
  for (const ask of givenAsks)
    if (!left.has(movedAskId(move.id, ask.id))) recordRetraction(ctx, tx, separated, ask)
  recordEvent(ctx, tx, by, separated, 'reopened')
  announceRequest(announce, reduced)
  announceRequest(announce, separated)
}

const recordRetraction = (ctx: Ctx, tx: Tx, row: RequestRow, ask: requestEvents.Ask): void =>
  recordEvent(ctx, tx, guestAttribution(ask.actorId), row, 'taken_back', requestEvents.takenBackId(ask.id))

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
      joined.set(movedAskId(move.id, ask.id), tableKey === move.fromKey)
  }
  const asks = await requestEvents.listAsks(db, restaurantId, row.id)
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
    const isEarlier = at <= move.at && !id.startsWith('moved:')
    if (isEarlier || actorId === null) return isOfParty && at <= move.at
    return wasInParty(db, move, move.toKey, visitsOf.get(actorId) ?? [])
  }
}

/**
 * Takes these asks out of a request that goes on for others, at another table: whoever made them waits at `table`, by the
 * request that is open there for the same, or by a new one. Returns what both have become.
 */
async function giveAsks(
  { ctx, tx, restaurantId }: MoveTransaction,
  row: RequestRow,
  asks: readonly [requestEvents.Ask, ...requestEvents.Ask[]],
  { table, same, note }: { table: Table; same: RequestRow | undefined; note: string | null },
): Promise<{ left: RequestRow; own: RequestRow } | null> {
  const { db, announce } = tx
  const latest = (await requestEvents.listAsks(db, restaurantId, row.id)).at(-1)
  const isChoiceTheirs = asks.some(({ id }) => id === latest?.id)
  const left = await transitions.reduceAsks(db, row, asks.length, isChoiceTheirs ? { choice: null } : {})
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
          remind: false,
          isNoteFirst: false,
          ...urgencyOf(opened),
          choice: choice ?? opened.choice,
          note,
          noteAt: opened.noteAt ?? (note === null ? null : row.noteAt),
        })
  if (isNew) await scheduleOutsideAlerts(ctx, db, own)
  const moveId = ctx.newId()
  for (const [index, ask] of asks.entries()) {
    const by = guestAttribution(ask.actorId)
    recordEvent(ctx, tx, by, left, 'taken_back', requestEvents.takenBackId(ask.id))
    tx.record({
      restaurantId,
      id: movedAskId(moveId, ask.id),
      requestId: own.id,
      at: ask.at,
      kind: isNew && index === 0 ? 'created' : 'asked',
      ...by,
    })
  }
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

  has(tableKey: string, row: RequestRow): boolean {
    return this.findAt(tableKey, row) !== undefined
  }

  listAt(tableKey: string): RequestRow[] {
    return this.#rows.filter((row) => row.tableKey === tableKey)
  }

  add(row: RequestRow): void {
    this.#rows.push(row)
  }

  /** `after`: undefined when it is closed. */
  replace(before: RequestRow, after: RequestRow | undefined): void {
    this.#rows = this.#rows.flatMap((row) => (row === before ? (after ?? []) : row))
  }
}
