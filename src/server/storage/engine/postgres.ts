import { Kysely, type KyselyPlugin } from 'kysely'
import type { ClientConfig, Pool } from 'pg'
import type { Schema } from '../schema.ts'
import { Db, type StatementRunner } from './db.ts'
import { DatabaseOpenError, DatabaseUnavailable } from './errors.ts'
import { createPool, executeStatement } from './postgres-pool.ts'
import { PostgresTransactions } from './postgres-transactions.ts'
import { SnakeCasePostgresDialect } from './snake-case.ts'
import { StatementBatcher } from './statement-batcher.ts'
import { createScopeFactory } from './transaction-scope.ts'
import type { Database, EngineOptions, QueryDb } from './types.ts'

/** Longer than any query of the product takes, shorter than a guest waits. */
const timeouts: ClientConfig = {
  statement_timeout: 15_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 15_000,
}

/**
 * Each statement is planned once for each connection, perhaps while its tables are nearly empty. So plans follow the
 * indexes whatever the tables hold, and connections are replaced often enough to choose the best of these.
 */
const connectionLifetimeSeconds = 60
const plannerOptions = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'jit=off',
]

/** Opens a pool of connections to a database that several nodes may share. */
export async function openPostgres(url: string, options: EngineOptions): Promise<Database> {
  const { plugins, maxConnections, onCommit } = options
  await runMigrations(url, options)
  const pool = createPool(url, maxConnections, {
    ...timeouts,
    maxLifetimeSeconds: connectionLifetimeSeconds,
    options: plannerOptions.map((option) => `-c ${option}`).join(' '),
  })
  const dialect = new SnakeCasePostgresDialect({ pool })
  const reader = new Db({ dialect, plugins }, createReader(pool, dialect))
  const openScope = createScopeFactory(dialect, plugins)
  const transactions = new PostgresTransactions({ pool, dialect, openScope, onCommit })
  const running = new Set<Promise<unknown>>()
  let closed: Promise<void> | undefined
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
    close: () => (closed ??= Promise.allSettled(running).then(() => pool.end())),
  }
}

/** What many ask for in the same turn of the event loop is one query. */
function createReader(pool: Pool, dialect: SnakeCasePostgresDialect): StatementRunner {
  const batcher = new StatementBatcher(
    async (statement, inputs) => {
      const client = await pool.connect()
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

/** On a connection of its own without time limits: a node that starts later waits here until the first is done. */
async function runMigrations(url: string, { migrate }: EngineOptions): Promise<void> {
  const db = new Kysely<unknown>({ dialect: new SnakeCasePostgresDialect({ pool: createPool(url, 1) }) })
  try {
    await requireConnection(db)
    await migrate(db)
  } finally {
    await db.destroy()
  }
}

/** A failure here means a wrong address, account or network; later failures are our bugs. */
async function requireConnection(db: Kysely<unknown>): Promise<void> {
  try {
    await db.getExecutor().provideConnection(async () => {})
  } catch (error) {
    throw new DatabaseOpenError('PostgreSQL', error instanceof DatabaseUnavailable ? error.cause : error)
  }
}
