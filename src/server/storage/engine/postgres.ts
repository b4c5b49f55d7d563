import { Kysely, type KyselyPlugin } from 'kysely'
import type { ClientConfig } from 'pg'
import type { Schema } from '../schema.ts'
import { DatabaseOpenError, DatabaseUnavailable } from './errors.ts'
import { createPool } from './postgres-pool.ts'
import { runWithRetries } from './postgres-retry.ts'
import { SnakeCasePostgresDialect } from './snake-case.ts'
import { createScopeFactory, type OpenTransactionScope } from './transaction-scope.ts'
import type { Database, Db, EngineOptions } from './types.ts'

/** Longer than any query of the product takes, shorter than a guest waits. */
const timeouts: ClientConfig = {
  statement_timeout: 15_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 15_000,
}

/** Opens a pool of connections to a database that several nodes may share. */
export async function openPostgres(url: string, options: EngineOptions): Promise<Database> {
  const { plugins, maxConnections, onCommit } = options
  await runMigrations(url, options)
  const dialect = new SnakeCasePostgresDialect({ pool: createPool(url, maxConnections, timeouts) })
  const db = new Kysely<Schema>({ dialect, plugins })
  const openScope = createScopeFactory(dialect, plugins)
  const running = new Set<Promise<unknown>>()
  let closed: Promise<void> | undefined
  return {
    engine: 'postgres',
    url,
    reader: db,
    async transact(task) {
      if (closed) throw new DatabaseUnavailable('The database is closed')
      const answer = runWithRetries(async () => {
        const result = await runTransaction(db, openScope, task)
        onCommit(1)
        return result
      })
      running.add(answer)
      return answer.finally(() => running.delete(answer))
    },
    close: () => (closed ??= Promise.allSettled(running).then(() => db.destroy())),
  }
}

function runTransaction<T>(
  db: Db,
  openScope: OpenTransactionScope,
  task: (db: Db) => Promise<T>,
): Promise<T> {
  return db
    .transaction()
    .setIsolationLevel('read committed')
    .execute((transaction) =>
      transaction.getExecutor().provideConnection(async (connection) => {
        const scope = openScope(connection)
        try {
          return await task(scope.db)
        } finally {
          scope.end()
        }
      }),
    )
}

/** For reading only, on two connections of its own. */
export function openPostgresReader(url: string, plugins: KyselyPlugin[]): Db {
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
