import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { GrantKind, Schema } from '../schema.ts'

/** One login of one browser, for its owner or the restaurant to see. */
export type Login = Pick<Schema['session'], 'id' | 'createdAt' | 'browser' | 'name'> &
  Pick<Schema['sessionGrant'], 'kind' | 'subjectId' | 'via' | 'authAt' | 'idleUntil'> & {
    /** Whether alerts are sent to the browser, even after the login has been idle too long. */
    isPushedTo: boolean
  }

const loginsQuery = (db: Db, now: number) =>
  db
    .selectFrom('session')
    .innerJoin('sessionGrant', 'sessionGrant.sessionId', 'session.id')
    .select(['session.id', 'session.createdAt', 'session.browser', 'session.name'])
    .select(['kind', 'subjectId', 'via', 'authAt', 'idleUntil'])
    .select((e) =>
      e
        .exists(
          e
            .selectFrom('pushSubscription')
            .select('pushSubscription.id')
            .whereRef('pushSubscription.sessionId', '=', 'session.id'),
        )
        .as('isPushedTo'),
    )
    .whereRef('sessionGrant.restaurantId', 'is not distinct from', 'session.restaurantId')
    .where('absoluteUntil', '>', now)

const toLogin = <Row extends { isPushedTo: unknown }>(row: Row) => ({
  ...row,
  // SQLite returns 0 or 1.
  isPushedTo: Boolean(row.isPushedTo),
})

export async function listByRestaurant(db: Db, restaurantId: string, now: number): Promise<Login[]> {
  const rows = await loginsQuery(db, now).where('session.restaurantId', '=', restaurantId).execute()
  return rows.map(toLogin)
}

export async function listBySubject(
  db: Db,
  kind: GrantKind,
  subjectId: string,
  now: number,
): Promise<Login[]> {
  const rows = await loginsQuery(db, now)
    .where((e) => e.and({ kind, subjectId }))
    .where('idleUntil', '>', now)
    .execute()
  return rows.map(toLogin)
}

/** False when the restaurant has no such device. */
export async function rename(db: Db, restaurantId: string, id: string, name: string): Promise<boolean> {
  return hasRow(
    db
      .updateTable('session')
      .set({ name })
      .where((e) => e.and({ id, restaurantId }))
      .returning('id'),
  )
}

/** Ends one login of a browser, not its others. False when there was none. */
export async function endLogin(
  db: Db,
  sessionId: string,
  kind: GrantKind,
  subjectId: string,
): Promise<boolean> {
  return hasRow(
    db
      .deleteFrom('sessionGrant')
      .where((e) => e.and({ sessionId, kind, subjectId }))
      .returning('sessionId'),
  )
}

/** Ends the logins made with the staff password, and returns their sessions' ids. */
export async function endByStaffPassword(db: Db, restaurantId: string): Promise<string[]> {
  const rows = await db
    .deleteFrom('sessionGrant')
    .where('kind', '=', 'device')
    .where('subjectId', '=', restaurantId)
    .where('via', '=', 'staff-password')
    .returning('sessionId')
    .execute()
  return rows.map((row) => row.sessionId)
}
