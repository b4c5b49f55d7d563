import { type Kysely, sql, SqliteIntrospector, type TableMetadata } from 'kysely'

/** Lists the tables without their columns: Kysely's own reads each column of each table, its migrator twice at each start. */
export class TableNamesIntrospector extends SqliteIntrospector {
  #db: Kysely<unknown>

  constructor(db: Kysely<unknown>) {
    super(db)
    this.#db = db
  }

  override async getTables(): Promise<TableMetadata[]> {
    const tables = sql<{ name: string }>`select name from sqlite_master where type = 'table'`
    const { rows } = await tables.execute(this.#db)
    return rows.map((table) => ({ ...table, isView: false, isForeign: false, columns: [] }))
  }
}
