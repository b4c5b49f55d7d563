import { type ClosedRequest, type ServiceRequest, undoWindowMs } from '#contract/requests.ts'
import type { Break, RoleCall } from '#contract/shift.ts'
import type { MutedTable } from '#contract/mutes.ts'
import * as breaks from '../../storage/breaks.ts'
import * as mutedTables from '../../storage/muted-tables.ts'
import * as requests from '../../storage/requests.ts'
import type { RequestRow } from '../../storage/requests.ts'
import type { RequestEventKind } from '../../storage/schema.ts'
import * as roleCalls from '../../storage/role-calls.ts'
import * as streams from '../../storage/streams.ts'
import { type Actor, crewAttribution, eventAttribution } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import { read, write } from '../transaction.ts'
import type { Ctx } from '../ports.ts'
import { conflict, notFound } from '../errors.ts'
import { loadAlertSettings, escalationTimes } from './escalation.ts'
import { closeRequest, type RequestChange } from './close.ts'
import { announceRequest, recordEvent, recordEventOnce } from './request-events.ts'

const { toRequest } = requests

type RequestRef = { id: string }

/** The request as it is now; undefined when it is closed. */
type Current = ServiceRequest | undefined

/** "On my way." The first tap wins; a second one is no error and learns who was first. */
export async function accept(ctx: Ctx, actor: Actor, { id }: RequestRef): Promise<Current> {
  const { restaurantId } = authorizeInRestaurant(actor, 'requests.accept')
  return write(ctx, async (db, announce) => {
    const { acceptMs } = await loadAlertSettings(db, restaurantId)
    const now = ctx.now()
    const accepted = await requests.accept(db, restaurantId, id, now, crewAttribution(actor), now + acceptMs)
    return finishTransition({ ctx, db, announce, actor, restaurantId, id }, accepted, 'accepted')
  })
}

/** Gives an accepted request back to all crew. */
export async function release(ctx: Ctx, actor: Actor, { id }: RequestRef): Promise<Current> {
  const { restaurantId } = authorizeInRestaurant(actor, 'requests.release')
  return write(ctx, async (db, announce) => {
    const row = await requests.find(db, restaurantId, id)
    const released =
      row && (await requests.release(db, restaurantId, id, await escalationTimes(ctx, db, row)))
    return finishTransition({ ctx, db, announce, actor, restaurantId, id }, released, 'released')
  })
}

/** Only the tap that changed the row is recorded and announced; the others get the request as it is. */
async function finishTransition(
  { ctx, db, announce, actor, restaurantId, id }: RequestChange,
  changed: RequestRow | undefined,
  kind: RequestEventKind,
): Promise<Current> {
  if (changed) {
    recordEvent(ctx, eventAttribution(actor), changed, kind)
    announceRequest(announce, changed)
    return toRequest(changed)
  }
  const row = await requests.find(db, restaurantId, id)
  if (!row) throw notFound('Request')
  return row.closedAt === null ? toRequest(row) : undefined
}

/** Marks a request done. Where two crew members tap at once the first wins, and the second is no error. */
export async function complete(ctx: Ctx, actor: Actor, { id }: RequestRef): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'requests.complete')
  await write(
    ctx,
    (db, announce) => closeRequest({ ctx, db, announce, actor, restaurantId, id }, 'completed'),
    {
      group: { name: 'complete', key: id },
    },
  )
}

/** Undoes a completion, within 10 seconds. */
export async function reopen(ctx: Ctx, actor: Actor, { id }: RequestRef): Promise<Current> {
  const { restaurantId } = authorizeInRestaurant(actor, 'requests.reopen')
  return write(ctx, async (db, announce) => {
    const before = await requests.find(db, restaurantId, id)
    if (!before) throw notFound('Request')
    if (before.closedAt === null) return toRequest(before)
    // A table has at most one open request for a service, and it has asked again since.
    if (await requests.isAlreadyOpen(db, restaurantId, before))
      throw conflict('The table has already asked again')
    const times = await escalationTimes(ctx, db, before)
    const { acceptMs } = await loadAlertSettings(db, restaurantId)
    const reopened = await requests.reopen(
      db,
      restaurantId,
      id,
      ctx.now() - undoWindowMs,
      before.acceptedAt === null ? times : { nextLevelAt: null, acceptUntil: ctx.now() + acceptMs },
    )
    if (!reopened) throw conflict('This can no longer be undone')
    return finishTransition({ ctx, db, announce, actor, restaurantId, id }, reopened, 'reopened')
  })
}

/** A staff screen confirms that it shows these requests; each browser counts once for each request. */
export async function markSeen(ctx: Ctx, actor: Actor, { ids }: { ids: string[] }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'requests.markSeen')
  await write(ctx, async (db, announce) => {
    // Always in the same order, or two screens that confirm the same requests could wait for each other.
    for (const id of [...new Set(ids)].toSorted()) {
      const row = await requests.find(db, restaurantId, id)
      if (!row || row.closedAt !== null) continue
      const eventId = `seen:${id}:${actor.sessionId ?? ctx.newId()}`
      const event = await recordEventOnce(ctx, db, eventAttribution(actor), row, 'seen', eventId)
      if (!event) continue
      const seen = await requests.incrementSeen(db, restaurantId, id, event.at)
      if (seen) announceRequest(announce, seen)
    }
  })
}

type CrewSnapshot = {
  requests: ServiceRequest[]
  recent: ClosedRequest[]
  calls: RoleCall[]
  breaks: Break[]
  muted: MutedTable[]
  seq: number
}

/** `seq` is read before the rest, so that a screen notices any later event that the snapshot lacks. */
export async function loadSnapshot(ctx: Ctx, actor: Actor): Promise<CrewSnapshot> {
  const { restaurantId } = authorizeInRestaurant(actor, 'requests.listPending')
  const db = read(ctx)
  const seq = await streams.findLastSequence(db, restaurantId, 'staff')
  const open = await requests.listOpen(db, restaurantId)
  return {
    requests: open.map(toRequest),
    recent: await requests.listRecentlyClosed(db, restaurantId, 20),
    calls: (await roleCalls.listOpen(db, restaurantId)).map(roleCalls.toCall),
    breaks: await breaks.list(db, restaurantId),
    muted: await mutedTables.list(db, restaurantId),
    seq,
  }
}
