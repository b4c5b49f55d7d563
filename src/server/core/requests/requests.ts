import { nameKey } from '#contract/primitives.ts'
import {
  type NewServiceRequest,
  type ServiceRequest,
  stillWaitingPauseMs,
  targetResponseMs,
} from '#contract/requests.ts'
import { isUniqueViolation } from '../../storage/engine/errors.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as requestEvents from '../../storage/request-events.ts'
import * as requests from '../../storage/requests.ts'
import type { RequestRow } from '../../storage/requests.ts'
import { loadTapContext } from '../../storage/tap-context.ts'
import * as visits from '../../storage/visits.ts'
import { type Actor, eventAttribution } from '../actor.ts'
import { authorize } from '../authorize.ts'
import { write } from '../transaction.ts'
import type { Announce, Ctx } from '../ports.ts'
import { conflict, forbidden, notFound } from '../errors.ts'
import { toGuestRequest } from '../guests/redaction.ts'
import { initialEscalation, escalationTimes } from './escalation.ts'
import { closeRequest } from './close.ts'
import { announceRequest, recordEvent, systemAttribution } from './request-events.ts'
import { localDay } from '../dates.ts'
import { resolveNameKey } from '../accounts/restaurants.ts'
import { consumeStillWaitingLimits, TapBudget } from '../guests/rate-limits.ts'
import { readSavedVisit } from '../guests/visit-cookie.ts'
import { refuseExpiredVisit, requireNoBarrier, resolveSeat } from '../guests/visits.ts'

type SendResult = {
  request: ServiceRequest
  created: boolean
  /** The topic that the guest's page follows from now on. */
  table: { restaurantId: string; tableKey: string }
}

/**
 * A guest asks for service. No sign-in is needed: the restaurant's name is enough. The same tap sent twice counts once;
 * another tap for a service that the table already waits for is added to the open request.
 */
export async function send(ctx: Ctx, actor: Actor, input: NewServiceRequest): Promise<SendResult> {
  authorize(actor, 'requests.send')
  const tap = { ...input, id: input.id ?? ctx.newId() }
  const budget = new TapBudget(ctx)
  const store = () =>
    write(ctx, (db, announce) => storeTap(ctx, db, announce, actor, tap, budget), {
      group: { name: 'send', key: tableKeyOf(tap) },
    })
  try {
    return await store()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    // The same tap was stored at the same moment, by another node say. Now it is found.
    return store()
  }
}

type Tap = NewServiceRequest & { id: string }

/** Of the table, whose open requests and visits a tap may change. A restaurant with several names has several. */
const tableKeyOf = ({ restaurantId, tableNumber }: Tap): string =>
  JSON.stringify([nameKey(restaurantId), nameKey(tableNumber)])

async function storeTap(
  ctx: Ctx,
  db: Db,
  announce: Announce,
  actor: Actor,
  tap: Tap,
  budget: TapBudget,
): Promise<SendResult> {
  const now = ctx.now()
  const context = await loadTapContext(db, {
    id: tap.id,
    restaurantNameKey: await resolveNameKey(ctx, db, tap.restaurantId),
    tableKey: nameKey(tap.tableNumber),
    serviceType: tap.serviceType,
    guestId: actor.guestId,
    now,
  })
  if (!context) throw notFound('Restaurant')
  const { restaurant } = context
  if (context.storedRequestId !== null) return loadResult(db, restaurant.id, context.storedRequestId)
  const table = { restaurantId: restaurant.id, tableKey: nameKey(tap.tableNumber) }
  const savedVisit = readSavedVisit(ctx, actor, table)
  const startedAt = context.visitStartedAt ?? savedVisit?.startedAt
  const { seat, verified } = await resolveSeat(ctx, db, actor, restaurant, tap, {
    table: context.table,
    hasVisited: startedAt !== undefined,
    savedVisit,
  })
  refuseExpiredVisit(startedAt, now)
  requireNoBarrier(restaurant, { muted: context.muted, verified })
  const asker = { ...table, actor, verified }
  if (context.openRequestId === null) await budget.consumeNew(asker)
  else if (!(await budget.tryConsumeRepeat(asker)))
    // Never refused: the table waits for it already.
    return loadResult(db, restaurant.id, context.openRequestId)
  const day = localDay(now, restaurant.timeZone)
  const crew = context.crew.filter((member) => member.day === day)
  const [row] = await Promise.all([
    requests.insertOrMerge(db, restaurant.id, {
      id: tap.id,
      ...seat,
      serviceType: tap.serviceType,
      createdAt: now,
      localDay: day,
      ...initialEscalation(ctx, restaurant.id, { ...context, crew }, tap.serviceType),
      verified: verified ? 1 : 0,
    }),
    actor.guestId !== null &&
      context.visitStartedAt === null &&
      visits.begin(db, { ...table, guestId: actor.guestId, startedAt: startedAt ?? now }),
  ])
  const created = row.id === tap.id
  recordEvent(ctx, guestAttribution(actor), row, created ? 'created' : 'asked', tap.id)
  announceRequest(announce, row, created ? 'new-request' : 'request-updated')
  return toResult(row, created)
}

async function loadResult(db: Db, restaurantId: string, id: string): Promise<SendResult> {
  const row = await requests.find(db, restaurantId, id)
  if (!row) throw notFound('Request')
  return toResult(row, false)
}

const toResult = (row: RequestRow, created: boolean): SendResult => ({
  request: toGuestRequest(row),
  created,
  table: { restaurantId: row.restaurantId, tableKey: row.tableKey },
})

/**
 * Takes back what this device asked for. The request is cancelled unless others at the table asked for it too; then it
 * stays open for them and is returned.
 */
