import { nameKey } from '#contract/primitives.ts'
import { type ServiceRequest, type TableRef, type TableRequests, visitMs } from '#contract/requests.ts'
import type { GuestView } from '#contract/visits.ts'
import type { Db } from '../storage/database.ts'
import * as floor from '../storage/floor.ts'
import * as requests from '../storage/requests.ts'
import * as visits from '../storage/visits.ts'
import { type Actor, may } from './actor.ts'
import { type Ctx, read, write } from './context.ts'
import { Refusal } from './errors.ts'
import { byName } from './restaurants.ts'

type Link = { restaurantId?: string | undefined; tableNumber?: string | undefined }

const nowhere: GuestView = {
  restaurantName: null,
  tableNumber: null,
  problem: null,
  expired: false,
  requests: [],
  mine: [],
  listening: true,
}

/** Opens the guest page for a link: what is wrong with it is said on the page, never refused. */
export async function enter(ctx: Ctx, actor: Actor, { restaurantId, tableNumber }: Link): Promise<GuestView> {
  if (!restaurantId) return nowhere
  try {
    const restaurant = await byName(ctx, read(ctx), restaurantId)
    if (!tableNumber) return { ...nowhere, restaurantName: restaurant.name }
    try {
      return await seated(ctx, actor, { restaurantId, tableNumber })
    } catch (error) {
      return { ...nowhere, restaurantName: restaurant.name, problem: inWords(error) }
    }
  } catch (error) {
    return { ...nowhere, problem: inWords(error) }
  }
}

function inWords(error: unknown): string {
  if (error instanceof Refusal) return error.message
  throw error
}

async function seated(ctx: Ctx, actor: Actor, table: TableRef): Promise<GuestView> {
  const { restaurant, seat, expired } = await visit(ctx, actor, table)
  const open = (await requests.open(read(ctx), restaurant.id, seat.tableKey)).map(requests.toRequest)
  return {
    restaurantName: restaurant.name,
    tableNumber: seat.tableNumber,
    problem: null,
    expired,
    requests: open,
    mine: await ownOf(read(ctx), actor, restaurant.id, open),
    listening: ctx.presence(restaurant.id).listening,
  }
}

const ownOf = async (
  db: Db,
  { guestId }: Actor,
  restaurantId: string,
  open: ServiceRequest[],
): Promise<string[]> =>
  guestId === null
    ? []
    : requests.askedBy(
        db,
        restaurantId,
        guestId,
        open.map((request) => request.id),
      )

type Seat = { tableId: string | null; tableNumber: string; tableKey: string }

const seatAt = async (db: Db, restaurantId: string, tableNumber: string): Promise<Seat> =>
  seatIn(db, restaurantId, tableNumber, await floor.findByNumber(db, restaurantId, tableNumber))

/** A table that does not exist may be named only while the restaurant has set up none. */
export async function seatIn(
  db: Db,
  restaurantId: string,
  tableNumber: string,
  table: { id: string; tableNumber: string } | null | undefined,
): Promise<Seat> {
  if (!table && (await floor.countTables(db, restaurantId)) > 0) {
    throw new Refusal(
      'not_found',
      `We couldn't find table ${tableNumber}. Please check the number on your table.`,
    )
  }
  return {
    tableId: table?.id ?? null,
    tableNumber: table?.tableNumber ?? tableNumber,
    tableKey: nameKey(tableNumber),
  }
}

/** Naming a table opens a visit there for this device, if it has none; an old one stays over until it is reset. */
async function visit(ctx: Ctx, actor: Actor, { restaurantId: name, tableNumber }: TableRef) {
  const restaurant = await byName(ctx, read(ctx), name)
  const seat = await seatAt(read(ctx), restaurant.id, tableNumber)
  const now = ctx.now()
  const { guestId } = actor
  if (guestId === null) return { restaurant, seat, expired: false }
  const key = { restaurantId: restaurant.id, guestId, tableKey: seat.tableKey }
  const startedAt = await visits.startOf(read(ctx), key)
  if (startedAt === undefined) await write(ctx, (db) => visits.begin(db, { ...key, startedAt: now }))
  return { restaurant, seat, expired: startedAt !== undefined && now - startedAt > visitMs }
}

/** The open requests of a table, as all phones at it see them. */
export async function mine(ctx: Ctx, actor: Actor, table: TableRef): Promise<TableRequests> {
  may(actor, 'GET /api/service-requests/mine')
  const { restaurant, seat } = await visit(ctx, actor, table)
  const open = await requests.open(read(ctx), restaurant.id, seat.tableKey)
  return { requests: open.map(requests.toRequest), listening: ctx.presence(restaurant.id).listening }
}

/** Where a guest's screen listens for news of its table, and how things stand there. */
export async function watch(
  ctx: Ctx,
  actor: Actor,
  { restaurantId: name, tableNumber }: { restaurantId: string; tableNumber?: string | undefined },
): Promise<{ restaurantId: string; tableKey: string | null }> {
  may(actor, 'set-restaurant-context')
  if (tableNumber === undefined)
    return { restaurantId: (await byName(ctx, read(ctx), name)).id, tableKey: null }
  const { restaurant, seat } = await visit(ctx, actor, { restaurantId: name, tableNumber })
  return { restaurantId: restaurant.id, tableKey: seat.tableKey }
}

/** The 3-hour rule, where the device can be told apart; a browser without cookies is not turned away. */
export async function keepVisit(
  db: Db,
  { guestId }: Actor,
  { restaurantId, tableKey }: { restaurantId: string; tableKey: string },
  startedAt: number | null,
  now: number,
): Promise<void> {
  if (guestId === null) return
  if (startedAt === null) await visits.begin(db, { restaurantId, guestId, tableKey, startedAt: now })
  else if (now - startedAt > visitMs) {
    throw new Refusal(
      'visit_expired',
      'Your session has expired after 3 hours. Please scan the QR code again or reset your session to continue.',
    )
  }
}

/** A new visit now, after the last one was over. */
export async function reset(
  ctx: Ctx,
  { guestId }: Actor,
  { restaurantId: name, tableNumber }: TableRef,
): Promise<void> {
  if (guestId === null) return
  await write(ctx, async (db) => {
    const restaurant = await byName(ctx, db, name)
    const visit = { restaurantId: restaurant.id, guestId, tableKey: nameKey(tableNumber) }
    await visits.restart(db, { ...visit, startedAt: ctx.now() })
  })
}
