import type { ExpressionBuilder } from 'kysely'
import type { DatedAssignment, Table, TableAssignment } from '#contract/floor.ts'
import { nameKey } from '#contract/primitives.ts'
import type { Db } from './engine/types.ts'
import type { Schema } from './schema.ts'

/**
 * Whoever changes tables, crew, who works where or who is on a break takes turns with all others who do: what is
 * looked up from here on stays true until the transaction ends. Guests' taps do not wait for it.
 */
export async function lockRestaurant(db: Db, restaurantId: string): Promise<void> {
  await db
    .updateTable('restaurant')
    .set((e) => ({ name: e.ref('name') }))
    .where('id', '=', restaurantId)
    .execute()
}

const tableColumns = ['id', 'tableNumber', 'category'] as const

export async function listTables(db: Db, restaurantId: string): Promise<Table[]> {
  return db
    .selectFrom('floorTable')
    .select(tableColumns)
    .where('restaurantId', '=', restaurantId)
    .where('category', '=', 'table')
    .execute()
}

export async function findHostStand(db: Db, restaurantId: string): Promise<Table | undefined> {
  return db
    .selectFrom('floorTable')
    .select(tableColumns)
    .where('restaurantId', '=', restaurantId)
    .where('category', '=', 'host stand')
    .executeTakeFirst()
}

export async function countTables(db: Db, restaurantId: string): Promise<number> {
  const { n } = await db
    .selectFrom('floorTable')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('restaurantId', '=', restaurantId)
    .where('category', '=', 'table')
    .executeTakeFirstOrThrow()
  return n
}

