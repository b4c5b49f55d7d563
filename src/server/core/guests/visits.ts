import { minuteMs } from '#contract/durations.ts'
import type { RefusalBody } from '#contract/errors.ts'
import type { GuestView } from '#contract/guests/visits.ts'
import { nameKey } from '#contract/primitives.ts'
import {
  type Availability,
  type Barrier,
  barrierMessages,
  type TableRef,
  type TableRequests,
  visitDurationMs,
} from '#contract/requests/requests.ts'
import type { Restaurant } from '../../storage/accounts/restaurants.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as floor from '../../storage/floor/floor.ts'
import { loadVisitContext } from '../../storage/guests/visit-context.ts'
import * as visits from '../../storage/guests/visits.ts'
import type { NeedKey } from '../../storage/requests/asked-need.ts'
import * as partyMoves from '../../storage/requests/party-moves.ts'
import * as requestEvents from '../../storage/requests/request-events.ts'
import * as requests from '../../storage/requests/requests.ts'
import * as seatings from '../../storage/requests/table-seating.ts'
import type { SeatingRow } from '../../storage/requests/table-seating.ts'
import { findByName, requireByName } from '../accounts/restaurants/restaurants.ts'
import { type Actor, guestIdsOf } from '../actor.ts'
import { authorize } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { Refusal } from '../errors.ts'
import { isValidProof } from '../floor/qr-links.ts'
import { read, write } from '../transaction.ts'
import { shownCard } from './guest-card.ts'
import { shownNeeds } from './needs.ts'
import { availabilityOf, requireAvailable } from './opening.ts'
import { notesFor } from './own-notes.ts'
import { followParty } from './parties.ts'
import { toGuestRequest } from './redaction.ts'
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
  authorize(actor, 'visits.openGuestPage')
  const { restaurantId, tableNumber, k } = guestLink
  if (!restaurantId) return emptyView
  try {
    const restaurant = await requireByName(ctx, read(ctx), restaurantId)
    const view = {
      ...emptyView,
      restaurantName: restaurant.name,
      ...shownCard(restaurant),
      ...(await notesFor(ctx, actor, restaurant)),
    }
    if (!tableNumber) return view
    try {
      return { ...view, ...(await loadTableView(ctx, actor, { restaurantId, tableNumber, k })) }
    } catch (error) {
      return { ...view, problem: toProblem(error) }
    }
  } catch (error) {
    return { ...emptyView, problem: toProblem(error) }
  }
}

function toProblem(error: unknown): RefusalBody {
  if (!(error instanceof Refusal)) throw error
  const { code, message, params } = error
  return { code, message, ...(params && { params }) }
}

async function loadTableView(ctx: Ctx, actor: Actor, table: TableRef): Promise<GuestView> {
  const { restaurant, seat, verified, seating, moved, ended, expired, barrier } = await openVisit(
    ctx,
    actor,
    table,
  )
  if (barrier === 'table_closed' && verified) askToBeSeated(ctx, restaurant.id, seat, seating)
  // What the next party asks for is hidden from the one before.
  const open = ended
    ? []
    : (await requests.listOpen(read(ctx), restaurant.id, seat.tableKey)).map(toGuestRequest)
  return {
    restaurantName: restaurant.name,
    tableNumber: seat.tableNumber,
    moved,
    problem: null,
    expired,
    ...(ended && { ended }),
    requests: open,
    mine: await listOwnRequestIds(read(ctx), actor, restaurant.id, open),
    listening: ctx.presence(restaurant.id).listening,
    barrier,
    ...availabilityForGuests(restaurant, ctx.now()),
  }
}

const availabilityForGuests = (restaurant: Restaurant, now: number): Availability => ({
  ...shownNeeds(restaurant),
  ...shownCard(restaurant),
  ...availabilityOf(restaurant, now),
})

/** How often the crew is told that somebody has scanned the code of a table that is not open. */
const wantedPauseMs = 5 * minuteMs

