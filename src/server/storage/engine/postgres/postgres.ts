import { setTimeout } from 'node:timers/promises'
import { Kysely, type KyselyPlugin, sql } from 'kysely'
import type { ClientConfig, Pool } from 'pg'
import type { Schema } from '../../schema.ts'
import { Db, type StatementRunner } from '../db.ts'
import {
  DatabaseOpenError,
  DatabaseUnavailable,
  isLockTimeout,
  isRefusedByPooler,
  PoolerFound,
} from '../errors.ts'
import { SnakeCasePostgresDialect } from '../snake-case.ts'
import { createScopeFactory } from '../transaction-scope.ts'
import type { Database, EngineOptions, QueryDb } from '../types.ts'
import { directMarker } from './postgres-client.ts'
import { createPool, dropIdle, executeStatement } from './postgres-pool.ts'
import { runWithRetries } from './postgres-retry.ts'
import { PostgresTransactions } from './postgres-transactions.ts'
import { SharedConnections } from './shared-connections.ts'
import { StatementBatcher } from './statement-batcher.ts'
import { shortLockTimeoutMs } from './transaction-group.ts'

/** Longer than any query of the product takes, shorter than a guest waits. */
const statementTimeoutMs = 15_000
const timeouts: ClientConfig = {
  statement_timeout: statementTimeoutMs,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 15_000,
  // For a connection that no longer answers at all; `pg` then drops it.
  query_timeout: statementTimeoutMs + 5_000,
}

/**
 * Connections stay, because a new one has everything to prepare; a quiet restaurant would pay for that with most taps.
 * What is prepared is planned again when ANALYZE has looked at its tables, and at the latest with the next connection.
 */
const lasting = { min: 2, idleTimeoutMillis: 10 * 60_000, maxLifetimeSeconds: 3_600 }

/** A statement is planned once, perhaps while its tables are nearly empty, so plans follow the indexes whatever they hold. */
const plannerOptions = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'jit=off',
]

/** Most poolers refuse settings when a connection starts. What is not prepared is planned each time and needs none. */
const poolerConfig = { toPooler: true, query_timeout: statementTimeoutMs }

/** Opens a pool of connections to a database that several nodes may share. */
export async function openPostgres(url: string, options: EngineOptions): Promise<Database> {
  const { plugins, directUrl, maxConnections, clock, onCommit, onRetry, onFinishFailed, onEarlyCommits } =
    options
  const { database, commitsEarly } = await runMigrations(directUrl ?? url, options)
  if (commitsEarly && directUrl !== null) onEarlyCommits()
  const config =
    directUrl === null
      ? {
          ...timeouts,
          ...lasting,
          options: toStartOptions(
            commitsEarly ? [...plannerOptions, 'synchronous_commit=on'] : plannerOptions,
          ),
        }
      : poolerConfig
  // A network that fell silent did so for all connections: taps must not find that out on one after the other.
  const onUnanswered = () => [readPool, writePool].forEach(dropIdle)
  // A queue of transactions, as after an outage, must not keep screens from their lists.
  const readConnections = Math.max(1, Math.floor(maxConnections / 2))
  const readPool = createPool(url, readConnections, { ...config, onUnanswered })
  const writeConnections = Math.max(1, maxConnections - readConnections)
  // A pooler's connection keeps nothing that one transaction has set for the next.
  const sessionLockTimeoutMs = directUrl === null ? shortLockTimeoutMs : undefined
  const writePool = createPool(url, writeConnections, {
    ...config,
    ...(sessionLockTimeoutMs !== undefined && { lock_timeout: sessionLockTimeoutMs }),
    onUnanswered,
  })
  if (directUrl !== null) await requireSameDatabase(readPool, database)
  // A pooler may give each of several unanswered queries another connection.
  const sharesReads = directUrl === null
  const reads = sharesReads ? new SharedConnections(readPool) : readPool
  const dialect = new SnakeCasePostgresDialect({ pool: reads })
  const reader = new Db({ dialect, plugins }, createReader(reads, dialect))
  const openScope = createScopeFactory(dialect, plugins)
  const transactions = new PostgresTransactions({
    pool: writePool,
    dialect,
    openScope,
    clock,
    sessionLockTimeoutMs,
    onCommit,
    onRetry,
    onFinishFailed,
    maxScopesAtOnce: writeConnections < 4 ? 1 : 2,
    waitingPlaces: writeConnections < 4 ? 1 : 2,
  })
  const running = new Set<Promise<unknown>>()
  let closed: Promise<void> | undefined
  const closePools = async () => {
    await Promise.allSettled(running)
    await Promise.all([readPool.end(), writePool.end()])
  }
  return {
    engine: 'postgres',
    url,
    reader,
    async transact(task, options = {}) {
      if (closed) throw new DatabaseUnavailable('The database is closed')
      const answer = transactions.transact(task, options)
      running.add(answer)
      return answer.finally(() => running.delete(answer))
    },
    backgroundTransactions: writeConnections < 4 ? 1 : 2,
    sharesReads,
    close: () => (closed ??= closePools()),
  }
}

