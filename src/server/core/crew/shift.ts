import * as restaurants from '../../storage/accounts/restaurants.ts'
import * as breaks from '../../storage/crew/breaks.ts'
import * as crew from '../../storage/crew/crew.ts'
import type { Db } from '../../storage/engine/types.ts'
import { restaurantOf } from '../accounts/restaurants/restaurants.ts'
import { type Actor, eventAttribution } from '../actor.ts'
import { authorizeInRestaurant, requireCrewMember } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { localDay } from '../dates.ts'
import { conflict, invalid, notFound } from '../errors.ts'
import { escalateUnattended, passOnCalls } from '../requests/escalation/escalation.ts'
import { handOverAccepted, reassignWaiting } from '../requests/hand-over.ts'
import { type Tx, write } from '../transaction.ts'
import { requirePresent } from './present-member.ts'

/** Hands the actor's accepted requests and tables to a cover, or to all crew, until the break ends. */
export async function startBreak(
  ctx: Ctx,
  actor: Actor,
  { coverId }: { coverId: string | null },
): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'shift.startBreak')
  requireCrewMember(actor)
  await write(ctx, (tx) => goOnBreak(ctx, tx, actor, coverId))
  await escalateUnattended(ctx, restaurantId)
}

export async function goOnBreak(ctx: Ctx, tx: Tx, actor: Actor, coverId: string | null): Promise<void> {
  const { id } = requireCrewMember(actor)
  const { id: restaurantId } = await restaurantOf(tx.db, actor)
  if (coverId === id) throw invalid('Please choose somebody else')
  await restaurants.lock(tx.db, restaurantId)
  const cover = coverId === null ? null : await requireColleagueOnDuty(tx.db, restaurantId, coverId)
  await requirePresent(tx.db, restaurantId, id)
  await breaks.start(tx.db, { restaurantId, crewMemberId: id, coverId, since: ctx.now() })
  await breaks.reassignCovers(tx.db, restaurantId, id, coverId)
  const to = cover && isReachable(ctx, restaurantId, cover.id) ? cover : null
  await handOverAccepted(ctx, tx, { restaurantId, from: id, to, by: eventAttribution(actor) })
  await reassignTables(ctx, tx, actor)
}

/** Only somebody who can be alerted may be given requests. */
const isReachable = (ctx: Ctx, restaurantId: string, crewMemberId: string): boolean =>
  ctx.presence(restaurantId).listeners.has(crewMemberId)

async function requireColleagueOnDuty(
  db: Db,
  restaurantId: string,
  id: string,
): Promise<{ id: string; name: string }> {
  const colleague = await crew.find(db, restaurantId, id)
  if (!colleague) throw notFound('Crew member')
  if ((await breaks.list(db, restaurantId)).some(({ crewMemberId }) => crewMemberId === id)) {
    throw conflict('This colleague is on a break too')
  }
  return { id, name: colleague.name }
}

/** At the end of a shift: the actor's accepted requests go to a colleague, or to all crew. */
export async function handOverRequests(
  ctx: Ctx,
  actor: Actor,
  { toId }: { toId: string | null },
): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'shift.handOverRequests')
  const { id: from } = requireCrewMember(actor)
  if (toId === from) throw invalid('Please choose somebody else')
  await write(ctx, async (tx) => {
    await restaurants.lock(tx.db, restaurantId)
    const to = toId === null ? null : await requireColleagueOnDuty(tx.db, restaurantId, toId)
    if (to && !isReachable(ctx, restaurantId, to.id)) {
      throw conflict(`${to.name} cannot be reached right now. Please choose somebody else.`)
    }
    await handOverAccepted(ctx, tx, {
      restaurantId,
      from,
      to,
      by: eventAttribution(actor),
      toAllCrew: true,
    })
  })
  await passOnCalls(ctx, restaurantId)
}

/** For a crew member who leaves for good: their accepted requests wait again, and they cover for nobody. */
export async function removeFromShift(ctx: Ctx, tx: Tx, actor: Actor, crewMemberId: string): Promise<void> {
  const { id: restaurantId } = await restaurantOf(tx.db, actor)
  await breaks.end(tx.db, restaurantId, crewMemberId)
  await breaks.reassignCovers(tx.db, restaurantId, crewMemberId, null)
  await handOverAccepted(ctx, tx, {
    restaurantId,
    from: crewMemberId,
    to: null,
    by: eventAttribution(actor),
  })
  await reassignTables(ctx, tx, actor)
}

/** The actor looks after their own tables again. */
export async function endBreak(ctx: Ctx, actor: Actor): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'shift.endBreak')
  requireCrewMember(actor)
  await write(ctx, (tx) => returnFromBreak(ctx, tx, actor))
  await escalateUnattended(ctx, restaurantId)
}

export async function returnFromBreak(ctx: Ctx, tx: Tx, actor: Actor): Promise<void> {
  const { id: restaurantId } = await restaurantOf(tx.db, actor)
  await restaurants.lock(tx.db, restaurantId)
  if (await breaks.end(tx.db, restaurantId, requireCrewMember(actor).id)) await reassignTables(ctx, tx, actor)
}

/** Gives waiting requests to whoever looks after their tables now, and announces who is on a break. */
async function reassignTables(ctx: Ctx, tx: Tx, actor: Actor): Promise<void> {
  const { id: restaurantId, timeZone } = await restaurantOf(tx.db, actor)
  await reassignWaiting(ctx, tx, restaurantId, localDay(ctx.now(), timeZone))
  tx.announce(
    { kind: 'staff', restaurantId },
    { type: 'breaks', breaks: await breaks.list(tx.db, restaurantId) },
  )
}
