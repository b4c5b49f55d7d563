import { type CompiledQuery, type DatabaseConnection, type QueryResult, SelectQueryNode } from 'kysely'
import { DatabaseError, type Pool, type PoolClient } from 'pg'
import { DatabaseUnavailable } from './errors.ts'
import { executeStatement } from './postgres-pool.ts'
import type { SnakeCasePostgresDialect } from './snake-case.ts'
import { StatementBatcher } from './statement-batcher.ts'
import type { OpenTransactionScope } from './transaction-scope.ts'
import type { Db } from './types.ts'

export type Transaction<T> = {
  task(db: Db): Promise<T>
  finish?(db: Db, results: readonly T[]): Promise<void>
}

/** A task that refuses before it wrote anything leaves those beside it alone. */
type Outcome<T> = { result: T } | { refusal: unknown }

export type SharedTransactionOptions = {
  pool: Pool
  dialect: SnakeCasePostgresDialect
  openScope: OpenTransactionScope
  /** Called after each COMMIT with the number of transactions in it. */
  onCommit: (transactions: number) => void
}

/**
 * One transaction of PostgreSQL for one or more tasks. They run at the same time, and what all of them ask for in one
 * step is one round trip; so are the last queries and COMMIT.
 */
export class SharedTransaction {
  #client: PoolClient
  #openScope: OpenTransactionScope
  #statements: StatementBatcher
  #hasBegun = false

  /** Rejects, with everything rolled back, unless each task succeeds or refuses. Nobody hears before the COMMIT. */
  static async run<T>(
    options: SharedTransactionOptions,
    transactions: readonly Transaction<T>[],
  ): Promise<Outcome<T>[]> {
    const client = await options.pool.connect()
    const shared = new SharedTransaction(client, options)
    let isUsable = true
    try {
      return await shared.#run(transactions, options.onCommit)
    } catch (error) {
      shared.#statements.close()
      await client.query('rollback').catch(() => {
        isUsable = false
      })
      throw error
    } finally {
      client.release(!isUsable)
    }
  }

  private constructor(client: PoolClient, { dialect, openScope }: SharedTransactionOptions) {
    this.#client = client
    this.#openScope = openScope
    this.#statements = new StatementBatcher(
      (statement, inputs) => {
        this.#begin()
        return executeStatement(client, statement.forPostgres(dialect), inputs)
      },
      { inStep: true },
    )
  }

  async #run<T>(
    transactions: readonly Transaction<T>[],
    onCommit: SharedTransactionOptions['onCommit'],
  ): Promise<Outcome<T>[]> {
    const tasks = transactions.map((transaction) => this.#runTask(transaction))
    // Not before the last task has ended: what it still sends belongs to this transaction.
    await Promise.allSettled(tasks)
    const outcomes = await Promise.all(tasks)
    const results = outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []))
    await this.#commit(results, transactions[0])
    if (results.length > 0) onCommit(results.length)
    return outcomes
  }

  /** Not awaited: it leaves together with the first query, which fails too if this does. */
  #begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#client.query('begin isolation level read committed').catch(() => {})
  }

  /** Rejects when the task fails after it wrote something, or because the database failed. */
  async #runTask<T>(transaction: Transaction<T>): Promise<Outcome<T>> {
    const connection = new PostgresConnection(this.#client, () => this.#begin())
    let hasWritten = false
    const scope = this.#openScope(connection, (statement, inputs) => {
      hasWritten ||= !statement.onlyReads
      return this.#statements.run(statement, inputs)
    })
    try {
      return { result: await transaction.task(scope.db) }
    } catch (error) {
      if (hasWritten || connection.hasWritten || isDatabaseError(error)) throw error
      return { refusal: error }
    } finally {
      scope.end()
    }
  }

  async #commit<T>(results: readonly T[], first: Transaction<T> | undefined): Promise<void> {
    const connection = new PostgresConnection(this.#client, () => this.#begin())
    const scope = this.#openScope(connection, this.#statements.run)
    const finished = results.length > 0 ? first?.finish?.(scope.db, results) : undefined
    // It is awaited together with COMMIT, unless that is never sent.
    finished?.catch(() => {})
    this.#statements.flush()
    scope.end()
    this.#begin()
    const [{ command }] = await Promise.all([this.#client.query('commit'), finished])
    // PostgreSQL answers so when a query of the transaction has failed.
    if (command !== 'COMMIT') throw new Error('The transaction failed before its COMMIT')
  }
}

const isDatabaseError = (error: unknown): boolean =>
  error instanceof DatabaseError || error instanceof DatabaseUnavailable

/** What Kysely needs of a connection. */
class PostgresConnection implements DatabaseConnection {
  hasWritten = false
  #client: PoolClient
  #begin: () => void

  constructor(client: PoolClient, begin: () => void) {
    this.#client = client
    this.#begin = begin
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    this.hasWritten ||= !SelectQueryNode.is(query)
    this.#begin()
    const { rows, rowCount } = await this.#client.query(sql, [...parameters])
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('A transaction does not stream')
  }
}
