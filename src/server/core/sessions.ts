import { type Call, permissions } from '#contract/permissions.ts'
import type { Db } from '../storage/database.ts'
import * as crew from '../storage/crew.ts'
import * as sessions from '../storage/sessions.ts'
import { type Actor, anonymous, type GrantKind, grantsUsed } from './actor.ts'
import { afterCommit, type Ctx, read, write } from './context.ts'

const minutes = 60_000
const hours = 60 * minutes
const days = 24 * hours

/** How long a login lasts without use, and at most; in milliseconds. */
export const lifetimes: Record<GrantKind, { idle: number; absolute: number }> = {
  device: { idle: 7 * days, absolute: 30 * days },
  crew: { idle: 12 * hours, absolute: 16 * hours },
  manager: { idle: 2 * hours, absolute: 12 * hours },
  owner: { idle: 2 * hours, absolute: 12 * hours },
}

/** How long a crew member's PIN is remembered in one browser. */
export const unlockMs = 12 * hours

/** What a login answers, with the cookie that the browser keeps from now on. */
export type SignedIn<T> = { cookie: string; reply: T }

/** Who sends this cookie. Nobody in particular when it is unknown, or all its grants are over. */
export async function identify(
  ctx: Ctx,
  cookie: string | null,
  visitor: { guestId: string | null; address: string },
): Promise<Actor> {
  if (cookie === null) return anonymous(visitor.address, visitor.guestId)
  return actorOf(
    ctx,
    await sessions.find(read(ctx), { tokenHash: ctx.secrets.digest(cookie) }, ctx.now()),
    visitor,
  )
}

/** The same browser, as its session stands now: grants may have ended since. */
export async function reidentify(ctx: Ctx, actor: Actor): Promise<Actor> {
  if (actor.sessionId === null) return actor
  return actorOf(ctx, await sessions.find(read(ctx), { id: actor.sessionId }, ctx.now()), actor)
}

async function actorOf(
  ctx: Ctx,
  found: Awaited<ReturnType<typeof sessions.find>>,
  { guestId, address }: { guestId: string | null; address: string },
): Promise<Actor> {
  if (!found) return anonymous(address, guestId)
  const { session, grants } = found
  const crewGrant = grants.find((grant) => grant.kind === 'crew')
  const member =
    crewGrant && session.restaurantId !== null
      ? await crew.find(read(ctx), session.restaurantId, crewGrant.subjectId)
      : undefined
  return {
    sessionId: session.id,
    restaurantId: session.restaurantId,
    grants: new Map(
      grants
        .filter((grant) => grant.kind !== 'crew' || member !== undefined)
        .map(({ kind, subjectId, authAt, idleUntil }) => [kind, { subjectId, authAt, idleUntil }]),
    ),
    crewMember: member ? { id: member.id, name: member.name, role: member.role } : null,
    guestId,
    address,
  }
}

/**
 * Adds grants to the browser's session and gives it a new cookie. All grants of a session share one restaurant:
 * a login elsewhere drops the others.
 */
export async function signIn(
  ctx: Ctx,
  db: Db,
  actor: Actor,
  restaurantId: string | null,
  grants: { kind: GrantKind; subjectId: string }[],
): Promise<string> {
  const now = ctx.now()
  const cookie = ctx.secrets.newToken()
  const renewed = { tokenHash: ctx.secrets.digest(cookie), restaurantId }
  // It may have been signed out since this login began.
  const goesOn = actor.sessionId !== null && (await sessions.renew(db, actor.sessionId, renewed))
  const id = goesOn && actor.sessionId !== null ? actor.sessionId : ctx.newId()
  if (!goesOn) await sessions.insert(db, { id, createdAt: now, ...renewed })
  else if (actor.restaurantId !== restaurantId) {
    await sessions.removeGrants(db, id)
    afterCommit(() => tellChanged(ctx, [id]))
  }
  for (const { kind, subjectId } of grants) {
    const { idle, absolute } = lifetimes[kind]
    await sessions.grant(db, {
      sessionId: id,
      kind,
      subjectId,
      authAt: now,
      idleUntil: now + idle,
      absoluteUntil: now + absolute,
    })
  }
  return cookie
}

/** Ends the session whole, its sockets too. */
export async function signOut(ctx: Ctx, actor: Actor): Promise<void> {
  const { sessionId } = actor
  if (sessionId === null) return
  await write(ctx, (db) => sessions.remove(db, sessionId))
  tellChanged(ctx, [sessionId], { onPurpose: true })
}

/** Ends what a password gave elsewhere, once it changed; the browser that changed it keeps its own. */
export async function revoke(
  db: Db,
  kind: GrantKind,
  subjectId: string,
  keep: Actor | null,
): Promise<string[]> {
  return sessions.revoke(db, kind, subjectId, keep?.sessionId ?? null)
}

/** To be called after the transaction that changed them. */
export function tellChanged(ctx: Ctx, sessionIds: string[], how: { onPurpose?: true } = {}): void {
  if (sessionIds.length > 0) ctx.bus.publish([{ kind: 'sessions-changed', sessionIds, ...how }])
}

/** Use keeps a login alive, but only use of what that very login allows. Written every few minutes at most. */
export async function touch(ctx: Ctx, actor: Actor, call: Call): Promise<void> {
  const { sessionId } = actor
  if (sessionId === null || permissions[call].guest === 'yes') return
  const now = ctx.now()
  const due = grantsUsed(actor, call).filter(
    (kind) => (actor.grants.get(kind)?.idleUntil ?? 0) < now + lifetimes[kind].idle - 5 * minutes,
  )
  if (due.length === 0) return
  await write(ctx, async (db) => {
    for (const kind of due) await sessions.touch(db, sessionId, kind, now + lifetimes[kind].idle)
  })
}

/** An owner who just named the restaurant goes on in the same session. */
export async function setRestaurant(db: Db, sessionId: string, restaurantId: string): Promise<void> {
  await sessions.setRestaurant(db, sessionId, restaurantId)
}