/** Nobody rings for it: a photograph of the code may be anywhere. */
function askToBeSeated(ctx: Ctx, restaurantId: string, { tableId, tableKey }: Seat, seating: Seated): void {
  const at = ctx.now()
  const since = at - wantedPauseMs
  if (tableId === null || (seating?.wantedAt ?? 0) >= since) return
  ctx.background(() =>
    write(ctx, async ({ db, announce }) => {
      if (await seatings.markWanted(db, { restaurantId, tableKey }, { at, since }))
        announce({ kind: 'staff', restaurantId }, { type: 'seating-changed' })
    }),
  )
}

const listOwnRequestIds = async (
  db: Db,
  actor: Actor,
  restaurantId: string,
  open: readonly { id: string }[],
): Promise<string[]> =>
  [
    ...(await requestEvents.listAsksBy(
      db,
      restaurantId,
      guestIdsOf(actor),
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
  restaurant: Pick<Restaurant, 'id' | 'codeGeneration' | 'codeKey'>,
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
      { params: { table: tableNumber } },
    )
  }
  const seat = { tableId, tableNumber: table?.tableNumber ?? tableNumber, tableKey: nameKey(tableNumber) }
  return { seat, verified }
}

/** During a visit the code that was scanned at its start stays valid, until new codes are generated. */
const isVerifiedVisit = (
  { codeGeneration }: Pick<Restaurant, 'codeGeneration'>,
  savedVisit: SavedVisit | undefined,
  now: number,
): boolean => savedVisit?.codeGeneration === codeGeneration && now - savedVisit.startedAt <= visitDurationMs

/** Naming a table starts a visit there, unless this device has one; an expired visit stays so until it is reset. */
export async function openVisit(
  ctx: Ctx,
  actor: Actor,
  { restaurantId: name, ...named }: TableRef,
  { follows = true } = {},
) {
  const db = read(ctx)
  const restaurant = await requireByName(ctx, db, name)
  const namedKey = { restaurantId: restaurant.id, tableKey: nameKey(named.tableNumber) }
  const { guestId } = actor
  const now = ctx.now()
  const context = await loadVisitContext(db, { ...namedKey, guestId }, now)
  const startedAt = context.startedAt ?? readSavedVisit(ctx, actor, namedKey)?.startedAt
  const mayHaveMoved = follows && startedAt !== undefined && (context.partyMovedAt ?? 0) > startedAt
  const moved = mayHaveMoved ? await followParty(db, { ...namedKey, startedAt }) : null
  const { tableNumber } = moved ?? named
  const key = { ...namedKey, tableKey: nameKey(tableNumber) }
  const savedVisit = readSavedVisit(ctx, actor, key)
  const { table, muted } = moved ? await loadVisitContext(db, { ...key, guestId }, now) : context
  const history = { table, hasVisited: startedAt !== undefined, savedVisit }
  const { seat, verified } = await resolveSeat(ctx, db, actor, restaurant, { ...named, tableNumber }, history)
  const seating = await findSeating(db, restaurant, key, now)
  const newStart = guestId === null ? now : startOfVisit(now, { seating, partyMovedAt: context.partyMovedAt })
  const start = startedAt ?? newStart
  keepVisit(ctx, actor, key, {
    isNew: startedAt === undefined,
    startedAt: moved?.since ?? start,
    shownCode: verified ? restaurant.codeGeneration : null,
  })
  const ended = startedAt !== undefined && hasEnded(seating, moved?.since ?? startedAt)
  const expired = ended || (startedAt !== undefined && now - startedAt > visitDurationMs)
  const barrier = ended ? 'visit_expired' : barrierFor(restaurant, { muted, verified, seating })
  return {
    restaurant,
    seat,
    verified,
    seating,
    startedAt,
    start,
    since: moved?.since ?? start,
    moved: moved !== null,
    ended,
    expired,
    barrier,
  }
}

/**
 * When a visit begins: never before what ended those before it, which lies ahead after the server's clock was set back.
 * `partyMovedAt`: when a party last moved away from the table.
 */
export const startOfVisit = (
  now: number,
  { seating, partyMovedAt }: { seating: Seated; partyMovedAt: number | null },
): number => Math.max(now, (seating?.closedAt ?? -1) + 1, partyMovedAt ?? 0)

