import type { CrewMember } from '#contract/crew/crew.ts'
import { type DeletedItem, deletionGraceMs, type RestoredMember } from '#contract/deleted-items.ts'
import { floorLimits } from '#contract/floor/floor.ts'
import { nameKey } from '#contract/primitives.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import * as sessions from '../../storage/accounts/sessions.ts'
import * as crew from '../../storage/crew/crew.ts'
import * as deletedItems from '../../storage/deleted-items.ts'
import * as pushSubscriptions from '../../storage/push/push-subscriptions.ts'
import { localToday } from '../accounts/restaurants/restaurants.ts'
import { revoke } from '../accounts/sessions/sessions.ts'
import type { Actor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import { authorizeInRestaurant, requireRecentSignIn } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { alreadyRestored, conflict, notFound, Refusal } from '../errors.ts'
import { refillDays } from '../floor/planned-days.ts'
import { publishDevicesChanged } from '../push/subscriptions.ts'
import { escalateUnattended } from '../requests/escalation/escalation.ts'
import { read, write } from '../transaction.ts'
import { announceCrewChanged, publishMemberChanged } from './crew.ts'
import { removeFromShift } from './shift.ts'

const kind = 'crew' as const

export async function deleted(ctx: Ctx, actor: Actor): Promise<DeletedItem[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'crew.deleted')
  return deletedItems.list(read(ctx), { restaurantId, kind, after: ctx.now() - deletionGraceMs })
}

/** The name stays for history; assignments from today on, the login and the PIN are removed. */
export async function remove(ctx: Ctx, actor: Actor, id: string): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'crew.remove')
  await write(ctx, async (tx) => {
    await restaurants.lock(tx.db, restaurantId)
    const at = ctx.now()
    const member = await crew.lock(tx.db, restaurantId, id)
    if (!member || !(await crew.remove(tx.db, restaurantId, id, at))) throw notFound('Crew member')
    const { name, username, passwordHash, pinHash } = member
    const content: crew.MemberLogin = { username, passwordHash, pinHash }
    await deletedItems.insert(tx.db, { restaurantId, kind, id, name, content, deletedAt: at })
    await audit.record(ctx, tx.db, actor, restaurantId, 'crew.remove', { name })
    const on = await localToday(ctx, tx.db, actor)
    await deletedItems.moveAssignments(tx.db, restaurantId, { crewMemberId: id }, { on, at })
    await removeFromShift(ctx, tx, actor, id)
    await pushSubscriptions.removeOfCrew(tx.db, restaurantId, id, 'nobody')
    await sessions.removePinUnlocks(tx.db, id)
    await revoke(ctx, tx, actor, { kind: 'crew', subjectId: id, keepOwn: false })
    announceCrewChanged(tx.announce, restaurantId)
    publishMemberChanged(ctx, tx, id)
  })
  publishDevicesChanged(ctx, [restaurantId])
  await escalateUnattended(ctx, restaurantId)
}

/** With the login, the PIN and the assignments from today on. Devices and sessions stay signed out. */
export async function restore(
  ctx: Ctx,
  actor: Actor,
  id: string,
  { name, username }: RestoredMember,
): Promise<CrewMember> {
  const { restaurantId, right } = authorizeInRestaurant(actor, 'crew.restore')
  return write(ctx, async (tx) => {
    await restaurants.lock(tx.db, restaurantId)
    const item = await deletedItems.take(tx.db, { restaurantId, kind, id }, ctx.now() - deletionGraceMs)
    if (!item) throw (await crew.find(tx.db, restaurantId, id)) ? alreadyRestored() : notFound('Crew member')
    const before: crew.MemberLogin = JSON.parse(item.content)
    if (right === 'login-recent' && (before.username !== null || before.pinHash !== null))
      requireRecentSignIn(actor, 'crew.restore')
    const colleagues = await crew.list(tx.db, restaurantId)
    if (colleagues.length >= floorLimits.crew)
      throw conflict(`A restaurant has at most ${floorLimits.crew} crew members`)
    const isTaken = colleagues.some((other) => nameKey(other.name) === nameKey(item.name))
    if (name === undefined && isTaken) throw new Refusal('name_taken', 'A crew member has this name already')
    const login = { ...before, ...(before.username !== null && username && { username }) }
    if (login.username !== null && (await crew.findByUsername(tx.db, login.username)))
      throw new Refusal('username_taken', 'This username is not available')
    const member = await crew.restore(tx.db, restaurantId, id, { ...login, name: name ?? item.name })
    if (!member) throw notFound('Crew member')
    const today = await localToday(ctx, tx.db, actor)
    await deletedItems.returnAssignments(tx.db, restaurantId, { crewMemberId: id }, today)
    await refillDays(tx.db, restaurantId, today)
    await audit.record(ctx, tx.db, actor, restaurantId, 'crew.restore', { name: member.name })
    announceCrewChanged(tx.announce, restaurantId)
    publishMemberChanged(ctx, tx, id)
    if (login.username !== null)
      tx.afterCommit(() => logSecurityEvent(ctx, actor, 'credential-changed', { of: 'crew', crewMember: id }))
    return member
  })
}
