import { nameKey } from '#contract/primitives.ts'
import {
  type Barrier,
  barriers,
  type ServiceRequest,
  type TableRef,
  type TableRequests,
  visitMs,
} from '#contract/requests.ts'
import type { GuestView } from '#contract/visits.ts'
import type { Db } from '../storage/types.ts'
import * as floor from '../storage/floor.ts'
import * as mutedTables from '../storage/muted-tables.ts'
import * as requests from '../storage/requests.ts'
import type { Restaurant } from '../storage/restaurants.ts'
import * as visits from '../storage/visits.ts'
import type { Actor } from './actor.ts'
import { authorize } from './authorize.ts'
import { isVerified } from './code-proof.ts'
import type { Ctx } from './ports.ts'
import { read, write } from './transaction.ts'
import { Refusal } from './errors.ts'
import { toGuestRequest } from './guest-copy.ts'
import { byName } from './restaurants.ts'
import { keepVisit, type KeptVisit, keptVisit } from './visit-cookie.ts'

type Link = {
  restaurantId?: string | undefined
  tableNumber?: string | undefined
  k?: string | undefined
}

const nowhere: GuestView = {
  restaurantName: null,
  tableNumber: null,
  problem: null,
  expired: false,
  requests: [],
  mine: [],
  listening: true,
  barrier: null,
}

