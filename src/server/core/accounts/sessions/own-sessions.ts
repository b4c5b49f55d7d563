import type { OwnSession } from '#contract/accounts/devices.ts'
import * as logins from '../../../storage/accounts/logins.ts'
import * as owners from '../../../storage/accounts/owners.ts'
import { type Actor, findGrant } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import { authorizeInRestaurant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { notFound } from '../../errors.ts'
import { read, write } from '../../transaction.ts'
import { deviceName } from '../sign-in/user-agent.ts'
import { lastUseOf, ownFirstThenLastUsed, publishSessionsChanged, revoke } from './sessions.ts'

/** As an owner and as a manager, for a browser that is signed in as both. */
const ownLogins = (actor: Actor) =>
  (['owner', 'manager'] as const).flatMap((kind) => {
    const grant = findGrant(actor, kind)
    return grant ? [{ kind, subjectId: grant.subjectId }] : []
  })

/** Where this owner or manager is signed in. */
export async function list(ctx: Ctx, actor: Actor): Promise<OwnSession[]> {
  authorizeInRestaurant(actor, 'sessions.list')
  const found = await Promise.all(
    ownLogins(actor).map(({ kind, subjectId }) =>
      logins.listBySubject(read(ctx), kind, subjectId, ctx.now()),
    ),
  )
  return [...Map.groupBy(found.flat(), ({ id }) => id).values()]
    .flatMap((session) => toSession(ctx, session, actor))
    .toSorted(ownFirstThenLastUsed(actor))
}

function toSession(ctx: Ctx, session: logins.Login[], actor: Actor): OwnSession[] {
  const [first] = session
  if (!first) return []
  return [
    {
      id: first.id,
      name: deviceName(first),
      // That of a demo counts as recent until it ends.
      signedInAt: Math.min(Math.max(...session.map(({ authAt }) => authAt)), ctx.now()),
      lastUsedAt: lastUseOf(session),
      isThisBrowser: first.id === actor.sessionId,
    },
  ]
}

/** Ends the person's own login in that browser, which stays a device of the restaurant if it is one. */
export async function signOut(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'sessions.signOut')
  await write(ctx, async ({ db, afterCommit }) => {
    let ended = 0
    for (const { kind, subjectId } of ownLogins(actor))
      if (await logins.endLogin(db, id, kind, subjectId)) ended++
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
  await write(ctx, async (tx) => {
    // A switch to another restaurant under way would start a session that is not known here.
    const owner = findGrant(actor, 'owner')
    if (owner) await owners.lock(tx.db, owner.subjectId)
    for (const login of ownLogins(actor)) await revoke(ctx, tx, actor, { ...login, keepOwn: true })
    await audit.record(ctx, tx.db, actor, restaurantId, 'sessions.signOutOthers')
  })
}
