import { callAgainMs, type Break, type NewRoleCall, type RoleCall } from '#contract/shift.ts'
import * as crewRows from '../storage/crew.ts'
import type { Db } from '../storage/database.ts'
import { takeTurn } from '../storage/floor.ts'
import * as requests from '../storage/requests.ts'
import * as shift from '../storage/shift.ts'
import { type Actor, mayIn } from './actor.ts'
import { type Announce, type Ctx, read, write } from './context.ts'
import { conflict, forbidden, invalid, notFound } from './errors.ts'
import { crewNow, leaveNobodyUnheard } from './ladder.ts'
import { pushCall, withdrawCall } from './pushed-calls.ts'
import { tell } from './request-news.ts'
import { localDay, of } from './restaurants.ts'

function member(actor: Actor): { id: string; name: string } {
  if (!actor.crewMember) throw forbidden('Please select your name first')
  return actor.crewMember
}

/** Asks whoever of a role is free; the same call sent twice counts once. */
export async function call(ctx: Ctx, actor: Actor, input: NewRoleCall): Promise<RoleCall> {
  const { restaurantId } = mayIn(actor, 'send-role-message')
  const from = member(actor)
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
      nextAlertAt: now + callAgainMs,
      claimedAt: null,
      claimedBy: null,
      claimedByName: null,
    })
    if (!stored) return { call: await sentBefore(db, restaurantId, input.id ?? '', from.id), stored: null }
    const call = shift.toCall(stored)
    announce({ kind: 'staff', restaurantId }, { type: 'role-message', call })
    return { call, stored }
  })
  if (stored) pushCall(ctx, stored)
  return call
}

async function sentBefore(db: Db, restaurantId: string, id: string, fromId: string): Promise<RoleCall> {
  const row = await shift.findCall(db, restaurantId, id)
  if (!row || row.fromId !== fromId) throw invalid('Not a valid id')
  return shift.toCall(row)
}

/** "I do it." The first wins; a second is no error and learns who was first. */
export async function claim(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<RoleCall> {
  const { restaurantId } = mayIn(actor, 'claim-role-message')
  const by = member(actor)
  const { row, claimed } = await write(ctx, async (db, announce) => {
    const claimed = await shift.claim(db, restaurantId, id, ctx.now(), { id: by.id, name: by.name })
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
export async function callAgain(ctx: Ctx): Promise<void> {
  const due = await shift.dueCalls(read(ctx), ctx.now(), 200)
  await Promise.all(
    due.map(async (row) => {
      const again = await write(ctx, async (db, announce) => {
        const again = await shift.alertAgain(db, row, ctx.now() + callAgainMs)
        if (!again) return undefined
        const { restaurantId } = again
        announce({ kind: 'staff', restaurantId }, { type: 'role-message', call: shift.toCall(again) })
        return again
      })
      if (again) pushCall(ctx, again)
    }),
  )
}

/** Hands one's open requests and tables to a cover, or to everybody, until one is back. */
export async function startBreak(
  ctx: Ctx,
  actor: Actor,
  { coverId }: { coverId: string | null },
): Promise<void> {
  const { restaurantId } = mayIn(actor, 'start-break')
  member(actor)
  await write(ctx, (db, announce) => goOnBreak(ctx, db, announce, actor, coverId))
  await leaveNobodyUnheard(ctx, restaurantId)
}

export async function goOnBreak(
  ctx: Ctx,
  db: Db,
  announce: Announce,
  actor: Actor,
  coverId: string | null,
): Promise<void> {
  const { id } = member(actor)
  const { id: restaurantId } = await of(db, actor)
  if (coverId === id) throw invalid('Please choose somebody else')
  await takeTurn(db, restaurantId)
  if (coverId !== null) {
    if (!(await crewRows.find(db, restaurantId, coverId))) throw notFound('Crew member')
    if ((await shift.breaks(db, restaurantId)).some(({ crewMemberId }) => crewMemberId === coverId)) {
      throw conflict('This colleague is on a break too')
    }
  }
  await shift.startBreak(db, { restaurantId, crewMemberId: id, coverId, since: ctx.now() })
  await handOver(ctx, db, announce, actor)
}

/** Takes one's tables back. */
export async function endBreak(ctx: Ctx, actor: Actor): Promise<void> {
  mayIn(actor, 'end-break')
  member(actor)
  await write(ctx, (db, announce) => comeBack(ctx, db, announce, actor))
}

export async function comeBack(ctx: Ctx, db: Db, announce: Announce, actor: Actor): Promise<void> {
  const { id: restaurantId } = await of(db, actor)
  await takeTurn(db, restaurantId)
  if (await shift.endBreak(db, restaurantId, member(actor).id)) await handOver(ctx, db, announce, actor)
}

/** Open requests that nobody is on the way to go to whoever looks after their table now. */
async function handOver(ctx: Ctx, db: Db, announce: Announce, actor: Actor): Promise<void> {
  const { id: restaurantId, timeZone } = await of(db, actor)
  const today = localDay(ctx.now(), timeZone)
  for (const row of await requests.open(db, restaurantId)) {
    if (row.acceptedAt !== null || row.tableId === null) continue
    const crew = (await crewNow(db, restaurantId, row.tableId, today)).join(' ')
    const moved = crew === row.crew ? undefined : await requests.entrust(db, restaurantId, row.id, crew)
    if (moved) tell(announce, moved)
  }
  announce({ kind: 'staff', restaurantId }, { type: 'breaks', breaks: await shift.breaks(db, restaurantId) })
}

export async function snapshot(
  db: Db,
  restaurantId: string,
): Promise<{ calls: RoleCall[]; breaks: Break[] }> {
  return {
    calls: (await shift.openCalls(db, restaurantId)).map(shift.toCall),
    breaks: await shift.breaks(db, restaurantId),
  }
}
