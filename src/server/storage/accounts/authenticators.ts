import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'
import { type Subject, subjectKey } from './subject.ts'

export type Authenticator = Schema['authenticator']

/** The authenticator, once it was confirmed. */
export async function find(db: Db, subject: Subject): Promise<Authenticator | undefined> {
  const authenticator = await findIncludingPending(db, subject)
  return authenticator && authenticator.confirmedAt !== null ? authenticator : undefined
}

export async function findIncludingPending(db: Db, subject: Subject): Promise<Authenticator | undefined> {
  return db
    .selectFrom('authenticator')
    .selectAll()
    .where((e) => e.and(subjectKey(subject)))
    .executeTakeFirst()
}

/** Replaces an unconfirmed authenticator. False when there is a confirmed one. */
export async function begin(
  db: Db,
  subject: Subject,
  { secret, createdAt }: { secret: string; createdAt: number },
): Promise<boolean> {
  return hasRow(
    db
      .insertInto('authenticator')
      .values({ ...subjectKey(subject), secret, createdAt, confirmedAt: null, lastStep: 0 })
      .onConflict((c) =>
        c
          .columns(['restaurantId', 'kind', 'subjectId'])
          .doUpdateSet({ secret, createdAt })
          .where('authenticator.confirmedAt', 'is', null),
      )
      .returning('subjectId'),
  )
}

/** False when it is confirmed already, or has been replaced meanwhile. */
export async function confirm(
  db: Db,
  { restaurantId, kind, subjectId, secret }: Authenticator,
  { step, at }: { step: number; at: number },
): Promise<boolean> {
  return hasRow(
    db
      .updateTable('authenticator')
      .set({ confirmedAt: at, lastStep: step })
      .where((e) => e.and({ restaurantId, kind, subjectId, secret }))
      .where('confirmedAt', 'is', null)
      .returning('subjectId'),
  )
}

/** Uses up a code. False when it or a later one was used before. */
export async function consumeStep(
  db: Db,
  { restaurantId, kind, subjectId, secret }: Authenticator,
  step: number,
): Promise<boolean> {
  return hasRow(
    db
      .updateTable('authenticator')
      .set({ lastStep: step })
      .where((e) => e.and({ restaurantId, kind, subjectId, secret }))
      .where('confirmedAt', 'is not', null)
      .where('lastStep', '<', step)
      .returning('subjectId'),
  )
}

export async function remove(db: Db, subject: Subject): Promise<void> {
  await db
    .deleteFrom('authenticator')
    .where((e) => e.and(subjectKey(subject)))
    .execute()
}

export async function restore(db: Db, authenticator: Authenticator): Promise<void> {
  await db.insertInto('authenticator').values(authenticator).execute()
}
