import { type Kysely, PostgresIntrospector, sql, type TableMetadata } from 'kysely'

/**
 * SQL for the schema of an installation: the first that its account searches and that holds one, or else the one in which
 * new tables are created. Other programs may have tables of Kysely, too.
 */
export const ownSchema = `coalesce(
  (select path.name from unnest(current_schemas(false)) with ordinality as path (name, place)
    where (select count(*) from pg_tables
      where schemaname = path.name and tablename in ('kysely_migration', 'restaurant')) = 2
    order by path.place limit 1),
  current_schema())`

/**
 * Lists the tables of one schema, without their columns. Kysely's own looks at all schemas, so its migrator would take
 * the tables of another program for those that it needs. It also reads each column of each table, twice at each start.
 */
export class OwnSchemaIntrospector extends PostgresIntrospector {
  #db: Kysely<unknown>

  constructor(db: Kysely<unknown>) {
    super(db)
    this.#db = db
  }

  override async getTables(): Promise<TableMetadata[]> {
    const tables = sql<{ name: string; schema: string }>`
      select tablename as name, schemaname as schema from pg_tables where schemaname = ${sql.raw(ownSchema)}`
    const { rows } = await tables.execute(this.#db)
    return rows.map((table) => ({ ...table, isView: false, isForeign: false, columns: [] }))
  }
}
