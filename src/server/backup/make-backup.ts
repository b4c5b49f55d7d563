import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isPostgres } from '../storage/engine/database.ts'
import { planMigrations } from '../storage/engine/migrator.ts'
import { createPrivateFolder } from '../storage/engine/sqlite/private-files.ts'
import { toFilePath } from '../storage/engine/sqlite/sqlite.ts'
import { type BackupKind, nameBackup } from './backup-file.ts'
import { BackupError } from './errors.ts'
import { writeLogicalBackup } from './logical-backup.ts'
import { listOwnTables } from './own-tables.ts'
import { connect, listTables, readPostgres } from './postgres-rows.ts'
import { dumpPostgres, findTool, type PostgresTools } from './postgres-tools.ts'
import { countRows, type OnProgress, watchSize } from './progress.ts'
import { copySqlite } from './sqlite-backup.ts'
import { watchRoom, writeWholeFile } from './whole-file.ts'

export type BackupSource = { databaseUrl: string; databaseDirectUrl: string | null }

export type MadeBackup = { file: string; bytes: number; kind: BackupKind }

type Options = {
  now: number
  tools: PostgresTools
  /** Ends it in between: nothing is left of it. */
  signal?: AbortSignal | undefined
  onProgress?: OnProgress
}

/**
 * Writes everything that the database holds at this moment, the installation's keys included, while servers go on. `target`
 * is a new file, or a folder, where the file is named after the time.
 */
export async function makeBackup(
  { databaseUrl, databaseDirectUrl }: BackupSource,
  target: string,
  { now, tools, signal, onProgress = () => {} }: Options,
): Promise<MadeBackup> {
  signal?.throwIfAborted()
  const finish = (file: string, kind: BackupKind) => ({ file, bytes: statSync(file).size, kind })
  if (!isPostgres(databaseUrl)) {
    const path = toFilePath(databaseUrl)
    const file = fileFor(target, 'sqlite', now)
    await writeWithRoom(file, sizeOf(path), signal, (unfinished, ended) =>
      copySqlite(path, unfinished, onProgress, ended),
    )
    return finish(file, 'sqlite')
  }
  const url = databaseDirectUrl ?? databaseUrl
  const { selection, migrations, major, rows } = await survey(url)
  const hasTool = ((await findTool('pg_dump', tools)) ?? 0) >= major
  const kind = hasTool ? 'pg_dump' : 'logical'
  const file = fileFor(target, kind, now)
  // Nobody knows how much smaller it is than the database.
  await writeWithRoom(file, 0, signal, async (unfinished, ended) => {
    if (hasTool) {
      using _ = watchSize(unfinished, null, onProgress)
      return await dumpPostgres(url, selection, unfinished, tools, ended)
    }
    await using client = await connect(url)
    const heading = { createdAt: new Date(now).toISOString(), migrations }
    const batches = readPostgres(client, await listOwnTables(migrations))
    await writeLogicalBackup(unfinished, heading, countRows(batches, rows, onProgress), ended)
  })
  return finish(file, kind)
}

/** `bytes`: what it takes, where that is known. */
function writeWithRoom(
  file: string,
  bytes: number,
  signal: AbortSignal | undefined,
  write: (unfinished: string, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  return writeWholeFile(file, async (unfinished) => {
    using room = await watchRoom(dirname(file), bytes)
    try {
      await write(unfinished, AbortSignal.any([room.short, ...(signal ? [signal] : [])]))
    } catch (error) {
      throw room.short.aborted ? room.short.reason : error
    }
  })
}

/** With the latest changes, which stand in a log beside it. */
const sizeOf = (path: string): number =>
  [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)

/** Also for a folder that is made for it. */
export function prepareFolder(folder: string): string {
  createPrivateFolder(folder)
  return resolve(folder)
}

function fileFor(target: string, kind: BackupKind, now: number): string {
  const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() === true
  return resolve(isFolder ? join(target, nameBackup(kind, now)) : target)
}

/** Which of the tables are ours, how far they are, and roughly how many rows they hold. */
async function survey(url: string) {
  await using client = await connect(url)
  const all = await listTables(client)
  if (!all.some(({ name }) => name === 'kysely_migration'))
    throw new BackupError('The database holds nothing of Tableside yet.')
  const listed = await client.query<{ name: string }>('select name from kysely_migration order by name')
  const migrations = listed.rows.map(({ name }) => name)
  const { unknown } = planMigrations(migrations)
  if (unknown.length > 0)
    throw new BackupError(`The database comes from a newer version of Tableside: ${unknown.join(', ')}`)
  const own = new Set((await listOwnTables(migrations)).map(({ name }) => name))
  const { rows } = await client.query<{ version: number; rows: number }>(
    `select current_setting('server_version_num')::int as version,
      (select coalesce(sum(greatest(reltuples, 0)), 0)::float8 from pg_class
        where relkind = 'r' and relnamespace = current_schema()::regnamespace) as rows`,
  )
  const names = all.map(({ name }) => name)
  const ours = names.filter((name) => own.has(name) || name.startsWith('kysely_migration'))
  return {
    selection: { schema: all[0]?.schema ?? '', tables: ours.length === names.length ? null : ours },
    migrations,
    major: Math.floor((rows[0]?.version ?? 0) / 10_000),
    rows: rows[0]?.rows ?? 0,
  }
}
