import type { CrewMember } from '#contract/crew.ts'
import { nameKey } from '#contract/primitives.ts'
import type { Db } from './engine/types.ts'
import { countRows, hasRow } from './rows.ts'
import type { Schema } from './schema.ts'

export type CrewRow = Schema['crewMember']

const presentMembers = (db: Db, restaurantId: string) =>
  db.selectFrom('crewMember').where('restaurantId', '=', restaurantId).where('deletedAt', 'is', null)

export async function list(db: Db, restaurantId: string): Promise<CrewMember[]> {
  return presentMembers(db, restaurantId)
    .select(['id', 'name', 'role'])
    .orderBy('nameKey')
    .orderBy('id')
    .execute()
}

export async function listWithoutPin(db: Db, restaurantId: string): Promise<Pick<CrewRow, 'id' | 'name'>[]> {
  return presentMembers(db, restaurantId)
    .select(['id', 'name'])
    .where('pinHash', 'is', null)
    .orderBy('nameKey')
    .orderBy('id')
    .execute()
}

export const count = (db: Db, restaurantId: string): Promise<number> =>
  countRows(presentMembers(db, restaurantId))

export async function find(db: Db, restaurantId: string, id: string): Promise<CrewRow | undefined> {
  return presentMembers(db, restaurantId).selectAll().where('id', '=', id).executeTakeFirst()
}

const updatePresent = (db: Db, restaurantId: string, id: string) =>
  db
    .updateTable('crewMember')
    .where((e) => e.and({ restaurantId, id }))
    .where('deletedAt', 'is', null)

/** Locks the member until the transaction ends. */
export async function lock(db: Db, restaurantId: string, id: string): Promise<CrewRow | undefined> {
  return updatePresent(db, restaurantId, id)
    .set((e) => ({ name: e.ref('name') }))
    .returningAll()
    .executeTakeFirst()
}

export async function findMany(db: Db, restaurantId: string, ids: string[]): Promise<CrewRow[]> {
  if (ids.length === 0) return []
  return presentMembers(db, restaurantId).selectAll().where('id', 'in', ids).execute()
}

/** In all restaurants: /waiter-login names none. */
export async function findByUsername(db: Db, username: string): Promise<CrewRow | undefined> {
  return db
    .selectFrom('crewMember')
    .selectAll()
    .where('usernameKey', '=', nameKey(username))
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
}

export async function insert(
  db: Db,
  restaurantId: string,
  member: CrewMember & { createdAt: number },
): Promise<CrewMember> {
  return db
    .insertInto('crewMember')
    .values({ ...member, restaurantId, nameKey: nameKey(member.name) })
    .returning(['id', 'name', 'role'])
    .executeTakeFirstOrThrow()
}

export async function change(
  db: Db,
  restaurantId: string,
  id: string,
  values: Partial<Pick<CrewRow, 'name' | 'role' | 'pinHash' | 'username' | 'passwordHash'>>,
): Promise<CrewMember | undefined> {
  return updatePresent(db, restaurantId, id)
    .set({
      ...values,
      ...(values.name !== undefined && { nameKey: nameKey(values.name) }),
      ...(values.username !== undefined && {
        usernameKey: values.username === null ? null : nameKey(values.username),
      }),
    })
    .returning(['id', 'name', 'role'])
    .executeTakeFirst()
}

/** The row and its name stay for history; the login and the PIN are removed. */
export const remove = (db: Db, restaurantId: string, id: string, deletedAt: number): Promise<boolean> =>
  hasRow(
    updatePresent(db, restaurantId, id)
      .set({ deletedAt, username: null, usernameKey: null, passwordHash: null, pinHash: null })
      .returning('id'),
  )
