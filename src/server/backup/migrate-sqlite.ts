import type { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { migrate, pickMigrations } from '../storage/engine/migrator.ts'
import { SnakeCaseSqliteDialect } from '../storage/engine/snake-case.ts'
import { toKyselyDatabase } from '../storage/engine/sqlite/node-sqlite.ts'

/** A file of our own, such as a copy; these migrations, or else all. The file stays open. */
export async function migrateSqlite(file: DatabaseSync, names?: readonly string[]): Promise<void> {
  const dialect = new SnakeCaseSqliteDialect({ database: toKyselyDatabase(file) })
  await migrate(new Kysely<unknown>({ dialect }), names && pickMigrations(names))
}
