import type { Db } from './engine/types.ts'
import type { GrantKind, Schema } from './schema.ts'

export type Session = Pick<Schema['session'], 'id' | 'restaurantId'>
export type SessionGrant = Schema['sessionGrant']

export async function insert(db: Db, session: Schema['session']): Promise<void> {
  await db.insertInto('session').values(session).execute()
}

/** The session behind a cookie with its grants that still count; nothing when none does. */
export async function find(
  db: Db,
  by: { tokenHash: string } | { id: string },
  now: number,
): Promise<{ session: Session; grants: SessionGrant[] } | undefined> {
  const rows = await db
    .selectFrom('session')
    .innerJoin('sessionGrant', 'sessionGrant.sessionId', 'session.id')
    .select('session.id')
    .selectAll('sessionGrant')
    .whereRef('sessionGrant.restaurantId', 'is not distinct from', 'session.restaurantId')
    .where((e) => ('id' in by ? e('session.id', '=', by.id) : e('session.tokenHash', '=', by.tokenHash)))
    .where('idleUntil', '>', now)
    .where('absoluteUntil', '>', now)
    .execute()
  const [first] = rows
  // The grants that count are of the session's restaurant.
  return first && { session: { id: first.id, restaurantId: first.restaurantId }, grants: rows }
}

