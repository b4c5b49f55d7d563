import type { ExpressionBuilder } from 'kysely'
import type { DatedAssignment, Table, TableAssignment } from '#contract/floor.ts'
import { nameKey } from '#contract/primitives.ts'
import type { Db } from './engine/types.ts'
import { countRows, hasRow } from './rows.ts'
import type { Schema } from './schema.ts'

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

export const countTables = (db: Db, restaurantId: string): Promise<number> =>
  countRows(
    db.selectFrom('floorTable').where('restaurantId', '=', restaurantId).where('category', '=', 'table'),
  )

export async function find(db: Db, restaurantId: string, id: string): Promise<Table | undefined> {
  return db
    .selectFrom('floorTable')
    .select(tableColumns)
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Only tables that guests sit at, never the host stand. */
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

/** Undefined when the number is taken. */
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

export const remove = (db: Db, restaurantId: string, id: string): Promise<boolean> =>
  hasRow(
    db
      .deleteFrom('floorTable')
      .where('restaurantId', '=', restaurantId)
      .where('id', '=', id)
      .where('category', '=', 'table')
      .returning('id'),
  )

export const isAssignedFrom = (
  db: Db,
  restaurantId: string,
  tableId: string,
  day: string,
): Promise<boolean> =>
  hasRow(
    db
      .selectFrom('tableAssignment')
      .select('date')
      .where('restaurantId', '=', restaurantId)
      .where('tableId', '=', tableId)
      .where('date', '>=', day)
      .limit(1),
  )

const assignmentsFrom = (db: Db, restaurantId: string, crewMemberId: string, day: string) =>
  db
    .selectFrom('tableAssignment')
    .where('restaurantId', '=', restaurantId)
    .where('crewMemberId', '=', crewMemberId)
    .where('date', '>=', day)

/** The host stand's included. */
export const countAssignmentsFrom = (...args: Parameters<typeof assignmentsFrom>): Promise<number> =>
  countRows(assignmentsFrom(...args))

export const countHostStandFrom = (
  db: Db,
  restaurantId: string,
  crewMemberId: string,
  day: string,
): Promise<number> =>
  countRows(assignmentsFrom(db, restaurantId, crewMemberId, day).where('slot', '=', crewMemberId))

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

/** The crew of a table on a day. */
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

/** Only while `was` still has the slot; false when this call changed nothing. */
export async function reassign(
  db: Db,
  slot: Slot,
  was: string | null,
  crewMemberId: string | null,
): Promise<boolean> {
  if (was === null) {
    if (crewMemberId === null) return false
    return hasRow(
      db
        .insertInto('tableAssignment')
        .values({ ...slot, crewMemberId })
        .onConflict((c) => c.columns(['restaurantId', 'date', 'tableId', 'slot']).doNothing())
        .returning('tableId'),
    )
  }
  const unchanged = (e: ExpressionBuilder<Schema, 'tableAssignment'>) => e.and({ ...slot, crewMemberId: was })
  return hasRow(
    crewMemberId === null
      ? db.deleteFrom('tableAssignment').where(unchanged).returning('tableId')
      : db.updateTable('tableAssignment').set({ crewMemberId }).where(unchanged).returning('tableId'),
  )
}

export async function clearDay(db: Db, restaurantId: string, date: string): Promise<void> {
  await db
    .deleteFrom('tableAssignment')
    .where('restaurantId', '=', restaurantId)
    .where('date', '=', date)
    .execute()
}

/** Takes a crew member off the host stand from a day on; the number of assignments removed. */
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
