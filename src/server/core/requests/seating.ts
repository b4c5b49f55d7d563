import { nameKey } from '#contract/primitives.ts'
import { undoWindowMs } from '#contract/requests/requests.ts'
import type { Seating, TableClosed, TableToClose } from '#contract/requests/seating.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as floor from '../../storage/floor/floor.ts'
import * as visits from '../../storage/guests/visits.ts'
import * as partyMoves from '../../storage/requests/party-moves.ts'
import * as transitions from '../../storage/requests/request-transitions.ts'
import * as requests from '../../storage/requests/requests.ts'
import * as seatings from '../../storage/requests/table-seating.ts'
import { neverSeated, type SeatingRow } from '../../storage/requests/table-seating.ts'
import { restaurantOf } from '../accounts/restaurants/restaurants.ts'
import type { Actor } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Announce, Ctx } from '../ctx.ts'
import { conflict, notFound } from '../errors.ts'
import { read, type Tx, write } from '../transaction.ts'
import { closeRequest } from './close.ts'
import { announceSeats } from './moves/moved-requests.ts'

type TableNumber = { tableNumber: string }

export async function list(ctx: Ctx, actor: Actor): Promise<Seating> {
  const { restaurantId } = authorizeInRestaurant(actor, 'seating.list')
  const db = read(ctx)
  const { seating } = await restaurantOf(db, actor)
  if (seating !== 1) return { on: false, tables: [] }
  const [tables, rows, open] = await Promise.all([
    floor.listTables(db, restaurantId),
    seatings.list(db, restaurantId, ctx.now()),
    requests.listOpen(db, restaurantId),
  ])
  const byKey = new Map(rows.map((row) => [row.tableKey, row]))
  return {
    on: true,
    tables: tables.map(({ tableNumber }) => {
      const tableKey = nameKey(tableNumber)
      const { seatedAt, wantedAt } = byKey.get(tableKey) ?? neverSeated
      return {
        tableNumber,
        seatedAt,
        wantedAt: seatedAt === null ? wantedAt : null,
        requests: open.filter((request) => request.tableKey === tableKey).length,
      }
    }),
  }
}

/** Its guests can ask from now on. Two hosts at once open it once. */
export async function open(ctx: Ctx, actor: Actor, { tableNumber }: TableNumber): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'seating.open')
  await write(ctx, async ({ db, announce }) => {
    const row = await lockTable(ctx, db, restaurantId, tableNumber)
    if (row.seatedAt !== null) return
    await seatings.put(db, {
      ...row,
      seatedAt: ctx.now(),
      beforeSeatedAt: null,
      beforeClosedAt: null,
      wantedAt: null,
    })
    announceSeating(announce, row)
  })
}

/**
 * The visits of its phones are over, and nobody can ask there until it is opened again. What is open at the table is
 * left alone unless the crew says so: then what somebody is on the way for is done, and the rest is taken back.
 */
export async function close(
  ctx: Ctx,
  actor: Actor,
  { tableNumber, anyway = false }: TableToClose,
): Promise<TableClosed> {
  const { restaurantId } = authorizeInRestaurant(actor, 'seating.close')
  return write(ctx, async (tx) => {
    const { db, announce } = tx
    const row = await lockTable(ctx, db, restaurantId, tableNumber)
    if (row.seatedAt === null) return { closed: true, requests: 0 }
    const left = await requests.listOpen(db, restaurantId, row.tableKey)
    if (left.length > 0 && !anyway) return { closed: false, requests: left.length }
    const ids = left.map(({ id }) => id)
    for (const { id, acceptedAt } of await transitions.lockOpen(db, restaurantId, ids))
      await closeRequest(
        { ctx, tx, actor, restaurantId, id },
        acceptedAt === null ? 'cancelled' : 'completed',
      )
    await seatings.put(db, {
      ...row,
      seatedAt: null,
      closedAt: await findClosingTime(ctx, db, row),
      beforeSeatedAt: row.seatedAt,
      beforeClosedAt: row.closedAt,
    })
    announceSeating(announce, row)
    return { closed: true, requests: left.length }
  })
}

