import { defineStatement, isOnly } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { GrantKind, Schema } from '../schema.ts'

export type Session = Pick<Schema['session'], 'id' | 'restaurantId'>
export type SessionGrant = Schema['sessionGrant']

export async function insert(db: Db, session: Schema['session']): Promise<void> {
  await db.insertInto('session').values(session).execute()
}

/** The session with its valid grants; undefined when there are none. */
export async function find(
  db: Db,
  by: { tokenHash: string } | { id: string },
  now: number,
): Promise<{ session: Session; grants: SessionGrant[] } | undefined> {
  const rows =
    'id' in by
      ? await db.run(findBy.id, { value: by.id, now })
      : await db.run(findBy.tokenHash, { value: by.tokenHash, now })
  const [first] = rows
  // All rows are of the session's restaurant.
  return first && { session: { id: first.sessionId, restaurantId: first.restaurantId }, grants: rows }
}

const selectWithGrants = (column: 'id' | 'tokenHash') =>
  defineStatement<{ value: string; now: number }, SessionGrant & { n: number }>({
    name: `session-by-${column}`,
    input: { value: 'text', now: 'bigint' },
    match: 'n',
    query: (db) =>
      db
        .selectFrom('input')
        .innerJoin('session', (j) => j.on(isOnly(`session.${column}`, 'input.value')))
        .innerJoin('sessionGrant', (j) => j.on(isOnly('sessionGrant.sessionId', 'session.id')))
        .select(['input.n', ...grantColumns])
        .whereRef('sessionGrant.restaurantId', 'is not distinct from', 'session.restaurantId')
        .whereRef('idleUntil', '>', 'input.now')
        // Not by the index of all grants.
        .where((e) => e(e('absoluteUntil', '-', e.ref('input.now')), '>', e.lit(0))),
  })

const grantColumns = [
  'sessionGrant.sessionId',
  'sessionGrant.kind',
  'sessionGrant.subjectId',
  'sessionGrant.restaurantId',
  'sessionGrant.authAt',
  'sessionGrant.idleUntil',
  'sessionGrant.absoluteUntil',
  'sessionGrant.via',
] as const

const findBy = { id: selectWithGrants('id'), tokenHash: selectWithGrants('tokenHash') }

/** Invalidates the old cookie. False when it was invalid already, or the session has ended. */
export async function renew(
  db: Db,
  { id, tokenHash }: { id: string; tokenHash: string },
  change: Pick<Schema['session'], 'tokenHash' | 'restaurantId' | 'browser'> & { name?: string | null },
): Promise<boolean> {
  return hasRow(
    db
      .updateTable('session')
      .set(change)
      .where('id', '=', id)
      .where('tokenHash', '=', tokenHash)
      .returning('id'),
  )
}

/** Moves an owner's sessions without a restaurant, and their grants, to this one. */
export async function setRestaurant(db: Db, ownerId: string, restaurantId: string): Promise<void> {
  await db
    .updateTable('session')
    .set({ restaurantId })
    .where('restaurantId', 'is', null)
    .where('id', 'in', (e) =>
      e
        .selectFrom('sessionGrant')
        .select('sessionId')
        .where((e) => e.and({ kind: 'owner', subjectId: ownerId })),
    )
    .execute()
  await db
    .updateTable('sessionGrant')
    .set({ restaurantId })
    .where('restaurantId', 'is', null)
    .where((e) => e.and({ kind: 'owner', subjectId: ownerId }))
    .execute()
}

export async function remove(db: Db, id: string): Promise<void> {
  await db.deleteFrom('session').where('id', '=', id).execute()
}

/** Removes a grant from a session and returns it. Undefined when it has ended: of two callers at once, one gets it. */
export async function takeGrant(
  db: Db,
  { sessionId, kind, subjectId }: GrantKey,
  now: number,
): Promise<SessionGrant | undefined> {
  return db
    .deleteFrom('sessionGrant')
    .where((e) => e.and({ sessionId, kind, subjectId }))
    .where('idleUntil', '>', now)
    .where('absoluteUntil', '>', now)
    .returningAll()
    .executeTakeFirst()
}

/** False when this restaurant has no such session. */
export async function removeFromRestaurant(db: Db, restaurantId: string, id: string): Promise<boolean> {
  return hasRow(
    db.deleteFrom('session').where('id', '=', id).where('restaurantId', '=', restaurantId).returning('id'),
  )
}

/**
 * Looks at the next sessions after `after`, in the order of their ids, and removes those whose grants have all expired
 * for good, even for alerting a device. Returns the last one that it has looked at; null at the end.
 */
