import { nameKey } from '#contract/primitives.ts'
import type { NewServiceRequest, ServiceRequest } from '#contract/requests.ts'
import type { Db } from '../storage/database.ts'
import * as requests from '../storage/requests.ts'
import type { RequestRow } from '../storage/requests.ts'
import * as seats from '../storage/seats.ts'
import { type Actor, may, signature } from './actor.ts'
import { isVerified } from './code-proof.ts'
import { type Announce, type Ctx, read, write } from './context.ts'
import { conflict, forbidden, notFound } from './errors.ts'
import { firstStep, timesOf } from './ladder.ts'
import { close } from './request-closing.ts'
import { eventOf, tell } from './request-news.ts'
import { byName, localDay } from './restaurants.ts'
import { keepVisit, seatIn } from './visits.ts'

const { toRequest } = requests

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
  may(actor, 'POST /api/service-requests')
  const id = input.id ?? ctx.newId()
  try {
    return await write(ctx, async (db, announce) => {
      const restaurant = await byName(ctx, db, input.restaurantId)
      const now = ctx.now()
      const place = {
        restaurantId: restaurant.id,
        tableKey: nameKey(input.tableNumber),
        day: localDay(now, restaurant.timeZone),
      }
      const found = await seats.look(db, { ...place, guestId: actor.guestId })
      const seat = await seatIn(db, restaurant.id, input.tableNumber, found.table)
      await keepVisit(db, actor, place, found.visitStartedAt, now)
      const row = await requests.insertOrMerge(db, restaurant.id, {
        id,
        ...seat,
        serviceType: input.serviceType,
        createdAt: now,
        localDay: place.day,
        ...firstStep(ctx, restaurant.id, found, input.serviceType),
        verified: isVerified(ctx, restaurant, seat.tableId, input.k) ? 1 : 0,
      })
      const created = row.id === id
      const event = { ...eventOf(ctx, signature(asGuest(actor)), row, created ? 'created' : 'asked'), id }
      if (!(await requests.append(db, event))) throw conflict('Please try again')
      if (created) await takeLimits(ctx, actor, restaurant.id, seat.tableKey)
      tell(announce, row, created ? 'new-request' : 'request-updated')
      return { request: toRequest(row), created, table: tableOf(row) }
    })
  } catch (error) {
    const before = input.id === undefined ? undefined : await storedBefore(ctx, input.restaurantId, id)
    if (!before) throw error
    return before
  }
}

/**
 * A tap that was stored before: what became of it is the answer, whatever would stand against it now. Asked for when
 * a tap was turned away, because few are sent twice.
 */
async function storedBefore(ctx: Ctx, name: string, id: string): Promise<Sent | undefined> {
  const restaurant = await byName(ctx, read(ctx), name)
  const row = await requests.findByAsk(read(ctx), restaurant.id, id)
  return row && { request: toRequest(row), created: false, table: tableOf(row) }
}

const tableOf = ({ restaurantId, tableKey }: RequestRow) => ({ restaurantId, tableKey })

async function takeLimits(ctx: Ctx, actor: Actor, restaurantId: string, tableKey: string): Promise<void> {
  if (!ctx.settings.guestLimits) return
  if (actor.guestId !== null) await ctx.limits.take('guest-device', `${restaurantId} ${actor.guestId}`)
  await ctx.limits.take('guest-table', `${restaurantId} ${tableKey}`)
  await ctx.limits.take('guest-address', actor.address)
  await ctx.limits.take('guest-restaurant', restaurantId)
}

/** A guest takes a request back: only on a device that asked for it. */
export async function cancel(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<{ id: string }> {
  may(actor, 'POST /api/service-requests/:id/cancel')
  await write(ctx, async (db, announce) => {
    const row = await requireOwnAsk(db, actor, id)
    await close(ctx, db, announce, asGuest(actor), row.restaurantId, row.id, 'cancelled')
  })
  return { id }
}

/** A guest who waited past the target makes the request more urgent. */
export async function stillWaiting(
  ctx: Ctx,
  actor: Actor,
  { id }: { id: string },
): Promise<{ request: ServiceRequest }> {
  may(actor, 'POST /api/service-requests/:id/still-waiting')
  return write(ctx, async (db, announce) => {
    const own = await requireOwnAsk(db, actor, id)
    for (let row: RequestRow | undefined = own; row; row = await requests.find(db, own.restaurantId, id)) {
      if (row.closedAt !== null) throw conflict('This request is already done')
      const urged = await urge(ctx, db, announce, actor, row)
      if (urged) return { request: toRequest(urged) }
      // It was raised or closed in this very moment. The guest's word counts on top of the ladder's.
    }
    throw notFound('Request')
  })
}

/** Undefined when `row` is no longer how the request stands. */
async function urge(
  ctx: Ctx,
  db: Db,
  announce: Announce,
  actor: Actor,
  row: RequestRow,
): Promise<RequestRow | undefined> {
  const event = eventOf(ctx, signature(asGuest(actor)), row, 'still_waiting')
  if (row.level === 2) {
    // The ladder has alerted everybody already: it is noted once, and told again.
    if (!(await requests.append(db, { ...event, id: `still:${row.id}` }))) return row
    const reminded = await requests.pushAgain(db, row.restaurantId, row.id)
    if (reminded) tell(announce, reminded)
    return reminded
  }
  const times = await timesOf(ctx, db, { ...row, level: row.level + 1 })
  const nextLevelAt = row.acceptedAt === null ? times.nextLevelAt : null
  const raised = await requests.raise(db, row.restaurantId, row.id, row.level, nextLevelAt)
  if (!raised) return undefined
  await requests.append(db, event)
  tell(announce, raised, 'request-updated')
  return raised
}

/** Whatever else a browser is signed in to, what it asks for at a table it asks for as a guest. */
const asGuest = (actor: Actor): Actor => ({ ...actor, grants: new Map(), crewMember: null })

async function requireOwnAsk(db: Db, { guestId }: Actor, id: string): Promise<RequestRow> {
  const rows = await requests.findAnywhere(db, id)
  if (rows.length === 0) throw notFound('Request')
  for (const row of rows) {
    const own = guestId === null ? [] : await requests.askedBy(db, row.restaurantId, guestId, [row.id])
    if (own.length > 0) return row
  }
  throw forbidden('Only the device that asked can do that')
}
