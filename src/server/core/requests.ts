import { nameKey } from '#contract/primitives.ts'
import {
  type NewServiceRequest,
  type ServiceRequest,
  stillWaitingPauseMs,
  targetMs,
} from '#contract/requests.ts'
import type { Db } from '../storage/types.ts'
import * as requests from '../storage/requests.ts'
import type { RequestRow } from '../storage/requests.ts'
import * as seats from '../storage/seats.ts'
import * as visits from '../storage/visits.ts'
import { type Actor, signature } from './actor.ts'
import { authorize } from './authorize.ts'
import { type Announce, read, write } from './transaction.ts'
import type { Ctx } from './ports.ts'
import { conflict, forbidden, notFound } from './errors.ts'
import { toGuestRequest } from './guest-copy.ts'
import { firstStep, timesOf } from './ladder.ts'
import { close } from './request-closing.ts'
import { bySystem, eventOf, tell } from './request-news.ts'
import { byName, localDay } from './restaurants.ts'
import { type Asker, checkBudget, mayRepeat, takeBudget, takeUrge } from './guest-budgets.ts'
import { keptVisit } from './visit-cookie.ts'
import { refuseAfterVisit, refuseBarred, seatAt } from './visits.ts'

type Sent = {
  request: ServiceRequest
  created: boolean
  /** Whose news the guest waits for from now on. */
  table: { restaurantId: string; tableKey: string }
}

/**
 * A guest asks for service. No sign-in: knowing the restaurant's name is enough. The same tap sent twice counts
 * once; the same need asked twice while it is open is one request, asked twice.
 */
export async function send(ctx: Ctx, actor: Actor, input: NewServiceRequest): Promise<Sent> {
  authorize(actor, 'requests.send')
  const id = input.id ?? ctx.newId()
  try {
    return await write(ctx, async (db, announce) => {
      const restaurant = await byName(ctx, db, input.restaurantId)
      const now = ctx.now()
      const place = { restaurantId: restaurant.id, tableKey: nameKey(input.tableNumber) }
      const day = localDay(now, restaurant.timeZone)
      const { serviceType } = input
      const found = await seats.look(db, { ...place, day, serviceType, now, guestId: actor.guestId })
      const kept = keptVisit(ctx, actor, place)
      const startedAt = found.visitStartedAt ?? kept?.startedAt
      const { seat, verified } = await seatAt(ctx, db, actor, restaurant, input, {
        table: found.table,
        known: startedAt !== undefined,
        kept,
      })
      refuseAfterVisit(startedAt, now)
      refuseBarred(restaurant, { muted: found.muted, verified })
      const by = { ...place, actor, verified }
      const before = await settledBefore(ctx, db, by, found.openRequestId, input.id)
      if (before) return before
      if (actor.guestId !== null && found.visitStartedAt === null) {
        await visits.begin(db, { ...place, guestId: actor.guestId, startedAt: startedAt ?? now })
      }
      const row = await requests.insertOrMerge(db, restaurant.id, {
        id,
        ...seat,
        serviceType,
        createdAt: now,
        localDay: day,
        ...firstStep(ctx, restaurant.id, found, serviceType),
        verified: verified ? 1 : 0,
      })
      const created = row.id === id
      const event = { ...eventOf(ctx, signature(asGuest(actor)), row, created ? 'created' : 'asked'), id }
      if (!(await requests.append(db, event))) throw conflict('Please try again')
      if (created) await takeBudget(ctx, by, 'new')
      tell(announce, row, created ? 'new-request' : 'request-updated')
      return { request: toGuestRequest(row), created, table: tableOf(row) }
    })
  } catch (error) {
    const before = input.id === undefined ? undefined : await storedBefore(ctx, input.restaurantId, id)
    if (!before) throw error
    return before
  }
}

/**
 * Decides before anything is written. What the table already waits for is never refused: past the limit, or when this
 * very tap was stored before, it is answered as it stands. What is new is refused past the limit.
 */
async function settledBefore(
  ctx: Ctx,
  db: Db,
  by: Asker,
  openRequestId: string | null,
  askId: string | undefined,
): Promise<Sent | undefined> {
  if (openRequestId === null) {
    await checkBudget(ctx, by, 'new')
    return undefined
  }
  const stored = askId === undefined ? undefined : await requests.findByAsk(db, by.restaurantId, askId)
  if (!stored && (await mayRepeat(ctx, by))) return undefined
  const row = stored ?? (await requests.find(db, by.restaurantId, openRequestId))
  return row && { request: toGuestRequest(row), created: false, table: tableOf(row) }
}

/**
 * A tap that was stored before: what became of it is the answer, whatever would stand against it now. Asked for when
 * a tap was turned away, because few are sent twice.
 */
async function storedBefore(ctx: Ctx, name: string, id: string): Promise<Sent | undefined> {
  const restaurant = await byName(ctx, read(ctx), name)
  const row = await requests.findByAsk(read(ctx), restaurant.id, id)
  return row && { request: toGuestRequest(row), created: false, table: tableOf(row) }
}

