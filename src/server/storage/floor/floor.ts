import type { ExpressionBuilder } from 'kysely'
import type { DatedAssignment, Table, TableAssignment } from '#contract/floor/floor.ts'
import { nameKey } from '#contract/primitives.ts'
import type { Db } from '../engine/types.ts'
import { countRows, hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

const tableColumns = ['id', 'tableNumber', 'category'] as const

const selectAny = (db: Db, restaurantId: string) =>
  db.selectFrom('floorTable').select(tableColumns).where('restaurantId', '=', restaurantId)

/** Tables that guests sit at, without the host stand. */
const selectTables = (db: Db, restaurantId: string) =>
  selectAny(db, restaurantId).where('category', '=', 'table')

export const listTables = (db: Db, restaurantId: string): Promise<Table[]> =>
  selectTables(db, restaurantId).execute()

export const countTables = (db: Db, restaurantId: string): Promise<number> =>
  countRows(selectTables(db, restaurantId))

export const findHostStand = (db: Db, restaurantId: string): Promise<Table | undefined> =>
  selectAny(db, restaurantId).where('category', '=', 'host stand').executeTakeFirst()

/** A table or the host stand. */
export const find = (db: Db, restaurantId: string, id: string): Promise<Table | undefined> =>
  selectAny(db, restaurantId).where('id', '=', id).executeTakeFirst()

export const findByNumber = (db: Db, restaurantId: string, tableNumber: string): Promise<Table | undefined> =>
  selectTables(db, restaurantId).where('numberKey', '=', nameKey(tableNumber)).executeTakeFirst()

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

/** Its buttons go with it. */
export const remove = (db: Db, restaurantId: string, id: string): Promise<Schema['floorTable'] | undefined> =>
  db
    .deleteFrom('floorTable')
    .where((e) => e.and({ restaurantId, id, category: 'table' }))
    .returningAll()
    .executeTakeFirst()

/** False when the number is taken. */
export const restore = (db: Db, row: Schema['floorTable']): Promise<boolean> =>
  hasRow(
    db
      .insertInto('floorTable')
      .values({ ...row, numberKey: nameKey(row.tableNumber) })
      .onConflict((c) => c.columns(['restaurantId', 'numberKey']).doNothing())
      .returning('id'),
  )

/** Whether a table is drawn there on the map. */
export const isPlaceTaken = (
  db: Db,
  { restaurantId, mapX, mapY }: Pick<Schema['floorTable'], 'restaurantId' | 'mapX' | 'mapY'>,
): Promise<boolean> =>
  hasRow(
    db
      .selectFrom('floorTable')
      .select('id')
      .where((e) => e.and({ restaurantId, mapX, mapY }))
      .limit(1),
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
      .where((e) => e.and({ restaurantId, tableId }))
      .where('date', '>=', day)
      .limit(1),
  )

const selectAssignmentsOn = (db: Db, restaurantId: string, date: string) =>
  db.selectFrom('tableAssignment').where((e) => e.and({ restaurantId, date }))

const deleteAssignmentsOn = (db: Db, restaurantId: string, date: string) =>
  db.deleteFrom('tableAssignment').where((e) => e.and({ restaurantId, date }))

const selectAssignmentsFrom = (db: Db, restaurantId: string, crewMemberId: string, day: string) =>
  db
    .selectFrom('tableAssignment')
    .where((e) => e.and({ restaurantId, crewMemberId }))
    .where('date', '>=', day)

const deleteAssignmentsFrom = (db: Db, restaurantId: string, crewMemberId: string, day: string) =>
  db
    .deleteFrom('tableAssignment')
    .where((e) => e.and({ restaurantId, crewMemberId }))
    .where('date', '>=', day)

/** The host stand's included. */
export const countAssignmentsFrom = (
  db: Db,
  restaurantId: string,
  crewMemberId: string,
  day: string,
): Promise<number> => countRows(selectAssignmentsFrom(db, restaurantId, crewMemberId, day))

export const countHostStandFrom = (
  db: Db,
  restaurantId: string,
  crewMemberId: string,
  day: string,
): Promise<number> =>
  countRows(selectAssignmentsFrom(db, restaurantId, crewMemberId, day).where('slot', '=', crewMemberId))

export async function listAssignmentsOn(
  db: Db,
  restaurantId: string,
  date: string,
): Promise<TableAssignment[]> {
  return selectAssignmentsOn(db, restaurantId, date)
    .select(['tableId', 'crewMemberId'])
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
  return selectAssignmentsOn(db, restaurantId, date)
    .select(['tableId', 'crewMemberId', 'date'])
    .where('crewMemberId', '=', crewMemberId)
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
  const rows = await selectAssignmentsOn(db, restaurantId, date)
    .select('crewMemberId')
    .where('tableId', '=', tableId)
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

/** For days that have none of them. */
export async function insertAssignments(db: Db, rows: Schema['tableAssignment'][]): Promise<void> {
  await db.insertInto('tableAssignment').values(rows).execute()
}

export async function unassign(db: Db, restaurantId: string, date: string, tableId: string): Promise<void> {
  await deleteAssignmentsOn(db, restaurantId, date).where('tableId', '=', tableId).execute()
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
  await deleteAssignmentsOn(db, restaurantId, date).execute()
}

/** Takes a crew member off the host stand from a day on; the number of assignments removed. */
export async function unassignHostStandFrom(
  db: Db,
  restaurantId: string,
  crewMemberId: string,
  day: string,
): Promise<number> {
  const rows = await deleteAssignmentsFrom(db, restaurantId, crewMemberId, day)
    .where('slot', '=', crewMemberId)
    .returning('date')
    .execute()
  return rows.length
}