/** The old cookie is worthless from now on. False when it was so already, or the session has ended. */
export async function renew(
  db: Db,
  { id, tokenHash }: { id: string; tokenHash: string },
  change: Pick<Schema['session'], 'tokenHash' | 'restaurantId' | 'browser'> & { name?: string | null },
): Promise<boolean> {
  const row = await db
    .updateTable('session')
    .set(change)
    .where('id', '=', id)
    .where('tokenHash', '=', tokenHash)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** A session without a restaurant, and what it holds, goes on in this one. */
export async function setRestaurant(db: Db, id: string, restaurantId: string): Promise<void> {
  await db
    .updateTable('session')
    .set({ restaurantId })
    .where('id', '=', id)
    .where('restaurantId', 'is', null)
    .execute()
  await db
    .updateTable('sessionGrant')
    .set({ restaurantId })
    .where('sessionId', '=', id)
    .where('restaurantId', 'is', null)
    .execute()
}

export async function remove(db: Db, id: string): Promise<void> {
  await db.deleteFrom('session').where('id', '=', id).execute()
}

/** False when it is no session of this restaurant. */
export async function removeFromRestaurant(db: Db, restaurantId: string, id: string): Promise<boolean> {
  const row = await db
    .deleteFrom('session')
    .where('id', '=', id)
    .where('restaurantId', '=', restaurantId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Sessions none of whose grants can ever be used again, not even to call a device. */
export async function removeExpired(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('session')
    .where('id', 'not in', (e) =>
      e
        .selectFrom('sessionGrant')
        .select('sessionId')
        .where('absoluteUntil', '>', now)
        .where((e) =>
          e.or([
            e('idleUntil', '>', now),
            e('sessionId', 'in', e.selectFrom('pushSubscription').select('pushSubscription.sessionId')),
          ]),
        ),
    )
    .execute()
}

export async function saveGrant(db: Db, grant: SessionGrant): Promise<void> {
  await db
    .insertInto('sessionGrant')
    .values(grant)
    .onConflict((c) => c.columns(['sessionId', 'kind']).doUpdateSet(grant))
    .execute()
}

/** The password of this login was given once more. False when the login has ended. */
export async function renewGrant(
  db: Db,
  { sessionId, kind, subjectId, authAt }: Pick<SessionGrant, 'sessionId' | 'kind' | 'subjectId' | 'authAt'>,
): Promise<boolean> {
  const row = await db
    .updateTable('sessionGrant')
    .set({ authAt })
    .where('sessionId', '=', sessionId)
    .where('kind', '=', kind)
    .where('subjectId', '=', subjectId)
    .returning('sessionId')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Makes room in a session for new grants: whatever it has of another restaurant goes, and so does another's login
 * of the same kind. False when it had none of that.
 */
export async function removeConflictingGrants(
  db: Db,
  sessionId: string,
  restaurantId: string | null,
  grants: Pick<SessionGrant, 'kind' | 'subjectId'>[],
): Promise<boolean> {
  const removed = await db
    .deleteFrom('sessionGrant')
    .where('sessionId', '=', sessionId)
    .where((e) =>
      e.or([
        e('restaurantId', 'is distinct from', restaurantId),
        ...grants.map(({ kind, subjectId }) =>
          e.and([e('kind', '=', kind), e('subjectId', '!=', subjectId)]),
        ),
      ]),
    )
    .returning('subjectId')
    .execute()
  await db
    .deleteFrom('crewUnlock')
    .where('sessionId', '=', sessionId)
    .where('crewMemberId', 'not in', (e) =>
      e.selectFrom('crewMember').select('id').where('restaurantId', '=', restaurantId),
    )
    .execute()
  await db
    .deleteFrom('pushSubscription')
    .where('sessionId', '=', sessionId)
    .where((e) =>
      e.or([
        e('restaurantId', 'is distinct from', restaurantId),
        ...removed.map(({ subjectId }) => e('crewMemberId', '=', subjectId)),
      ]),
    )
    .execute()
  return removed.length > 0
}

type HeldGrant = Pick<SessionGrant, 'kind' | 'subjectId' | 'restaurantId'>

/** Which of these grants the session has still. It keeps them until the transaction ends. */
export async function lockGrants(
  db: Db,
  sessionId: string,
  grants: HeldGrant[],
  now: number,
): Promise<GrantKind[]> {
  if (grants.length === 0) return []
  const rows = await db
    .updateTable('sessionGrant')
    .set((e) => ({ authAt: e.ref('authAt') }))
    .where('sessionId', '=', sessionId)
    .where((e) =>
      e.or(
        grants.map(({ kind, subjectId, restaurantId }) =>
          e.and([
            e('kind', '=', kind),
            e('subjectId', '=', subjectId),
            e('restaurantId', 'is not distinct from', restaurantId),
          ]),
        ),
      ),
    )
    .where('idleUntil', '>', now)
    .where('absoluteUntil', '>', now)
    .returning('kind')
    .execute()
  return rows.map(({ kind }) => kind)
}

export async function extendIdleTime(
  db: Db,
  sessionId: string,
  { kind, subjectId }: Pick<SessionGrant, 'kind' | 'subjectId'>,
  idleUntil: number,
): Promise<void> {
  await db
    .updateTable('sessionGrant')
    .set({ idleUntil })
    .where('sessionId', '=', sessionId)
    .where('kind', '=', kind)
    .where('subjectId', '=', subjectId)
    .execute()
}

/** Takes a grant away from every session that has it for this subject; tells which those were. */
export async function revoke(
  db: Db,
  kind: GrantKind,
  subjectId: string,
  exceptSession: string | null,
): Promise<string[]> {
  const rows = await db
    .deleteFrom('sessionGrant')
    .where('kind', '=', kind)
    .where('subjectId', '=', subjectId)
    .where('sessionId', '!=', exceptSession ?? '')
    .returning('sessionId')
    .execute()
  return rows.map((row) => row.sessionId)
}

export async function savePinUnlock(db: Db, unlock: Schema['crewUnlock']): Promise<void> {
  await db
    .insertInto('crewUnlock')
    .values(unlock)
    .onConflict((c) => c.columns(['sessionId', 'crewMemberId']).doUpdateSet({ until: unlock.until }))
    .execute()
}

/** Until when the PIN need not be typed again; nothing where it never was right. */
export async function findPinUnlock(
  db: Db,
  sessionId: string,
  crewMemberId: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('crewUnlock')
    .select('until')
    .where('sessionId', '=', sessionId)
    .where('crewMemberId', '=', crewMemberId)
    .executeTakeFirst()
  return row?.until
}

export async function removePinUnlocks(db: Db, crewMemberId: string): Promise<void> {
  await db.deleteFrom('crewUnlock').where('crewMemberId', '=', crewMemberId).execute()
}
