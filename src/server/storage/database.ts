import type { Kysely, KyselyPlugin } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { migrations as shipped } from './migrations/index.ts'
import { CamelCaseRows } from './naming.ts'
import { openPostgres, openPostgresReader } from './postgres.ts'
import type { Schema } from './schema.ts'
import { openSqlite, openSqliteReader } from './sqlite.ts'

export type Db = Kysely<Schema>

/** One place that holds every row: an SQLite file of this process, or a PostgreSQL shared by several nodes. */
export type Database = {
  engine: 'sqlite' | 'postgres'
  url: string
  /** Reads outside a transaction: they see what was committed, and nothing else. */
  reader: Db
  /**
   * Runs `work` in one transaction and resolves once its COMMIT is on the disk; rejects with what `work` threw.
   * `work` awaits nothing but the `db` it is handed, and on PostgreSQL may run again after a deadlock: what it
   * gathers for later starts empty inside it.
   */
  transact<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Writes a consistent copy while work goes on. SQLite only: PostgreSQL has pg_dump. */
  backup?(path: string): Promise<void>
  /** Refuses new transactions, waits for those already asked for, then lets go of the database. */
  close(): Promise<void>
}

export type DatabaseOptions = {
  /** In order of their names. */
  migrations?: Record<string, Migration>
  /** SQLite: how many transactions at most share one COMMIT. */
  maxBatch?: number
  /** PostgreSQL: connections of this node. */
  maxConnections?: number
  /** After each durable COMMIT, with the number of transactions in it. */
  onCommit?: (transactions: number) => void
  /** SQLite: the disk failed a write. What is on it is unknown, so the default ends the process. */
  onFatal?: (error: unknown) => void
  /** SQLite: what other users of the machine may read, because the file system cannot keep it from them. */
  onExposed?: (paths: string[]) => void
}

export type EngineOptions = Required<Omit<DatabaseOptions, 'migrations'>> & {
  plugins: KyselyPlugin[]
  migrate: (db: Kysely<unknown>) => Promise<void>
}

/** Opens `file:./data/tableside.db` or `postgres://…`, brought up to the newest migration. */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const { migrations = shipped, ...rest } = options
  const engine: EngineOptions = {
    maxBatch: 256,
    maxConnections: 10,
    onCommit: () => {},
    onFatal: endProcess,
    onExposed: () => {},
    ...rest,
    plugins: [new CamelCaseRows()],
    migrate: (db) => migrate(db, migrations),
  }
  if (isPostgres(url)) return openPostgres(url, engine)
  if (isFile(url)) return openSqlite(url, engine)
  throw wrongUrl()
}

/** Reads a database that this process has opened, on connections of its own: for another thread. */
export function openReader(url: string): Db {
  const plugins = [new CamelCaseRows()]
  if (isPostgres(url)) return openPostgresReader(url, plugins)
  if (isFile(url)) return openSqliteReader(url, plugins)
  throw wrongUrl()
}

const isPostgres = (url: string): boolean => /^postgres(ql)?:\/\//.test(url)
const isFile = (url: string): boolean => url.startsWith('file:')
const wrongUrl = (): Error => new Error('The database URL must begin with file: or postgres://')

async function migrate(db: Kysely<unknown>, migrations: Record<string, Migration>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
}

function endProcess(error: unknown): void {
  process.stderr.write(`The disk failed a write of the database, so Tableside stops now: ${String(error)}\n`)
  process.exit(1)
}
