import type { Kysely, KyselyPlugin } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Schema } from '../schema.ts'
import type { Db } from './db.ts'

export type { Db } from './db.ts'

/** For queries alone, without the statements of the hot paths. */
export type QueryDb = Kysely<Schema>

/** Holds every row: an SQLite file that only this process uses, or a PostgreSQL database that several nodes share. */
export type Database = {
  engine: 'sqlite' | 'postgres'
  url: string
  /** Reads outside a transaction, which see only what was committed. */
  reader: Db
  /**
   * Runs `task` in one transaction and resolves once its COMMIT is on the disk; rejects with what `task` threw.
   * `task` must await nothing but queries of its `db`. On PostgreSQL it may run again after a deadlock, so what it
   * collects must start empty inside it.
   */
  transact<T>(task: (db: Db) => Promise<T>, options?: TransactOptions<T>): Promise<T>
  /** How many transactions that nobody waits for may run at once, so that the others find a connection. */
  backgroundTransactions: number
  /** Whether many reads at once leave none without a connection. */
  sharesReads: boolean
  /** Refuses new transactions, waits for those already requested, then disconnects. */
  close(): Promise<void>
}

export type TransactOptions<T> = {
  /**
   * What a transaction writes last, given the results of all tasks that share its COMMIT. It must issue all its queries
   * at once: on PostgreSQL they and COMMIT are one round trip.
   */
  finish?: (db: Db, results: readonly T[]) => Promise<void>
  group?: Group
  /** PostgreSQL, without a group: how long a statement waits for rows that others hold, if not as long as all. */
  lockTimeoutMs?: number
}

/**
 * Transactions with the same name that wait at the same time share their `finish`, and on PostgreSQL everything, step by step.
 * Operations that would wait for the same rows have the same name. Those that may write the same row in turn have a key in
 * common, and share nothing. `scope`: a restaurant, say, whose rows another transaction may hold; then those of other scopes
 * do not wait for it.
 */
export type Group = { name: string; keys: readonly string[]; scope: string }

export type DatabaseOptions = {
  /** Run in order of their names. */
  migrations?: Record<string, Migration>
  /** SQLite: the maximum number of transactions in one COMMIT. */
  maxBatch?: number
  /** PostgreSQL itself, if the URL leads to a pooler that gives each transaction another connection. */
  directUrl?: string | null
  /** PostgreSQL: the maximum number of connections of this node, half of them for reads; at least one for each. */
  maxConnections?: number
  /** In milliseconds since any moment: what times a COMMIT. */
  clock?: () => number
  /** Called after each durable COMMIT with the number of transactions in it, and how long it took. */
  onCommit?: (transactions: number, seconds: number) => void
  /** PostgreSQL: called when a transaction is tried again. */
  onRetry?: () => void
  /**
   * PostgreSQL: called when `finish` failed although the database did all that it asked for. Its transaction is stored and
   * succeeds.
   */
  onFinishFailed?: (error: unknown) => void
  /** PostgreSQL behind a pooler: called when it confirms a COMMIT before that is on the disk. */
  onEarlyCommits?: () => void
  /** SQLite: called when the disk fails a write. What it holds is then unknown, so the default ends the process. */
  onFatal?: (error: unknown) => void
  /** SQLite: called with the paths that other users of the machine may read and that could not be restricted. */
  onExposed?: (paths: string[]) => void
}

export type EngineOptions = Required<Omit<DatabaseOptions, 'migrations'>> & {
  plugins: KyselyPlugin[]
  migrate: (db: Kysely<unknown>) => Promise<void>
}