export async function cancel(
  ctx: Ctx,
  actor: Actor,
  { id }: { id: string },
): Promise<{ id: string; request?: ServiceRequest }> {
  authorize(actor, 'requests.cancel')
  return write(ctx, async (db, announce) => {
    const { restaurantId } = (await requireOwnRequest(db, actor, id)).row
    // With the lock, an ask from the same table at the same moment comes either before or after.
    const row = await requests.lockOpen(db, restaurantId, id)
    if (!row) return { id }
    const { asks } = await requireOwnRequest(db, actor, id)
    if (asks.length >= row.asks) {
      await closeRequest({ ctx, db, announce, actor: asGuest(actor), restaurantId, id }, 'cancelled')
      return { id }
    }
    const remaining = asks.length === 0 ? row : await retractAsks(ctx, db, announce, actor, row, asks)
    return { id, request: toGuestRequest(remaining) }
  })
}

async function retractAsks(
  ctx: Ctx,
  db: Db,
  announce: Announce,
  actor: Actor,
  row: RequestRow,
  asks: string[],
): Promise<RequestRow> {
  const remaining = await requests.reduceAsks(db, row, asks.length)
  if (!remaining) throw notFound('Request')
  for (const ask of asks) {
    const eventId = requestEvents.retractionId(ask)
    recordEvent(ctx, guestAttribution(actor), remaining, 'taken_back', eventId)
  }
  announceRequest(announce, remaining)
  return remaining
}

/**
 * A guest who has waited longer than the target raises the request's level and alerts its crew again. `told` is false
 * when the crew was alerted so recently that this changes nothing.
 */
export async function stillWaiting(
  ctx: Ctx,
  actor: Actor,
  { id }: { id: string },
): Promise<{ request: ServiceRequest; told: boolean }> {
  authorize(actor, 'requests.stillWaiting')
  await consumeStillWaitingLimits(ctx, actor)
  return write(ctx, async (db, announce) => {
    const { row: ownRow, asks } = await requireOwnRequest(db, actor, id)
    if (asks.length === 0) throw notRequester()
    for (
      let row: RequestRow | undefined = ownRow;
      row;
      row = await requests.find(db, ownRow.restaurantId, id)
    ) {
      if (row.closedAt !== null) throw conflict('This request is already done')
      refuseBeforeTarget(ctx, row)
      if (wasRecentlyNotified(row, ctx.now())) return { request: toGuestRequest(row), told: false }
      const raised = await applyStillWaiting(ctx, db, announce, actor, row)
      if (raised) return { request: toGuestRequest(raised), told: true }
      // The request was raised, accepted or closed at the same moment: try again on top of that.
    }
    throw notFound('Request')
  })
}

function refuseBeforeTarget(ctx: Ctx, { createdAt, serviceType }: RequestRow): void {
  const waitMs = createdAt + targetResponseMs[serviceType] - ctx.now()
  if (waitMs <= 0) return
  const seconds = Math.ceil(waitMs / 1000)
  throw conflict(`The crew has just been told. If nobody comes, tell them again in ${seconds} s.`)
}

const wasRecentlyNotified = ({ stillWaitingAt }: RequestRow, now: number): boolean =>
  stillWaitingAt !== null && stillWaitingAt > now - stillWaitingPauseMs

/** Undefined when the request has changed since `row` was read. */
async function applyStillWaiting(
  ctx: Ctx,
  db: Db,
  announce: Announce,
  actor: Actor,
  row: RequestRow,
): Promise<RequestRow | undefined> {
  if (isAccepterUnreachable(ctx, row)) {
    const released = await requests.withdrawAcceptance(db, row, await escalationTimes(ctx, db, row))
    if (!released) return undefined
    recordEvent(ctx, systemAttribution, released, 'released')
    return applyStillWaiting(ctx, db, announce, actor, released)
  }
  const at = ctx.now()
  const { nextLevelAt } =
    row.acceptedAt === null
      ? await escalationTimes(ctx, db, { ...row, level: Math.min(row.level + 1, 2) })
      : { nextLevelAt: null }
  const raised = await requests.recordStillWaiting(db, row, {
    at,
    since: at - stillWaitingPauseMs,
    nextLevelAt,
  })
  if (!raised) return undefined
  recordEvent(ctx, guestAttribution(actor), raised, 'still_waiting')
  announceRequest(announce, raised)
  return raised
}

/** Whoever is on the way cannot be told that the guest is still waiting, so others must be. */
const isAccepterUnreachable = (ctx: Ctx, { restaurantId, acceptedBy }: RequestRow): boolean =>
  acceptedBy !== null && !ctx.presence(restaurantId).listeners.has(acceptedBy)

/** At a table everybody acts as a guest, whatever else their browser is signed in to. */
const asGuest = (actor: Actor): Actor => ({ ...actor, grants: new Map(), crewMember: null })

const guestAttribution = (actor: Actor) => eventAttribution(asGuest(actor))

/** The request, and this device's asks that it has not taken back. */
async function requireOwnRequest(
  db: Db,
  { guestId }: Actor,
  id: string,
): Promise<{ row: RequestRow; asks: string[] }> {
  const rows = await requests.findInAnyRestaurant(db, id)
  if (rows.length === 0) throw notFound('Request')
  for (const row of rows) {
    const own =
      guestId === null ? null : await requestEvents.listAsksBy(db, row.restaurantId, guestId, [row.id])
    const asks = own?.get(row.id)
    if (asks) return { row, asks }
  }
  throw notRequester()
}

const notRequester = () => forbidden('Only the device that asked can do that')
