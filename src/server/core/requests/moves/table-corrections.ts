import { nameKey } from '#contract/primitives.ts'
import { type TableCorrection, undoWindowMs } from '#contract/requests/requests.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as visits from '../../../storage/guests/visits.ts'
import * as requestEvents from '../../../storage/requests/request-events.ts'
import * as transitions from '../../../storage/requests/request-transitions.ts'
import * as requests from '../../../storage/requests/requests.ts'
import type { RequestRow } from '../../../storage/requests/requests.ts'
import * as seatings from '../../../storage/requests/table-seating.ts'
import { type Actor, guestIdsOf } from '../../actor.ts'
import { authorize } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { localDay } from '../../dates.ts'
import { notFound } from '../../errors.ts'
import { takeNotesAlong } from '../../guests/own-notes.ts'
import { followParty } from '../../guests/parties.ts'
import { TapBudget } from '../../guests/rate-limits.ts'
import { readSavedVisit } from '../../guests/visit-cookie.ts'
import { findNewStart, refuseAt, requireSeat, restartVisit } from '../../guests/visits.ts'
import { read } from '../../transaction.ts'
import { escalateUnattended } from '../escalation/escalation.ts'
import { guestAttribution, recordEvent } from '../request-events.ts'
import {
  announceSeats,
  lockOpenAt,
  moveRequests,
  placeAt,
  requireTable,
  writeRetrying,
} from './moved-requests.ts'

/**
 * A guest who named the wrong table takes along what this device alone asked for there during its visit. What others at
 * that table asked for too stays theirs. What was just completed goes along too, should the crew undo that. Sent twice
 * it happens once, as nothing is left to take along.
 */
export async function correctTable(
  ctx: Ctx,
  actor: Actor,
  { from, ...table }: TableCorrection,
): Promise<{ moved: number }> {
  authorize(actor, 'requests.correctTable')
  const arrivedAt = ctx.now()
  // Where the guest says, even if the crew has moved its party away from there.
  const seated = await requireSeat(ctx, actor, table, { follows: false })
  const { guestId } = actor
  if (guestId === null) return { moved: 0 }
  const { restaurant, seat, verified, seating, startedAt } = seated
  const here = { restaurantId: restaurant.id, tableKey: seat.tableKey }
  const hasLeft = startedAt !== undefined && (await followParty(read(ctx), { ...here, startedAt })) !== null
  const wrong = { restaurantId: restaurant.id, tableKey: nameKey(from), guestId }
  const visit = await findVisit(ctx, read(ctx), actor, wrong)
  const moved = await takeAlong(ctx, actor, wrong, seated)
  const notesOf = { restaurantId: restaurant.id, guestIds: guestIdsOf(actor) }
  if (visit) {
    const since = await findNewStart(read(ctx), here, seating, ctx.now())
    await takeNotesAlong(ctx, { ...notesOf, tableKey: visit.tableKey }, { ...seat, verified, since })
  }
  // Not after what it has brought along, which is of this visit.
  if (hasLeft)
    await restartVisit(ctx, actor, here, {
      startedAt: await findNewStart(read(ctx), here, seating, arrivedAt),
      codeGeneration: verified ? restaurant.codeGeneration : null,
    })
  if (moved > 0) await escalateUnattended(ctx, restaurant.id)
  return { moved }
}

