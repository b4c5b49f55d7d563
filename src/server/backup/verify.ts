import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openFileReader } from '../storage/engine/database.ts'
import { openUnchanged } from '../storage/engine/sqlite/sqlite.ts'
import type { BackupKind } from './backup-file.ts'
import { migrateSqlite } from './migrate-sqlite.ts'
import { type OpenBackup, openBackup } from './open-backup.ts'
import type { PostgresTools } from './postgres-tools.ts'
import { countRows, type OnProgress } from './progress.ts'
import { recountAll } from './recount-all.ts'
import { loadIntoSqlite } from './rows.ts'
import { removeSeal } from './sqlite-backup.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

export type Verification = {
  kind: BackupKind
  hasChecksum: boolean
  restaurants: number
  requests: number
  events: number
  /** What does not fit together, in words; the first ones. */
  differences: string[]
  differenceCount: number
}

const mostDifferences = 20

/** Whether a backup is whole, its rows refer to rows that are there, and its figures are those of its events. */
export async function verifyBackup(
  path: string,
  tools: PostgresTools,
  onProgress: OnProgress = () => {},
): Promise<Verification> {
  const backup = await openBackup(path, tools)
  return withSqliteFile(path, backup, onProgress, async (file) => {
    const dangling = findDangling(file)
    await using db = openFileReader(file)
    const recount = await recountAll(db, onProgress)
    const differences = [...dangling, ...recount.differences]
    return {
      kind: backup.kind,
      hasChecksum: backup.hasChecksum,
      ...recount,
      differences: differences.slice(0, mostDifferences),
      differenceCount: differences.length,
    }
  })
}

/** Its rows in an SQLite file of this version, which is removed again unless it is the backup itself. */
async function withSqliteFile<T>(
  path: string,
  { kind, contents, tables, isOlder }: OpenBackup,
  onProgress: OnProgress,
  check: (file: string) => Promise<T>,
): Promise<T> {
  if (kind === 'sqlite' && !isOlder) return check(path)
  using folder = createTemporaryFolder('verify')
  const file = join(folder.path, 'copy.db')
  if (kind === 'sqlite') {
    copyFileSync(path, file)
    removeSeal(file)
    using copy = new DatabaseSync(file)
    await migrateSqlite(copy)
  } else {
    const { migrations, batches } = contents
    const counted = { migrations, batches: () => countRows(batches(), null, onProgress) }
    await loadIntoSqlite(file, counted, tables, { toLatest: true })
  }
  return await check(file)
}

function findDangling(path: string): string[] {
  using file = openUnchanged(path)
  return file
    .prepare('select "table", parent, count(*) as rows from pragma_foreign_key_check group by 1, 2')
    .all()
    .map(
      ({ table, parent, rows }) =>
        `${String(rows)} rows of ${String(table)} refer to rows of ${String(parent)} that are not there`,
    )
}
