import type { Principal } from '#contract/permissions.ts'
import type { CrewRole } from '#contract/crew.ts'
import type { SignInMethod } from '../storage/schema.ts'
import { unauthenticated } from './errors.ts'

export type GrantKind = Exclude<Principal, 'guest'>

/** What one login gave to a browser session, in one restaurant; null for an owner before onboarding. */
export type Grant = {
  subjectId: string
  restaurantId: string | null
  authAt: number
  idleUntil: number
  /** Whether the password, or what stands for it, was given in the last 15 minutes. */
  recent: boolean
  via: SignInMethod
}

/** Who is asking: a browser, with what its session holds, and what it is called as a guest. */
export type Actor = {
  sessionId: string | null
  /** The digest of the cookie that it presented; another login may have made that one worthless since. */
  tokenHash: string | null
  /** Null for guests, and for an owner before onboarding. */
  restaurantId: string | null
  grants: ReadonlyMap<GrantKind, Grant>
  /** Whom this screen acts as: from /waiter-login, or chosen on the dashboard. */
  crewMember: { id: string; name: string; role: CrewRole } | null
  /** The device's random id as a guest; null where cookies are blocked. */
  guestId: string | null
  /** What the device carries of its visits, signed. Changed in place: the answer brings the new value back. */
  visits: { cookie: string | null }
  /** Truncated network address, for limits only. */
  address: string
  /** Proofs of the accounts that this browser signed in to before, for limits only. */
  deviceCookie: string | null
  /** What it was given to have a passkey sign, signed by us. */
  challengeCookie: string | null
  /** What the browser says of itself. */
  userAgent: string | null
}

export const anonymousActor = (
  address = 'local',
  guestId: string | null = null,
  visits: Actor['visits'] = { cookie: null },
  deviceCookie: string | null = null,
): Actor => ({
  sessionId: null,
  tokenHash: null,
  restaurantId: null,
  grants: new Map(),
  crewMember: null,
  guestId,
  visits,
  address,
  deviceCookie,
  challengeCookie: null,
  userAgent: null,
})

/** What the actor holds of this kind. A grant of another restaurant than the session's is worth nothing. */
export function findGrant(actor: Actor, kind: GrantKind): Grant | undefined {
  const grant = actor.grants.get(kind)
  return grant && grant.restaurantId === actor.restaurantId ? grant : undefined
}

export const grantKinds = (actor: Actor): GrantKind[] =>
  [...actor.grants.keys()].filter((kind) => findGrant(actor, kind) !== undefined)

export function requireGrant(actor: Actor, kind: GrantKind): Grant {
  const grant = findGrant(actor, kind)
  if (!grant) throw unauthenticated()
  return grant
}

/** How an act is signed in the events. */
export function eventAttribution(actor: Actor): {
  actorKind: 'guest' | 'crew' | 'manager' | 'owner' | 'device'
  actorId: string | null
  actorName: string | null
} {
  if (actor.crewMember)
    return { actorKind: 'crew', actorId: actor.crewMember.id, actorName: actor.crewMember.name }
  for (const kind of ['manager', 'owner', 'device'] as const) {
    const grant = findGrant(actor, kind)
    if (grant) return { actorKind: kind, actorId: grant.subjectId, actorName: 'Crew' }
  }
  return { actorKind: 'guest', actorId: actor.guestId, actorName: null }
}

/** Who is on the way, or completed it: a screen on which nobody chose a name is the crew's. */
export const crewAttribution = ({ crewMember }: Actor): { id: string | null; name: string } => ({
  id: crewMember?.id ?? null,
  name: crewMember?.name ?? 'Crew',
})
