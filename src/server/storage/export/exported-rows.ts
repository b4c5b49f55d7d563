import { sql } from 'kysely'
import type { QueryDb } from '../engine/types.ts'

/** Until the transaction ends, on all servers of an installation. PostgreSQL only. */
export async function lockExports(db: QueryDb): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('tableside export ' || current_schema(), 0)) as locked`.execute(
    db,
  )
  return rows[0]?.locked === true
}

const rowsPerPage = 1_000

/** A restaurant's rows of a table, as objects of these columns; in the order of their ids, where they have some. */
export async function* readRows(
  db: QueryDb,
  restaurantId: string,
  { table, columns }: { table: string; columns: readonly string[] },
): AsyncGenerator<Record<string, unknown>[]> {
  const list = sql.join(columns.map((column) => sql.ref(column)))
  const own = sql.ref(table === 'restaurant' ? 'id' : 'restaurantId')
  if (table === 'restaurant' || !columns.includes('id')) {
    const { rows } = await sql<Record<string, unknown>>`
      select ${list} from ${sql.table(table)} where ${own} = ${restaurantId}`.execute(db)
    yield rows
    return
  }
  for (let after = ''; ;) {
    const { rows } = await sql<Record<string, unknown>>`
      select ${list} from ${sql.table(table)} where ${own} = ${restaurantId} and id > ${after}
        order by id limit ${rowsPerPage}`.execute(db)
    if (rows.length === 0) return
    yield rows
    after = String(rows.at(-1)?.['id'])
  }
}
