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

/** Opens the guest page for a link. What is wrong with the link is shown on the page instead of refused. */
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

/** The table that the guest names, with the proof from a printed code. */
type NamedTable = { tableNumber: string; k?: string | undefined }

/** The stored table, and whether this device has visited it before. */
type TableHistory = {
  table: { id: string; tableNumber: string } | null
  hasVisited: boolean
  savedVisit: SavedVisit | undefined
}

/**
 * A table that does not exist may be named only while the restaurant has set up none. Nobody can find out by trying which
 * tables exist: a device with many misses can only use tables that it has visited before. An address with many misses
 * can also use those for which it has a valid code.
 */
export async function resolveSeat(
  ctx: Ctx,
  db: Db,
  { guestId, address }: Actor,
  restaurant: Restaurant,
  { tableNumber, k }: NamedTable,
  { table, hasVisited, savedVisit }: TableHistory,
): Promise<{ seat: Seat; verified: boolean }> {
  const tableId = table?.id ?? null
  const verified =
    isValidProof(ctx, restaurant, tableId, k) || isVerifiedVisit(restaurant, savedVisit, ctx.now())
  if (!hasVisited && guestId !== null) await ctx.limits.check('guest-miss-device', guestId)
  if (!hasVisited && !verified) await ctx.limits.check('guest-miss-address', address)
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

/** During a visit the code that was scanned at its start stays valid, until new codes are generated. */
const isVerifiedVisit = (
  { codeGeneration }: Restaurant,
  savedVisit: SavedVisit | undefined,
  now: number,
): boolean => savedVisit?.codeGeneration === codeGeneration && now - savedVisit.startedAt <= visitDurationMs

/** Naming a table starts a visit there, unless this device has one; an expired visit stays so until it is reset. */
async function openVisit(ctx: Ctx, actor: Actor, { restaurantId: name, ...named }: TableRef) {
  const db = read(ctx)
  const restaurant = await requireByName(ctx, db, name)
  const key = { restaurantId: restaurant.id, tableKey: nameKey(named.tableNumber) }
  const { guestId } = actor
  const storedStart = guestId === null ? undefined : await visits.findStart(db, { ...key, guestId })
  const savedVisit = readSavedVisit(ctx, actor, key)
  const startedAt = storedStart ?? savedVisit?.startedAt
  const table = (await floor.findByNumber(db, restaurant.id, named.tableNumber)) ?? null
  const history = { table, hasVisited: startedAt !== undefined, savedVisit }
  const { seat, verified } = await resolveSeat(ctx, db, actor, restaurant, named, history)
  const now = ctx.now()
  const muted = await mutedTables.isMuted(db, key, now)
  const savedGeneration = savedVisit?.codeGeneration ?? null
  const codeGeneration = verified ? restaurant.codeGeneration : savedGeneration
  if (guestId !== null && (startedAt === undefined || codeGeneration !== savedGeneration))
    saveVisit(ctx, actor, key, { startedAt: startedAt ?? now, codeGeneration })
  const expired = startedAt !== undefined && now - startedAt > visitDurationMs
  return { restaurant, seat, expired, barrier: barrierFor(restaurant, { muted, verified }) }
}

function barrierFor(
  { verifiedOnly }: Pick<Restaurant, 'verifiedOnly'>,
  { muted, verified }: { muted: boolean; verified: boolean },
): Barrier | null {
  if (muted) return 'table_muted'
  return verifiedOnly === 1 && !verified ? 'code_required' : null
}

export function requireNoBarrier(...args: Parameters<typeof barrierFor>): void {
  const barrier = barrierFor(...args)
  if (barrier) throw new Refusal(barrier, barrierMessages[barrier])
}

/** The open requests of a table, the same for every phone there. */
export async function listTableRequests(ctx: Ctx, actor: Actor, table: TableRef): Promise<TableRequests> {
  authorize(actor, 'requests.mine')
  const { restaurant, seat, barrier } = await openVisit(ctx, actor, table)
  const open = await requests.listOpen(read(ctx), restaurant.id, seat.tableKey)
  const { listening } = ctx.presence(restaurant.id)
  return { requests: open.map(toGuestRequest), listening, barrier }
}

/** The topic that a guest's page follows: its table, or no table yet. */
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

/** Visits end after 3 hours. A browser without cookies has no visit and is never refused. */
export function refuseExpiredVisit(startedAt: number | undefined, now: number): void {
  if (startedAt === undefined || now - startedAt <= visitDurationMs) return
  throw new Refusal(
    'visit_expired',
    'Your session has expired after 3 hours. Please scan the QR code again or reset your session to continue.',
  )
}

/** Starts a new visit now. */
export async function resetVisit(ctx: Ctx, actor: Actor, table: TableRef): Promise<void> {
  const { restaurant, seat } = await openVisit(ctx, actor, table)
  const { guestId } = actor
  if (guestId === null) return
  const key = { restaurantId: restaurant.id, tableKey: seat.tableKey }
  const startedAt = ctx.now()
  await write(ctx, (db) => visits.restart(db, { ...key, guestId, startedAt }))
  saveVisit(ctx, actor, key, { startedAt, codeGeneration: null })
}
