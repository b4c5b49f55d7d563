import type { RestaurantSwitch } from '#contract/accounts/restaurants.ts'
import { nameKey } from '#contract/primitives.ts'
import { defineStatement, isOnly } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'
import { countRows, hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type Restaurant = Schema['restaurant']

const restaurantColumns = [
  'restaurant.id',
  'restaurant.name',
  'restaurant.timeZone',
  'restaurant.codeGeneration',
  'restaurant.codeKey',
  'restaurant.managedSince',
  'restaurant.staffPasswordHash',
  'restaurant.staffPasswordSetAt',
  'restaurant.verifiedOnly',
  'restaurant.pinRequired',
  'restaurant.alarmSet',
  'restaurant.opening',
  'restaurant.expectedTimes',
  'restaurant.needs',
  'restaurant.managerNotes',
  'restaurant.guestCard',
  'restaurant.seating',
  'restaurant.createdAt',
] as const

/** By any name it ever had. */
export async function findByName(db: Db, name: string): Promise<Restaurant | undefined> {
  const [row] = await db.run(findNamed, { nameKey: nameKey(name) })
  return row
}

const findNamed = defineStatement<{ nameKey: string }, Restaurant & { n: number }>({
  name: 'restaurant-by-name',
  input: { nameKey: 'text' },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('restaurantName', (j) => j.on(isOnly('restaurantName.nameKey', 'input.nameKey')))
      .innerJoin('restaurant', (j) => j.on(isOnly('restaurant.id', 'restaurantName.restaurantId')))
      // One that its owner has deleted is found by nobody.
      .leftJoin('restaurantEnding as ending', (j) =>
        j.on(isOnly('ending.restaurantId', 'restaurant.id')).on('ending.kind', '=', 'deleted'),
      )
      .where('ending.restaurantId', 'is', null)
      .select(['input.n', ...restaurantColumns]),
})

/** Whatever becomes of it: for its owner's sign-in. */
export async function findIdByName(db: Db, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('restaurantName')
    .select('restaurantId')
    .where('nameKey', '=', nameKey(name))
    .executeTakeFirst()
  return row?.restaurantId
}

const updateOne = (db: Db, id: string) => db.updateTable('restaurant').where('id', '=', id)

export async function findById(db: Db, id: string): Promise<Restaurant | undefined> {
  const [row] = await db.run(findRestaurant, { id })
  return row
}

const findRestaurant = defineStatement<{ id: string }, Restaurant & { n: number }>({
  name: 'restaurant',
  input: { id: 'text' },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('restaurant', (j) => j.on(isOnly('restaurant.id', 'input.id')))
      .select(['input.n', ...restaurantColumns]),
})

/**
 * Locks the restaurant until the transaction ends. Operations that change tables, crew, assignments or breaks lock it
 * first, so that what they read stays true. Guests' taps do not wait for it.
 */
export async function lock(db: Db, id: string): Promise<Restaurant | undefined> {
  return updateOne(db, id)
    .set((e) => ({ name: e.ref('name') }))
    .returningAll()
    .executeTakeFirst()
}

/** The installation's only restaurant, if it has exactly one that stays. */
export async function findOnly(db: Db): Promise<Restaurant | undefined> {
  const rows = await db
    .selectFrom('restaurant')
    .selectAll()
    .where('id', 'not in', (e) => e.selectFrom('restaurantEnding').select('restaurantId'))
    .limit(2)
    .execute()
  return rows.length === 1 ? rows[0] : undefined
}

export async function exists(db: Db): Promise<boolean> {
  return hasRow(db.selectFrom('restaurant').select('id').limit(1))
}

/** False when it is a current or former name of another restaurant. */
export async function rename(db: Db, id: string, name: string): Promise<boolean> {
  if (!(await takeName(db, id, name))) return false
  await updateOne(db, id).set({ name }).execute()
  return true
}

async function takeName(db: Db, id: string, name: string): Promise<boolean> {
  await db
    .insertInto('restaurantName')
    .values({ nameKey: nameKey(name), restaurantId: id })
    .onConflict((c) => c.column('nameKey').doNothing())
    .execute()
  return (await findByName(db, name))?.id === id
}

/** Of former names and the current one. */
export async function listNameKeys(db: Db, id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('restaurantName')
    .select('nameKey')
    .where('restaurantId', '=', id)
    .orderBy('nameKey')
    .execute()
  return rows.map(({ nameKey: key }) => key)
}

/** Former names and the current one. */
export async function countNames(db: Db, id: string): Promise<number> {
  return countRows(db.selectFrom('restaurantName').where('restaurantId', '=', id))
}

/** What a new restaurant has not set up yet. */
const unset = {
  staffPasswordHash: null,
  staffPasswordSetAt: null,
  verifiedOnly: 0,
  pinRequired: 0,
  alarmSet: 'bells',
  opening: null,
  expectedTimes: 0,
  needs: null,
  managerNotes: 0,
  guestCard: null,
  seating: 0,
} as const

/** False when it is a current or former name of another restaurant. */
export async function insert(db: Db, restaurant: Omit<Restaurant, keyof typeof unset>): Promise<boolean> {
  await db
    .insertInto('restaurant')
    .values({ ...restaurant, ...unset })
    .execute()
  return takeName(db, restaurant.id, restaurant.name)
}

export async function setTimeZone(db: Db, id: string, timeZone: string): Promise<void> {
  await updateOne(db, id).set({ timeZone }).execute()
}

export async function setAlarmSet(db: Db, id: string, alarmSet: Restaurant['alarmSet']): Promise<void> {
  await updateOne(db, id).set({ alarmSet }).execute()
}

export async function setOpening(db: Db, id: string, opening: string | null): Promise<void> {
  await updateOne(db, id).set({ opening }).execute()
}

export async function setGuestCard(db: Db, id: string, guestCard: string | null): Promise<void> {
  await updateOne(db, id).set({ guestCard }).execute()
}

export async function setNeeds(db: Db, id: string, needs: string | null): Promise<void> {
  await updateOne(db, id).set({ needs }).execute()
}

export async function setSwitches(
  db: Db,
  id: string,
  switches: Partial<Pick<Restaurant, RestaurantSwitch>>,
): Promise<void> {
  await updateOne(db, id).set(switches).execute()
}

export async function raiseCodeGeneration(db: Db, id: string): Promise<void> {
  await updateOne(db, id)
    .set((e) => ({ codeGeneration: e('codeGeneration', '+', 1) }))
    .execute()
}

/** False when the staff password has been changed since it was read. */
export async function setStaffPassword(
  db: Db,
  { id, staffPasswordHash: before }: Restaurant,
  staffPasswordHash: string | null,
  at: number,
): Promise<boolean> {
  return hasRow(
    updateOne(db, id)
      .set({ staffPasswordHash, staffPasswordSetAt: staffPasswordHash === null ? null : at })
      .where('staffPasswordHash', before === null ? 'is' : '=', before)
      .returning('id'),
  )
}
