import type { Db } from '../engine/types.ts'
import { hasRow, removeStep, type Step } from '../rows.ts'
import type { Schema } from '../schema.ts'
import { type Subject, subjectKey } from './subject.ts'

export type Passkey = Schema['passkey']

/** Oldest first. */
export async function list(db: Db, subject: Subject): Promise<Passkey[]> {
  return db
    .selectFrom('passkey')
    .selectAll()
    .where((e) => e.and(subjectKey(subject)))
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

/** For sign-ins, where the passkey alone identifies the person. */
export async function findByCredential(db: Db, credentialId: string): Promise<Passkey | undefined> {
  return db.selectFrom('passkey').selectAll().where('credentialId', '=', credentialId).executeTakeFirst()
}

/** False when the credential is registered already. */
export async function insert(db: Db, passkey: Passkey): Promise<boolean> {
  return hasRow(
    db
      .insertInto('passkey')
      .values(passkey)
      .onConflict((c) => c.column('credentialId').doNothing())
      .returning('id'),
  )
}

/**
 * Records a use. False when the passkey was removed, or when its counter did not increase, as an authenticator's
 * counter always does. Authenticators without a counter always report 0.
 */
export async function recordUse(
  db: Db,
  { restaurantId, id }: Passkey,
  { counter, at }: { counter: number; at: number },
): Promise<boolean> {
  return hasRow(
    db
      .updateTable('passkey')
      .set({ counter, lastUsedAt: at })
      .where((e) => e.and({ restaurantId, id }))
      .where('counter', counter === 0 ? '=' : '<', counter)
      .returning('id'),
  )
}

/** Returns the removed passkey; undefined when the subject has no such passkey. */
export async function remove(db: Db, subject: Subject, id: string): Promise<Passkey | undefined> {
  return db
    .deleteFrom('passkey')
    .where((e) => e.and(subjectKey(subject)))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

export async function removeAll(db: Db, subject: Subject): Promise<void> {
  await db
    .deleteFrom('passkey')
    .where((e) => e.and(subjectKey(subject)))
    .execute()
}

/** False when it was used before. Of two simultaneous uses, one succeeds. */
export async function markChallengeUsed(
  db: Db,
  challenge: { digest: string; expiresAt: number },
): Promise<boolean> {
  return hasRow(
    db
      .insertInto('usedPasskeyChallenge')
      .values(challenge)
      .onConflict((c) => c.column('digest').doNothing())
      .returning('digest'),
  )
}

/** Expired challenges are refused anyway. */
export const removeExpiredChallenges = (db: Db, step: Step): Promise<number> =>
  removeStep(db, 'usedPasskeyChallenge', 'expiresAt', step)
