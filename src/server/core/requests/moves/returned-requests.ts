import { nameKey } from '#contract/primitives.ts'
import * as outsideAlerts from '../../../storage/outside/outside-alerts.ts'
import type { PartyMoveRow } from '../../../storage/requests/party-moves.ts'
import * as requestEvents from '../../../storage/requests/request-events.ts'
import * as transitions from '../../../storage/requests/request-transitions.ts'
import * as requests from '../../../storage/requests/requests.ts'
import type { RequestRow } from '../../../storage/requests/requests.ts'
import type { Ctx } from '../../ctx.ts'
import { scheduleOutsideAlerts } from '../../outside/schedule.ts'
import type { Tx } from '../../transaction.ts'
import { escalationTimes, loadEscalationSettings } from '../escalation/escalation.ts'
import { announceRequest, guestAttribution, recordEvent } from '../request-events.ts'
import {
  detailsWithout,
  type MoveTransaction,
  lockOpenAt,
  movedAskId,
  type MovedRequest,
  placeRequest,
  urgencyWithout,
} from './moved-requests.ts'

/** Puts back what has not changed since the move. */
export async function returnRequests(change: MoveTransaction, move: PartyMoveRow): Promise<void> {
  const { tx, restaurantId } = change
  const open = new OpenNeeds(await lockOpenAt(tx.db, restaurantId, [move.fromKey, move.toKey]))
  const before: MovedRequest[] = JSON.parse(move.requests)
  for (const { id, into, ...place } of before) {
    const row = open.find(id)
    if (into !== null || row?.tableKey !== move.toKey || open.has(place.tableKey, row)) continue
    open.replace(row, await placeRequest(change, row, place))
  }
  for (const entry of before) await separateRequest(change, move, open, entry)
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
  if (!kept || open.has(place.tableKey, kept)) return
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

/** The open requests of some tables: each table has at most one for a service. */
class OpenNeeds {
  #rows: RequestRow[]

  constructor(rows: readonly RequestRow[]) {
    this.#rows = [...rows]
  }

  find(id: string): RequestRow | undefined {
    return this.#rows.find((row) => row.id === id)
  }

  has(tableKey: string, { serviceType }: RequestRow): boolean {
    return this.#rows.some((row) => row.tableKey === tableKey && row.serviceType === serviceType)
  }

  add(row: RequestRow): void {
    this.#rows.push(row)
  }

  replace(before: RequestRow, after: RequestRow): void {
    this.#rows = this.#rows.map((row) => (row === before ? after : row))
  }
}