async function requireSameDatabase(pool: Pool, direct: string): Promise<void> {
  const db = new Kysely<unknown>({ dialect: new SnakeCasePostgresDialect({ pool }) })
  try {
    const { database } = await requireConnection(db)
    if (database === direct) return
    throw new DatabaseOpenError('PostgreSQL', new Error('DATABASE_DIRECT_URL leads to another database'))
  } catch (error) {
    await pool.end()
    throw error
  }
}

/** What many ask for in the same turn of the event loop is one query. */
function createReader(reads: Pick<Pool, 'connect'>, dialect: SnakeCasePostgresDialect): StatementRunner {
  const batcher = new StatementBatcher(
    async (statement, inputs) => {
      const client = await reads.connect()
      try {
        return await executeStatement(client, statement.forPostgres(dialect), inputs)
      } finally {
        client.release()
      }
    },
    { inStep: false },
  )
  return batcher.run
}

/** For reading only, on two connections of its own. */
export function openPostgresReader(url: string, plugins: KyselyPlugin[]): QueryDb {
  const config = { statement_timeout: 60_000, options: '-c default_transaction_read_only=on' }
  const dialect = new SnakeCasePostgresDialect({ pool: createPool(url, 2, config) })
  return new Kysely<Schema>({ dialect, plugins })
}

/**
 * Behind a migration that waits for a table, guests' taps wait too. So it waits only this long, for a year's figures say,
 * then lets them pass for as long, and begins again.
 */
const migrationWaitMs = 1_000

/** On a connection of its own. A node that starts later waits here until the first is done. */
async function runMigrations(url: string, { migrate }: EngineOptions): Promise<Server> {
  const settings = [directMarker, `lock_timeout=${migrationWaitMs}`]
  const pool = createPool(url, 1, { options: toStartOptions(settings) })
  const db = new Kysely<unknown>({ dialect: new SnakeCasePostgresDialect({ pool }) })
  const migrateUnlessLocked = async (): Promise<boolean> => {
    try {
      await runWithRetries(() => migrate(db))
      return true
    } catch (error) {
      if (isLockTimeout(error)) return false
      throw error
    }
  }
  try {
    const server = await requireConnection(db)
    if (!server.isDirect) throw new PoolerFound()
    while (!(await migrateUnlessLocked())) await setTimeout(migrationWaitMs)
    return server
  } finally {
    await db.destroy()
  }
}

const toStartOptions = (settings: readonly string[]): string =>
  settings.map((setting) => `-c ${setting}`).join(' ')

type Server = {
  database: string
  isDirect: boolean
  /** It confirms a COMMIT before that is on the disk, so "Request Sent!" could be untrue. */
  commitsEarly: boolean
}

/** A failure here means a wrong address, account or network; later failures are our bugs. */
async function requireConnection(db: Kysely<unknown>): Promise<Server> {
  try {
    const { rows } = await sql<{ database: string; direct: string | null; commits: string }>`
      select current_database() || ' since ' || extract(epoch from pg_postmaster_start_time()) as database,
        current_setting('tableside.direct', true) as direct,
        current_setting('synchronous_commit') as commits`.execute(db)
    const [row] = rows
    return {
      database: row?.database ?? '',
      isDirect: row?.direct === 'on',
      commitsEarly: row?.commits === 'off',
    }
  } catch (error) {
    if (isRefusedByPooler(error)) throw new PoolerFound()
    throw new DatabaseOpenError('PostgreSQL', error instanceof DatabaseUnavailable ? error.cause : error)
  }
}
