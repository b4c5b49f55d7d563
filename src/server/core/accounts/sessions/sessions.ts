import { dayMs, hourMs, minuteMs } from '#contract/durations.ts'
import { type Operation, permissions } from '#contract/permissions.ts'
import * as deviceCodes from '../../../storage/accounts/device-codes.ts'
import * as memberships from '../../../storage/accounts/memberships.ts'
import * as endings from '../../../storage/accounts/restaurant-endings.ts'
import * as sessions from '../../../storage/accounts/sessions.ts'
import type { Subject } from '../../../storage/accounts/subject.ts'
import * as crew from '../../../storage/crew/crew.ts'
import type { Db } from '../../../storage/engine/types.ts'
import type { SignInMethod } from '../../../storage/schema.ts'
import { type Actor, anonymousActor, findGrant, type GrantKind, grantKinds } from '../../actor.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import { grantsUsed, authorize, requireGrant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { invalidCredentials, restaurantDeleted, unauthenticated } from '../../errors.ts'
import { read, type Tx, write } from '../../transaction.ts'
import { describeBrowser } from '../sign-in/user-agent.ts'

/** How long a login lasts without use, and in any case; in milliseconds. */
export const lifetimes: Record<GrantKind, { idle: number; absolute: number }> = {
  device: { idle: 7 * dayMs, absolute: 30 * dayMs },
  crew: { idle: 12 * hourMs, absolute: 16 * hourMs },
  manager: { idle: 2 * hourMs, absolute: 12 * hourMs },
  owner: { idle: 2 * hourMs, absolute: 12 * hourMs },
}

/** How long after signing in an owner, manager or device may change credentials, export, delete and pay. */
export const recentSignInMs = 15 * minuteMs

/** How long a browser need not ask for a crew member's PIN again. */
export const pinUnlockMs = 12 * hourMs

/** The outcome of a login, with the browser's new cookies. */
export type SignedIn<T> = {
  cookie: string
  /** Proves later that the browser signed in to the account before. */
  deviceCookie?: string
  reply: T
}

/** What is known of a browser apart from its session. */
type Visitor = Pick<
  Actor,
  'guestId' | 'pageGuestId' | 'visits' | 'address' | 'deviceCookie' | 'challengeCookie' | 'userAgent'
>

const toAnonymousActor = ({
  guestId,
  pageGuestId,
  visits,
  address,
  deviceCookie,
  challengeCookie,
  userAgent,
}: Visitor): Actor => ({
  ...anonymousActor(address, guestId, visits, deviceCookie),
  pageGuestId,
  challengeCookie,
  userAgent,
})

/** The actor behind a cookie: anonymous when it is unknown or all its grants have expired. */
export async function identify(ctx: Ctx, cookie: string | null, visitor: Visitor): Promise<Actor> {
  if (cookie === null) return toAnonymousActor(visitor)
  const tokenHash = ctx.secrets.digest(cookie)
  return toActor(ctx, await sessions.find(read(ctx), { tokenHash }, ctx.now()), { ...visitor, tokenHash })
}

/** The same browser with its session's present grants. */
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

/** Whether a login has ended because the owner has deleted the restaurant. */
export const endedWithRestaurant = async (ctx: Ctx, { restaurantId }: Actor): Promise<boolean> =>
  restaurantId !== null && (await endings.isDeleted(read(ctx), restaurantId))

/**
 * Adds grants to the browser's session and returns its new cookie. All grants of a session belong to one restaurant:
 * a login to another one drops them. Of overlapping logins of one browser, the first continues the session whose
 * cookie they all presented; each other one gets a new session.
 */
