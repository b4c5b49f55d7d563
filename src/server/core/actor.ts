import type { ApiScope } from '#contract/accounts/api-tokens.ts'
import type { CrewRole } from '#contract/crew/crew.ts'
import type { Principal } from '#contract/permissions.ts'
import type { SignInMethod } from '../storage/schema.ts'

export type GrantKind = Exclude<Principal, 'guest'>

/** What one login gave to a browser's session. */
export type Grant = {
  subjectId: string
  /** Null for an owner before onboarding. */
  restaurantId: string | null
  authAt: number
  idleUntil: number
  /** Whether the password, or its equivalent, was given in the last 15 minutes. */
  recent: boolean
  via: SignInMethod
}

/** The access of other software to one restaurant. */
export type Token = { id: string; name: string; scopes: ReadonlySet<ApiScope> }

/**
 * The signed cookie of the guest's visits: what the browser sent, and what the answer sets instead, also when it is a
 * refusal. A socket's answers set no cookies.
 */
export type VisitsCookie = { readonly sent: string | null; toSet?: string }

/** The browser that asks for an operation, with its session and its identity as a guest; or software with a token. */
export type Actor = {
  sessionId: string | null
  /** Never together with a session: it gives its scopes and nothing else. */
  token: Token | null
  /** The digest of the cookie that the browser presented, which another login may have replaced since. */
  tokenHash: string | null
  /** Null for guests, and for an owner before onboarding. */
  restaurantId: string | null
  grants: ReadonlyMap<GrantKind, Grant>
  /** The crew member that this screen acts as: from /waiter-login, or chosen on the dashboard. */
  crewMember: { id: string; name: string; role: CrewRole } | null
  /** The device's random id as a guest; null where neither a cookie nor its page names one. */
  guestId: string | null
  /** The id that its page made before it had a cookie, if the cookie has brought another; otherwise null. */
  pageGuestId: string | null
  visits: VisitsCookie
  /** Truncated network address, for limits only. */
  address: string
  /** Proofs of the accounts that this browser signed in to before; only for limits. */
  deviceCookie: string | null
  /** The passkey challenge that the browser was given, signed by us. */
  challengeCookie: string | null
  userAgent: string | null
}

export const anonymousActor = (
  address = 'local',
  guestId: string | null = null,
  visits: VisitsCookie = { sent: null },
  deviceCookie: string | null = null,
): Actor => ({
  sessionId: null,
  token: null,
  tokenHash: null,
  restaurantId: null,
  grants: new Map(),
  crewMember: null,
  guestId,
  pageGuestId: null,
  visits,
  address,
  deviceCookie,
  challengeCookie: null,
  userAgent: null,
})

/** All that the device is known by as a guest: what was asked under any of them is its own. */
export const guestIdsOf = ({ guestId, pageGuestId }: Actor): string[] =>
  [guestId, pageGuestId].filter((id) => id !== null)

/** The actor's grant of this kind, unless it is for another restaurant than the session's. */
export function findGrant(actor: Actor, kind: GrantKind): Grant | undefined {
  const grant = actor.grants.get(kind)
  return grant && grant.restaurantId === actor.restaurantId ? grant : undefined
}

export const grantKinds = (actor: Actor): GrantKind[] =>
  [...actor.grants.keys()].filter((kind) => findGrant(actor, kind) !== undefined)

/** Somebody of the restaurant, or software that acts for it. */
export const isStaff = (actor: Actor): boolean => actor.token !== null || grantKinds(actor).length > 0

/** The session or token that the actor's access ends with; null for guests. */
export const accessId = ({ sessionId, token }: Actor): string | null => sessionId ?? token?.id ?? null

/** To whom the event log attributes the actor's actions. */
export function eventAttribution(actor: Actor): {
  actorKind: 'guest' | 'crew' | 'manager' | 'owner' | 'device' | 'token'
  actorId: string | null
  actorName: string | null
} {
  if (actor.token) return { actorKind: 'token', actorId: actor.token.id, actorName: actor.token.name }
  if (actor.crewMember)
    return { actorKind: 'crew', actorId: actor.crewMember.id, actorName: actor.crewMember.name }
  for (const kind of ['manager', 'owner', 'device'] as const) {
    const grant = findGrant(actor, kind)
    if (grant) return { actorKind: kind, actorId: grant.subjectId, actorName: 'Crew' }
  }
  return { actorKind: 'guest', actorId: actor.guestId, actorName: null }
}

/** Who accepted or completed a request: on a screen where nobody chose a name, the crew. */
export const crewAttribution = ({ crewMember }: Actor): { id: string | null; name: string } => ({
  id: crewMember?.id ?? null,
  name: crewMember?.name ?? 'Crew',
})
