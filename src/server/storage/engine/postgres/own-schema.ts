import {
  type DatabaseMetadataOptions,
  type Kysely,
  PostgresIntrospector,
  sql,
  type TableMetadata,
} from 'kysely'

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

/** Kysely's own looks at all schemas, so its migrator would take the tables of another program for those that it needs. */
export class OwnSchemaIntrospector extends PostgresIntrospector {
  #db: Kysely<unknown>

  constructor(db: Kysely<unknown>) {
    super(db)
    this.#db = db
  }

  override async getTables(options?: DatabaseMetadataOptions): Promise<TableMetadata[]> {
    const query = sql<{ schema: string | null }>`select ${sql.raw(ownSchema)} as schema`
    const [own] = (await query.execute(this.#db)).rows
    const tables = await super.getTables(options)
    return tables.filter(({ schema }) => schema === own?.schema)
  }
}
