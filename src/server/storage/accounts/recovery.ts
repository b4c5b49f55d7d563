import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'
import type { Subject } from './subject.ts'

const codeKey = ({ restaurantId, kind, id }: Subject) => ({
  restaurantId,
  subjectKind: kind,
  subjectId: id,
})

export async function insertCodes(
  db: Db,
  subject: Subject,
  codeHashes: string[],
  createdAt: number,
): Promise<void> {
  await db
    .insertInto('recoveryCode')
    .values(codeHashes.map((codeHash) => ({ ...codeKey(subject), codeHash, createdAt })))
    .execute()
}

export async function removeCodes(db: Db, subject: Subject): Promise<void> {
  await db
    .deleteFrom('recoveryCode')
    .where((e) => e.and(codeKey(subject)))
    .execute()
}

/** False when the subject has no such code any more. Of two simultaneous uses, one succeeds. */
export async function consumeCode(db: Db, subject: Subject, codeHash: string): Promise<boolean> {
  return hasRow(
    db
      .deleteFrom('recoveryCode')
      .where((e) => e.and({ ...codeKey(subject), codeHash }))
      .returning('codeHash'),
  )
}

export async function listCodes(db: Db, subject: Subject) {
  return db
    .selectFrom('recoveryCode')
    .select(['codeHash', 'createdAt'])
    .where((e) => e.and(codeKey(subject)))
    .execute()
}

export type PasswordReset = Schema['passwordReset']

/** Replaces the owner's previous one. */
export async function saveReset(db: Db, reset: PasswordReset): Promise<void> {
  await db
    .insertInto('passwordReset')
    .values(reset)
    .onConflict((c) => c.columns(['restaurantId', 'ownerId']).doUpdateSet(reset))
    .execute()
}

/** Replaces an earlier mail's, never the operator's: false while that one is valid. */
export async function saveMailedReset(db: Db, reset: PasswordReset, now: number): Promise<boolean> {
  return hasRow(
    db
      .insertInto('passwordReset')
      .values(reset)
      .onConflict((c) =>
        c
          .columns(['restaurantId', 'ownerId'])
          .doUpdateSet(reset)
          .where((e) => e.or([e('passwordReset.via', '=', 'mail'), e('passwordReset.expiresAt', '<=', now)])),
      )
      .returning('ownerId'),
  )
}

export async function findReset(
  db: Db,
  tokenHashes: string[],
  now: number,
): Promise<PasswordReset | undefined> {
  return db
    .selectFrom('passwordReset')
    .selectAll()
    .where('tokenHash', 'in', tokenHashes)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
}

/** False when it has expired or was used already. */
export async function consumeReset(
  db: Db,
  { restaurantId, ownerId, tokenHash }: PasswordReset,
  now: number,
): Promise<boolean> {
  return hasRow(
    db
      .deleteFrom('passwordReset')
      .where((e) => e.and({ restaurantId, ownerId, tokenHash }))
      .where('expiresAt', '>', now)
      .returning('ownerId'),
  )
}

export async function removeResets(db: Db, restaurantId: string): Promise<void> {
  await db.deleteFrom('passwordReset').where('restaurantId', '=', restaurantId).execute()
}
