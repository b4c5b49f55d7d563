import { sql } from 'kysely'
import type { Db } from '../../../src/server/storage/engine/types.ts'

type Column = { table: string; name: string; type: string; isNullable: boolean }

/** As in the evening: one request in twenty is open. */
const values: Record<string, string> = {
  'restaurant.id': `'r' || i`,
  'floor_table.category': `'table'`,
  'service_request.closed_at': 'case when i % 20 > 0 then i end',
  'service_request.called': `case when i % 20 = 0 then 'c' else '' end`,
}

function valueOf({ table, name, type, isNullable }: Column, restaurantOf: string): string {
  if (name === 'restaurant_id') return restaurantOf
  const value =
    type === 'text' ? `'${name}' || i` : type === 'bytea' ? `'b'::bytea` : type === 'bigint' ? 'i' : '1'
  return values[`${table}.${name}`] ?? (isNullable ? `case when i % 20 = 0 then ${value} end` : value)
}

/** Fills all tables of PostgreSQL, whatever their columns; those with one row for each restaurant get that. */
export async function fillTables(
  db: Db,
  { from, until, rows }: { from: number; until: number; rows: number },
): Promise<void> {
  const { rows: columns } = await sql<Column>`
    select table_name as "table", column_name as name, data_type as type, is_nullable = 'YES' as is_nullable
    from information_schema.columns where table_schema = current_schema() and table_name not like 'kysely%'
    order by ordinal_position`.execute(db)
  const { rows: single } = await sql<{ table: string }>`
    select indrelid::regclass::text as "table" from pg_index
    join pg_attribute on attrelid = indrelid and attnum = indkey[0]
    where indisunique and indnkeyatts = 1 and attname = 'restaurant_id'`.execute(db)
  // What is referred to may be missing.
  await sql`set local session_replication_role = replica`.execute(db)
  for (const [table, own] of Map.groupBy(columns, (column) => column.table)) {
    const isMany =
      own.some(({ name }) => name === 'restaurant_id') && !single.some((each) => each.table === table)
    const factor = isMany ? rows : 1
    const restaurantOf = isMany ? `'r' || (i / ${rows})` : `'r' || i`
    await sql
      .raw(`insert into ${table} (${own.map(({ name }) => `"${name}"`).join(', ')})
      select ${own.map((column) => valueOf(column, restaurantOf)).join(', ')}
      from generate_series(${from * factor}, ${until * factor - 1}) as i`)
      .execute(db)
  }
}
