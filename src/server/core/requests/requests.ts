import { nameKey } from '#contract/primitives.ts'
import {
  type NewServiceRequest,
  type ServiceRequest,
  stillWaitingPauseMs,
  targetResponseMs,
} from '#contract/requests.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as requests from '../../storage/requests.ts'
import type { RequestRow } from '../../storage/requests.ts'
import * as seats from '../../storage/tap-context.ts'
import * as visits from '../../storage/visits.ts'
import { type Actor, eventAttribution } from '../actor.ts'
import { authorize } from '../authorize.ts'
import { type Announce, read, write } from '../transaction.ts'
import type { Ctx } from '../ports.ts'
import { conflict, forbidden, notFound } from '../errors.ts'
import { toGuestRequest } from '../guests/redaction.ts'
import { initialEscalation, escalationTimes } from './escalation.ts'
import { closeRequest } from './close.ts'
import { systemAttribution, createEvent, announceRequest } from './request-events.ts'
import { localDay } from '../dates.ts'
import { requireByName } from '../accounts/restaurants.ts'
import {
  type Asker,
  checkLimits,
  tryConsumeRepeat,
  consumeLimits,
  consumeStillWaitingLimits,
} from '../guests/rate-limits.ts'
import { readSavedVisit } from '../guests/visit-cookie.ts'
import { refuseExpiredVisit, requireNoBarrier, resolveSeat } from '../guests/visits.ts'

type SendResult = {
  request: ServiceRequest
  created: boolean
  /** Whose news the guest waits for from now on. */
  table: { restaurantId: string; tableKey: string }
}

/**
 * A guest asks for service. No sign-in: knowing the restaurant's name is enough. The same tap sent twice counts
 * once; the same need asked twice while it is open is one request, asked twice.
 */
export async function send(ctx: Ctx, actor: Actor, input: NewServiceRequest): Promise<SendResult> {
  authorize(actor, 'requests.send')
  const id = input.id ?? ctx.newId()
  try {
    return await write(ctx, async (db, announce) => {
      const restaurant = await requireByName(ctx, db, input.restaurantId)
      const now = ctx.now()
      const place = { restaurantId: restaurant.id, tableKey: nameKey(input.tableNumber) }
      const day = localDay(now, restaurant.timeZone)
      const { serviceType } = input
      const tapContext = await seats.loadTapContext(db, {
        ...place,
        day,
        serviceType,
        now,
        guestId: actor.guestId,
      })
      const savedVisit = readSavedVisit(ctx, actor, place)
      const startedAt = tapContext.visitStartedAt ?? savedVisit?.startedAt
      const { seat, verified } = await resolveSeat(ctx, db, actor, restaurant, input, {
        table: tapContext.table,
        known: startedAt !== undefined,
        kept: savedVisit,
      })
      refuseExpiredVisit(startedAt, now)
      requireNoBarrier(restaurant, { muted: tapContext.muted, verified })
      const asker = { ...place, actor, verified }
      const before = await answerRepeat(ctx, db, asker, tapContext.openRequestId, input.id)
      if (before) return before
      if (actor.guestId !== null && tapContext.visitStartedAt === null) {
        await visits.begin(db, { ...place, guestId: actor.guestId, startedAt: startedAt ?? now })
      }
      const row = await requests.insertOrMerge(db, restaurant.id, {
        id,
        ...seat,
        serviceType,
        createdAt: now,
        localDay: day,
        ...initialEscalation(ctx, restaurant.id, tapContext, serviceType),
        verified: verified ? 1 : 0,
      })
      const created = row.id === id
      const event = {
        ...createEvent(ctx, eventAttribution(asGuest(actor)), row, created ? 'created' : 'asked'),
        id,
      }
      if (!(await requests.appendEvent(db, event))) throw conflict('Please try again')
      if (created) await consumeLimits(ctx, asker, 'new')
      announceRequest(announce, row, created ? 'new-request' : 'request-updated')
      return { request: toGuestRequest(row), created, table: tableRef(row) }
    })
  } catch (error) {
    const before = input.id === undefined ? undefined : await findStored(ctx, input.restaurantId, id)
    if (!before) throw error
    return before
  }
}

/**
 * Decides before anything is written. What the table already waits for is never refused: past the limit, or when this
 * very tap was stored before, it is answered as it stands. What is new is refused past the limit.
 */