export async function removeExpired(
  db: Db,
  now: number,
  { after, limit }: { after: string; limit: number },
): Promise<string | null> {
  const last = await db
    .selectFrom('session')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst()
  const next = db.deleteFrom('session').where('id', '>', after)
  await (last ? next.where('id', '<=', last.id) : next)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('sessionGrant as g')
            .select('g.kind')
            .whereRef('g.sessionId', '=', 'session.id')
            .where('g.absoluteUntil', '>', now)
            .where((e) =>
              e.or([
                e('g.idleUntil', '>', now),
                e.exists(
                  e
                    .selectFrom('pushSubscription as p')
                    .select('p.id')
                    .whereRef('p.sessionId', '=', 'session.id'),
                ),
              ]),
            ),
        ),
      ),
    )
    .execute()
  return last?.id ?? null
}

export async function saveGrant(db: Db, grant: SessionGrant): Promise<void> {
  await db
    .insertInto('sessionGrant')
    .values(grant)
    .onConflict((c) => c.columns(['sessionId', 'kind']).doUpdateSet(grant))
    .execute()
}

type GrantKey = Pick<SessionGrant, 'sessionId' | 'kind' | 'subjectId'>

const updateGrant = (db: Db, { sessionId, kind, subjectId }: GrantKey) =>
  db.updateTable('sessionGrant').where((e) => e.and({ sessionId, kind, subjectId }))

/** Records that the login was confirmed again. False when it has ended. */
export async function renewGrant(
  db: Db,
  { authAt, ...key }: GrantKey & { authAt: number },
): Promise<boolean> {
  return hasRow(updateGrant(db, key).set({ authAt }).returning('sessionId'))
}

/** Of those after a time. Not in demos: their visitors could not confirm who they are. */
export async function backdateSignIns(db: Db, after: number, authAt: number): Promise<void> {
  await db
    .updateTable('sessionGrant')
    .set({ authAt })
    .where('authAt', '>', after)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('restaurantEnding')
            .select('restaurantEnding.restaurantId')
            .whereRef('restaurantEnding.restaurantId', '=', 'sessionGrant.restaurantId')
            .where('restaurantEnding.kind', '=', 'trial'),
        ),
      ),
    )
    .execute()
}

/**
 * Makes room in a session for new grants: removes those of other restaurants, and those of the same kind for other
 * subjects. False when there were none.
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

/** Which of these grants the session still has. They are locked until the transaction ends. */
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
  { idleUntil, ...key }: GrantKey & { idleUntil: number },
): Promise<void> {
  await updateGrant(db, key).set({ idleUntil }).execute()
}

/** Removes a grant from all sessions that have it for this subject, and returns their ids. */
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

/** Removes the sessions in which this manager signed in, except those of an owner, and returns their ids. */
export async function removeManagers(db: Db, managerId: string, now: number): Promise<string[]> {
  const rows = await db
    .deleteFrom('session')
    .where('id', 'in', (e) =>
      e
        .selectFrom('sessionGrant')
        .select('sessionId')
        .where((e) => e.and({ kind: 'manager', subjectId: managerId })),
    )
    .where('id', 'not in', (e) =>
      e
        .selectFrom('sessionGrant')
        .select('sessionId')
        .where('kind', '=', 'owner')
        .where('idleUntil', '>', now)
        .where('absoluteUntil', '>', now),
    )
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

export async function savePinUnlock(db: Db, unlock: Schema['crewUnlock']): Promise<void> {
  await db
    .insertInto('crewUnlock')
    .values(unlock)
    .onConflict((c) => c.columns(['sessionId', 'crewMemberId']).doUpdateSet({ until: unlock.until }))
    .execute()
}

/** Until when the PIN need not be typed again; undefined if it never was. */
export async function findPinUnlock(
  db: Db,
  sessionId: string,
  crewMemberId: string,
): Promise<number | undefined> {
  const [row] = await db.run(pinUnlock, { sessionId, crewMemberId })
  return row?.until
}

const pinUnlock = defineStatement<{ sessionId: string; crewMemberId: string }, { n: number; until: number }>({
  name: 'pin-unlock',
  input: { sessionId: 'text', crewMemberId: 'text' },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('crewUnlock', (j) =>
        j
          .on(isOnly('crewUnlock.sessionId', 'input.sessionId'))
          .onRef('crewUnlock.crewMemberId', '=', 'input.crewMemberId'),
      )
      .select(['input.n', 'until']),
})

export async function removePinUnlocks(db: Db, crewMemberId: string): Promise<void> {
  await db.deleteFrom('crewUnlock').where('crewMemberId', '=', crewMemberId).execute()
}
