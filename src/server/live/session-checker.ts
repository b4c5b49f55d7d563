import { type ClientMessage, closeCodes, restaurantDeletedReason } from '#contract/live.ts'
import { endedWithRestaurant, reidentify } from '../core/accounts/sessions/sessions.ts'
import { reidentifyToken } from '../core/accounts/sessions/token-identity.ts'
import { accessId, type Actor, findGrant, type GrantKind, grantKinds } from '../core/actor.ts'
import * as chosenMember from '../core/crew/chosen-member.ts'
import type { Ctx } from '../core/ctx.ts'
import { toErrorBody, Refusal } from '../core/errors.ts'
import type { Connection, Disconnect } from './connection.ts'
import { SetMap } from './set-map.ts'

/** All in milliseconds. */
const checkEveryMs = 45_000
/** How long a check may go unanswered. */
const checkTimeoutMs = 5_000
const retryMs = 1_000
/** Longer than it takes to look up a session or a crew member. */
const rememberChangesMs = 60_000

/** Screens send these often and by themselves: for them the regular check is good enough. */
const frequentMessages = new Set<ClientMessage['type']>(['listening', 'requests-seen'])

export type SessionChecker = ReturnType<typeof createSessionChecker>

/** Closes sockets, or changes what they may do, when the logins behind them end or change elsewhere. */
export function createSessionChecker(ctx: Ctx, connections: ReadonlySet<Connection>, disconnect: Disconnect) {
  /** When sessions and crew members last changed. */
  const changedAt = new Map<string, number>()
  const bySession = new SetMap<Connection>()
  const byCrewMember = new CrewMemberIndex()
  const indexByCrewMember = (connection: Connection): void =>
    byCrewMember.update(connection, connections.has(connection) ? connection.actor.crewMember?.id : undefined)

  /** False when the connection may not go on. Throws when the login cannot be checked. */
  async function check(connection: Connection): Promise<boolean> {
    const now = ctx.now()
    connection.lastCheckedAt = now
    connection.unconfirmedSince = Math.min(connection.unconfirmedSince ?? now, now)
    const { changes } = connection
    if (!(await updateActor(ctx, connection, disconnect))) return false
    indexByCrewMember(connection)
    // Else what has changed meanwhile has a check of its own, which may still fail.
    if (connection.changes === changes) {
      connection.unconfirmedSince = null
      connection.markChecked()
    }
    return !connection.isClosing
  }

  function recheck(connection: Connection): void {
    check(connection).catch((error: unknown) => toErrorBody(ctx.log, error))
  }

  /** Until its check is answered it receives nothing more, such as what happens right after a sign-out. */
  function recheckChanged(connection: Connection): void {
    connection.holdUntilChecked()
    recheck(connection)
  }

  return {
    check,

    /** False when a message of this type must not be handled. Throws when the login cannot be checked. */
    async canHandle(connection: Connection, type: ClientMessage['type']): Promise<boolean> {
      // Before the first resume the login was looked up for the upgrade.
      const acceptsLastCheck = type === 'resume' ? !connection.hasResumed : frequentMessages.has(type)
      connection.hasResumed ||= type === 'resume'
      const isDue =
        connection.unconfirmedSince !== null ||
        !acceptsLastCheck ||
        ctx.now() - connection.lastCheckedAt > checkEveryMs
      if (accessId(connection.actor) === null || !isDue) return !connection.isClosing
      try {
        return await check(connection)
      } catch (cause) {
        toErrorBody(ctx.log, cause)
        throw new Refusal('unavailable', 'Your sign-in could not be checked. Please try again.', { cause })
      }
    },

    /** To be called after each choice of a member. False when the connection may not go on. */
    async crewMemberChosen(connection: Connection): Promise<boolean> {
      indexByCrewMember(connection)
      const { crewMember } = connection.actor
      // The member may have changed after it was looked up and before this connection could hear of it.
      const mayBeOutdated = crewMember !== null && changedAt.has(crewMember.id)
      return mayBeOutdated ? check(connection) : !connection.isClosing
    },

    /** Returns what to call when the socket is gone. */
    opened(connection: Connection): () => void {
      const { crewMember } = connection.actor
      const access = accessId(connection.actor)
      if (access === null) return () => {}
      bySession.add(access, connection)
      indexByCrewMember(connection)
      // They may have changed after they were looked up and before this socket could hear of it.
      if (changedAt.has(access) || changedAt.has(crewMember?.id ?? '')) recheckChanged(connection)
      return () => {
        bySession.delete(access, connection)
        indexByCrewMember(connection)
      }
    },

    sessionsChanged(sessionIds: ReadonlySet<string>, { onPurpose }: { onPurpose: boolean }): void {
      for (const id of sessionIds) {
        changedAt.set(id, ctx.now())
        for (const connection of bySession.get(id)) {
          connection.signedOut ||= onPurpose
          recheckChanged(connection)
        }
      }
    },

    crewMemberChanged(crewMemberId: string): void {
      changedAt.set(crewMemberId, ctx.now())
      for (const connection of byCrewMember.get(crewMemberId)) recheckChanged(connection)
    },

    /** Signals may have been lost. */
    recheckAll(): void {
      for (const connection of connections) if (accessId(connection.actor) !== null) recheck(connection)
    },

    /** Rechecks logins that may have expired, a few at a time, and retries checks that got no answer. */
    tick(now: number, everyMs: number): void {
      for (const [id, time] of changedAt) if (now - time > rememberChangesMs) changedAt.delete(id)
      const due: Connection[] = []
      for (const connection of connections) {
        const { actor, lastCheckedAt, unconfirmedSince } = connection
        if (accessId(actor) === null || connection.isClosing) continue
        // By a clock that was set back since, it was checked who knows when.
        const checkedMs = now < lastCheckedAt ? Infinity : now - lastCheckedAt
        if (unconfirmedSince !== null && now - unconfirmedSince > checkTimeoutMs)
          disconnect(connection, closeCodes.restart, 'Please come back')
        else if (unconfirmedSince !== null && checkedMs > retryMs) recheck(connection)
        else if (checkedMs > checkEveryMs) due.push(connection)
      }
      const batchSize = Math.ceil((connections.size * 2 * everyMs) / checkEveryMs)
      due.slice(0, batchSize).forEach(recheck)
    },
  }
}