async function answerRepeat(
  ctx: Ctx,
  db: Db,
  by: Asker,
  openRequestId: string | null,
  askId: string | undefined,
): Promise<SendResult | undefined> {
  if (openRequestId === null) {
    await checkLimits(ctx, by, 'new')
    return undefined
  }
  const stored = askId === undefined ? undefined : await requests.findByAsk(db, by.restaurantId, askId)
  if (!stored && (await tryConsumeRepeat(ctx, by))) return undefined
  const row = stored ?? (await requests.find(db, by.restaurantId, openRequestId))
  return row && { request: toGuestRequest(row), created: false, table: tableRef(row) }
}

/**
 * A tap that was stored before: what became of it is the answer, whatever would stand against it now. Asked for when
 * a tap was turned away, because few are sent twice.
 */
async function findStored(ctx: Ctx, name: string, id: string): Promise<SendResult | undefined> {
  const restaurant = await requireByName(ctx, read(ctx), name)
  const row = await requests.findByAsk(read(ctx), restaurant.id, id)
  return row && { request: toGuestRequest(row), created: false, table: tableRef(row) }
}

const tableRef = ({ restaurantId, tableKey }: RequestRow) => ({ restaurantId, tableKey })

/**
 * A guest takes back what this device asked for. The request is over when nobody else at the table asked for it; else
 * it stays as theirs, and comes back.
 */
export async function cancel(
  ctx: Ctx,
  actor: Actor,
  { id }: { id: string },
): Promise<{ id: string; request?: ServiceRequest }> {
  authorize(actor, 'requests.cancel')
  return write(ctx, async (db, announce) => {
    const { restaurantId } = (await requireOwnRequest(db, actor, id)).row
    // A table that asks once more in this very moment does so before or after.
    const row = await requests.lockOpen(db, restaurantId, id)
    if (!row) return { id }
    const { asks } = await requireOwnRequest(db, actor, id)
    if (asks.length >= row.asks) {
      await closeRequest(ctx, db, announce, asGuest(actor), restaurantId, id, 'cancelled')
      return { id }
    }
    const left = asks.length === 0 ? row : await retractAsks(ctx, db, announce, actor, row, asks)
    return { id, request: toGuestRequest(left) }
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
  const left = await requests.reduceAsks(db, row, asks.length)
  if (!left) throw notFound('Request')
  for (const ask of asks) {
    const event = createEvent(ctx, eventAttribution(asGuest(actor)), left, 'taken_back')
    await requests.appendEvent(db, { ...event, id: requests.retractionId(ask) })
  }
  announceRequest(announce, left)
  return left
}

/**
 * A guest who waited past the target makes the request more urgent, and alerts again whoever it calls. `told` is false
 * where the crew was told a moment ago.
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
      const urged = await applyStillWaiting(ctx, db, announce, actor, row)
      if (urged) return { request: toGuestRequest(urged), told: true }
      // It was raised, taken or closed in this very moment. The guest's word counts on top of that.
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

/** Undefined when `row` is no longer how the request stands. */
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
    await requests.appendEvent(db, createEvent(ctx, systemAttribution, released, 'released'))
    return applyStillWaiting(ctx, db, announce, actor, released)
  }
  const at = ctx.now()
  const { nextLevelAt } =
    row.acceptedAt === null
      ? await escalationTimes(ctx, db, { ...row, level: Math.min(row.level + 1, 2) })
      : { nextLevelAt: null }
  const urged = await requests.recordStillWaiting(db, row, {
    at,
    since: at - stillWaitingPauseMs,
    nextLevelAt,
  })
  if (!urged) return undefined
  await requests.appendEvent(db, createEvent(ctx, eventAttribution(asGuest(actor)), urged, 'still_waiting'))
  announceRequest(announce, urged, 'request-updated')
  return urged
}

/** Nobody could tell whoever is on the way that the guest still waits, so somebody else must hear it. */
const isAccepterUnreachable = (ctx: Ctx, { restaurantId, acceptedBy }: RequestRow): boolean =>
  acceptedBy !== null && !ctx.presence(restaurantId).listeners.has(acceptedBy)

/** Whatever else a browser is signed in to, what it asks for at a table it asks for as a guest. */
const asGuest = (actor: Actor): Actor => ({ ...actor, grants: new Map(), crewMember: null })

/** The request, and the taps of this device that it has not taken back. */
async function requireOwnRequest(
  db: Db,
  { guestId }: Actor,
  id: string,
): Promise<{ row: RequestRow; asks: string[] }> {
  const rows = await requests.findInAnyRestaurant(db, id)
  if (rows.length === 0) throw notFound('Request')
  for (const row of rows) {
    const own = guestId === null ? null : await requests.listAsksBy(db, row.restaurantId, guestId, [row.id])
    const asks = own?.get(row.id)
    if (asks) return { row, asks }
  }
  throw notRequester()
}

const notRequester = () => forbidden('Only the device that asked can do that')
