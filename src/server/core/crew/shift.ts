import { roleCallRepeatMs, type Break, type NewRoleCall, type RoleCall } from '#contract/shift.ts'
import * as crewRows from '../../storage/crew.ts'
import type { Db } from '../../storage/engine/types.ts'
import { lockRestaurant } from '../../storage/floor.ts'
import * as shift from '../../storage/shift.ts'
import { type Actor, eventAttribution } from '../actor.ts'
import { authorizeInRestaurant, requireCrewMember } from '../authorize.ts'
import { type Announce, read, write } from '../transaction.ts'
import type { Ctx } from '../ports.ts'
import { conflict, invalid, notFound } from '../errors.ts'
import { handOverAccepted, reassignWaiting } from '../requests/hand-over.ts'
import { escalateUnattended } from '../requests/escalation.ts'
import { notifyCall, withdrawCall } from '../push/call-notifications.ts'
import { localDay } from '../dates.ts'
import { restaurantOf } from '../accounts/restaurants.ts'

/** Asks whoever of a role is free; the same call sent twice counts once. */
export async function sendCall(ctx: Ctx, actor: Actor, input: NewRoleCall): Promise<RoleCall> {
  const { restaurantId } = authorizeInRestaurant(actor, 'roleCalls.send')
  const from = requireCrewMember(actor)
  const { call, stored } = await write(ctx, async (db, announce) => {
    const now = ctx.now()
    const stored = await shift.insertCall(db, {
      restaurantId,
      id: input.id ?? ctx.newId(),
      role: input.role,
      messageKey: input.messageKey,
      tableNumber: input.tableNumber,
      fromId: from.id,
      fromName: from.name,
      createdAt: now,
      alerts: 1,
      nextAlertAt: now + roleCallRepeatMs,
      claimedAt: null,
      claimedBy: null,
      claimedByName: null,
    })
    if (!stored)
      return { call: await requireOwnCall(db, restaurantId, input.id ?? '', from.id), stored: null }
    const call = shift.toCall(stored)
    announce({ kind: 'staff', restaurantId }, { type: 'role-message', call })
    return { call, stored }
  })
  if (stored) notifyCall(ctx, stored)
  return call
}

async function requireOwnCall(db: Db, restaurantId: string, id: string, fromId: string): Promise<RoleCall> {
  const row = await shift.findCall(db, restaurantId, id)
  if (!row || row.fromId !== fromId) throw invalid('Not a valid id')
  return shift.toCall(row)
}

/** "I do it." The first wins; a second is no error and learns who was first. */
export async function claimCall(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<RoleCall> {
  const { restaurantId } = authorizeInRestaurant(actor, 'roleCalls.claim')
  const by = requireCrewMember(actor)
  const { row, claimed } = await write(ctx, async (db, announce) => {
    const claimed = await shift.claimCall(db, restaurantId, id, ctx.now(), { id: by.id, name: by.name })
    if (claimed) {
      announce({ kind: 'staff', restaurantId }, { type: 'role-message-claimed', id, by })
      return { row: claimed, claimed: true }
    }
    const row = await shift.findCall(db, restaurantId, id)
    if (!row) throw notFound('Message')
    return { row, claimed: false }
  })
  if (claimed) withdrawCall(ctx, row)
  return shift.toCall(row)
}

/** Calls that nobody claimed alert again; part of the ladder's round. */
export async function repeatUnclaimedCalls(ctx: Ctx): Promise<void> {
  const due = await shift.listDueCalls(read(ctx), ctx.now(), 200)
  await Promise.all(
    due.map(async (row) => {
      const repeated = await write(ctx, async (db, announce) => {
        const again = await shift.recordAlert(db, row, ctx.now() + roleCallRepeatMs)
        if (!again) return undefined
        const { restaurantId } = again
        announce({ kind: 'staff', restaurantId }, { type: 'role-message', call: shift.toCall(again) })
        return again
      })
      if (repeated) notifyCall(ctx, repeated)
    }),
  )
}

/** Hands one's open requests and tables to a cover, or to everybody, until one is back. */
export async function startBreak(
  ctx: Ctx,
  actor: Actor,
  { coverId }: { coverId: string | null },
): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'shift.startBreak')
  requireCrewMember(actor)
  await write(ctx, (db, announce) => goOnBreak(ctx, db, announce, actor, coverId))
  await escalateUnattended(ctx, restaurantId)
}