/** Connections by the crew member chosen on them, which may change while they are open. */
class CrewMemberIndex {
  readonly #connections = new SetMap<Connection>()
  readonly #crewMemberOf = new Map<Connection, string>()

  get(crewMemberId: string): Iterable<Connection> {
    return this.#connections.get(crewMemberId)
  }

  update(connection: Connection, crewMemberId: string | undefined): void {
    const before = this.#crewMemberOf.get(connection)
    if (before === crewMemberId) return
    if (before !== undefined) this.#connections.delete(before, connection)
    this.#crewMemberOf.delete(connection)
    if (crewMemberId === undefined) return
    this.#connections.add(crewMemberId, connection)
    this.#crewMemberOf.set(connection, crewMemberId)
  }
}

/** Reads who is behind the connection now. Closes it, and returns false, if it may not go on. */
async function updateActor(ctx: Ctx, connection: Connection, disconnect: Disconnect): Promise<boolean> {
  const before = connection.actor
  const chosenId = before.crewMember?.id ?? null
  // At once: whoever taps waits for both.
  const [after, loaded] = await Promise.all([
    before.token ? reidentifyToken(ctx, before) : reidentify(ctx, before),
    chosenId === null || hasOwnLogin(before) ? undefined : chosenMember.load(ctx, before, chosenId),
  ])
  if (hasLostGrant(before, after)) {
    const reason = (await endedWithRestaurant(ctx, before)) ? restaurantDeletedReason : 'Signed out'
    connection.sessionEnded = true
    disconnect(connection, closeCodes.signedOut, reason)
    return false
  }
  const crewMember = await chosenMember.find(ctx, after, chosenId, loaded)
  if (!hasOwnLogin(before) && isDifferentMember(before.crewMember, crewMember)) {
    disconnect(connection, closeCodes.restart, 'Please choose your name again')
    return false
  }
  // Another member may have been chosen meanwhile; that choice has its own check.
  const isSame = connection.actor.crewMember === before.crewMember
  connection.actor = { ...after, crewMember: isSame ? crewMember : connection.actor.crewMember }
  return true
}

/** A login or token that the socket was opened with has ended, or now belongs to somebody else. */
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
