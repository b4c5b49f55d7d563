import { nameKey } from '#contract/primitives.ts'
import {
  type ClosedRequest,
  type NewServiceRequest,
  type ServiceRequest,
  undoMs,
  visitMs,
} from '#contract/requests.ts'
import type { Break, RoleCall } from '#contract/shift.ts'
import type { Db } from '../storage/database.ts'
import * as floor from '../storage/floor.ts'
import * as requests from '../storage/requests.ts'
import type { RequestRow } from '../storage/requests.ts'
import type { Restaurant } from '../storage/restaurants.ts'
import type { RequestEventKind } from '../storage/schema.ts'
import * as streams from '../storage/streams.ts'
import * as visits from '../storage/visits.ts'
import { type Actor, may, mayIn, signature } from './actor.ts'
import { type Announce, type Ctx, read, write } from './context.ts'
import { conflict, forbidden, notFound, Refusal } from './errors.ts'
import { firstStep, settingsOf, waitingAgain } from './ladder.ts'
import { concerned, eventOf, tell } from './request-news.ts'
import { byName, localDay } from './restaurants.ts'
import * as shift from './shift.ts'

const { toRequest } = requests

export type Sent = {
  request: ServiceRequest
  created: boolean
  /** Whose news the guest waits for from now on. */
  table: { restaurantId: string; tableKey: string }
}

/** A tap that was stored before: what became of it is the answer, and nothing else happens. */
class Repeated extends Error {}

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
      const seat = await seatAt(db, restaurant.id, input.tableNumber)
      const now = ctx.now()
      const today = localDay(now, restaurant.timeZone)
      if (await requests.findByAsk(db, restaurant.id, id)) throw new Repeated()
      await keepVisit(db, actor, restaurant.id, seat.tableKey, now)
      const row = await requests.insertOrMerge(db, restaurant.id, {
        id,
        ...seat,
        serviceType: input.serviceType,
        createdAt: now,
        localDay: today,
        ...(await firstStep(ctx, db, restaurant.id, {
          tableId: seat.tableId,
          serviceType: input.serviceType,
          localDay: today,
        })),
        verified: isVerified(ctx, restaurant, seat.tableId, input.k) ? 1 : 0,
      })
      const created = row.id === id
      if (created) await takeLimits(ctx, actor, restaurant.id, seat.tableKey)
      const event = { ...eventOf(ctx, signature(asGuest(actor)), row, created ? 'created' : 'asked'), id }
      if (!(await requests.append(db, event))) throw new Repeated()
      tell(announce, row, created ? 'new-request' : 'request-updated')
      return { request: toRequest(row), created, table: tableOf(row) }
    })
  } catch (error) {
    if (!(error instanceof Repeated)) throw error
    const restaurant = await byName(ctx, read(ctx), input.restaurantId)
    const row = await requests.findByAsk(read(ctx), restaurant.id, id)
    if (!row) throw conflict('Please try again')
    return { request: toRequest(row), created: false, table: tableOf(row) }
  }
}

const tableOf = ({ restaurantId, tableKey }: RequestRow) => ({ restaurantId, tableKey })

type Seat = { tableId: string | null; tableNumber: string; tableKey: string }

