import {
  type DatabaseConnection,
  type Dialect,
  type KyselyPlugin,
  DefaultQueryExecutor,
  SingleConnectionProvider,
} from 'kysely'
import { Db, type StatementRunner } from './db.ts'

/** A database handle that works until its transaction ends. */
export type TransactionScope = { db: Db; end(): void }

export type OpenTransactionScope = (
  connection: DatabaseConnection,
  runStatement: StatementRunner,
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

  return (connection, runStatement, isAlive = () => true) => {
    let ended = false
    const assertAlive = () => {
      if (!ended && isAlive()) return
      throw new Error('A query came after the end of its transaction: await every query inside transact()')
    }
    const provider = new SingleConnectionProvider(guard(connection, assertAlive))
    const executor = new DefaultQueryExecutor(compiler, adapter, provider, plugins)
    const runGuarded: StatementRunner = async (statement, inputs) => {
      assertAlive()
      return runStatement(statement, inputs)
    }
    return {
      db: new Db({ config: { dialect, plugins }, dialect, driver, executor }, runGuarded),
      end: () => {
        ended = true
      },
    }
  }
}

function guard(connection: DatabaseConnection, assertAlive: () => void): DatabaseConnection {
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
