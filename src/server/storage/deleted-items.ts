import type { DeletedItem } from '#contract/deleted-items.ts'
import type { Db } from './engine/types.ts'
import * as weeklyPattern from './floor/weekly-pattern.ts'
import { findStepEnd, removeStep, type Step } from './rows.ts'
import type { Schema } from './schema.ts'

type ItemRow = Schema['deletedItem']
type ItemKey = Pick<ItemRow, 'restaurantId' | 'kind' | 'id'>

export async function insert(db: Db, { content, ...item }: Omit<ItemRow, 'content'> & { content: object }) {
  await db
    .insertInto('deletedItem')
    .values({ ...item, content: JSON.stringify(content) })
    .execute()
}

/** Latest first. */
export const list = (
  db: Db,
  { restaurantId, kind, after }: Omit<ItemKey, 'id'> & { after: number },
): Promise<DeletedItem[]> =>
  db
    .selectFrom('deletedItem')
    .select(['id', 'name', 'deletedAt'])
    .where((e) => e.and({ restaurantId, kind }))
    .where('deletedAt', '>', after)
    .orderBy('deletedAt', 'desc')
    .orderBy('id', 'desc')
    .execute()

/** When two restore it at the same time, one gets it. */
export const take = (
  db: Db,
  { restaurantId, kind, id }: ItemKey,
  after: number,
): Promise<Pick<ItemRow, 'name' | 'content'> | undefined> =>
  db
    .deleteFrom('deletedItem')
    .where((e) => e.and({ restaurantId, kind, id }))
    .where('deletedAt', '>', after)
    .returning(['name', 'content'])
    .executeTakeFirst()

/** What would come back to a day with its table or crew member. */
export async function forgetAssignmentsOn(db: Db, restaurantId: string, date: string): Promise<void> {
  await db
    .deleteFrom('deletedAssignment')
    .where((e) => e.and({ restaurantId, date }))
    .execute()
}

type Deletion = { on: string; at: number }
type Owner = { tableId: string } | { crewMemberId: string }

/** Moves the assignments of a table, or those of a crew member from the day of the deletion on. */
export async function moveAssignments(
  db: Db,
  restaurantId: string,
  owner: Owner,
  { on, at }: Deletion,
): Promise<void> {
  const rows = await db
    .deleteFrom('tableAssignment')
    .where((e) => e.and({ restaurantId, ...owner }))
    .$if('crewMemberId' in owner, (q) => q.where('date', '>=', on))
    .returning(['restaurantId', 'tableId', 'crewMemberId', 'date', 'slot'])
    .execute()
  for (const part of chunks(rows))
    await db
      .insertInto('deletedAssignment')
      .values(part.map((row) => ({ ...row, deletedOn: on, deletedAt: at })))
      .onConflict((c) =>
        c
          .columns(['restaurantId', 'tableId', 'crewMemberId', 'date', 'slot'])
          .doUpdateSet({ deletedOn: on, deletedAt: at }),
      )
      .execute()
}

/**
 * Puts back what went with a table or a crew member: the days before the deletion, and those from today on. Whoever
 * was assigned meanwhile stays. What needs something that is itself deleted waits for that.
 */
export async function returnAssignments(
  db: Db,
  restaurantId: string,
  owner: Owner,
  today: string,
): Promise<void> {
  const tables = await listIds(db, restaurantId, 'floorTable')
  const members = await listIds(db, restaurantId, 'crewMember')
  const rows = await db
    .deleteFrom('deletedAssignment')
    .where((e) => e.and({ restaurantId, ...owner }))
    .returningAll()
    .execute()
  const isPast = ({ date, deletedOn }: Schema['deletedAssignment']): boolean => date < deletedOn
  const wanted = rows.filter((row) => isPast(row) || row.date >= today)
  const canReturn = (row: Schema['deletedAssignment']): boolean =>
    tables.has(row.tableId) && (isPast(row) || members.has(row.crewMemberId))
  // If the table was assigned to somebody else before it was deleted as well, the later assignment counts.
  const returning = wanted.filter(canReturn).toSorted((a, b) => b.deletedAt - a.deletedAt)
  for (const part of chunks(returning))
    await db
      .insertInto('tableAssignment')
      .values(part.map(toAssignment))
      .onConflict((c) => c.columns(['restaurantId', 'date', 'tableId', 'slot']).doNothing())
      .execute()
  for (const part of chunks(wanted.filter((row) => !canReturn(row))))
    await db.insertInto('deletedAssignment').values(part).execute()
}

function toAssignment(row: Schema['deletedAssignment']): Schema['tableAssignment'] {
  const { deletedOn: _, deletedAt: __, ...assignment } = row
  return assignment
}

async function listIds(
  db: Db,
  restaurantId: string,
  from: 'floorTable' | 'crewMember',
): Promise<ReadonlySet<string>> {
  const rows =
    from === 'floorTable'
      ? await db.selectFrom(from).select('id').where('restaurantId', '=', restaurantId).execute()
      : await db
          .selectFrom(from)
          .select('id')
          .where('restaurantId', '=', restaurantId)
          .where('deletedAt', 'is', null)
          .execute()
  return new Set(rows.map(({ id }) => id))
}

/** How many rows one statement inserts: it takes a limited number of values. */
const chunkSize = 500
const chunks = <T>(rows: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(rows.length / chunkSize) }, (_, index) =>
    rows.slice(index * chunkSize, (index + 1) * chunkSize),
  )

/** With what weekly patterns hold of them, which is found only through them. */
export async function removeItems(db: Db, step: Step): Promise<number> {
  const until = await findStepEnd(db, 'deletedItem', 'deletedAt', step)
  await weeklyPattern.removeDeletedBefore(db, until)
  return removeStep(db, 'deletedItem', 'deletedAt', { ...step, until })
}

export const removeAssignments = (db: Db, step: Step): Promise<number> =>
  removeStep(db, 'deletedAssignment', 'deletedAt', step)
