import type { Db } from '../engine/types.ts'
import { countRows, hasRow } from '../rows.ts'

export const isFinished = (db: Db, restaurantId: string): Promise<boolean> =>
  hasRow(db.selectFrom('firstStepsFinished').select('at').where('restaurantId', '=', restaurantId))

export async function finish(db: Db, restaurantId: string, at: number): Promise<void> {
  await db
    .insertInto('firstStepsFinished')
    .values({ restaurantId, at })
    .onConflict((c) => c.column('restaurantId').doNothing())
    .execute()
}

const tablesOf = (db: Db, restaurantId: string) =>
  db.selectFrom('floorTable').where((e) => e.and({ restaurantId, category: 'table' }))

export const countTables = (db: Db, restaurantId: string): Promise<number> =>
  countRows(tablesOf(db, restaurantId))

/** The numbers of the tables that somebody works at. */
export async function listAssigned(db: Db, restaurantId: string, date: string): Promise<string[]> {
  const rows = await tablesOf(db, restaurantId)
    .where('id', 'in', (e) =>
      e
        .selectFrom('tableAssignment')
        .select('tableId')
        .where((where) => where.and({ restaurantId, date })),
    )
    .select('tableNumber')
    .execute()
  return rows.map(({ tableNumber }) => tableNumber)
}

export async function findTable(db: Db, restaurantId: string): Promise<string | undefined> {
  const row = await tablesOf(db, restaurantId)
    .select('tableNumber')
    .orderBy('createdAt')
    .limit(1)
    .executeTakeFirst()
  return row?.tableNumber
}

/** Whether the crew has ever answered a request. */
export const hasAnswered = (db: Db, restaurantId: string): Promise<boolean> =>
  hasRow(
    db
      .selectFrom('serviceRequest')
      .select('id')
      .where('restaurantId', '=', restaurantId)
      .where((e) => e.or([e('answeredAt', 'is not', null), e('closedAs', '=', 'completed')]))
      .limit(1),
  )