/** A table that does not exist may be named only while the restaurant has set up none. */
export async function seatAt(db: Db, restaurantId: string, tableNumber: string): Promise<Seat> {
  const table = await floor.findByNumber(db, restaurantId, tableNumber)
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

/** The 3-hour rule, where the device can be told apart; a browser without cookies is not turned away. */
async function keepVisit(db: Db, { guestId }: Actor, restaurantId: string, tableKey: string, now: number) {
  if (guestId === null) return
  const visit = { restaurantId, guestId, tableKey }
  const startedAt = await visits.startOf(db, visit)
  if (startedAt === undefined) await visits.begin(db, { ...visit, startedAt: now })
  else if (now - startedAt > visitMs) {
    throw new Refusal(
      'visit_expired',
      'Your session has expired after 3 hours. Please scan the QR code again or reset your session to continue.',
    )
  }
}

async function takeLimits(ctx: Ctx, actor: Actor, restaurantId: string, tableKey: string): Promise<void> {
  if (!ctx.settings.guestLimits) return
  if (actor.guestId !== null) await ctx.limits.take('guest-device', `${restaurantId} ${actor.guestId}`)
  await ctx.limits.take('guest-table', `${restaurantId} ${tableKey}`)
  await ctx.limits.take('guest-address', actor.address)
  await ctx.limits.take('guest-restaurant', restaurantId)
}

/** What a printed code carries as `k`: proof for one table, or with no table for the whole restaurant. */
export function proofOf(ctx: Ctx, restaurant: Restaurant, tableId: string | null): string {
  const { id, codeGeneration, codeKey } = restaurant
  return `${codeGeneration}.${ctx.secrets.sign(codeKey, `v1|${id}|${tableId ?? '*'}|${codeGeneration}`)}`
}

function isVerified(
  ctx: Ctx,
  restaurant: Restaurant,
  tableId: string | null,
  k: string | undefined,
): boolean {
  if (k === undefined) return false
  const proofs = [
    proofOf(ctx, restaurant, null),
    ...(tableId === null ? [] : [proofOf(ctx, restaurant, tableId)]),
  ]
  return proofs.some((proof) => ctx.secrets.equal(proof, k))
}

/** "On my way." The first accept wins; a second is no error and learns who was first. */
export async function accept(
  ctx: Ctx,
  actor: Actor,
  { id }: { id: string },
): Promise<ServiceRequest | undefined> {
  const { restaurantId } = mayIn(actor, 'accept-request')
  const by = { id: actor.crewMember?.id ?? null, name: actor.crewMember?.name ?? 'Crew' }
  return write(ctx, async (db, announce) => {
    const { acceptMs } = await settingsOf(db, restaurantId)
    const now = ctx.now()
    const accepted = await requests.accept(db, restaurantId, id, now, by, now + acceptMs)
    return settle(ctx, db, announce, actor, restaurantId, id, accepted, 'accepted')
  })
}

/** Gives an accepted request back to everybody. */
export async function release(
  ctx: Ctx,
  actor: Actor,
  { id }: { id: string },
): Promise<ServiceRequest | undefined> {
  const { restaurantId } = mayIn(actor, 'release-request')
  return write(ctx, async (db, announce) => {
    const row = await requests.find(db, restaurantId, id)
    const released = row && (await requests.release(db, restaurantId, id, await timesOf(ctx, db, row)))
    return settle(ctx, db, announce, actor, restaurantId, id, released, 'released')
  })
}

/** Only the tap that changed the row appends and announces; the others are told how it stands. */
async function settle(
  ctx: Ctx,
  db: Db,
  announce: Announce,
  actor: Actor,
  restaurantId: string,
  id: string,
  changed: RequestRow | undefined,
  kind: RequestEventKind,
): Promise<ServiceRequest | undefined> {
  if (changed) {
    await requests.append(db, eventOf(ctx, signature(actor), changed, kind))
    tell(announce, changed, 'request-updated')
    return toRequest(changed)
  }
  const row = await requests.find(db, restaurantId, id)
  if (!row) throw notFound('Request')
  return row.closedAt === null ? toRequest(row) : undefined
}

/** Marks a request done. Two crew members may tap at once: the first tap wins, the second is silent. */
export async function complete(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = mayIn(actor, 'complete-request')
  await write(ctx, (db, announce) => close(ctx, db, announce, actor, restaurantId, id, 'completed'))
}

async function close(
  ctx: Ctx,
  db: Db,
  announce: Announce,
  actor: Actor,
  restaurantId: string,
  id: string,
  as: 'completed' | 'cancelled',
): Promise<void> {
  const staff = actor.grants.size > 0 && as === 'completed'
  const by = staff ? { id: actor.crewMember?.id ?? null, name: actor.crewMember?.name ?? 'Crew' } : null
  const closed = await requests.close(db, restaurantId, id, ctx.now(), as, by ?? { id: null, name: null })
  if (!closed) {
    if (!(await requests.find(db, restaurantId, id))) throw notFound('Request')
    return
  }
  await requests.append(db, eventOf(ctx, signature(actor), closed, as))
  const message = {
    type: 'request-completed' as const,
    id,
    by,
    ...(as === 'cancelled' && { cancelled: true as const }),
  }
  for (const topic of concerned(closed)) announce(topic, message)
}

/** Takes back a completion, for 10 seconds. */
export async function reopen(
  ctx: Ctx,
  actor: Actor,
  { id }: { id: string },
): Promise<ServiceRequest | undefined> {
  const { restaurantId } = mayIn(actor, 'reopen-request')
  return write(ctx, async (db, announce) => {
    const before = await requests.find(db, restaurantId, id)
    if (!before) throw notFound('Request')
    if (before.closedAt === null) return toRequest(before)
    // The table asked anew meanwhile: that request is open, and one is enough.
    if (await requests.isOpen(db, restaurantId, before)) throw conflict('The table has already asked again')
    const times = await timesOf(ctx, db, before)
    const { acceptMs } = await settingsOf(db, restaurantId)
    const reopened = await requests.reopen(
      db,
      restaurantId,
      id,
      ctx.now() - undoMs,
      before.acceptedAt === null ? times : { nextLevelAt: null, acceptUntil: ctx.now() + acceptMs },
    )
    if (!reopened) throw conflict('This can no longer be undone')
    return settle(ctx, db, announce, actor, restaurantId, id, reopened, 'reopened')
  })
}

/** A staff screen confirms that it shows these; each screen counts once for each request. */
export async function markSeen(ctx: Ctx, actor: Actor, { ids }: { ids: string[] }): Promise<void> {
  const { restaurantId } = mayIn(actor, 'requests-seen')
  await write(ctx, async (db, announce) => {
    // In one order everywhere: two screens that confirm the same requests must not wait for each other.
    for (const id of [...new Set(ids)].toSorted()) {
      const row = await requests.find(db, restaurantId, id)
      if (!row || row.closedAt !== null) continue
      const event = { ...eventOf(ctx, signature(actor), row, 'seen'), id: sightId(ctx, id, actor) }
      if (!(await requests.append(db, event))) continue
      const counted = await requests.countSight(db, restaurantId, id, event.at)
      if (counted) tell(announce, counted, 'request-updated')
    }
  })
}

const sightId = (ctx: Ctx, requestId: string, actor: Actor) =>
  `seen:${requestId}:${actor.sessionId ?? ctx.newId()}`

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
    const row = await requireOwnAsk(db, actor, id)
    if (row.closedAt !== null) throw conflict('This request is already done')
    if (row.level === 2) {
      // The ladder has alerted everybody already: it is noted once, and told again.
      const event = {
        ...eventOf(ctx, signature(asGuest(actor)), row, 'still_waiting'),
        id: `still:${row.id}`,
      }
      if (await requests.append(db, event)) {
        await requests.pushAgain(db, row.restaurantId, row.id)
        tell(announce, row)
      }
      return { request: toRequest(row) }
    }
    const times = await timesOf(ctx, db, { ...row, level: row.level + 1 })
    const nextLevelAt = row.acceptedAt === null ? times.nextLevelAt : null
    const raised = await requests.raise(db, row.restaurantId, row.id, row.level, nextLevelAt)
    if (!raised) return { request: toRequest(row) }
    await requests.append(db, eventOf(ctx, signature(asGuest(actor)), raised, 'still_waiting'))
    tell(announce, raised, 'request-updated')
    return { request: toRequest(raised) }
  })
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

export type Pending = {
  requests: ServiceRequest[]
  recent: ClosedRequest[]
  calls: RoleCall[]
  breaks: Break[]
  seq: number
}

/** The crew's snapshot, with where the stream stood before it was read: nothing later is missing from it unseen. */
export async function pending(ctx: Ctx, actor: Actor): Promise<Pending> {
  const { restaurantId } = mayIn(actor, 'get-pending-requests')
  const db = read(ctx)
  const seq = await streams.lastSeq(db, restaurantId, 'staff')
  const open = await requests.open(db, restaurantId)
  return {
    requests: open.map(toRequest),
    recent: await requests.recent(db, restaurantId, 20),
    ...(await shift.snapshot(db, restaurantId)),
    seq,
  }
}

/** When a request that waits from now on alerts more people. */
async function timesOf(ctx: Ctx, db: Db, { restaurantId, serviceType, level }: RequestRow) {
  return waitingAgain(await settingsOf(db, restaurantId), serviceType, level, ctx.now())
}