export async function findNewStart(
  db: Db,
  table: { restaurantId: string; tableKey: string },
  seating: Seated,
  now: number,
): Promise<number> {
  const left = await partyMoves.findLast(db, table, Number.MAX_SAFE_INTEGER)
  return startOfVisit(now, { seating, partyMovedAt: left?.at ?? null })
}

/** In the device's cookie, when it begins and when its code is shown. */
export function keepVisit(
  ctx: Ctx,
  actor: Actor,
  table: { restaurantId: string; tableKey: string },
  { isNew, startedAt, shownCode }: { isNew: boolean; startedAt: number; shownCode: number | null },
): void {
  if (actor.guestId === null) return
  const savedGeneration = readSavedVisit(ctx, actor, table)?.codeGeneration ?? null
  const codeGeneration = shownCode ?? savedGeneration
  if (isNew || codeGeneration !== savedGeneration) saveVisit(ctx, actor, table, { startedAt, codeGeneration })
}

/** Null where the crew does not open and close tables. */
type Seated = Pick<SeatingRow, 'seatedAt' | 'closedAt' | 'wantedAt'> | null

export const findSeating = async (
  db: Db,
  { id, seating }: Pick<Restaurant, 'id' | 'seating'>,
  { tableKey }: { tableKey: string },
  now: number,
): Promise<Seated> =>
  seating === 1
    ? ((await seatings.find(db, { restaurantId: id, tableKey }, now)) ?? seatings.neverSeated)
    : null

/** The crew has closed the table since the visit began there. */
const hasEnded = (seating: Seated, since: number): boolean =>
  seating !== null && seating.closedAt !== null && since <= seating.closedAt

/** For a visit that began, or came to the table, then. */
function refuseEndedVisit(seating: Seated, since: number | undefined): void {
  if (since !== undefined && hasEnded(seating, since)) refuseAt('visit_expired')
}

function barrierFor(
  { verifiedOnly }: Pick<Restaurant, 'verifiedOnly'>,
  { muted, verified, seating }: { muted: boolean; verified: boolean; seating: Seated },
): Barrier | null {
  if (muted) return 'table_muted'
  if (verifiedOnly === 1 && !verified) return 'code_required'
  return seating !== null && seating.seatedAt === null ? 'table_closed' : null
}

const requireNoBarrier = (...args: Parameters<typeof barrierFor>): void => refuseAt(barrierFor(...args))

export function refuseAt(barrier: Barrier | null): void {
  if (barrier) throw new Refusal(barrier, barrierMessages[barrier])
}

/** All that decides about a tap at a table, but for the limits, which may depend on the decision. */
export type TapFacts = {
  now: number
  restaurant: Pick<Restaurant, 'verifiedOnly' | 'opening' | 'timeZone'>
  /** Of this device's visit; undefined without one. `since`: when its party came to this table. */
  visit: { startedAt: number | undefined; since: number | undefined }
  seating: Seated
  muted: boolean
  verified: boolean
  need: NeedKey
  openRequestId: string | null
}

/**
 * Whether a tap makes a new request or is added to the open one, which the table waits for even where nothing new can be
 * asked for. Throws the refusal.
 */
export function decideTap(facts: TapFacts): 'new' | 'repeat' {
  const { now, restaurant, visit, seating, need, openRequestId } = facts
  refuseExpiredVisit(visit.startedAt, now)
  refuseEndedVisit(seating, visit.since)
  requireNoBarrier(restaurant, facts)
  if (openRequestId !== null) return 'repeat'
  requireAvailable(restaurant, need, now)
  return 'new'
}

/** The guest's table, where the guest may do what only guests at a table may. */
export async function requireSeat(
  ctx: Ctx,
  actor: Actor,
  table: TableRef,
  options: { follows?: boolean } = {},
): Promise<Awaited<ReturnType<typeof openVisit>>> {
  const visit = await openVisit(ctx, actor, table, options)
  if (visit.expired && !visit.ended) throw visitExpired()
  refuseAt(visit.barrier)
  return visit
}

