import { type Operation, permissions, type Principal, type Right } from '#contract/permissions.ts'
import { type Actor, findGrant, type Grant, grantKinds, type GrantKind } from './actor.ts'
import { conflict, forbidden, recentSignInRequired, unauthenticated } from './errors.ts'
import { scopeProblem } from './token-scopes.ts'

const weakestFirst: Right[] = ['no', 'own', 'named', 'recent', 'login-recent', 'paid', 'reduced', 'yes']

/** The first line of every operation: the strongest right that the actor's logins give to it, or a refusal. */
export function authorize(actor: Actor, operation: Operation): Right {
  if (actor.token) {
    const problem = scopeProblem(actor.token.scopes, operation)
    if (problem !== null) throw forbidden(problem)
    return 'yes'
  }
  const principals: Principal[] = ['guest', ...grantKinds(actor)]
  const right = principals
    .map((principal) => permissions[operation][principal])
    .reduce((best, next) => (weakestFirst.indexOf(next) > weakestFirst.indexOf(best) ? next : best))
  if (right === 'recent') requireRecentSignIn(actor, operation)
  if (right !== 'no') return right
  throw grantKinds(actor).length === 0 || operation === ownerCheck ? unauthenticated() : forbidden()
}

/** `authorize` for an operation on the actor's own restaurant. */
export function authorizeInRestaurant(
  actor: Actor,
  operation: Operation,
): { restaurantId: string; right: Right } {
  const right = authorize(actor, operation)
  if (actor.restaurantId === null) {
    throw grantKinds(actor).length === 0 ? unauthenticated() : conflict('Please set up your restaurant first')
  }
  return { restaurantId: actor.restaurantId, right }
}

export function requireGrant(actor: Actor, kind: GrantKind): Grant {
  const grant = findGrant(actor, kind)
  if (!grant) throw unauthenticated()
  return grant
}

/** Some operations require a screen on which a crew member was chosen. */
export function requireCrewMember({ crewMember }: Actor): NonNullable<Actor['crewMember']> {
  if (!crewMember) throw forbidden('Please select your name first')
  return crewMember
}

/** Refuses unless one of the logins that allow the operation is at most 15 minutes old. */
export function requireRecentSignIn(actor: Actor, operation: Operation): void {
  const kinds = grantKinds(actor).filter((kind) => needsRecentSignIn(permissions[operation][kind]))
  if (kinds.some((kind) => findGrant(actor, kind)?.recent)) return
  throw recentSignInRequired()
}

const needsRecentSignIn = (right: Right): boolean => right === 'recent' || right === 'login-recent'

/** Asks whether an owner is signed in, so the answer to all other logins is "not signed in". */
const ownerCheck: Operation = 'accounts.currentUser'

const leastPowerfulFirst: GrantKind[][] = [['device', 'crew'], ['manager'], ['owner']]

/**
 * The logins that an operation keeps alive: of those with the strongest right to it, the least powerful. So a crew
 * screen in the owner's browser does not keep the owner's login alive.
 */
export function grantsUsed(actor: Actor, operation: Operation): GrantKind[] {
  const right = authorize(actor, operation)
  const candidates = leastPowerfulFirst.map((rank) =>
    rank.filter((kind) => findGrant(actor, kind) && permissions[operation][kind] === right),
  )
  return candidates.find((kinds) => kinds.length > 0) ?? []
}
