import { type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from './engine/types.ts'
import type { Schema } from './schema.ts'

/** Whether a query finds a row or, for a change with `returning`, whether it changed one. */
export const hasRow = async (query: { executeTakeFirst(): Promise<unknown> }): Promise<boolean> =>
  (await query.executeTakeFirst()) !== undefined

export async function countRows<T extends keyof Schema>(
  query: SelectQueryBuilder<Schema, T, object>,
): Promise<number> {
  const [row] = await query
    .clearSelect()
    .select((e) => [e.fn.countAll<number>().as('count')])
    .execute()
  return row?.count ?? 0
}

/** What one transaction removes of what is no longer kept: about the `limit` oldest rows, none later than `until`. */
export type Step = { until: number; limit: number }

/** The time up to which a step removes: rows of the same moment go together, so it may be a few more than `limit`. */
export async function findStepEnd<T extends keyof Schema>(
  db: Db,
  table: T,
  column: keyof Schema[T] & string,
  { until, limit }: Step,
): Promise<number> {
  const at = sql.ref<number>(column)
  const { rows } = await sql<{ at: number }>`
    select ${at} as at from ${sql.table(table)} where ${at} <= ${until} order by ${at} limit 1 offset ${limit - 1}
  `.execute(db)
  return rows[0]?.at ?? until
}

/** Returns how many rows it has removed: fewer than `limit` once nothing is left. */
export async function removeStep<T extends keyof Schema>(
  db: Db,
  table: T,
  column: keyof Schema[T] & string,
  step: Step,
): Promise<number> {
  const end = await findStepEnd(db, table, column, step)
  const { numAffectedRows } =
    await sql`delete from ${sql.table(table)} where ${sql.ref(column)} <= ${end}`.execute(db)
  return Number(numAffectedRows)
}