const tableOf = ({ restaurantId, tableKey }: RequestRow) => ({ restaurantId, tableKey })

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
    const { restaurantId } = (await requireOwnAsk(db, actor, id)).row
    // A table that asks once more in this very moment does so before or after.
    const row = await requests.lockOpen(db, restaurantId, id)
    if (!row) return { id }
    const { asks } = await requireOwnAsk(db, actor, id)
    if (asks.length >= row.asks) {
      await close(ctx, db, announce, asGuest(actor), restaurantId, id, 'cancelled')
      return { id }
    }
    const left = asks.length === 0 ? row : await takeBack(ctx, db, announce, actor, row, asks)
    return { id, request: toGuestRequest(left) }
  })
}

async function takeBack(
  ctx: Ctx,
  db: Db,
  announce: Announce,
  actor: Actor,
  row: RequestRow,
  asks: string[],
): Promise<RequestRow> {
  const left = await requests.takeBack(db, row, asks.length)
  if (!left) throw notFound('Request')
  for (const ask of asks) {
    const event = eventOf(ctx, signature(asGuest(actor)), left, 'taken_back')
    await requests.append(db, { ...event, id: requests.takenBackId(ask) })
  }
  tell(announce, left)
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
  await takeUrge(ctx, actor)
  return write(ctx, async (db, announce) => {
    const { row: own, asks } = await requireOwnAsk(db, actor, id)
    if (asks.length === 0) throw onlyWhoAsked()
    for (let row: RequestRow | undefined = own; row; row = await requests.find(db, own.restaurantId, id)) {
      if (row.closedAt !== null) throw conflict('This request is already done')
      refuseBeforeTarget(ctx, row)
      if (wasJustTold(row, ctx.now())) return { request: toGuestRequest(row), told: false }
      const urged = await urge(ctx, db, announce, actor, row)
      if (urged) return { request: toGuestRequest(urged), told: true }
      // It was raised, taken or closed in this very moment. The guest's word counts on top of that.
    }
    throw notFound('Request')
  })
}

function refuseBeforeTarget(ctx: Ctx, { createdAt, serviceType }: RequestRow): void {
  const waitMs = createdAt + targetMs[serviceType] - ctx.now()
  if (waitMs <= 0) return
  const seconds = Math.ceil(waitMs / 1000)
  throw conflict(`The crew has just been told. If nobody comes, tell them again in ${seconds} s.`)
}

const wasJustTold = ({ stillWaitingAt }: RequestRow, now: number): boolean =>
  stillWaitingAt !== null && stillWaitingAt > now - stillWaitingPauseMs

/** Undefined when `row` is no longer how the request stands. */
async function urge(
  ctx: Ctx,
  db: Db,
  announce: Announce,
  actor: Actor,
  row: RequestRow,
): Promise<RequestRow | undefined> {
  if (isOutOfReach(ctx, row)) {
    const released = await requests.withdrawAcceptance(db, row, await timesOf(ctx, db, row))
    if (!released) return undefined
    await requests.append(db, eventOf(ctx, bySystem, released, 'released'))
    return urge(ctx, db, announce, actor, released)
  }
  const at = ctx.now()
  const { nextLevelAt } =
    row.acceptedAt === null
      ? await timesOf(ctx, db, { ...row, level: Math.min(row.level + 1, 2) })
      : { nextLevelAt: null }
  const urged = await requests.urge(db, row, { at, since: at - stillWaitingPauseMs, nextLevelAt })
  if (!urged) return undefined
  await requests.append(db, eventOf(ctx, signature(asGuest(actor)), urged, 'still_waiting'))
  tell(announce, urged, 'request-updated')
  return urged
}

/** Nobody could tell whoever is on the way that the guest still waits, so somebody else must hear it. */
const isOutOfReach = (ctx: Ctx, { restaurantId, acceptedBy }: RequestRow): boolean =>
  acceptedBy !== null && !ctx.presence(restaurantId).listeners.has(acceptedBy)

/** Whatever else a browser is signed in to, what it asks for at a table it asks for as a guest. */
const asGuest = (actor: Actor): Actor => ({ ...actor, grants: new Map(), crewMember: null })

/** The request, and the taps of this device that it has not taken back. */
async function requireOwnAsk(
  db: Db,
  { guestId }: Actor,
  id: string,
): Promise<{ row: RequestRow; asks: string[] }> {
  const rows = await requests.findAnywhere(db, id)
  if (rows.length === 0) throw notFound('Request')
  for (const row of rows) {
    const own = guestId === null ? null : await requests.asksBy(db, row.restaurantId, guestId, [row.id])
    const asks = own?.get(row.id)
    if (asks) return { row, asks }
  }
  throw onlyWhoAsked()
}

const onlyWhoAsked = () => forbidden('Only the device that asked can do that')
