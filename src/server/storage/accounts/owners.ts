import { nameKey } from '#contract/primitives.ts'
import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type Owner = Schema['owner']

type NewOwner = Omit<Owner, 'emailKey'>

const insertOwner = (db: Db, owner: NewOwner) =>
  db.insertInto('owner').values({ ...owner, emailKey: nameKey(owner.email) })

export async function insert(db: Db, owner: NewOwner): Promise<void> {
  await insertOwner(db, owner).execute()
}

const updateOne = (db: Db, id: string) => db.updateTable('owner').where('id', '=', id)

export async function findById(db: Db, id: string): Promise<Owner | undefined> {
  return db.selectFrom('owner').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Locks the row until the transaction ends. */
export async function lock(db: Db, id: string): Promise<Owner | undefined> {
  return updateOne(db, id)
    .set((e) => ({ email: e.ref('email') }))
    .returningAll()
    .executeTakeFirst()
}

type Identity = { issuer: string; subject: string }

export async function findByIdentity(db: Db, { issuer, subject }: Identity): Promise<Owner | undefined> {
  return db
    .selectFrom('owner')
    .selectAll()
    .where('oidcIssuer', '=', issuer)
    .where('oidcSubject', '=', subject)
    .executeTakeFirst()
}

/** Does nothing if there is an owner with this identity. */
export async function insertOnce(db: Db, owner: NewOwner): Promise<void> {
  await insertOwner(db, owner)
    .onConflict((c) => c.columns(['oidcIssuer', 'oidcSubject']).doNothing())
    .execute()
}

/** Undefined when the owner has an identity already. */
export async function linkIdentity(
  db: Db,
  id: string,
  { issuer, subject }: Identity,
): Promise<Owner | undefined> {
  return updateOne(db, id)
    .set({ oidcIssuer: issuer, oidcSubject: subject })
    .where('oidcSubject', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** One address may own several restaurants: signing up never reveals whether it is known. */
export async function findByEmail(db: Db, email: string): Promise<Owner[]> {
  return db
    .selectFrom('owner')
    .selectAll()
    .where('emailKey', '=', nameKey(email))
    .orderBy('createdAt')
    .limit(5)
    .execute()
}

/** Whose home the restaurant is, or who has added it to theirs. */
export async function findByRestaurant(db: Db, restaurantId: string): Promise<Owner | undefined> {
  return db
    .selectFrom('owner')
    .selectAll()
    .where((e) =>
      e.or([
        e('restaurantId', '=', restaurantId),
        e('id', 'in', e.selectFrom('membership').select('ownerId').where('restaurantId', '=', restaurantId)),
      ]),
    )
    .orderBy('createdAt')
    .executeTakeFirst()
}

/** By any name of the restaurant; if there is none of that name, all with this e-mail address and a restaurant. */
export async function findByRestaurantOrEmail(
  db: Db,
  restaurantOrEmail: string,
): Promise<{ id: string; home: string; restaurantName: string }[]> {
  const key = nameKey(restaurantOrEmail)
  const named = await db
    .selectFrom('restaurantName')
    .innerJoin('restaurant', 'restaurant.id', 'restaurantName.restaurantId')
    .select(['restaurant.id', 'restaurant.name'])
    .where('restaurantName.nameKey', '=', key)
    .executeTakeFirst()
  const owner = named && (await findByRestaurant(db, named.id))
  if (owner) return [{ id: owner.id, home: owner.restaurantId ?? named.id, restaurantName: named.name }]
  return db
    .selectFrom('owner')
    .innerJoin('restaurant', 'restaurant.id', 'owner.restaurantId')
    .select(['owner.id', 'restaurant.id as home', 'restaurant.name as restaurantName'])
    .where('owner.emailKey', '=', key)
    .orderBy('restaurant.name')
    .execute()
}

/** False when the owner has a restaurant already. */
export async function assignRestaurant(db: Db, id: string, restaurantId: string): Promise<boolean> {
  return hasRow(updateOne(db, id).set({ restaurantId }).where('restaurantId', 'is', null).returning('id'))
}

export async function resetPassword(db: Db, id: string, passwordHash: string): Promise<void> {
  await updateOne(db, id).set({ passwordHash }).execute()
}

/** False when the password has been changed since it was checked. */
export async function changePassword(
  db: Db,
  { id, passwordHash: before }: Owner,
  passwordHash: string,
): Promise<boolean> {
  return hasRow(
    updateOne(db, id)
      .set({ passwordHash })
      .where('passwordHash', before === null ? 'is' : '=', before)
      .returning('id'),
  )
}

export async function setEmail(db: Db, id: string, email: string): Promise<void> {
  await updateOne(db, id)
    .set({ email, emailKey: nameKey(email) })
    .execute()
}

export type EmailChange = Schema['ownerEmailChange']

/** Replaces the owner's previous one. */
export async function saveEmailChange(db: Db, change: EmailChange): Promise<void> {
  await db
    .insertInto('ownerEmailChange')
    .values(change)
    .onConflict((c) => c.column('ownerId').doUpdateSet(change))
    .execute()
}

/** Counts an attempt before the digits are checked. Undefined when there is no code to try. */
export async function countEmailAttempt(
  db: Db,
  ownerId: string,
  maxAttempts: number,
  now: number,
): Promise<EmailChange | undefined> {
  return db
    .updateTable('ownerEmailChange')
    .set((e) => ({ codeTries: e('codeTries', '+', 1) }))
    .where('ownerId', '=', ownerId)
    .where('codeExpiresAt', '>', now)
    .where('codeTries', '<', maxAttempts)
    .returningAll()
    .executeTakeFirst()
}

/** False when it was used or replaced meanwhile. */
export async function consumeEmailChange(db: Db, { ownerId, codeProof }: EmailChange): Promise<boolean> {
  return hasRow(
    db
      .deleteFrom('ownerEmailChange')
      .where((e) => e.and({ ownerId, codeProof }))
      .returning('ownerId'),
  )
}
