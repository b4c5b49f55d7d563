import { type ClientMessage, closeCodes } from '#contract/live.ts'
import { type Actor, findGrant, type GrantKind, grantKinds } from '../core/actor.ts'
import type { Ctx } from '../core/ports.ts'
import { findChosenMember } from '../core/crew/crew.ts'
import { toErrorBody, Refusal } from '../core/errors.ts'
import { reidentify } from '../core/accounts/sessions.ts'
import type { Connection, Disconnect } from './connection.ts'
import { SetMap } from './set-map.ts'

/** All in milliseconds. */
const recheckAfterMs = 5_000
const checkEveryMs = 45_000
/** How long a check may go unanswered. */
const checkTimeoutMs = 5_000
const retryMs = 1_000
/** Sockets opened after this long read the changed session from the database anyway. */
const rememberChangesMs = 10_000

/** Screens send these often and by themselves: a recent check is good enough for them. */
const frequentMessages = new Set<ClientMessage['type']>(['ping', 'listening', 'requests-seen'])

export type SessionChecker = ReturnType<typeof createSessionChecker>

/** Closes sockets, or changes what they may do, when the logins behind them end or change elsewhere. */
export function createSessionChecker(ctx: Ctx, connections: ReadonlySet<Connection>, disconnect: Disconnect) {
  const changedAt = new Map<string, number>()
  const bySession = new SetMap<Connection>()
  const byCrewMember = new SetMap<Connection>()
  /** The crew member under whom a connection is found. */
  const crewMemberOf = new Map<Connection, string>()

  function indexByCrewMember(connection: Connection): void {
    const before = crewMemberOf.get(connection)
    const after = connections.has(connection) ? connection.actor.crewMember?.id : undefined
    if (before === after) return
    if (before !== undefined) byCrewMember.delete(before, connection)
    crewMemberOf.delete(connection)
    if (after === undefined) return
    byCrewMember.add(after, connection)
    crewMemberOf.set(connection, after)
  }

  /** False when the connection may not go on. Throws when the login cannot be checked. */
  async function check(connection: Connection): Promise<boolean> {
    const now = ctx.now()
    connection.lastCheckedAt = now
    connection.unconfirmedSince ??= now
    // Each choice of a member is checked, so from here on it hears of changes to the chosen one.
    indexByCrewMember(connection)
    const before = connection.actor
    const after = await reidentify(ctx, before)
    if (hasLostGrant(before, after)) {
      connection.sessionEnded = true
      disconnect(connection, closeCodes.signedOut, 'Signed out')
      return false
    }
    const crewMember = await findChosenMember(ctx, after, before.crewMember)
    if (!hasOwnLogin(before) && isDifferentMember(before.crewMember, crewMember)) {
      disconnect(connection, closeCodes.restart, 'Please choose your name again')
      return false
    }
    // Another member may have been chosen meanwhile; that choice has its own check.
    const isSame = connection.actor.crewMember === before.crewMember
    connection.actor = { ...after, crewMember: isSame ? crewMember : connection.actor.crewMember }
    indexByCrewMember(connection)
    connection.unconfirmedSince = null
    return !connection.isClosing
  }

  function recheck(connection: Connection): void {
    check(connection).catch((error: unknown) => toErrorBody(ctx.log, error))
  }

  return {
    check,

    /** False when a message of this type must not be handled. Throws when the login cannot be checked. */
    async canHandle(connection: Connection, type: ClientMessage['type']): Promise<boolean> {
      const isDue =
        connection.unconfirmedSince !== null ||
        !frequentMessages.has(type) ||
        ctx.now() - connection.lastCheckedAt > recheckAfterMs
      if (connection.actor.sessionId === null || !isDue) return !connection.isClosing
      try {
        return await check(connection)
      } catch (cause) {
        toErrorBody(ctx.log, cause)
        throw new Refusal('unavailable', 'Your sign-in could not be checked. Please try again.', { cause })
      }
    },

    /** Returns what to call when the socket is gone. */
    opened(connection: Connection): () => void {
      const { sessionId } = connection.actor
      if (sessionId === null) return () => {}
      bySession.add(sessionId, connection)
      indexByCrewMember(connection)
      // The session may have changed after it was looked up and before this socket could hear of it.
      if (changedAt.has(sessionId)) recheck(connection)
      return () => {
        bySession.delete(sessionId, connection)
        indexByCrewMember(connection)
      }
    },

    sessionsChanged(sessionIds: ReadonlySet<string>, { onPurpose }: { onPurpose: boolean }): void {
      for (const id of sessionIds) {
        changedAt.set(id, ctx.now())
        for (const connection of bySession.get(id)) {
          connection.signedOut ||= onPurpose
          recheck(connection)
        }
      }
    },

    crewMemberChanged(crewMemberId: string): void {
      for (const connection of byCrewMember.get(crewMemberId)) recheck(connection)
    },

    /** Signals may have been lost. */
    recheckAll(): void {
      for (const connection of connections) if (connection.actor.sessionId !== null) recheck(connection)
    },

    /** Rechecks logins that may have expired, a few at a time, and retries checks that got no answer. */
    tick(now: number, everyMs: number): void {
      for (const [id, time] of changedAt) if (now - time > rememberChangesMs) changedAt.delete(id)
      const due: Connection[] = []
      for (const connection of connections) {
        const { actor, lastCheckedAt, unconfirmedSince } = connection
        if (actor.sessionId === null || connection.isClosing) continue
        if (unconfirmedSince !== null && now - unconfirmedSince > checkTimeoutMs)
          disconnect(connection, closeCodes.restart, 'Please come back')
        else if (unconfirmedSince !== null && now - lastCheckedAt > retryMs) recheck(connection)
        else if (now - lastCheckedAt > checkEveryMs) due.push(connection)
      }
      const batchSize = Math.ceil((connections.size * 2 * everyMs) / checkEveryMs)
      due.slice(0, batchSize).forEach(recheck)
    },
  }
}

/** A login that the socket was opened with has ended, or now belongs to somebody else. */
const hasLostGrant = (before: Actor, after: Actor): boolean =>
  after.restaurantId !== before.restaurantId ||
  grantKinds(before).some(
    (kind: GrantKind) => findGrant(before, kind)?.subjectId !== findGrant(after, kind)?.subjectId,
  )

/** A crew login acts as its own member, whatever changes about the name, role or PIN. */
const hasOwnLogin = (actor: Actor): boolean => {
  const login = findGrant(actor, 'crew')
  return login !== undefined && login.subjectId === actor.crewMember?.id
}

const isDifferentMember = (before: Actor['crewMember'], after: Actor['crewMember']): boolean =>
  before !== null && (after?.id !== before.id || after.name !== before.name || after.role !== before.role)