/** After the visits that it ends, which began ahead of the clock if that was set back. */
async function findClosingTime(ctx: Ctx, db: Db, row: SeatingRow): Promise<number> {
  const now = ctx.now()
  return Math.max(
    now,
    (row.closedAt ?? -1) + 1,
    await visits.findLastStart(db, row, now),
    await partyMoves.findLastAt(db, row.restaurantId),
  )
}

/** Within 10 seconds its phones go on with their visit; requests that were closed stay so. */
export async function undoClose(ctx: Ctx, actor: Actor, { tableNumber }: TableNumber): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'seating.undoClose')
  await write(ctx, async ({ db, announce }) => {
    const row = await lockTable(ctx, db, restaurantId, tableNumber)
    const { seatedAt, closedAt, beforeSeatedAt, beforeClosedAt } = row
    if (seatedAt !== null) return
    if (closedAt === null || beforeSeatedAt === null || ctx.now() - closedAt > undoWindowMs)
      throw conflict('This can no longer be undone')
    await seatings.put(db, {
      ...row,
      seatedAt: beforeSeatedAt,
      closedAt: beforeClosedAt,
      beforeSeatedAt: null,
      beforeClosedAt: null,
    })
    announceSeating(announce, row)
    announce({ kind: 'ended-visits', restaurantId, tableKey: row.tableKey }, { type: 'table-changed' })
  })
}

async function lockTable(ctx: Ctx, db: Db, restaurantId: string, tableNumber: string): Promise<SeatingRow> {
  await restaurants.lock(db, restaurantId)
  if (!(await floor.findByNumber(db, restaurantId, tableNumber))) throw notFound('Table')
  const tableKey = nameKey(tableNumber)
  const rows = await seatings.lock(db, restaurantId, [tableKey], ctx.now())
  return rows.get(tableKey) ?? { ...neverSeated, restaurantId, tableKey }
}

function announceSeating(announce: Announce, { restaurantId, tableKey }: SeatingRow): void {
  announce({ kind: 'staff', restaurantId }, { type: 'seating-changed' })
  announce({ kind: 'table', restaurantId, tableKey }, { type: 'table-changed' })
}

type Tables = { restaurantId: string; fromKey: string; toKey: string }
type Move = Tables & { at: number }
/** By the key of the table. */
type Seatings = ReadonlyMap<string, SeatingRow>

/** Both tables of a move as they are seated. Before their requests are locked: taps take them in that order. */
export const lockBoth = (ctx: Ctx, db: Db, { restaurantId, fromKey, toKey }: Tables): Promise<Seatings> =>
  seatings.lock(db, restaurantId, [fromKey, toKey], ctx.now())

/** When a party moves: after the visits of its phones began, and after the table that it joins was closed. */
export const earliestMove = (locked: Seatings): number =>
  Math.max(0, ...[...locked.values()].map(({ closedAt }) => (closedAt ?? 0) + 2))

/** A party takes its open table along: the one that it leaves is closed for whoever comes next. */
export async function moveSeating(
  tx: Tx,
  { restaurantId, fromKey, toKey, at }: Move,
  locked: Seatings,
): Promise<void> {
  const left = locked.get(fromKey)
  if (!left || left.seatedAt === null) return
  await seatings.put(tx.db, { ...left, seatedAt: null, beforeSeatedAt: null })
  const joined = locked.get(toKey) ?? { ...neverSeated, restaurantId, tableKey: toKey }
  if (joined.seatedAt === null) {
    await seatings.put(tx.db, { ...joined, seatedAt: at, wantedAt: null })
    announceSeats(tx.announce, restaurantId, toKey)
  }
}

/** What the move has opened is closed, and the table that it left is open again. */
export async function returnSeating(tx: Tx, { fromKey, toKey, at }: Move, locked: Seatings): Promise<void> {
  const [left, joined] = [locked.get(fromKey), locked.get(toKey)]
  if (!left || !joined || joined.seatedAt === null) return
  if (left.seatedAt === null) await seatings.put(tx.db, { ...left, seatedAt: at })
  if (joined.seatedAt === at) await seatings.put(tx.db, { ...joined, seatedAt: null })
}
