import type { CrewMember } from '#contract/crew/crew.ts'
import { nameKey } from '#contract/primitives.ts'
import { defineStatement, isOnly } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'
import { countRows, hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

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

/** With whether the restaurant requires a PIN of its crew. */
export type FoundMember = CrewRow & Pick<Schema['restaurant'], 'pinRequired'>

export async function find(db: Db, restaurantId: string, id: string): Promise<FoundMember | undefined> {
  const [row] = await db.run(findMember, { restaurantId, id })
  return row
}

const memberColumns = [
  'crewMember.restaurantId',
  'crewMember.id',
  'crewMember.name',
  'crewMember.nameKey',
  'crewMember.role',
  'crewMember.pinHash',
  'crewMember.usernameKey',
  'crewMember.username',
  'crewMember.passwordHash',
  'crewMember.createdAt',
  'crewMember.deletedAt',
  'crewMember.sectionId',
] as const

const findMember = defineStatement<{ restaurantId: string; id: string }, FoundMember & { n: number }>({
  name: 'crew-member',
  input: { restaurantId: 'text', id: 'text' },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('crewMember', (join) =>
        join
          .on(isOnly('crewMember.restaurantId', 'input.restaurantId'))
          .onRef('crewMember.id', '=', 'input.id'),
      )
      .innerJoin('restaurant', (join) => join.on(isOnly('restaurant.id', 'input.restaurantId')))
      .select(['input.n', 'restaurant.pinRequired', ...memberColumns])
      .where('crewMember.deletedAt', 'is', null),
})

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
  values: Partial<Pick<CrewRow, 'name' | 'role' | 'sectionId' | 'pinHash' | 'username' | 'passwordHash'>>,
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

/** What a deleted member no longer has, and a restored one has again. */
export type MemberLogin = Pick<CrewRow, 'username' | 'passwordHash' | 'pinHash'>

/** The row and its name stay for history; the login and the PIN are removed. */
export const remove = (db: Db, restaurantId: string, id: string, deletedAt: number): Promise<boolean> =>
  hasRow(
    updatePresent(db, restaurantId, id)
      .set({ deletedAt, username: null, usernameKey: null, passwordHash: null, pinHash: null })
      .returning('id'),
  )

/** Undefined when there is no such former member. */
export const restore = (
  db: Db,
  restaurantId: string,
  id: string,
  { name, username, ...login }: MemberLogin & Pick<CrewRow, 'name'>,
): Promise<CrewMember | undefined> =>
  db
    .updateTable('crewMember')
    .set({
      ...login,
      name,
      nameKey: nameKey(name),
      username,
      usernameKey: username === null ? null : nameKey(username),
      deletedAt: null,
    })
    .where((e) => e.and({ restaurantId, id }))
    .where('deletedAt', 'is not', null)
    .returning(['id', 'name', 'role'])
    .executeTakeFirst()
