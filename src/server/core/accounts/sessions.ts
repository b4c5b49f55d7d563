import { type Operation, permissions } from '#contract/permissions.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as crew from '../../storage/crew.ts'
import type { SignInMethod } from '../../storage/schema.ts'
import * as sessions from '../../storage/sessions.ts'
import { type Actor, anonymousActor, findGrant, type GrantKind, grantKinds } from '../actor.ts'
import { grantsUsed, authorize } from '../authorize.ts'
import { describeBrowser } from './user-agent.ts'
import { afterCommit, read, write } from '../transaction.ts'
import type { Ctx } from '../ports.ts'
import { unauthenticated } from '../errors.ts'
import { logSecurityEvent } from '../audit/security-log.ts'

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

/** How long after a sign-in its owner, manager or device may change credentials, export, delete and pay. */
export const recentSignInMs = 15 * minutes

/** How long a crew member's PIN is remembered in one browser. */
export const pinUnlockMs = 12 * hours

/** What a login answers, with the cookie that the browser keeps from now on. */
export type SignedIn<T> = {
  cookie: string
  /** By which the browser is known to have signed in to the account before. */
  deviceCookie?: string
  reply: T
}

/** What a browser is beside its session. */
type Visitor = Pick<
  Actor,
  'guestId' | 'visits' | 'address' | 'deviceCookie' | 'challengeCookie' | 'userAgent'
>

const toAnonymousActor = ({
  guestId,
  visits,
  address,
  deviceCookie,
  challengeCookie,
  userAgent,
}: Visitor): Actor => ({
  ...anonymousActor(address, guestId, visits, deviceCookie),
  challengeCookie,
  userAgent,
})

/** Who sends this cookie. Nobody in particular when it is unknown, or all its grants are over. */
export async function identify(ctx: Ctx, cookie: string | null, visitor: Visitor): Promise<Actor> {
  if (cookie === null) return toAnonymousActor(visitor)
  const tokenHash = ctx.secrets.digest(cookie)
  return toActor(ctx, await sessions.find(read(ctx), { tokenHash }, ctx.now()), { ...visitor, tokenHash })
}

/** The same browser, as its session stands now: grants may have ended since. */
export async function reidentify(ctx: Ctx, actor: Actor): Promise<Actor> {
  if (actor.sessionId === null) return actor
  return toActor(ctx, await sessions.find(read(ctx), { id: actor.sessionId }, ctx.now()), actor)
}

async function toActor(
  ctx: Ctx,
  found: Awaited<ReturnType<typeof sessions.find>>,
  visitor: Visitor & Pick<Actor, 'tokenHash'>,
): Promise<Actor> {
  if (!found) return toAnonymousActor(visitor)
  const { session, grants } = found
  const crewGrant = grants.find((grant) => grant.kind === 'crew')
  const member =
    crewGrant && session.restaurantId !== null
      ? await crew.find(read(ctx), session.restaurantId, crewGrant.subjectId)
      : undefined
  return {
    ...toAnonymousActor(visitor),
    sessionId: session.id,
    tokenHash: visitor.tokenHash,
    restaurantId: session.restaurantId,
    grants: new Map(
      grants
        .filter((grant) => grant.kind !== 'crew' || member !== undefined)
        .map(({ kind, subjectId, restaurantId, authAt, idleUntil, via }) => [
          kind,
          { subjectId, restaurantId, authAt, idleUntil, recent: authAt >= ctx.now() - recentSignInMs, via },
        ]),
    ),
    crewMember: member ? { id: member.id, name: member.name, role: member.role } : null,
  }
}

/**
 * Adds grants to the browser's session and gives it a new cookie. All grants of a session share one restaurant:
 * a login elsewhere drops the others. Logins of one browser may overlap: only the first goes on in the session
 * whose cookie they presented, every other one gets a session of its own.
 */
export async function signIn(
  ctx: Ctx,
  db: Db,
  actor: Actor,
  restaurantId: string | null,
  grants: { kind: GrantKind; subjectId: string; authAt?: number; via?: SignInMethod }[],
  { deviceName = '' }: { deviceName?: string } = {},
): Promise<string> {
  const now = ctx.now()
  const cookie = ctx.secrets.newToken()
  const renewed = {
    tokenHash: ctx.secrets.digest(cookie),
    restaurantId,
    browser: describeBrowser(actor.userAgent),
    // What one restaurant calls a device is nothing to another.
    ...((deviceName !== '' || actor.restaurantId !== restaurantId) && { name: deviceName || null }),
  }
  const presented = presentedSession(actor)
  const continued = presented && (await sessions.renew(db, presented, renewed)) ? presented : null
  const id = continued?.id ?? ctx.newId()
  if (continued) {
    const others = await sessions.removeConflictingGrants(db, id, restaurantId, grants)
    if (others) afterCommit(() => publishSessionsChanged(ctx, [id]))
  } else await sessions.insert(db, { id, createdAt: now, name: null, ...renewed })
  for (const { kind, subjectId, authAt = now, via = 'password' } of grants) {
    const { idle, absolute } = lifetimes[kind]
    await sessions.saveGrant(db, {
      sessionId: id,
      kind,
      subjectId,
      restaurantId,
      authAt,
      idleUntil: now + idle,
      absoluteUntil: now + absolute,
      via,
    })
  }
  const signedIn = {
    restaurantId,
    session: id,
    as: grants.map(({ kind }) => kind).join(' '),
    via: grants[0]?.via ?? 'password',
  }
  afterCommit(() => logSecurityEvent(ctx, actor, 'login-succeeded', signedIn))
  return cookie
}

