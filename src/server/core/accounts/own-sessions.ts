import type { OwnSession } from '#contract/devices.ts'
import * as signedIn from '../../storage/logins.ts'
import { type Actor, findGrant } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import * as audit from '../audit/audit.ts'
import { describeBrowser } from './user-agent.ts'
import { afterCommit, read, write } from '../transaction.ts'
import type { Ctx } from '../ports.ts'
import { notFound } from '../errors.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import { lastUseOf, revoke, publishSessionsChanged } from './sessions.ts'

/** An owner's logins as the owner, a manager's as that manager; whoever is both has both. */
const ownLogins = (actor: Actor) =>
  (['owner', 'manager'] as const).flatMap((kind) => {
    const grant = findGrant(actor, kind)
    return grant ? [{ kind, subjectId: grant.subjectId }] : []
  })

/** Where this owner or manager is signed in: here first, then the one used last. */
export async function list(ctx: Ctx, actor: Actor): Promise<OwnSession[]> {
  authorizeInRestaurant(actor, 'sessions.list')
  const db = read(ctx)
  const found = await Promise.all(
    ownLogins(actor).map(({ kind, subjectId }) => signedIn.listBySubject(db, kind, subjectId, ctx.now())),
  )
  return [...Map.groupBy(found.flat(), ({ id }) => id)]
    .map(([id, logins]) => toSession(id, logins, actor))
    .toSorted((a, b) => Number(b.isThisBrowser) - Number(a.isThisBrowser) || b.lastUsedAt - a.lastUsedAt)
}

function toSession(id: string, logins: signedIn.Login[], actor: Actor): OwnSession {
  const [first] = logins
  return {
    id,
    name: first?.name ?? first?.browser ?? describeBrowser(null),
    signedInAt: Math.max(...logins.map(({ authAt }) => authAt)),
    lastUsedAt: Math.max(...logins.map(lastUseOf)),
    isThisBrowser: id === actor.sessionId,
  }
}

/** Ends the own login there. A device of the restaurant stays one. */
export async function signOut(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'sessions.signOut')
  await write(ctx, async (db) => {
    let ended = 0
    for (const { kind, subjectId } of ownLogins(actor))
      if (await signedIn.endLogin(db, id, kind, subjectId)) ended++
    if (ended === 0) throw notFound('Session')
    await audit.record(ctx, db, actor, restaurantId, 'sessions.signOut')
    afterCommit(() => {
      publishSessionsChanged(ctx, [id])
      logSecurityEvent(ctx, actor, 'grant-revoked', { because: 'own login ended', ended: id })
    })
  })
}

export async function signOutOthers(ctx: Ctx, actor: Actor): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'sessions.signOutOthers')
  await write(ctx, async (db) => {
    for (const login of ownLogins(actor)) await revoke(ctx, db, actor, { ...login, keepOwn: true })
    await audit.record(ctx, db, actor, restaurantId, 'sessions.signOutOthers')
  })
}