export async function goOnBreak(
  ctx: Ctx,
  db: Db,
  announce: Announce,
  actor: Actor,
  coverId: string | null,
): Promise<void> {
  const { id } = requireCrewMember(actor)
  const { id: restaurantId } = await restaurantOf(db, actor)
  if (coverId === id) throw invalid('Please choose somebody else')
  await lockRestaurant(db, restaurantId)
  const cover = coverId === null ? null : await requireColleagueOnDuty(db, restaurantId, coverId)
  await shift.startBreak(db, { restaurantId, crewMemberId: id, coverId, since: ctx.now() })
  await shift.reassignCovers(db, restaurantId, id, coverId)
  const to = cover && isReachable(ctx, restaurantId, cover.id) ? cover : null
  await handOverAccepted(ctx, db, announce, { restaurantId, from: id, to, by: eventAttribution(actor) })
  await reassignTables(ctx, db, announce, actor)
}

/** Somebody whom nobody can reach is told nothing, so nothing is theirs. */
const isReachable = (ctx: Ctx, restaurantId: string, crewMemberId: string): boolean =>
  ctx.presence(restaurantId).listeners.has(crewMemberId)

async function requireColleagueOnDuty(
  db: Db,
  restaurantId: string,
  id: string,
): Promise<{ id: string; name: string }> {
  const colleague = await crewRows.find(db, restaurantId, id)
  if (!colleague) throw notFound('Crew member')
  if ((await shift.listBreaks(db, restaurantId)).some(({ crewMemberId }) => crewMemberId === id)) {
    throw conflict('This colleague is on a break too')
  }
  return { id, name: colleague.name }
}

/** At the end of a shift: what one is on the way to goes to a colleague, or to everybody. */
export async function handOverRequests(
  ctx: Ctx,
  actor: Actor,
  { toId }: { toId: string | null },
): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'shift.handOverRequests')
  const { id: from } = requireCrewMember(actor)
  if (toId === from) throw invalid('Please choose somebody else')
  await write(ctx, async (db, announce) => {
    await lockRestaurant(db, restaurantId)
    const to = toId === null ? null : await requireColleagueOnDuty(db, restaurantId, toId)
    if (to && !isReachable(ctx, restaurantId, to.id)) {
      throw conflict(`${to.name} cannot be reached right now. Please choose somebody else.`)
    }
    await handOverAccepted(ctx, db, announce, {
      restaurantId,
      from,
      to,
      by: eventAttribution(actor),
      toAllCrew: true,
    })
  })
}

/** Who leaves for good: what they were on the way to waits again, and nothing calls or counts on them any more. */
export async function removeFromShift(
  ctx: Ctx,
  db: Db,
  announce: Announce,
  actor: Actor,
  crewMemberId: string,
): Promise<void> {
  const { id: restaurantId } = await restaurantOf(db, actor)
  await shift.endBreak(db, restaurantId, crewMemberId)
  await shift.reassignCovers(db, restaurantId, crewMemberId, null)
  await handOverAccepted(ctx, db, announce, {
    restaurantId,
    from: crewMemberId,
    to: null,
    by: eventAttribution(actor),
  })
  await reassignTables(ctx, db, announce, actor)
}

/** Takes one's tables back. */
export async function endBreak(ctx: Ctx, actor: Actor): Promise<void> {
  authorizeInRestaurant(actor, 'shift.endBreak')
  requireCrewMember(actor)
  await write(ctx, (db, announce) => returnFromBreak(ctx, db, announce, actor))
}

export async function returnFromBreak(ctx: Ctx, db: Db, announce: Announce, actor: Actor): Promise<void> {
  const { id: restaurantId } = await restaurantOf(db, actor)
  await lockRestaurant(db, restaurantId)
  if (await shift.endBreak(db, restaurantId, requireCrewMember(actor).id))
    await reassignTables(ctx, db, announce, actor)
}

/** Tables change hands: what waits there calls whoever looks after them now, and everybody learns who is away. */
async function reassignTables(ctx: Ctx, db: Db, announce: Announce, actor: Actor): Promise<void> {
  const { id: restaurantId, timeZone } = await restaurantOf(db, actor)
  await reassignWaiting(ctx, db, announce, restaurantId, localDay(ctx.now(), timeZone))
  announce(
    { kind: 'staff', restaurantId },
    { type: 'breaks', breaks: await shift.listBreaks(db, restaurantId) },
  )
}

export async function loadSnapshot(
  db: Db,
  restaurantId: string,
): Promise<{ calls: RoleCall[]; breaks: Break[] }> {
  return {
    calls: (await shift.listOpenCalls(db, restaurantId)).map(shift.toCall),
    breaks: await shift.listBreaks(db, restaurantId),
  }
}
