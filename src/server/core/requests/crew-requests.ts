import type { Break, RoleCall } from '#contract/crew/shift.ts'
import { nameKey } from '#contract/primitives.ts'
import type { MutedTable } from '#contract/requests/muted-tables.ts'
import {
  type ClosedRequest,
  type PastRequest,
  type ServiceRequest,
  repeatWindowMs,
  tableHistoryMs,
} from '#contract/requests/requests.ts'
import * as breaks from '../../storage/crew/breaks.ts'
import * as roleCalls from '../../storage/crew/role-calls.ts'
import * as mutedTables from '../../storage/floor/muted-tables.ts'
import * as transitions from '../../storage/requests/request-transitions.ts'
import * as requests from '../../storage/requests/requests.ts'
import type { RequestRow } from '../../storage/requests/requests.ts'
import type { RequestEventKind } from '../../storage/schema.ts'
import * as streams from '../../storage/streams.ts'
import { type Actor, crewAttribution, eventAttribution } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { notFound } from '../errors.ts'
import { scheduleOutsideAlerts } from '../outside/schedule.ts'
import { read, write } from '../transaction.ts'
import { closeRequest, type RequestChange } from './close.ts'
import {
  escalateUnattended,
  loadEscalationSettings,
  escalationTimes,
  passOnCalls,
} from './escalation/escalation.ts'
import { refuseIfAskedSince, refuseIfDoneSince, refuseIfTakenBack, type Tap } from './late-taps.ts'
import { announceRequest, recordEvent, requestGroup } from './request-events.ts'
import { sightingsOf } from './sightings.ts'

const { toRequest } = requests

/** The request as it is now; undefined when it is closed. */
export type Current = ServiceRequest | undefined

/** "On my way." The first tap wins; a second one succeeds too, and learns who was first. */
export async function accept(ctx: Ctx, actor: Actor, { id, ageMs = 0 }: Tap): Promise<Current> {
  const { restaurantId } = authorizeInRestaurant(actor, 'requests.accept')
  const by = crewAttribution(actor)
  const request = await write(
    ctx,
    async (tx) => {
      if (ageMs > 0) await refuseIfTakenBack(ctx, tx.db, restaurantId, { id, ageMs }, wasAccepted)
      const { acceptMs } = await loadEscalationSettings(tx.db, restaurantId)
      const now = ctx.now()
      return changeRequest({ ctx, tx, actor, restaurantId, id }, 'accepted', (id) =>
        transitions.accept(tx.db, restaurantId, id, now, by, now + acceptMs),
      )
    },
    { group: requestGroup(restaurantId, id) },
  )
  if (by.id !== null) await passOnCalls(ctx, restaurantId)
  return request
}

/** Gives an accepted request back to all crew. */
export async function release(ctx: Ctx, actor: Actor, { id, ageMs = 0 }: Tap): Promise<Current> {
  const { restaurantId } = authorizeInRestaurant(actor, 'requests.release')
  const by = crewAttribution(actor).id
  const request = await write(ctx, async (tx) =>
    changeRequest({ ctx, tx, actor, restaurantId, id }, 'released', async (id) => {
      const row = await requests.find(tx.db, restaurantId, id)
      if (!row || row.closedAt !== null) return undefined
      refuseIfDoneSince(ctx, row, { at: row.acceptedAt, by: row.acceptedBy }, { by, ageMs })
      const released = await transitions.release(tx.db, row, await escalationTimes(ctx, tx.db, row))
      if (released) await scheduleOutsideAlerts(ctx, tx.db, released)
      return released
    }),
  )
  await escalateUnattended(ctx, restaurantId)
  return request
}

/**
 * Only the tap that changed the row is recorded and announced; the others get the request as it is. What is done to a
 * request that was merged is done to the one that it was merged into.
 */
async function changeRequest(
  { ctx, tx, actor, restaurantId, ...named }: RequestChange,
  kind: RequestEventKind,
  change: (id: string) => Promise<RequestRow | undefined>,
): Promise<Current> {
  let { id } = named
  for (let attempt = 1; ; attempt++) {
    const changed = await change(id)
    if (changed) {
      recordEvent(ctx, tx, eventAttribution(actor), changed, kind)
      announceRequest(tx.announce, changed)
      return toRequest(changed)
    }
    const row = await requests.findCurrent(tx.db, restaurantId, named.id)
    if (!row) throw notFound('Request')
    const isSame = row.id === id
    if (isSame && row.closedAt !== null) return undefined
    // An undo may have separated the two again between the change and the look.
    if (isSame && attempt > 1) return toRequest(row)
    id = row.id
  }
}

/** Marks a request done. When two crew members tap at once, the first wins and the second succeeds too. */
export async function complete(ctx: Ctx, actor: Actor, { id, ageMs = 0 }: Tap): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'requests.complete')
  await write(
    ctx,
    async (tx) => {
      if (ageMs > 0) {
        const row = await refuseIfTakenBack(ctx, tx.db, restaurantId, { id, ageMs }, wasClosed)
        if (row) refuseIfAskedSince(ctx, row, { id, ageMs })
      }
      await closeRequest({ ctx, tx, actor, restaurantId, id }, 'completed')
    },
    { group: requestGroup(restaurantId, id) },
  )
}

const wasAccepted = ({ acceptedAt, closedAt }: RequestRow): boolean =>
  acceptedAt !== null || closedAt !== null
const wasClosed = ({ closedAt }: RequestRow): boolean => closedAt !== null

/**
 * A staff screen confirms that it shows these requests; each browser counts once for each request. What all screens of the
 * restaurant confirm within a moment is stored and announced together.
 */
export async function markSeen(ctx: Ctx, actor: Actor, input: { ids: string[] }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'requests.markSeen')
  await ctx.sightings.add(restaurantId, sightingsOf(ctx, actor, restaurantId, input))
}

/** What the table asked for in the last 90 minutes, latest first. */
export async function history(
  ctx: Ctx,
  actor: Actor,
  { tableNumber }: { tableNumber: string },
): Promise<PastRequest[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'tables.history')
  return requests.listOfTable(read(ctx), restaurantId, nameKey(tableNumber), ctx.now() - tableHistoryMs)
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
export async function listPending(ctx: Ctx, actor: Actor): Promise<CrewSnapshot> {
  const { restaurantId } = authorizeInRestaurant(actor, 'requests.listPending')
  const db = read(ctx)
  const seq = await streams.findLastSequence(db, restaurantId, 'staff')
  // At once: on PostgreSQL each is a round trip, and all but the first are one for all restaurants.
  const [open, calls, onBreak, muted] = await Promise.all([
    requests.listOpen(db, restaurantId),
    roleCalls.listOpen(db, restaurantId),
    breaks.list(db, restaurantId),
    mutedTables.list(db, restaurantId),
  ])
  // Afterwards, so that a request that is closed meanwhile is in one of the two.
  const recent = await requests.listRecentlyClosed(db, restaurantId, {
    always: 20,
    most: 60,
    since: ctx.now() - repeatWindowMs,
  })
  return {
    requests: open.map(toRequest),
    recent,
    calls: calls.map(roleCalls.toCall),
    breaks: onBreak,
    muted,
    seq,
  }
}
