import type { Db } from './engine/types.ts'
import type { Subject } from './recovery.ts'
import type { Schema } from './schema.ts'

export type Authenticator = Schema['authenticator']

const toKey = ({ restaurantId, kind, id: subjectId }: Subject) => ({ restaurantId, kind, subjectId })

/** The one that is on. */
export async function find(db: Db, subject: Subject): Promise<Authenticator | undefined> {
  const authenticator = await findIncludingPending(db, subject)
  return authenticator && authenticator.confirmedAt !== null ? authenticator : undefined
}

/** Also one that was never confirmed. */
export async function findIncludingPending(
  db: Db,
  { restaurantId, kind, id }: Subject,
): Promise<Authenticator | undefined> {
  return db
    .selectFrom('authenticator')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('kind', '=', kind)
    .where('subjectId', '=', id)
    .executeTakeFirst()
}

/** Takes the place of one that was never confirmed. False when one is on. */
export async function begin(
  db: Db,
  subject: Subject,
  { secret, createdAt }: { secret: string; createdAt: number },
): Promise<boolean> {
  const row = await db
    .insertInto('authenticator')
    .values({ ...toKey(subject), secret, createdAt, confirmedAt: null, lastStep: 0 })
    .onConflict((c) =>
      c
        .columns(['restaurantId', 'kind', 'subjectId'])
        .doUpdateSet({ secret, createdAt })
        .where('authenticator.confirmedAt', 'is', null),
    )
    .returning('subjectId')
    .executeTakeFirst()
  return row !== undefined
}

/** False when it is on already, or another one was begun meanwhile. */
export async function confirm(
  db: Db,
  { restaurantId, kind, subjectId, secret }: Authenticator,
  { step, at }: { step: number; at: number },
): Promise<boolean> {
  const row = await db
    .updateTable('authenticator')
    .set({ confirmedAt: at, lastStep: step })
    .where('restaurantId', '=', restaurantId)
    .where('kind', '=', kind)
    .where('subjectId', '=', subjectId)
    .where('secret', '=', secret)
    .where('confirmedAt', 'is', null)
    .returning('subjectId')
    .executeTakeFirst()
  return row !== undefined
}

/** Uses a code up. False when it, or a later one, was used before. */
export async function consumeStep(
  db: Db,
  { restaurantId, kind, subjectId, secret }: Authenticator,
  step: number,
): Promise<boolean> {
  const row = await db
    .updateTable('authenticator')
    .set({ lastStep: step })
    .where('restaurantId', '=', restaurantId)
    .where('kind', '=', kind)
    .where('subjectId', '=', subjectId)
    .where('secret', '=', secret)
    .where('confirmedAt', 'is not', null)
    .where('lastStep', '<', step)
    .returning('subjectId')
    .executeTakeFirst()
  return row !== undefined
}

export async function remove(db: Db, { restaurantId, kind, id }: Subject): Promise<void> {
  await db
    .deleteFrom('authenticator')
    .where('restaurantId', '=', restaurantId)
    .where('kind', '=', kind)
    .where('subjectId', '=', id)
    .execute()
}
