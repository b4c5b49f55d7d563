import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Kysely, type KyselyPlugin } from 'kysely'
import type { Schema } from '../../schema.ts'
import { Db } from '../db.ts'
import { DatabaseOpenError, isUnusable, sqliteOutage, sqliteResultCode } from '../errors.ts'
import { SnakeCaseSqliteDialect } from '../snake-case.ts'
import { createScopeFactory } from '../transaction-scope.ts'
import type { Database, EngineOptions, QueryDb } from '../types.ts'
import { GroupCommit } from './group-commit.ts'
import { toKyselyDatabase } from './node-sqlite.ts'
import { createPrivateFile, createPrivateFolder, listFiles, restrictToOwner } from './private-files.ts'
import { createStatementRunner } from './sqlite-statements.ts'

export const defaultUrl = 'file:./data/tableside.db'

const busyTimeoutMs = 5000

export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse'
  constructor(folder: string, cause: unknown) {
    super(`Another Tableside is running on this data folder: ${folder}`, { cause })
  }
}

/** Opens the database file for this process alone: one connection writes, another one reads. */
export async function openSqlite(url: string, options: EngineOptions): Promise<Database> {
  const path = toFilePath(url)
  using resources = new DisposableStack()
  const file = openFile(path, resources, options)
  const dialect = new SnakeCaseSqliteDialect({ database: toKyselyDatabase(file) })
  const writer = new Kysely<unknown>({ dialect })
  await inTransaction(file, () => options.migrate(writer)).catch((error: unknown) => {
    throw isUnusable(error) ? new DatabaseOpenError(path, error) : error
  })
  const connection = await writer.getExecutor().provideConnection(async (single) => single)

  const readFile = resources.use(new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs }))
  const readDialect = new SnakeCaseSqliteDialect({ database: toKyselyDatabase(readFile) })

  const openScope = createScopeFactory(dialect, options.plugins)
  const runStatement = createStatementRunner(file, dialect)
  const groupCommit = new GroupCommit(
    file,
    () => openScope(connection, runStatement, () => file.isTransaction),
    options,
  )
  const opened = resources.move()
  let closed: Promise<void> | undefined
  return {
    engine: 'sqlite',
    url,
    reader: new Db(
      { dialect: readDialect, plugins: options.plugins },
      createStatementRunner(readFile, readDialect),
    ),
    transact: (task, options) => groupCommit.transact(task, options),
    // They share a COMMIT.
    backgroundTransactions: Infinity,
    sharesReads: true,
    // The writer closes the file last, which merges the write-ahead log into it.
    close: () => (closed ??= groupCommit.drain().then(() => opened.dispose())),
  }
}

function openFile(path: string, resources: DisposableStack, options: EngineOptions): DatabaseSync {
  const folder = dirname(path)
  try {
    const isOwnFolder = createPrivateFolder(folder) || resolve(folder) === defaultFolder()
    resources.use(lockFolder(folder))
    createPrivateFile(path)
    const file = resources.use(openWriter(path))
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

/** For reading only, beside the process's other connections; closes with the returned database. */
export const openSqliteReader = (url: string, plugins: KyselyPlugin[]): QueryDb =>
  toReader(new DatabaseSync(toFilePath(url), { readOnly: true, timeout: busyTimeoutMs }), plugins)

/** For reading a file that may lie anywhere; leaves nothing behind. */
export const openUnchangedReader = (path: string, plugins: KyselyPlugin[]): QueryDb =>
  toReader(openUnchanged(path), plugins)

function toReader(file: DatabaseSync, plugins: KyselyPlugin[]): QueryDb {
  const dialect = new SnakeCaseSqliteDialect({ database: toKyselyDatabase(file, { bulkReads: true }) })
  return new Kysely<Schema>({ dialect, plugins })
}

/**
 * Leaves no file behind: without a write-ahead log beside it the file is all there is, and SQLite need not prepare for
 * others that change it.
 */
export function openUnchanged(path: string): DatabaseSync {
  const isAlone = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0
  const location = pathToFileURL(path)
  if (isAlone) location.searchParams.set('immutable', '1')
  return new DatabaseSync(location, { readOnly: true, timeout: 5_000 })
}

export const toFilePath = (url: string): string =>
  url.startsWith('file://') ? fileURLToPath(url) : url.slice('file:'.length)

/** Any other folder that already existed, such as /tmp, may hold more than our files: there we restrict only those. */
const defaultFolder = (): string => resolve(dirname(toFilePath(defaultUrl)))

const lockPath = (folder: string): string => join(folder, 'lock.db')

/** Two processes on one file would each notify only their own sockets. The lock ends with its process. */
export function lockFolder(folder: string): DatabaseSync {
  createPrivateFile(lockPath(folder))
  const lock = new DatabaseSync(lockPath(folder))
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    if (sqliteResultCode(error) !== sqliteOutage.busy) throw error
    throw new DataFolderInUse(folder, error)
  }
}

/** `full` syncs every commit: with `normal` a power cut loses requests that guests were told had been sent. */
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

/** Kysely assumes that SQLite cannot roll back schema changes, so a failed migration would be left half done. */
async function inTransaction(file: DatabaseSync, task: () => Promise<void>): Promise<void> {
  file.exec('begin immediate')
  try {
    await task()
    file.exec('commit')
  } catch (error) {
    if (file.isTransaction) file.exec('rollback')
    throw error
  }
}