const presentedSession = ({ sessionId: id, tokenHash }: Actor) =>
  id === null || tokenHash === null ? null : { id, tokenHash }

/**
 * Asked inside the transaction of an operation that did something slow before it: that a login which gives it still
 * stands. It does until the transaction ends.
 */
export async function requireGrantStillValid(
  ctx: Ctx,
  db: Db,
  actor: Actor,
  operation: Operation,
): Promise<void> {
  const right = authorize(actor, operation)
  const same = grantKinds(actor).filter((kind) => permissions[operation][kind] === right)
  const giving = right === 'recent' ? same.filter((kind) => findGrant(actor, kind)?.recent) : same
  if ((await lockGrants(ctx, db, actor, giving)).length === 0) throw unauthenticated()
}

/** Those of these logins that still stand. They do until the transaction ends. */
export async function lockGrants(ctx: Ctx, db: Db, actor: Actor, kinds: GrantKind[]): Promise<GrantKind[]> {
  if (actor.sessionId === null) return []
  const held = kinds.flatMap((kind) => {
    const grant = findGrant(actor, kind)
    return grant ? [{ kind, ...grant }] : []
  })
  return sessions.lockGrants(db, actor.sessionId, held, ctx.now())
}

/** Ends the session whole, its sockets too. */
export async function signOut(ctx: Ctx, actor: Actor): Promise<void> {
  const { sessionId } = actor
  if (sessionId === null) return
  // Whichever cookie it has by now: who signs out does not mean to stay because a login overlapped.
  await write(ctx, (db) => sessions.remove(db, sessionId))
  publishSessionsChanged(ctx, [sessionId], { onPurpose: true })
  logSecurityEvent(ctx, actor, 'grant-revoked', { because: 'signed out' })
}

/**
 * Ends what a password gave, once it changed or whoever had it may not come any more. With `keepOwn` the browser
 * that changed it stays signed in.
 */
export async function revoke(
  ctx: Ctx,
  db: Db,
  actor: Actor,
  { kind, subjectId, keepOwn }: { kind: GrantKind; subjectId: string; keepOwn: boolean },
): Promise<void> {
  const ended = await sessions.revoke(db, kind, subjectId, keepOwn ? actor.sessionId : null)
  afterCommit(() => {
    publishSessionsChanged(ctx, ended)
    logSecurityEvent(ctx, actor, 'grant-revoked', { kind, subject: subjectId, sessions: ended.length })
  })
}

/** To be called after the transaction that changed them. */
export function publishSessionsChanged(ctx: Ctx, sessionIds: string[], how: { onPurpose?: true } = {}): void {
  if (sessionIds.length > 0) ctx.bus.publish([{ kind: 'sessions-changed', sessionIds, ...how }])
}

/** Use keeps a login alive, but only use of what that very login allows. Written every few minutes at most. */
export async function extendIdleTime(ctx: Ctx, actor: Actor, operation: Operation): Promise<void> {
  const { sessionId } = actor
  if (sessionId === null || permissions[operation].guest === 'yes') return
  const now = ctx.now()
  const due = grantsUsed(actor, operation).filter(
    (kind) => (findGrant(actor, kind)?.idleUntil ?? 0) < now + lifetimes[kind].idle - 5 * minutes,
  )
  if (due.length === 0) return
  await write(ctx, async (db) => {
    for (const kind of due) {
      const subjectId = findGrant(actor, kind)?.subjectId ?? ''
      await sessions.extendIdleTime(db, sessionId, { kind, subjectId }, now + lifetimes[kind].idle)
    }
  })
}

/** When a login was used last, to a few minutes: nothing is written for it beside what keeps the login alive. */
export const lastUseOf = ({ kind, idleUntil }: { kind: GrantKind; idleUntil: number }): number =>
  idleUntil - lifetimes[kind].idle

/** An owner who just named the restaurant goes on in the same session. */
export async function setRestaurant(db: Db, sessionId: string, restaurantId: string): Promise<void> {
  await sessions.setRestaurant(db, sessionId, restaurantId)
}