export async function find(db: Db, restaurantId: string, id: string): Promise<Table | undefined> {
  return db
    .selectFrom('floorTable')
    .select(tableColumns)
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** A table that guests sit at; the host stand is none. */
export async function findByNumber(
  db: Db,
  restaurantId: string,
  tableNumber: string,
): Promise<Table | undefined> {
  return db
    .selectFrom('floorTable')
    .select(tableColumns)
    .where('restaurantId', '=', restaurantId)
    .where('numberKey', '=', nameKey(tableNumber))
    .where('category', '=', 'table')
    .executeTakeFirst()
}

/** Nothing when the number is taken. */
export async function insert(
  db: Db,
  restaurantId: string,
  table: Table & { createdAt: number },
): Promise<Table | undefined> {
  return db
    .insertInto('floorTable')
    .values({ ...table, restaurantId, numberKey: nameKey(table.tableNumber) })
    .onConflict((c) => c.columns(['restaurantId', 'numberKey']).doNothing())
    .returning(tableColumns)
    .executeTakeFirst()
}

export async function remove(db: Db, restaurantId: string, id: string): Promise<boolean> {
  const row = await db
    .deleteFrom('floorTable')
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .where('category', '=', 'table')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function isAssignedFrom(
  db: Db,
  restaurantId: string,
  tableId: string,
  day: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('tableAssignment')
    .select('date')
    .where('restaurantId', '=', restaurantId)
    .where('tableId', '=', tableId)
    .where('date', '>=', day)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function countAssignmentsFrom(
  db: Db,
  restaurantId: string,
  crewMemberId: string,
  day: string,
): Promise<number> {
  const { n } = await db
    .selectFrom('tableAssignment')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('restaurantId', '=', restaurantId)
    .where('crewMemberId', '=', crewMemberId)
    .where('date', '>=', day)
    .executeTakeFirstOrThrow()
  return n
}

export async function listAssignmentsOn(
  db: Db,
  restaurantId: string,
  date: string,
): Promise<TableAssignment[]> {
  return db
    .selectFrom('tableAssignment')
    .select(['tableId', 'crewMemberId'])
    .where('restaurantId', '=', restaurantId)
    .where('date', '=', date)
    .orderBy('tableId')
    .orderBy('slot')
    .execute()
}

export async function listAssignmentsOf(
  db: Db,
  restaurantId: string,
  crewMemberId: string,
  date: string,
): Promise<DatedAssignment[]> {
  return db
    .selectFrom('tableAssignment')
    .select(['tableId', 'crewMemberId', 'date'])
    .where('restaurantId', '=', restaurantId)
    .where('crewMemberId', '=', crewMemberId)
    .where('date', '=', date)
    .orderBy('tableId')
    .execute()
}

/** Who works this table on this day. */
export async function listCrewOf(
  db: Db,
  restaurantId: string,
  tableId: string,
  date: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('tableAssignment')
    .select('crewMemberId')
    .where('restaurantId', '=', restaurantId)
    .where('tableId', '=', tableId)
    .where('date', '=', date)
    .execute()
  return rows.map((row) => row.crewMemberId)
}

export async function assign(db: Db, row: Schema['tableAssignment']): Promise<void> {
  await db
    .insertInto('tableAssignment')
    .values(row)
    .onConflict((c) =>
      c.columns(['restaurantId', 'date', 'tableId', 'slot']).doUpdateSet({ crewMemberId: row.crewMemberId }),
    )
    .execute()
}

export async function unassign(db: Db, restaurantId: string, date: string, tableId: string): Promise<void> {
  await db
    .deleteFrom('tableAssignment')
    .where('restaurantId', '=', restaurantId)
    .where('date', '=', date)
    .where('tableId', '=', tableId)
    .execute()
}

type Slot = Pick<Schema['tableAssignment'], 'restaurantId' | 'date' | 'tableId' | 'slot'>

/** Only while the slot is still as it was seen; false when this call changed nothing. */
export async function reassign(
  db: Db,
  slot: Slot,
  was: string | null,
  crewMemberId: string | null,
): Promise<boolean> {
  if (was === null) {
    if (crewMemberId === null) return false
    const row = await db
      .insertInto('tableAssignment')
      .values({ ...slot, crewMemberId })
      .onConflict((c) => c.columns(['restaurantId', 'date', 'tableId', 'slot']).doNothing())
      .returning('tableId')
      .executeTakeFirst()
    return row !== undefined
  }
  const seen = (e: ExpressionBuilder<Schema, 'tableAssignment'>) => e.and({ ...slot, crewMemberId: was })
  const change =
    crewMemberId === null
      ? db.deleteFrom('tableAssignment').where(seen).returning('tableId')
      : db.updateTable('tableAssignment').set({ crewMemberId }).where(seen).returning('tableId')
  return (await change.executeTakeFirst()) !== undefined
}

export async function clearDay(db: Db, restaurantId: string, date: string): Promise<void> {
  await db
    .deleteFrom('tableAssignment')
    .where('restaurantId', '=', restaurantId)
    .where('date', '=', date)
    .execute()
}

/** The host stand's assignments of one crew member from a day on; tells how many they were. */
export async function unassignHostStandFrom(
  db: Db,
  restaurantId: string,
  crewMemberId: string,
  day: string,
): Promise<number> {
  const rows = await db
    .deleteFrom('tableAssignment')
    .where('restaurantId', '=', restaurantId)
    .where('crewMemberId', '=', crewMemberId)
    .where('slot', '=', crewMemberId)
    .where('date', '>=', day)
    .returning('date')
    .execute()
  return rows.length
}

/** Of these, how many are at the host stand. */
export async function countHostStandFrom(
  db: Db,
  restaurantId: string,
  crewMemberId: string,
  day: string,
): Promise<number> {
  const { n } = await db
    .selectFrom('tableAssignment')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('restaurantId', '=', restaurantId)
    .where('crewMemberId', '=', crewMemberId)
    .where('slot', '=', crewMemberId)
    .where('date', '>=', day)
    .executeTakeFirstOrThrow()
  return n
}

export async function unassignCrewFrom(
  db: Db,
  restaurantId: string,
  crewMemberId: string,
  day: string,
): Promise<void> {
  await db
    .deleteFrom('tableAssignment')
    .where('restaurantId', '=', restaurantId)
    .where('crewMemberId', '=', crewMemberId)
    .where('date', '>=', day)
    .execute()
}
