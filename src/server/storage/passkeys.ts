import type { Db } from './engine/types.ts'
import type { Schema } from './schema.ts'
import { type Subject, subjectKey } from './subject.ts'

export type Passkey = Schema['passkey']

/** The oldest first. */
export async function list(db: Db, subject: Subject): Promise<Passkey[]> {
  return db
    .selectFrom('passkey')
    .selectAll()
    .where((e) => e.and(subjectKey(subject)))
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

/** Whosever it is: a passkey says itself who signs in, and where. */
export async function findByCredential(db: Db, credentialId: string): Promise<Passkey | undefined> {
  return db.selectFrom('passkey').selectAll().where('credentialId', '=', credentialId).executeTakeFirst()
}

/** False when somebody has this credential already. */
export async function insert(db: Db, passkey: Passkey): Promise<boolean> {
  const row = await db
    .insertInto('passkey')
    .values(passkey)
    .onConflict((c) => c.column('credentialId').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Counts a use. False when the passkey was removed, or its counter is not higher than it was: authenticators that
 * count at all never go back. Those that do not always say 0.
 */
export async function recordUse(
  db: Db,
  { restaurantId, id }: Passkey,
  { counter, at }: { counter: number; at: number },
): Promise<boolean> {
  const row = await db
    .updateTable('passkey')
    .set({ counter, lastUsedAt: at })
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .where('counter', counter === 0 ? '=' : '<', counter)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The one that was removed; nothing when it is none of theirs. */
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

/** False when it was used before: of two at once, one uses it. */
export async function markChallengeUsed(
  db: Db,
  challenge: { digest: string; expiresAt: number },
): Promise<boolean> {
  const row = await db
    .insertInto('usedPasskeyChallenge')
    .values(challenge)
    .onConflict((c) => c.column('digest').doNothing())
    .returning('digest')
    .executeTakeFirst()
  return row !== undefined
}

/** What is expired is refused anyway. */
export async function removeExpiredChallenges(db: Db, now: number): Promise<void> {
  await db.deleteFrom('usedPasskeyChallenge').where('expiresAt', '<=', now).execute()
}
