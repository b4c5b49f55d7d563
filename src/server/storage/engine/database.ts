import { migrate } from './migrator.ts'
import { openPostgres, openPostgresReader } from './postgres/postgres.ts'
import { CamelCaseResults } from './snake-case.ts'
import { openSqlite, openSqliteReader, openUnchangedReader } from './sqlite/sqlite.ts'
import type { Database, DatabaseOptions, EngineOptions, QueryDb } from './types.ts'

/** Opens `file:./data/tableside.db` or `postgres://…` and runs the migrations that are missing. */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const { migrations, ...rest } = options
  const engine: EngineOptions = {
    maxBatch: 256,
    directUrl: null,
    maxConnections: 10,
    clock: () => 0,
    onCommit: () => {},
    onRetry: () => {},
    onFinishFailed: () => {},
    onEarlyCommits: () => {},
    onFatal: endProcess,
    onExposed: () => {},
    ...rest,
    plugins: [new CamelCaseResults()],
    migrate: (db) => migrate(db, migrations),
  }
  if (isPostgres(url)) return openPostgres(url, engine)
  if (isFile(url)) return openSqlite(url, engine)
  throw invalidUrl()
}

/** Opens connections for reading, for another thread, to a database that this process has opened. */
export function openReader(url: string): QueryDb {
  const plugins = [new CamelCaseResults()]
  if (isPostgres(url)) return openPostgresReader(url, plugins)
  if (isFile(url)) return openSqliteReader(url, plugins)
  throw invalidUrl()
}

/** For reading an SQLite file, such as a backup, without changing it or its folder. */
export const openFileReader = (path: string): QueryDb => openUnchangedReader(path, [new CamelCaseResults()])

export const isPostgres = (url: string): boolean => /^postgres(ql)?:\/\//.test(url)
const isFile = (url: string): boolean => url.startsWith('file:')
const invalidUrl = (): Error => new Error('The database URL must begin with file: or postgres://')

function endProcess(error: unknown): void {
  process.stderr.write(`The disk failed a write of the database, so Tableside stops now: ${String(error)}\n`)
  process.exit(1)
}