/** The open requests of a table, the same for every phone there. */
export async function mine(ctx: Ctx, actor: Actor, table: TableRef): Promise<TableRequests> {
  authorize(actor, 'requests.mine')
  const visit = await openVisit(ctx, actor, table)
  const { restaurant, seat, verified, seating, moved, ended, expired, barrier } = visit
  if (barrier === 'table_closed' && verified) askToBeSeated(ctx, restaurant.id, seat, seating)
  // What the next party asks for is hidden from the one before.
  const open = ended ? [] : await requests.listOpen(read(ctx), restaurant.id, seat.tableKey)
  const own = await listOwnRequestIds(read(ctx), actor, restaurant.id, open)
  const { listening } = ctx.presence(restaurant.id)
  return {
    requests: open.map(toGuestRequest),
    ...(own.length > 0 && { mine: own }),
    listening,
    barrier,
    ...availabilityForGuests(restaurant, ctx.now()),
    ...(moved && { movedTo: seat.tableNumber }),
    // The barrier says it where the crew has ended the visit.
    ...(expired && !ended && { expired: true as const }),
  }
}

/** The topic that a guest's page follows: its table, or no table yet. `ended`: of those whose visit there is over. */
export async function watchTable(
  ctx: Ctx,
  actor: Actor,
  { restaurantId: name, tableNumber, k }: GuestLink & { restaurantId: string },
): Promise<{ restaurantId: string; tableKey: string | null; ended: boolean; verified: boolean }> {
  authorize(actor, 'contexts.setRestaurant')
  if (tableNumber === undefined) {
    const { id } = await requireByName(ctx, read(ctx), name)
    return { restaurantId: id, tableKey: null, ended: false, verified: false }
  }
  const visit = await openVisit(ctx, actor, { restaurantId: name, tableNumber, k })
  const { restaurant, seat, verified, ended } = visit
  return { restaurantId: restaurant.id, tableKey: seat.tableKey, ended, verified }
}

/** Whether this device has shown a valid code for the table during its visit there. */
export const hasShownCode = (
  ctx: Ctx,
  actor: Actor,
  restaurant: Pick<Restaurant, 'id' | 'codeGeneration'>,
  tableKey: string,
): boolean =>
  isVerifiedVisit(
    restaurant,
    readSavedVisit(ctx, actor, { restaurantId: restaurant.id, tableKey }),
    ctx.now(),
  )

/** The restaurant, if this device shows a valid code for the table, or has shown it during its visit there. */
export async function findCodeHolder(
  ctx: Ctx,
  actor: Actor,
  { restaurantId: name, tableNumber, k }: TableRef,
): Promise<string | null> {
  const restaurant = await findByName(ctx, name)
  if (!restaurant) return null
  const { id } = restaurant
  if (hasShownCode(ctx, actor, restaurant, nameKey(tableNumber))) return id
  const table = k === undefined ? undefined : await floor.findByNumber(read(ctx), id, tableNumber)
  return isValidProof(ctx, restaurant, table?.id ?? null, k) ? id : null
}

/** Visits end after 3 hours. A device without an id has no visit and is never refused. */
function refuseExpiredVisit(startedAt: number | undefined, now: number): void {
  if (startedAt !== undefined && now - startedAt > visitDurationMs) throw visitExpired()
}

const visitExpired = () =>
  new Refusal(
    'visit_expired',
    'Your session has expired after 3 hours. Please scan the QR code again or reset your session to continue.',
  )

/** Starts a new visit now, at the table that is named: whoever was there before may have moved. */
export async function resetVisit(ctx: Ctx, actor: Actor, table: TableRef): Promise<void> {
  authorize(actor, 'visits.resetVisit')
  const { restaurant, seat, seating } = await openVisit(ctx, actor, table, { follows: false })
  const named = { restaurantId: restaurant.id, tableKey: seat.tableKey }
  const startedAt = await findNewStart(read(ctx), named, seating, ctx.now())
  await restartVisit(ctx, actor, named, { startedAt, codeGeneration: null })
}

/** Without the party that was at the table before. */
export async function restartVisit(
  ctx: Ctx,
  actor: Actor,
  table: { restaurantId: string; tableKey: string },
  visit: SavedVisit,
): Promise<void> {
  const { guestId } = actor
  if (guestId === null) return
  const { startedAt } = visit
  await write(ctx, ({ db }) => visits.restart(db, { ...table, guestId, startedAt }))
  saveVisit(ctx, actor, table, visit)
}
