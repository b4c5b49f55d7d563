import { rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { Kysely, type KyselyPlugin } from 'kysely'
import type { Database, EngineOptions } from './types.ts'
import { DatabaseOpenError } from './open-error.ts'
import { createGroupCommit } from './group-commit.ts'
import { SnakeCaseSqliteDialect } from './snake-case.ts'
import { toKyselyDatabase, resultCode, SQLITE_BUSY } from './node-sqlite.ts'
import { createPrivateFile, createPrivateFolder, listFiles, restrictToOwner } from './private-files.ts'
import type { Schema } from '../schema.ts'
import { createScopeFactory } from './transaction-scope.ts'

export const defaultUrl = 'file:./data/tableside.db'

const busyTimeoutMs = 5000
const allPages = 2 ** 31 - 1

export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse'
  constructor(folder: string, cause: unknown) {
    super(`Another Tableside is running on this data folder: ${folder}`, { cause })
  }
}

/** Opens the file of this process: one connection writes, another one reads. */
export async function openSqlite(url: string, options: EngineOptions): Promise<Database> {
  const path = toFilePath(url)
  using opening = new DisposableStack()
  const file = openFile(path, opening, options)
  const dialect = new SnakeCaseSqliteDialect({ database: toKyselyDatabase(file) })
  const writer = new Kysely<unknown>({ dialect })
  await inTransaction(file, () => options.migrate(writer))
  const connection = await writer.getExecutor().provideConnection(async (only) => only)

  const readFile = opening.use(new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs }))
  const readDialect = new SnakeCaseSqliteDialect({ database: toKyselyDatabase(readFile) })

  const openScope = createScopeFactory(dialect, options.plugins)
  const batches = createGroupCommit(file, () => openScope(connection, () => file.isTransaction), options)
  const opened = opening.move()
  let closed: Promise<void> | undefined
  return {
    engine: 'sqlite',
    url,
    reader: new Kysely<Schema>({ dialect: readDialect, plugins: options.plugins }),
    transact: (work) => batches.transact(work),
    backup: (target) => backUp(path, target),
    // The writer is the last to leave the file, which folds the write-ahead log into it.
    close: () => (closed ??= batches.drain().then(() => opened.dispose())),
  }
}

function openFile(path: string, opening: DisposableStack, options: EngineOptions): DatabaseSync {
  const folder = dirname(path)
  try {
    const isOwnFolder = createPrivateFolder(folder) || resolve(folder) === defaultFolder()
    opening.use(lockFolder(folder))
    createPrivateFile(path)
    const file = opening.use(openWriter(path))
    const exposed = restrictToOwner(
      isOwnFolder ? [folder, ...listFiles(folder)] : [path, `${path}-wal`, `${path}-shm`, lockPath(folder)],
    )
    if (exposed.length > 0) options.onExposed(exposed)
    return file
  } catch (error) {
    if (error instanceof DataFolderInUse) throw error
    throw new DatabaseOpenError(path, error)
  }
}

/** For reading only, beside the process's other connections: closes with the returned database. */
export function openSqliteReader(url: string, plugins: KyselyPlugin[]): Kysely<Schema> {
  const file = new DatabaseSync(toFilePath(url), { readOnly: true, timeout: busyTimeoutMs })
  const dialect = new SnakeCaseSqliteDialect({ database: toKyselyDatabase(file, { manyRows: true }) })
  return new Kysely<Schema>({ dialect, plugins })
}

export const toFilePath = (url: string): string =>
  url.startsWith('file://') ? fileURLToPath(url) : url.slice('file:'.length)

/**
 * Other folders that were there before may hold other things than ours, as /tmp does: of those only our own files
 * are closed to others.
 */
const defaultFolder = (): string => resolve(dirname(toFilePath(defaultUrl)))

const lockPath = (folder: string): string => join(folder, 'lock.db')

/** Two processes on one file would each tell only their own sockets. The system drops the lock with its process. */
function lockFolder(folder: string): DatabaseSync {
  createPrivateFile(lockPath(folder))
  const lock = new DatabaseSync(lockPath(folder))
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    if (resultCode(error) !== SQLITE_BUSY) throw error
    throw new DataFolderInUse(folder, error)
  }
}

/** `full` syncs every commit: with `normal` a power cut takes back what guests were told is sent. */
function openWriter(path: string): DatabaseSync {
  const file = new DatabaseSync(path, { timeout: busyTimeoutMs })
  file.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma fullfsync = on;
    pragma foreign_keys = on;
    pragma temp_store = memory;
  `)
  return file
}

/** Kysely thinks that SQLite cannot take back a change of tables, so it would leave half a migration behind. */
async function inTransaction(file: DatabaseSync, change: () => Promise<void>): Promise<void> {
  file.exec('begin immediate')
  try {
    await change()
    file.exec('commit')
  } catch (error) {
    if (file.isTransaction) file.exec('rollback')
    throw error
  }
}

/** All pages in one step of another thread: one moment of the database, and no writer waits for it. */
async function backUp(path: string, target: string): Promise<void> {
  const unfinished = `${target}.part`
  await rm(unfinished, { force: true })
  createPrivateFile(unfinished)
  using source = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
  await backup(source, unfinished, { rate: allPages })
  await rename(unfinished, target)
}
