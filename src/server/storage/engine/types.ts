import type { Kysely, KyselyPlugin } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Schema } from '../schema.ts'

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
