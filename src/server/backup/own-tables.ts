import { DatabaseSync } from 'node:sqlite'
import { migrateSqlite } from './migrate-sqlite.ts'

export type OwnTable = { name: string; columns: string[] }

/** The tables of Tableside after these migrations. Rows refer only to rows of tables before their own. */
export async function listOwnTables(migrations: readonly string[]): Promise<OwnTable[]> {
  using file = new DatabaseSync(':memory:')
  await migrateSqlite(file, migrations)
  return inOrderOfReference(file, namesOf(file)).map((name) => ({ name, columns: columnsOf(file, name) }))
}

const namesOf = (file: DatabaseSync): string[] =>
  list(
    file,
    `select name from sqlite_master
      where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name not like 'kysely\\_%' escape '\\'
      order by name`,
  )

const columnsOf = (file: DatabaseSync, table: string): string[] =>
  list(file, `select name from pragma_table_info('${table}') order by cid`)

const referencesOf = (file: DatabaseSync, table: string): string[] =>
  list(file, `select distinct "table" from pragma_foreign_key_list('${table}')`)

const list = (file: DatabaseSync, query: string): string[] =>
  file
    .prepare(query)
    .all()
    .map((row) => String(Object.values(row)[0]))

function inOrderOfReference(file: DatabaseSync, names: readonly string[]): string[] {
  const ordered = new Set<string>()
  const add = (name: string, above: readonly string[]): void => {
    if (ordered.has(name) || above.includes(name)) return
    for (const referenced of referencesOf(file, name)) add(referenced, [...above, name])
    ordered.add(name)
  }
  for (const name of names) add(name, [])
  return [...ordered]
}
