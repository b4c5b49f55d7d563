import { nameKey } from '#contract/primitives.ts'
import {
  type Barrier,
  barrierMessages,
  type ServiceRequest,
  type TableRef,
  type TableRequests,
  visitDurationMs,
} from '#contract/requests.ts'
import type { GuestView } from '#contract/visits.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as floor from '../../storage/floor.ts'
import * as mutedTables from '../../storage/muted-tables.ts'
import * as requestEvents from '../../storage/request-events.ts'
import * as requests from '../../storage/requests.ts'
import type { Restaurant } from '../../storage/restaurants.ts'
import * as visits from '../../storage/visits.ts'
import type { Actor } from '../actor.ts'
import { authorize } from '../authorize.ts'
import { isValidProof } from '../floor/qr-links.ts'
import type { Ctx } from '../ports.ts'
import { read, write } from '../transaction.ts'
import { Refusal } from '../errors.ts'
import { toGuestRequest } from './redaction.ts'
import { requireByName } from '../accounts/restaurants.ts'
import { saveVisit, type SavedVisit, readSavedVisit } from './visit-cookie.ts'

type GuestLink = {
  restaurantId?: string | undefined
  tableNumber?: string | undefined
  k?: string | undefined
}

const emptyView: GuestView = {
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
export async function openGuestPage(ctx: Ctx, actor: Actor, guestLink: GuestLink): Promise<GuestView> {
  const { restaurantId, tableNumber, k } = guestLink
  if (!restaurantId) return emptyView
  try {
    const restaurant = await requireByName(ctx, read(ctx), restaurantId)
    if (!tableNumber) return { ...emptyView, restaurantName: restaurant.name }
    try {
      return await loadTableView(ctx, actor, { restaurantId, tableNumber, k })
    } catch (error) {
      return { ...emptyView, restaurantName: restaurant.name, problem: refusalMessage(error) }
    }
  } catch (error) {
    return { ...emptyView, problem: refusalMessage(error) }
  }
}

function refusalMessage(error: unknown): string {
  if (error instanceof Refusal) return error.message
  throw error
}

async function loadTableView(ctx: Ctx, actor: Actor, table: TableRef): Promise<GuestView> {
  const { restaurant, seat, expired, barrier } = await openVisit(ctx, actor, table)
  const open = (await requests.listOpen(read(ctx), restaurant.id, seat.tableKey)).map(toGuestRequest)
  return {
    restaurantName: restaurant.name,
    tableNumber: seat.tableNumber,
    problem: null,
    expired,
    requests: open,
    mine: await listOwnRequestIds(read(ctx), actor, restaurant.id, open),
    listening: ctx.presence(restaurant.id).listening,
    barrier,
  }
}

const listOwnRequestIds = async (
  db: Db,
  { guestId }: Actor,
  restaurantId: string,
  open: ServiceRequest[],
): Promise<string[]> =>
  guestId === null
    ? []
    : [
        ...(await requestEvents.listAsksBy(
          db,
          restaurantId,
          guestId,
          open.map(({ id }) => id),
        )),
      ].flatMap(([id, asks]) => (asks.length > 0 ? id : []))

type Seat = { tableId: string | null; tableNumber: string; tableKey: string }

/** What a guest says of where they sit. */
type NamedTable = { tableNumber: string; k?: string | undefined }

/** What is known of that place: the table, and what this device did there before. */
type TableHistory = {
  table: { id: string; tableNumber: string } | null
  known: boolean
  kept: SavedVisit | undefined
}

/**
 * A table that does not exist may be named only while the restaurant has set up none. Nobody finds out which there
 * are by trying: who named many in vain may go on only at a table that the device knows, and where many did so behind
 * one address, also with a code of ours.
 */
export async function resolveSeat(
  ctx: Ctx,
  db: Db,
  { guestId, address }: Actor,
  restaurant: Restaurant,
  { tableNumber, k }: NamedTable,
  { table, known, kept }: TableHistory,
): Promise<{ seat: Seat; verified: boolean }> {
  const tableId = table?.id ?? null
  const verified = isValidProof(ctx, restaurant, tableId, k) || isVerifiedVisit(restaurant, kept, ctx.now())
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
const isVerifiedVisit = (
  { codeGeneration }: Restaurant,
  kept: SavedVisit | undefined,
  now: number,
): boolean => kept?.codeGeneration === codeGeneration && now - kept.startedAt <= visitDurationMs

/** Naming a table opens a visit there for this device, if it has none; an old one stays over until it is reset. */
async function openVisit(ctx: Ctx, actor: Actor, { restaurantId: name, ...named }: TableRef) {
  const db = read(ctx)
  const restaurant = await requireByName(ctx, db, name)
  const key = { restaurantId: restaurant.id, tableKey: nameKey(named.tableNumber) }
  const { guestId } = actor
  const row = guestId === null ? undefined : await visits.findStart(db, { ...key, guestId })
  const kept = readSavedVisit(ctx, actor, key)
  const startedAt = row ?? kept?.startedAt
  const table = (await floor.findByNumber(db, restaurant.id, named.tableNumber)) ?? null
  const found = { table, known: startedAt !== undefined, kept }
  const { seat, verified } = await resolveSeat(ctx, db, actor, restaurant, named, found)
  const now = ctx.now()
  const muted = await mutedTables.isMuted(db, key, now)
  const codeGeneration = verified ? restaurant.codeGeneration : (kept?.codeGeneration ?? null)
  if (guestId !== null && (startedAt === undefined || codeGeneration !== (kept?.codeGeneration ?? null)))
    saveVisit(ctx, actor, key, { startedAt: startedAt ?? now, codeGeneration })
  const expired = startedAt !== undefined && now - startedAt > visitDurationMs
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

export function requireNoBarrier(...at: Parameters<typeof barrierFor>): void {
  const barrier = barrierFor(...at)
  if (barrier) throw new Refusal(barrier, barrierMessages[barrier])
}

/** The open requests of a table, as all phones at it see them. */
export async function listTableRequests(ctx: Ctx, actor: Actor, table: TableRef): Promise<TableRequests> {
  authorize(actor, 'requests.mine')
  const { restaurant, seat, barrier } = await openVisit(ctx, actor, table)
  const open = await requests.listOpen(read(ctx), restaurant.id, seat.tableKey)
  const { listening } = ctx.presence(restaurant.id)
  return { requests: open.map(toGuestRequest), listening, barrier }
}

/** Where a guest's screen listens for news of its table, and how things stand there. */
export async function watchTable(
  ctx: Ctx,
  actor: Actor,
  { restaurantId: name, tableNumber, k }: GuestLink & { restaurantId: string },
): Promise<{ restaurantId: string; tableKey: string | null }> {
  authorize(actor, 'contexts.setRestaurant')
  if (tableNumber === undefined)
    return { restaurantId: (await requireByName(ctx, read(ctx), name)).id, tableKey: null }
  const { restaurant, seat } = await openVisit(ctx, actor, { restaurantId: name, tableNumber, k })
  return { restaurantId: restaurant.id, tableKey: seat.tableKey }
}

/** The 3-hour rule, where the device can be told apart; a browser without cookies is not turned away. */
export function refuseExpiredVisit(startedAt: number | undefined, now: number): void {
  if (startedAt === undefined || now - startedAt <= visitDurationMs) return
  throw new Refusal(
    'visit_expired',
    'Your session has expired after 3 hours. Please scan the QR code again or reset your session to continue.',
  )
}

/** A new visit now, after the last one was over. */
export async function resetVisit(ctx: Ctx, actor: Actor, table: TableRef): Promise<void> {
  const { restaurant, seat } = await openVisit(ctx, actor, table)
  const { guestId } = actor
  if (guestId === null) return
  const key = { restaurantId: restaurant.id, tableKey: seat.tableKey }
  const startedAt = ctx.now()
  await write(ctx, (db) => visits.restart(db, { ...key, guestId, startedAt }))
  saveVisit(ctx, actor, key, { startedAt, codeGeneration: null })
}
