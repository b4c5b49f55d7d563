import { type ClientMessage, closeCodes } from '#contract/live.ts'
import { type Actor, findGrant, type GrantKind, grantKinds } from '../core/actor.ts'
import type { Ctx } from '../core/ports.ts'
import { findChosenMember } from '../core/crew/crew.ts'
import { toErrorBody, Refusal } from '../core/errors.ts'
import { reidentify } from '../core/accounts/sessions.ts'
import type { Connection } from './connection.ts'

/** All in milliseconds. */
const recheckAfterMs = 5_000
/** What screens say by themselves and often: the last look at the login does for it. */
const frequentMessages = new Set<ClientMessage['type']>(['ping', 'listening', 'requests-seen'])
const checkEveryMs = 45_000
/** How long a check that is due may stay without an answer. */
const checkTimeoutMs = 5_000
const retryMs = 1_000
/** What changed so long ago is seen by whoever opens a socket now. */
const rememberChangesMs = 10_000

type Disconnect = (
  connection: Connection,
  code: (typeof closeCodes)['signedOut' | 'restart'],
  reason: string,
) => void

/** Keeps what the sockets may do in line with the logins behind them, which end elsewhere. */
export function createSessionChecker(ctx: Ctx, connections: ReadonlySet<Connection>, disconnect: Disconnect) {
  const changedAt = new Map<string, number>()

  /** False when it may not go on. Throws when that cannot be told. */
  async function check(connection: Connection): Promise<boolean> {
    const now = ctx.now()
    connection.lastCheckedAt = now
    connection.unconfirmedSince ??= now
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
    // Somebody else may have been chosen meanwhile, which is checked by itself.
    const isSame = connection.actor.crewMember === before.crewMember
    connection.actor = { ...after, crewMember: isSame ? crewMember : connection.actor.crewMember }
    connection.unconfirmedSince = null
    return !connection.isClosing
  }

  function recheck(connection: Connection): void {
    check(connection).catch((error: unknown) => toErrorBody(ctx.log, error))
  }

  return {
    check,

    /** Before a message is handled: false when it is not to be. Throws when the login cannot be looked at. */
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

    opened(connection: Connection): void {
      // It ended after it was looked up, and before the socket was there to be told.
      if (changedAt.has(connection.actor.sessionId ?? '')) recheck(connection)
    },

    sessionsChanged(sessionIds: ReadonlySet<string>, how: { onPurpose: boolean }): void {
      for (const id of sessionIds) changedAt.set(id, ctx.now())
      for (const connection of connections) {
        const { sessionId } = connection.actor
        if (sessionId === null || !sessionIds.has(sessionId)) continue
        connection.signedOut ||= how.onPurpose
        recheck(connection)
      }
    },

    crewMemberChanged(crewMemberId: string): void {
      for (const connection of connections)
        if (connection.actor.crewMember?.id === crewMemberId) recheck(connection)
    },

    /** Something may have changed that nobody could say. */
    recheckAll(): void {
      for (const connection of connections) if (connection.actor.sessionId !== null) recheck(connection)
    },

    /** Logins that end by time alone, a few at a time, however many came at once; and checks that got no answer. */
    tick(now: number, everyMs: number): void {
      for (const [id, at] of changedAt) if (now - at > rememberChangesMs) changedAt.delete(id)
      const due: Connection[] = []
      for (const connection of connections) {
        const { actor, lastCheckedAt: checkedAt, unconfirmedSince } = connection
        if (actor.sessionId === null || connection.isClosing) continue
        if (unconfirmedSince !== null && now - unconfirmedSince > checkTimeoutMs)
          disconnect(connection, closeCodes.restart, 'Please come back')
        else if (unconfirmedSince !== null && now - checkedAt > retryMs) recheck(connection)
        else if (now - checkedAt > checkEveryMs) due.push(connection)
      }
      const atOnce = Math.ceil((connections.size * 2 * everyMs) / checkEveryMs)
      due.slice(0, atOnce).forEach(recheck)
    },
  }
}

/** A login that the socket was opened with is over, or is another person's. */
const hasLostGrant = (before: Actor, after: Actor): boolean =>
  after.restaurantId !== before.restaurantId ||
  grantKinds(before).some(
    (kind: GrantKind) => findGrant(before, kind)?.subjectId !== findGrant(after, kind)?.subjectId,
  )

/** It is that member whatever the name, the role and the PIN: nothing is to be chosen. */
const hasOwnLogin = (actor: Actor): boolean => {
  const login = findGrant(actor, 'crew')
  return login !== undefined && login.subjectId === actor.crewMember?.id
}

const isDifferentMember = (before: Actor['crewMember'], after: Actor['crewMember']): boolean =>
  before !== null && (after?.id !== before.id || after.name !== before.name || after.role !== before.role)