/** Returns how many open requests. */
async function takeAlong(
  ctx: Ctx,
  actor: Actor,
  wrong: TableOfDevice,
  { seat, verified, start }: Awaited<ReturnType<typeof requireSeat>>,
): Promise<number> {
  const { restaurantId, guestId } = wrong
  // A guest with nothing to take along takes no lock, for which others would wait.
  const own = await findOwn(ctx, read(ctx), actor, wrong, requests.listOpen)
  if (own.rows.length === 0 || own.tableKey === seat.tableKey) return 0
  const budget = new TapBudget(ctx)
  let moved = 0
  await writeRetrying(ctx, async (tx) => {
    const { db, announce } = tx
    moved = 0
    const locked = await restaurants.lock(db, restaurantId)
    if (!locked) throw notFound('Restaurant')
    const isOpen =
      locked.seating !== 1 ||
      (await seatings.lockSeated(db, { restaurantId, tableKey: seat.tableKey }, ctx.now()))
    if (!isOpen) refuseAt('table_closed')
    const { tableKey: sourceKey, rows } = await findOwn(ctx, db, actor, wrong, lockOpen)
    if (rows.length === 0 || sourceKey === seat.tableKey) return
    const ids = new Set(rows.flatMap(({ id, closedAt }) => (closedAt === null ? id : [])))
    // It calls the crew of another table, as a new request does.
    if (ids.size > 0) await budget.consumeNew({ actor, restaurantId, tableKey: seat.tableKey, verified })
    const today = localDay(ctx.now(), locked.timeZone)
    const table = await requireTable(db, restaurantId, seat.tableNumber, today)
    const target = { ...table, verified: verified ? 1 : 0 }
    const change = { ctx, tx, by: guestAttribution(guestId), restaurantId }
    await moveRequests(change, ctx.newId(), sourceKey, target, ids)
    for (const row of rows.filter(({ closedAt }) => closedAt !== null)) {
      const placed = await transitions.moveCompleted(db, row, placeAt(row, target))
      if (placed) recordEvent(ctx, tx, change.by, placed, 'moved')
    }
    const visit = { restaurantId, tableKey: target.tableKey, guestId, startedAt: start }
    await visits.begin(db, visit)
    announceSeats(announce, restaurantId, sourceKey)
    moved = ids.size
  })
  return moved
}

const lockOpen: ListOpen = (db, restaurantId, tableKey) => lockOpenAt(db, restaurantId, [tableKey])

type ListOpen = (db: Db, restaurantId: string, tableKey: string) => Promise<RequestRow[]>
type TableOfDevice = { restaurantId: string; tableKey: string; guestId: string }

/** Since when this device is there, and where its party sits by now. */
async function findVisit(
  ctx: Ctx,
  db: Db,
  actor: Actor,
  table: TableOfDevice,
): Promise<{ tableKey: string; startedAt: number } | null> {
  const startedAt = (await visits.findStart(db, table)) ?? readSavedVisit(ctx, actor, table)?.startedAt
  if (startedAt === undefined) return null
  const party = await followParty(db, { ...table, startedAt })
  return { tableKey: party?.tableKey ?? table.tableKey, startedAt }
}

/**
 * What this device alone asked for during its visit, open or just completed, and where its party sits by now.
 * Completions are looked for last, so that none escapes `listOpen` and this.
 */
async function findOwn(
  ctx: Ctx,
  db: Db,
  actor: Actor,
  table: TableOfDevice,
  listOpen: ListOpen,
): Promise<{ tableKey: string; rows: RequestRow[] }> {
  const { restaurantId } = table
  const visit = await findVisit(ctx, db, actor, table)
  if (!visit) return { tableKey: table.tableKey, rows: [] }
  const { tableKey } = visit
  // A visit begins ahead of the clock after that was set back; all that is open there is of this visit then.
  const startedAt = visit.startedAt > ctx.now() ? 0 : visit.startedAt
  const open = await listOpen(db, restaurantId, tableKey)
  const since = ctx.now() - undoWindowMs
  const listed = [...open, ...(await requests.listCompleted(db, restaurantId, tableKey, since))]
  const ids = listed.map(({ id }) => id)
  const asks = await requestEvents.listAsksBy(db, restaurantId, guestIdsOf(actor), ids)
  const own = listed.filter(({ id, asks: total }) => {
    const count = asks.get(id)?.length ?? 0
    return count > 0 && count >= total
  })
  // What this device had asked for elsewhere came to the table with it.
  const earlier = own.filter(({ lastAskedAt }) => lastAskedAt < startedAt).map(({ id }) => id)
  const askIds = earlier.flatMap(
    (id) => asks.get(id)?.flatMap((ask) => requestEvents.repeatedAskId(ask) ?? []) ?? [],
  )
  const came = await requestEvents.listArrivedSince(
    db,
    restaurantId,
    { requestIds: earlier, askIds },
    startedAt,
  )
  return {
    tableKey,
    rows: own.filter(({ id, lastAskedAt }) => lastAskedAt >= startedAt || came.has(id)),
  }
}
