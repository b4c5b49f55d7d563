import type { TableAssignment } from '#contract/floor/floor.ts'
import type { Db } from '../engine/types.ts'
import type { Schema } from '../schema.ts'

type Weekday = Pick<Schema['patternAssignment'], 'restaurantId' | 'weekday'>
type PlannedDay = Schema['plannedDay']

/** The last day that a restaurant's pattern has filled; undefined when it has none. */
export async function findFilledTo(db: Db, restaurantId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('weeklyPattern')
    .select('filledTo')
    .where('restaurantId', '=', restaurantId)
    .executeTakeFirst()
  return row?.filledTo
}

export async function setFilledTo(db: Db, restaurantId: string, filledTo: string): Promise<void> {
  await db
    .insertInto('weeklyPattern')
    .values({ restaurantId, filledTo })
    .onConflict((c) => c.column('restaurantId').doUpdateSet({ filledTo }))
    .execute()
}

/** Restaurants whose pattern has filled no day from this one on. */
export async function listDue(db: Db, day: string): Promise<string[]> {
  const rows = await db
    .selectFrom('weeklyPattern')
    .select('restaurantId')
    .where('filledTo', '<', day)
    .execute()
  return rows.map(({ restaurantId }) => restaurantId)
}

export async function listWeekdays(db: Db, restaurantId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('patternAssignment')
    .select('weekday')
    .distinct()
    .where('restaurantId', '=', restaurantId)
    .orderBy('weekday')
    .execute()
  return rows.map(({ weekday }) => weekday)
}

/** Without deleted tables and crew, and at the host stand without those who are no longer Hosts. */
const selectPattern = (db: Db, { restaurantId, weekday }: Weekday) =>
  db
    .selectFrom('patternAssignment as p')
    .innerJoin('floorTable as t', (j) =>
      j.onRef('t.restaurantId', '=', 'p.restaurantId').onRef('t.id', '=', 'p.tableId'),
    )
    .innerJoin('crewMember as m', (j) =>
      j.onRef('m.restaurantId', '=', 'p.restaurantId').onRef('m.id', '=', 'p.crewMemberId'),
    )
    .where('p.restaurantId', '=', restaurantId)
    .where('p.weekday', '=', weekday)
    .where('m.deletedAt', 'is', null)
    .where((e) => e.or([e('p.slot', '=', ''), e('m.role', '=', 'Host')]))

/** In the order of a day's assignments. */
export const listAssignments = (db: Db, weekday: Weekday): Promise<TableAssignment[]> =>
  selectPattern(db, weekday)
    .select(['p.tableId', 'p.crewMemberId'])
    .orderBy('p.tableId')
    .orderBy('p.slot')
    .execute()

export async function replace(
  db: Db,
  weekday: Weekday,
  assignments: Pick<Schema['patternAssignment'], 'tableId' | 'slot' | 'crewMemberId'>[],
): Promise<void> {
  await remove(db, weekday)
  for (let at = 0; at < assignments.length; at += rowsAtOnce)
    await db
      .insertInto('patternAssignment')
      .values(assignments.slice(at, at + rowsAtOnce).map((assignment) => ({ ...weekday, ...assignment })))
      .execute()
}

/** One statement takes a limited number of values. */
const rowsAtOnce = 500

export async function remove(db: Db, weekday: Weekday): Promise<void> {
  await db
    .deleteFrom('patternAssignment')
    .where((e) => e.and(weekday))
    .execute()
}

/** When nothing is left of the pattern. */
export async function removeFilledTo(db: Db, restaurantId: string): Promise<void> {
  await db.deleteFrom('weeklyPattern').where('restaurantId', '=', restaurantId).execute()
}

/** Forgets tables and crew that can no longer be restored. */
export async function removeDeletedBefore(db: Db, at: number): Promise<void> {
  await db
    .deleteFrom('patternAssignment')
    // Without this, all patterns would be read.
    .where('restaurantId', 'in', (e) =>
      e.selectFrom('deletedItem').select('deletedItem.restaurantId').where('deletedItem.deletedAt', '<=', at),
    )
    .where((e) =>
      e.exists(
        e
          .selectFrom('deletedItem as d')
          .select('d.id')
          .whereRef('d.restaurantId', '=', 'patternAssignment.restaurantId')
          .where('d.deletedAt', '<=', at)
          .where((e) =>
            e.or([
              e('d.id', '=', e.ref('patternAssignment.tableId')),
              e('d.id', '=', e.ref('patternAssignment.crewMemberId')),
            ]),
          ),
      ),
    )
    .execute()
}

/** Onto a day without assignments. */
export async function fillDay(db: Db, { date, ...weekday }: Weekday & { date: string }): Promise<void> {
  await db
    .insertInto('tableAssignment')
    .columns(['restaurantId', 'date', 'tableId', 'slot', 'crewMemberId'])
    .expression(
      selectPattern(db, weekday).select((e) => [
        'p.restaurantId',
        e.val(date).as('date'),
        'p.tableId',
        'p.slot',
        'p.crewMemberId',
      ]),
    )
    .execute()
}

export async function findDay(
  db: Db,
  { restaurantId, date }: Omit<PlannedDay, 'origin'>,
): Promise<PlannedDay['origin'] | undefined> {
  const row = await db
    .selectFrom('plannedDay')
    .select('origin')
    .where((e) => e.and({ restaurantId, date }))
    .executeTakeFirst()
  return row?.origin
}

export const listDays = (
  db: Db,
  restaurantId: string,
  from: string,
): Promise<Pick<PlannedDay, 'date' | 'origin'>[]> =>
  db
    .selectFrom('plannedDay')
    .select(['date', 'origin'])
    .where('restaurantId', '=', restaurantId)
    .where('date', '>=', from)
    .execute()

/** Days on which somebody is assigned, both days inclusive. */
export async function listAssignedDays(
  db: Db,
  restaurantId: string,
  { from, to }: { from: string; to: string },
): Promise<string[]> {
  const rows = await db
    .selectFrom('tableAssignment')
    .select('date')
    .distinct()
    .where('restaurantId', '=', restaurantId)
    .where('date', '>=', from)
    .where('date', '<=', to)
    .execute()
  return rows.map(({ date }) => date)
}

export async function setDays(
  db: Db,
  restaurantId: string,
  dates: readonly string[],
  origin: PlannedDay['origin'],
): Promise<void> {
  if (dates.length === 0) return
  await db
    .insertInto('plannedDay')
    .values(dates.map((date) => ({ restaurantId, date, origin })))
    .onConflict((c) => c.columns(['restaurantId', 'date']).doUpdateSet({ origin }))
    .execute()
}

export async function forgetDays(db: Db, restaurantId: string, dates: readonly string[]): Promise<void> {
  if (dates.length === 0) return
  await db
    .deleteFrom('plannedDay')
    .where('restaurantId', '=', restaurantId)
    .where('date', 'in', dates)
    .execute()
}

/** Forgets days with their assignments. */
export async function releaseDays(db: Db, restaurantId: string, dates: readonly string[]): Promise<void> {
  if (dates.length === 0) return
  await db
    .deleteFrom('tableAssignment')
    .where('restaurantId', '=', restaurantId)
    .where('date', 'in', dates)
    .execute()
  await forgetDays(db, restaurantId, dates)
}
