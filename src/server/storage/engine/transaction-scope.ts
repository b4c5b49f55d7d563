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

/** A database handle that works until its transaction ends. */
export type TransactionScope = { db: Db; end(): void }

export type OpenTransactionScope = (
  connection: DatabaseConnection,
  isAlive?: () => boolean,
) => TransactionScope

/**
 * Transactions share a connection one after another, so a query after the end of its own transaction throws instead
 * of becoming part of another one.
 */
export function createScopeFactory(dialect: Dialect, plugins: KyselyPlugin[]): OpenTransactionScope {
  const compiler = dialect.createQueryCompiler()
  const adapter = dialect.createAdapter()
  // Kysely requires a driver, but never uses it because the connection already exists.
  const driver = dialect.createDriver()

  return (connection, isAlive = () => true) => {
    let ended = false
    const provider = new SingleConnectionProvider(guard(connection, () => !ended && isAlive()))
    const executor = new DefaultQueryExecutor(compiler, adapter, provider, plugins)
    return {
      db: new Transaction<Schema>({ config: { dialect, plugins }, dialect, driver, executor }),
      end: () => {
        ended = true
      },
    }
  }
}

function guard(connection: DatabaseConnection, isAlive: () => boolean): DatabaseConnection {
  const assertAlive = () => {
    if (!isAlive())
      throw new Error('A query came after the end of its transaction: await every query inside transact()')
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