export async function signIn(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  restaurantId: string | null,
  grants: { kind: GrantKind; subjectId: string; authAt?: number; via?: SignInMethod }[],
  { deviceName = '' }: { deviceName?: string } = {},
): Promise<string> {
  // Only the owner of a deleted restaurant, who may restore it, still signs in.
  if (restaurantId !== null && grants.some(({ kind }) => kind !== 'owner')) {
    const ending = await endings.find(tx.db, restaurantId)
    if (ending?.kind === 'deleted')
      throw endings.isBeingErased(ending) ? invalidCredentials() : restaurantDeleted()
  }
  const now = ctx.now()
  const cookie = ctx.secrets.newToken()
  const renewed = {
    tokenHash: ctx.secrets.digest(cookie),
    restaurantId,
    browser: describeBrowser(actor.userAgent),
    // A device's name is for the restaurant that gave it.
    ...((deviceName !== '' || actor.restaurantId !== restaurantId) && { name: deviceName || null }),
  }
  const presented = presentedSession(actor)
  const continued = presented && (await sessions.renew(tx.db, presented, renewed)) ? presented : null
  const id = continued?.id ?? ctx.newId()
  if (continued) {
    const others = await sessions.removeConflictingGrants(tx.db, id, restaurantId, grants)
    if (others) tx.afterCommit(() => publishSessionsChanged(ctx, [id]))
  } else await sessions.insert(tx.db, { id, createdAt: now, name: null, ...renewed })
  for (const { kind, subjectId, authAt = now, via = 'password' } of grants) {
    const { idle, absolute } = lifetimes[kind]
    await sessions.saveGrant(tx.db, {
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
  tx.afterCommit(() => logSecurityEvent(ctx, actor, 'login-succeeded', signedIn))
  return cookie
}

const presentedSession = ({ sessionId: id, tokenHash }: Actor) =>
  id === null || tokenHash === null ? null : { id, tokenHash }

/**
 * For operations that did something slow before their transaction: refuses unless a login that allows the operation
 * is still valid, and keeps it valid until the transaction ends.
 */
export async function requireGrantStillValid(
  ctx: Ctx,
  db: Db,
  actor: Actor,
  operation: Operation,
): Promise<void> {
  const right = authorize(actor, operation)
  const allowing = grantKinds(actor).filter(
    (kind) =>
      permissions[operation][kind] === right && (right !== 'recent' || findGrant(actor, kind)?.recent),
  )
  if ((await lockGrants(ctx, db, actor, allowing)).length === 0) throw unauthenticated()
}

/** Which of these logins are still valid. They stay so until the transaction ends. */
export async function lockGrants(ctx: Ctx, db: Db, actor: Actor, kinds: GrantKind[]): Promise<GrantKind[]> {
  if (actor.sessionId === null) return []
  const held = kinds.flatMap((kind) => {
    const grant = findGrant(actor, kind)
    return grant ? [{ kind, ...grant }] : []
  })
  return sessions.lockGrants(db, actor.sessionId, held, ctx.now())
}

/** Ends the whole session, with its sockets. */
export async function signOut(ctx: Ctx, actor: Actor): Promise<void> {
  authorize(actor, 'login.signOut')
  const { sessionId } = actor
  if (sessionId === null) return
  // By id, not by cookie: an overlapping login may have renewed the cookie.
  await write(ctx, ({ db }) => sessions.remove(db, sessionId))
  publishSessionsChanged(ctx, [sessionId], { onPurpose: true })
  logSecurityEvent(ctx, actor, 'grant-revoked', { because: 'signed out' })
}

/**
 * Ends the whole session, with its sockets, for a new one in another restaurant of the same owner, and returns that one's
 * cookie. It lasts no longer than the old one would have, and what needs a recent sign-in asks for one.
 */
export async function switchRestaurant(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  restaurantId: string,
): Promise<string> {
  const { sessionId } = actor
  const { subjectId } = requireGrant(actor, 'owner')
  const now = ctx.now()
  const held =
    sessionId === null
      ? undefined
      : await sessions.takeGrant(tx.db, { sessionId, kind: 'owner', subjectId }, now)
  if (sessionId === null || !held) throw unauthenticated()
  await sessions.remove(tx.db, sessionId)
  const [id, cookie] = [ctx.newId(), ctx.secrets.newToken()]
  const browser = describeBrowser(actor.userAgent)
  const tokenHash = ctx.secrets.digest(cookie)
  await sessions.insert(tx.db, { id, tokenHash, restaurantId, createdAt: now, browser, name: null })
  await sessions.saveGrant(tx.db, {
    ...held,
    sessionId: id,
    restaurantId,
    authAt: Math.min(held.authAt, now - recentSignInMs - 1),
    idleUntil: now + lifetimes.owner.idle,
  })
  tx.afterCommit(() => {
    publishSessionsChanged(ctx, [sessionId], { onPurpose: true })
    logSecurityEvent(ctx, actor, 'grant-revoked', { because: 'switched restaurant' })
    const signedIn = { restaurantId, session: id, as: 'owner', via: held.via, because: 'switched restaurant' }
    logSecurityEvent(ctx, actor, 'login-succeeded', signedIn)
  })
  return cookie
}

type Revocation = {
  /** Leaves this browser signed in. */
  keepOwn: boolean
}

/**
 * Ends all access that an account's password gave, with the unused device codes made by it. An owner's password is
 * also that of the devices of all their restaurants.
 */
export async function revokeAccess(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  { restaurantId, kind, id, keepOwn }: Subject & Revocation,
): Promise<void> {
  if (kind === 'manager') await deviceCodes.revoke(tx.db, restaurantId, id)
  else
    for (const owned of await memberships.list(tx.db, id)) {
      await deviceCodes.revoke(tx.db, owned.id)
      await revoke(ctx, tx, actor, { kind: 'device', subjectId: owned.id, keepOwn })
    }
  await revoke(ctx, tx, actor, { kind, subjectId: id, keepOwn })
}

/** Ends all that the browsers in which this manager signed in may do, except an owner's. */
export async function endBrowsersOf(ctx: Ctx, tx: Tx, actor: Actor, managerId: string): Promise<void> {
  const ended = await sessions.removeManagers(tx.db, managerId, ctx.now())
  tx.afterCommit(() => {
    publishSessionsChanged(ctx, ended)
    logSecurityEvent(ctx, actor, 'grant-revoked', { because: 'manager removed', sessions: ended.length })
  })
}

/** Ends the logins of one kind and subject in all browsers. */
export async function revoke(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  { kind, subjectId, keepOwn }: { kind: GrantKind; subjectId: string } & Revocation,
): Promise<void> {
  const ended = await sessions.revoke(tx.db, kind, subjectId, keepOwn ? actor.sessionId : null)
  tx.afterCommit(() => {
    publishSessionsChanged(ctx, ended)
    logSecurityEvent(ctx, actor, 'grant-revoked', { kind, subject: subjectId, sessions: ended.length })
  })
}

/** Call after COMMIT. */
export function publishSessionsChanged(
  ctx: Ctx,
  sessionIds: string[],
  options: { onPurpose?: true } = {},
): void {
  if (sessionIds.length > 0) ctx.bus.publish([{ kind: 'sessions-changed', sessionIds, ...options }])
}

/** Operations keep alive only the logins that allow them. Written at most every few minutes. */
export async function extendIdleTime(ctx: Ctx, actor: Actor, operations: Operation[]): Promise<void> {
  const { sessionId } = actor
  if (sessionId === null) return
  const now = ctx.now()
  const used = operations
    .filter((operation) => permissions[operation].guest !== 'yes')
    .flatMap((operation) => grantsUsed(actor, operation))
  const due = [...new Set(used)].filter(
    (kind) => (findGrant(actor, kind)?.idleUntil ?? 0) < now + lifetimes[kind].idle - 5 * minuteMs,
  )
  if (due.length === 0) return
  await write(ctx, async ({ db }) => {
    for (const kind of due) {
      const subjectId = findGrant(actor, kind)?.subjectId ?? ''
      await sessions.extendIdleTime(db, { sessionId, kind, subjectId, idleUntil: now + lifetimes[kind].idle })
    }
  })
}

/** When a session was used last, to within a few minutes: derived from the idle time of its logins. */
export const lastUseOf = (logins: { kind: GrantKind; idleUntil: number }[]): number =>
  Math.max(...logins.map(({ kind, idleUntil }) => idleUntil - lifetimes[kind].idle))

type ListedSession = { id: string; lastUsedAt: number }

/** Sorts the actor's own session first, then the one used last. */
export const ownFirstThenLastUsed =
  ({ sessionId }: Actor) =>
  (a: ListedSession, b: ListedSession): number =>
    Number(b.id === sessionId) - Number(a.id === sessionId) || b.lastUsedAt - a.lastUsedAt
