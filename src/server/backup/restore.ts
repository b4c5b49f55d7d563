import { rmSync, statSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isPostgres } from '../storage/engine/database.ts'
import { createPrivateFolder } from '../storage/engine/sqlite/private-files.ts'
import { lockFolder, toFilePath } from '../storage/engine/sqlite/sqlite.ts'
import type { BackupSource } from './make-backup.ts'
import { type OpenBackup, openBackup } from './open-backup.ts'
import { loadIntoPostgres, requireEmptyPostgres } from './postgres-rows.ts'
import type { PostgresTools } from './postgres-tools.ts'
import { countRows, type OnProgress, watchSize } from './progress.ts'
import { leapStreams, loadIntoSqlite } from './rows.ts'
import { removeSeal } from './sqlite-backup.ts'
import { requireAbsent, writeWholeFile } from './whole-file.ts'

/** Puts a backup where nothing is yet: any backup into either database. */
export async function restoreBackup(
  path: string,
  { databaseUrl, databaseDirectUrl }: BackupSource,
  tools: PostgresTools,
  onProgress: OnProgress = () => {},
): Promise<void> {
  const options = { tools, onProgress }
  if (isPostgres(databaseUrl)) await restoreToPostgres(path, databaseDirectUrl ?? databaseUrl, options)
  else await restoreToSqlite(path, resolve(toFilePath(databaseUrl)), options)
}

type Options = { tools: PostgresTools; onProgress: OnProgress }

async function restoreToSqlite(path: string, target: string, options: Options): Promise<void> {
  requireAbsent(target)
  const backup = await openCounting(path, options)
  createPrivateFolder(dirname(target))
  // A server that starts meanwhile would create a database of its own there.
  using _ = lockFolder(dirname(target))
  // What a former database left behind would be taken for the latest changes of this one.
  for (const ending of ['-wal', '-shm', '-journal']) rmSync(`${target}${ending}`, { force: true })
  await writeWholeFile(target, async (unfinished) => {
    const { kind, contents, tables } = backup
    if (kind === 'sqlite') {
      using _ = watchSize(unfinished, statSync(path).size, options.onProgress)
      await copyFile(path, unfinished)
      removeSeal(unfinished)
    } else await loadIntoSqlite(unfinished, contents, tables)
    using file = new DatabaseSync(unfinished)
    file.exec(leapStreams)
  })
}

async function openCounting(path: string, { tools, onProgress }: Options): Promise<OpenBackup> {
  const backup = await openBackup(path, tools)
  const { migrations, batches } = backup.contents
  return { ...backup, contents: { migrations, batches: () => countRows(batches(), null, onProgress) } }
}

async function restoreToPostgres(path: string, url: string, options: Options): Promise<void> {
  await requireEmptyPostgres(url)
  const { contents, tables } = await openCounting(path, options)
  await loadIntoPostgres(url, contents, tables)
}
