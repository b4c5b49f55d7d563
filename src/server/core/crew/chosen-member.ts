import type { CrewMember } from '#contract/crew/crew.ts'
import * as sessions from '../../storage/accounts/sessions.ts'
import * as crew from '../../storage/crew/crew.ts'
import { type Actor, findGrant } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { forbidden, notFound } from '../errors.ts'
import { read } from '../transaction.ts'
import { requirePin } from './pins.ts'

/** Chooses whom this screen acts as. This is attribution; it is authentication only if the member has a PIN. */
export async function setCrewMember(
  ctx: Ctx,
  actor: Actor,
  { crewMemberId, pin }: { crewMemberId: string; pin?: string | undefined },
): Promise<CrewMember> {
  const { restaurantId, right } = authorizeInRestaurant(actor, 'contexts.setCrewMember')
  const member = await crew.find(read(ctx), restaurantId, crewMemberId)
  if (!member) throw notFound('Crew member')
  if (right === 'own' && findGrant(actor, 'crew')?.subjectId !== crewMemberId) throw forbidden()
  if (right !== 'own' && member.pinHash === null && member.pinRequired === 1)
    throw forbidden('Ask your manager for a PIN')
  if (right !== 'own' && member.pinHash !== null) await requirePin(ctx, actor, member.id, member.pinHash, pin)
  return { id: member.id, name: member.name, role: member.role }
}

/** The member of the actor's restaurant as it is stored now. */
export const load = async (
  ctx: Ctx,
  { restaurantId }: Actor,
  id: string,
): Promise<crew.FoundMember | undefined> =>
  restaurantId === null ? undefined : crew.find(read(ctx), restaurantId, id)

/**
 * The crew member whom a device acts as, after it chose this one earlier; null when it must choose again. A crew login
 * always acts as its own member. `loaded`: the one it chose, for whoever has loaded it already.
 */
export async function find(
  ctx: Ctx,
  actor: Actor,
  chosenId: string | null,
  loaded?: crew.FoundMember,
): Promise<Actor['crewMember']> {
  const { restaurantId, sessionId } = actor
  if (chosenId === null || chosenId === actor.crewMember?.id || restaurantId === null) return actor.crewMember
  const member = loaded ?? (await load(ctx, actor, chosenId))
  if (!member || sessionId === null) return null
  // An entered PIN counts for as long as the screen stays connected, or until the PIN changes.
  const unlocked =
    member.pinHash === null
      ? member.pinRequired === 0
      : (await sessions.findPinUnlock(read(ctx), sessionId, member.id)) !== undefined
  return unlocked ? { id: member.id, name: member.name, role: member.role } : null
}