/** Opens the guest page for a link: what is wrong with it is said on the page, never refused. */
export async function enter(ctx: Ctx, actor: Actor, link: Link): Promise<GuestView> {
  const { restaurantId, tableNumber, k } = link
  if (!restaurantId) return nowhere
  try {
    const restaurant = await byName(ctx, read(ctx), restaurantId)
    if (!tableNumber) return { ...nowhere, restaurantName: restaurant.name }
    try {
      return await seated(ctx, actor, { restaurantId, tableNumber, k })
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
  const { restaurant, seat, expired, barrier } = await visit(ctx, actor, table)
  const open = (await requests.open(read(ctx), restaurant.id, seat.tableKey)).map(toGuestRequest)
  return {
    restaurantName: restaurant.name,
    tableNumber: seat.tableNumber,
    problem: null,
    expired,
    requests: open,
    mine: await ownOf(read(ctx), actor, restaurant.id, open),
    listening: ctx.presence(restaurant.id).listening,
    barrier,
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
    : [
        ...(await requests.asksBy(
          db,
          restaurantId,
          guestId,
          open.map(({ id }) => id),
        )),
      ].flatMap(([id, asks]) => (asks.length > 0 ? id : []))

type Seat = { tableId: string | null; tableNumber: string; tableKey: string }

/** What a guest says of where they sit. */
type Named = { tableNumber: string; k?: string | undefined }

/** What is known of that place: the table, and what this device did there before. */
type Found = {
  table: { id: string; tableNumber: string } | null
  known: boolean
  kept: KeptVisit | undefined
}

/**
 * A table that does not exist may be named only while the restaurant has set up none. Nobody finds out which there
 * are by trying: who named many in vain may go on only at a table that the device knows, and where many did so behind
 * one address, also with a code of ours.
 */
export async function seatAt(
  ctx: Ctx,
  db: Db,
  { guestId, address }: Actor,
  restaurant: Restaurant,
  { tableNumber, k }: Named,
  { table, known, kept }: Found,
): Promise<{ seat: Seat; verified: boolean }> {
  const tableId = table?.id ?? null
  const verified = isVerified(ctx, restaurant, tableId, k) || hasVerified(restaurant, kept, ctx.now())
  if (!known && guestId !== null) await ctx.limits.check('guest-miss-device', guestId)
  if (!known && !verified) await ctx.limits.check('guest-miss-address', address)
  if (tableId === null && (await floor.countTables(db, restaurant.id)) > 0) {
    if (guestId !== null) await ctx.limits.take('guest-miss-device', guestId)
    await ctx.limits.take('guest-miss-address', address)
    throw new Refusal(
      'not_found',
      `We couldn't find table ${tableNumber}. Please check the number on your table.`,
    )
  }
  const seat = { tableId, tableNumber: table?.tableNumber ?? tableNumber, tableKey: nameKey(tableNumber) }
  return { seat, verified }
}

/** For one visit a device need not show again the code that it came with, until the codes are made anew. */
const hasVerified = ({ codeGeneration }: Restaurant, kept: KeptVisit | undefined, now: number): boolean =>
  kept?.codeGeneration === codeGeneration && now - kept.startedAt <= visitMs

/** Naming a table opens a visit there for this device, if it has none; an old one stays over until it is reset. */
async function visit(ctx: Ctx, actor: Actor, { restaurantId: name, ...named }: TableRef) {
  const db = read(ctx)
  const restaurant = await byName(ctx, db, name)
  const key = { restaurantId: restaurant.id, tableKey: nameKey(named.tableNumber) }
  const { guestId } = actor
  const row = guestId === null ? undefined : await visits.startOf(db, { ...key, guestId })
  const kept = keptVisit(ctx, actor, key)
  const startedAt = row ?? kept?.startedAt
  const table = (await floor.findByNumber(db, restaurant.id, named.tableNumber)) ?? null
  const found = { table, known: startedAt !== undefined, kept }
  const { seat, verified } = await seatAt(ctx, db, actor, restaurant, named, found)
  const now = ctx.now()
  const muted = await mutedTables.isMuted(db, key, now)
  const codeGeneration = verified ? restaurant.codeGeneration : (kept?.codeGeneration ?? null)
  if (guestId !== null && (startedAt === undefined || codeGeneration !== (kept?.codeGeneration ?? null)))
    keepVisit(ctx, actor, key, { startedAt: startedAt ?? now, codeGeneration })
  const expired = startedAt !== undefined && now - startedAt > visitMs
  return { restaurant, seat, expired, barrier: barrierFor(restaurant, { muted, verified }) }
}

/** A code for the whole restaurant suffices at every table: its guests name theirs. */
function barrierFor(
  { verifiedOnly }: Pick<Restaurant, 'verifiedOnly'>,
  { muted, verified }: { muted: boolean; verified: boolean },
): Barrier | null {
  if (muted) return 'table_muted'
  return verifiedOnly === 1 && !verified ? 'code_required' : null
}

export function refuseBarred(...at: Parameters<typeof barrierFor>): void {
  const barrier = barrierFor(...at)
  if (barrier) throw new Refusal(barrier, barriers[barrier])
}

/** The open requests of a table, as all phones at it see them. */
export async function mine(ctx: Ctx, actor: Actor, table: TableRef): Promise<TableRequests> {
  authorize(actor, 'requests.mine')
  const { restaurant, seat, barrier } = await visit(ctx, actor, table)
  const open = await requests.open(read(ctx), restaurant.id, seat.tableKey)
  const { listening } = ctx.presence(restaurant.id)
  return { requests: open.map(toGuestRequest), listening, barrier }
}

/** Where a guest's screen listens for news of its table, and how things stand there. */
export async function watch(
  ctx: Ctx,
  actor: Actor,
  { restaurantId: name, tableNumber, k }: Link & { restaurantId: string },
): Promise<{ restaurantId: string; tableKey: string | null }> {
  authorize(actor, 'contexts.setRestaurant')
  if (tableNumber === undefined)
    return { restaurantId: (await byName(ctx, read(ctx), name)).id, tableKey: null }
  const { restaurant, seat } = await visit(ctx, actor, { restaurantId: name, tableNumber, k })
  return { restaurantId: restaurant.id, tableKey: seat.tableKey }
}

/** The 3-hour rule, where the device can be told apart; a browser without cookies is not turned away. */
export function refuseAfterVisit(startedAt: number | undefined, now: number): void {
  if (startedAt === undefined || now - startedAt <= visitMs) return
  throw new Refusal(
    'visit_expired',
    'Your session has expired after 3 hours. Please scan the QR code again or reset your session to continue.',
  )
}

/** A new visit now, after the last one was over. */
export async function reset(ctx: Ctx, actor: Actor, table: TableRef): Promise<void> {
  const { restaurant, seat } = await visit(ctx, actor, table)
  const { guestId } = actor
  if (guestId === null) return
  const key = { restaurantId: restaurant.id, tableKey: seat.tableKey }
  const startedAt = ctx.now()
  await write(ctx, (db) => visits.restart(db, { ...key, guestId, startedAt }))
  keepVisit(ctx, actor, key, { startedAt, codeGeneration: null })
}
