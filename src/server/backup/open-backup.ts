import { statSync } from 'node:fs'
import { findDamage } from '../storage/engine/inspection.ts'
import { planMigrations } from '../storage/engine/migrator.ts'
import { openUnchanged } from '../storage/engine/sqlite/sqlite.ts'
import { type BackupKind, recognize } from './backup-file.ts'
import { BackupError } from './errors.ts'
import { openLogicalBackup } from './logical-backup.ts'
import { listOwnTables, type OwnTable } from './own-tables.ts'
import { openDump, type PostgresTools } from './postgres-tools.ts'
import { type Contents, readSqlite } from './rows.ts'
import { checkSeal } from './sqlite-backup.ts'

export type OpenBackup = {
  kind: BackupKind
  contents: Contents
  tables: OwnTable[]
  /** Whether migrations are missing, as in a backup of an older version. */
  isOlder: boolean
  /** False for an SQLite file that another program wrote. */
  hasChecksum: boolean
}

/** Throws, in words, if it is not a whole backup that this version can read. */
export async function openBackup(path: string, tools: PostgresTools): Promise<OpenBackup> {
  const kind = recognize(path)
  const hasChecksum = kind === 'sqlite' ? await checkSqliteFile(path) : true
  const contents =
    kind === 'sqlite'
      ? readSqliteContents(path)
      : kind === 'pg_dump'
        ? await openDump(path, tools)
        : await openLogicalBackup(path)
  const { pending, unknown } = planMigrations(contents.migrations)
  if (unknown.length > 0)
    throw new BackupError(
      `${path} was made by a newer version of Tableside, which this one cannot read: ${unknown.join(', ')}`,
    )
  if (contents.migrations.length === 0) throw new BackupError(`${path} holds no data of Tableside.`)
  const tables = await listOwnTables(contents.migrations)
  return { kind, contents, tables, isOlder: pending.length > 0, hasChecksum }
}

async function checkSqliteFile(path: string): Promise<boolean> {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new BackupError(
      `${path} is a database in use, or the rest of one: its latest changes stand in ${path}-wal. Please make a backup of it.`,
    )
  const hasChecksum = await checkSeal(path)
  let damage: string[]
  try {
    damage = findDamage(path)
  } catch (error) {
    throw new BackupError(`${path} is damaged: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
  if (damage.length > 0) throw new BackupError(`${path} is damaged: ${damage.join('; ')}`)
  return hasChecksum
}

function readSqliteContents(path: string): Contents {
  using file = openUnchanged(path)
  const isOurs = file
    .prepare(`select name from sqlite_master where type = 'table' and name = 'kysely_migration'`)
    .get()
  if (!isOurs) throw new BackupError(`${path} is not a backup of Tableside.`)
  const rows = file.prepare('select name from kysely_migration').all()
  const migrations = rows.map(({ name }) => String(name))
  return {
    migrations,
    batches: async function* () {
      yield* readSqlite(path, await listOwnTables(migrations))
    },
  }
}
