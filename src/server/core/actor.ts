import { type Call, permissions, type Principal, type Right } from '#contract/permissions.ts'
import type { CrewRole } from '#contract/crew.ts'
import { conflict, forbidden, unauthenticated } from './errors.ts'

export type GrantKind = Exclude<Principal, 'guest'>

/** What one login gave to a browser session. */
export type Grant = { subjectId: string; authAt: number; idleUntil: number }

/** Who is asking: a browser, with what its session holds, and what it is called as a guest. */
export type Actor = {
  sessionId: string | null
  /** Null for guests, and for an owner before onboarding. */
  restaurantId: string | null
  grants: ReadonlyMap<GrantKind, Grant>
  /** Whom this screen acts as: from /waiter-login, or chosen on the dashboard. */
  crewMember: { id: string; name: string; role: CrewRole } | null
  /** The device's random id as a guest; null where cookies are blocked. */
  guestId: string | null
  /** Truncated network address, for limits only. */
  address: string
}

export const anonymous = (address = 'local', guestId: string | null = null): Actor => ({
  sessionId: null,
  restaurantId: null,
  grants: new Map(),
  crewMember: null,
  guestId,
  address,
})

const strength: Right[] = ['no', 'own', 'named', 'recent', 'paid', 'reduced', 'yes']

/** The first line of every operation: what the matrix gives this actor for this call, or a refusal. */
export function may(actor: Actor, call: Call): Right {
  const principals: Principal[] = ['guest', ...actor.grants.keys()]
  const right = principals
    .map((principal) => permissions[call][principal])
    .reduce((best, one) => (strength.indexOf(one) > strength.indexOf(best) ? one : best))
  if (right !== 'no') return right
  throw actor.grants.size === 0 || call === asksForOwner ? unauthenticated() : forbidden()
}

/** Asks whether the owner is signed in: to everybody else the answer is no, whatever else they are. */
const asksForOwner: Call = 'GET /api/auth/user'

const ranks: GrantKind[][] = [['device', 'crew'], ['manager'], ['owner']]

/**
 * The grants that a call is a use of: those that give most right to it, and of these the least powerful. A crew
 * screen in the owner's browser is no use of the owner's login.
 */
export function grantsUsed(actor: Actor, call: Call): GrantKind[] {
  const right = may(actor, call)
  const giving = ranks.map((rank) =>
    rank.filter((kind) => actor.grants.has(kind) && permissions[call][kind] === right),
  )
  return giving.find((kinds) => kinds.length > 0) ?? []
}

/** May it, and in which restaurant. */
export function mayIn(actor: Actor, call: Call): { restaurantId: string; right: Right } {
  const right = may(actor, call)
  if (actor.restaurantId === null) {
    throw actor.grants.size === 0 ? unauthenticated() : conflict('Please set up your restaurant first')
  }
  return { restaurantId: actor.restaurantId, right }
}

export function grantOf(actor: Actor, kind: GrantKind): Grant {
  const grant = actor.grants.get(kind)
  if (!grant) throw unauthenticated()
  return grant
}

/** How an act is signed in the events. */
export function signature(actor: Actor): {
  actorKind: 'guest' | 'crew' | 'manager' | 'owner' | 'device'
  actorId: string | null
  actorName: string | null
} {
  if (actor.crewMember)
    return { actorKind: 'crew', actorId: actor.crewMember.id, actorName: actor.crewMember.name }
  for (const kind of ['manager', 'owner', 'device'] as const) {
    const grant = actor.grants.get(kind)
    if (grant) return { actorKind: kind, actorId: grant.subjectId, actorName: 'Crew' }
  }
  return { actorKind: 'guest', actorId: actor.guestId, actorName: null }
}

/** Who is on the way, or completed it: a screen on which nobody chose a name is the crew's. */
export const asCrew = ({ crewMember }: Actor): { id: string | null; name: string } => ({
  id: crewMember?.id ?? null,
  name: crewMember?.name ?? 'Crew',
})
