import type { SelectQueryBuilder } from 'kysely'
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
