import {
  type DatabaseConnection,
  type Dialect,
  type KyselyPlugin,
  DefaultQueryExecutor,
  SingleConnectionProvider,
  Transaction,
} from 'kysely'
import type { Db } from './types.ts'
import type { Schema } from '../schema.ts'

/** What one transaction hands to its work, until it ends. */
export type TransactionScope = { db: Db; end(): void }

export type OpenTransactionScope = (connection: DatabaseConnection, alive?: () => boolean) => TransactionScope

/**
 * Other transactions use the same connection before and after this one: a query that comes after the end of
 * its own throws, instead of landing in somebody else's.
 */
export function createScopeFactory(dialect: Dialect, plugins: KyselyPlugin[]): OpenTransactionScope {
  const compiler = dialect.createQueryCompiler()
  const adapter = dialect.createAdapter()
  // Kysely wants one; the connection is here already, so it is never asked.
  const driver = dialect.createDriver()

  return (connection, alive = () => true) => {
    let ended = false
    const provider = new SingleConnectionProvider(guard(connection, () => !ended && alive()))
    const executor = new DefaultQueryExecutor(compiler, adapter, provider, plugins)
    return {
      db: new Transaction<Schema>({ config: { dialect, plugins }, dialect, driver, executor }),
      end: () => {
        ended = true
      },
    }
  }
}

function guard(connection: DatabaseConnection, alive: () => boolean): DatabaseConnection {
  const assertAlive = () => {
    if (!alive())
      throw new Error('A query came after its transaction had ended: await every query of transact()')
  }
  return {
    async executeQuery(query, options) {
      assertAlive()
      return connection.executeQuery(query, options)
    },
    async *streamQuery(query, chunkSize, options) {
      assertAlive()
      yield* connection.streamQuery(query, chunkSize, options)
    },
  }
}
