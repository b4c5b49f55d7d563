import type { Db } from './database.ts'
import type { GrantKind, Schema } from './schema.ts'

export type Session = Pick<Schema['session'], 'id' | 'restaurantId'>
export type SessionGrant = Schema['sessionGrant']

export async function insert(db: Db, session: Schema['session']): Promise<void> {
  await db.insertInto('session').values(session).execute()
}

/** The session behind a cookie with the grants that are still good; nothing when none is. */
export async function find(
  db: Db,
  by: { tokenHash: string } | { id: string },
  now: number,
): Promise<{ session: Session; grants: SessionGrant[] } | undefined> {
  const rows = await db
    .selectFrom('session')
    .innerJoin('sessionGrant', 'sessionGrant.sessionId', 'session.id')
    .select(['session.id', 'session.restaurantId'])
    .selectAll('sessionGrant')
    .where((e) => ('id' in by ? e('session.id', '=', by.id) : e('session.tokenHash', '=', by.tokenHash)))
    .where('idleUntil', '>', now)
    .where('absoluteUntil', '>', now)
    .execute()
  const [first] = rows
  return first && { session: { id: first.id, restaurantId: first.restaurantId }, grants: rows }
}

/** The old cookie is worthless from now on. False when the session has ended. */
export async function renew(
  db: Db,
  id: string,
  change: { tokenHash: string; restaurantId: string | null },
): Promise<boolean> {
  const row = await db
    .updateTable('session')
    .set(change)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function setRestaurant(db: Db, id: string, restaurantId: string): Promise<void> {
  await db.updateTable('session').set({ restaurantId }).where('id', '=', id).execute()
}

export async function remove(db: Db, id: string): Promise<void> {
  await db.deleteFrom('session').where('id', '=', id).execute()
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

export async function grant(db: Db, grant: SessionGrant): Promise<void> {
  await db
    .insertInto('sessionGrant')
    .values(grant)
    .onConflict((c) => c.columns(['sessionId', 'kind']).doUpdateSet(grant))
    .execute()
}

export async function removeGrants(db: Db, sessionId: string): Promise<void> {
  await db.deleteFrom('sessionGrant').where('sessionId', '=', sessionId).execute()
  await db.deleteFrom('crewUnlock').where('sessionId', '=', sessionId).execute()
  await db.deleteFrom('pushSubscription').where('sessionId', '=', sessionId).execute()
}

export async function touch(db: Db, sessionId: string, kind: GrantKind, idleUntil: number): Promise<void> {
  await db
    .updateTable('sessionGrant')
    .set({ idleUntil })
    .where('sessionId', '=', sessionId)
    .where('kind', '=', kind)
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

export async function unlockCrew(db: Db, unlock: Schema['crewUnlock']): Promise<void> {
  await db
    .insertInto('crewUnlock')
    .values(unlock)
    .onConflict((c) => c.columns(['sessionId', 'crewMemberId']).doUpdateSet({ until: unlock.until }))
    .execute()
}

export async function isUnlocked(
  db: Db,
  sessionId: string,
  crewMemberId: string,
  now: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('crewUnlock')
    .select('until')
    .where('sessionId', '=', sessionId)
    .where('crewMemberId', '=', crewMemberId)
    .where('until', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

export async function lockCrew(db: Db, crewMemberId: string): Promise<void> {
  await db.deleteFrom('crewUnlock').where('crewMemberId', '=', crewMemberId).execute()
}
