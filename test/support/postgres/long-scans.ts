import { sql } from 'kysely'
import type { Database } from '../../../src/server/storage/engine/types.ts'

/** Indexes that hold only the few rows that are read through them. */
const smallIndexes = ['service_request_called']
/** Of these a restaurant has no more rows as time goes by. */
const smallTables = ['crew_break', 'floor_table', 'muted_table', 'table_button']

/** PostgreSQL writes the same expression of an index in several ways. */
const plain = (expression: string): string => expression.replaceAll(/[()':]|bigint/gu, '')

/** Index scans of PostgreSQL that read the whole index, or all rows that a restaurant has in a table that grows. */
export async function findLongScans(
  database: Database,
  steps: readonly string[],
): Promise<{ ofAll: string[]; ofRestaurant: string[] }> {
  if (database.engine !== 'postgres') return { ofAll: [], ofRestaurant: [] }
  const { rows } = await sql<{ name: string; columns: string[]; isUnique: boolean }>`
    select indexrelid::regclass::text as name, indisunique as is_unique,
      array(select pg_get_indexdef(indexrelid, n, false) from generate_series(1, indnkeyatts) n) as columns
    from pg_index`.execute(database.reader)
  const indexes = new Map(rows.map((row) => [row.name, row]))
  const scans = steps.map((step, at) => {
    const [, index = '', table = ''] =
      /Index (?:Only )?Scan(?: Backward)? using (\w+) on (\w+)/u.exec(step) ??
      /(Bitmap Index Scan) on (\w+)/u.exec(step) ??
      []
    if (table === '' || smallIndexes.includes(index) || steps[at - 1]?.includes('Limit')) return 'short'
    const { columns = [], isUnique } = indexes.get(index === 'Bitmap Index Scan' ? table : index) ?? {}
    const condition = plain(/Index Cond: (.*)/u.exec(steps[at + 1] ?? '')?.[1] ?? '')
    const found = columns.filter((column) => ` ${condition}`.includes(` ${plain(column)} = `))
    if (found[0] === undefined || found[0] !== columns[0]) return 'ofAll'
    const isRow = isUnique === true && found.length === columns.length
    if (isRow || found.join() !== 'restaurant_id') return 'short'
    return smallTables.some((name) => step.includes(name)) ? 'short' : 'ofRestaurant'
  })
  return {
    ofAll: steps.filter((_, at) => scans[at] === 'ofAll'),
    ofRestaurant: steps.filter((_, at) => scans[at] === 'ofRestaurant'),
  }
}
