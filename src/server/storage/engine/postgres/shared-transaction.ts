import { type CompiledQuery, type DatabaseConnection, type QueryResult, SelectQueryNode } from 'kysely'
import { DatabaseError, type Pool, type PoolClient } from 'pg'
import { DatabaseUnavailable } from '../errors.ts'
import type { SnakeCasePostgresDialect } from '../snake-case.ts'
import type { OpenTransactionScope } from '../transaction-scope.ts'
import type { Db } from '../types.ts'
import { executeStatement } from './postgres-pool.ts'
import { StatementBatcher } from './statement-batcher.ts'

export type Transaction<T> = {
  task(db: Db): Promise<T>
  finish?(db: Db, results: readonly T[]): Promise<void>
  lockTimeoutMs?: number
}

/** A task that refuses before it wrote anything leaves those beside it alone. */
type Outcome<T> = { result: T } | { refusal: unknown }

export type SharedTransactionOptions = {
  pool: Pool
  dialect: SnakeCasePostgresDialect
  openScope: OpenTransactionScope
  clock: () => number
  /** Without a word, a statement on the pool's connections waits this long for rows of others; unknown behind a pooler. */
  sessionLockTimeoutMs: number | undefined
  /** Called after each COMMIT with the number of transactions in it, and how long it took. */
  onCommit: (transactions: number, seconds: number) => void
  /** Called when COMMIT is on its way. */
  onCommitting?: () => void
  /** Called when `finish` failed over answers that came with that of COMMIT. */
  onFinishFailed: (error: unknown) => void
}

/** Longer than a guest waits. */
const longestLockTimeoutMs = 10_000

/**
 * One transaction of PostgreSQL for one or more tasks. They run at the same time, and what all of them ask for in one
 * step is one round trip; so are the last queries and COMMIT.
 */
export class SharedTransaction {
  #client: PoolClient
  #openScope: OpenTransactionScope
  #statements: StatementBatcher
  #begun: Promise<unknown> | undefined
  #lockTimeoutMs: number
  #sessionLockTimeoutMs: number | undefined
  #onCommitting: (() => void) | undefined
  #onFinishFailed: (error: unknown) => void
  /** Tasks that have not ended, and those of them that are about to lock rows. */
  #tasks = { running: 0, locking: 0 }
  #clock: () => number

  /** Rejects, with everything rolled back, unless each task succeeds or refuses. Nobody hears before the COMMIT. */
  static async run<T>(
    options: SharedTransactionOptions,
    transactions: readonly Transaction<T>[],
    lockTimeoutMs = transactions[0]?.lockTimeoutMs ?? longestLockTimeoutMs,
  ): Promise<Outcome<T>[]> {
    const client = await options.pool.connect()
    const shared = new SharedTransaction(client, options, lockTimeoutMs)
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

  private constructor(
    client: PoolClient,
    {
      dialect,
      openScope,
      clock,
      sessionLockTimeoutMs,
      onCommitting,
      onFinishFailed,
    }: SharedTransactionOptions,
    lockTimeoutMs: number,
  ) {
    this.#client = client
    this.#openScope = openScope
    this.#lockTimeoutMs = lockTimeoutMs
    this.#sessionLockTimeoutMs = sessionLockTimeoutMs
    this.#onCommitting = onCommitting
    this.#onFinishFailed = onFinishFailed
    this.#clock = clock
    this.#statements = new StatementBatcher(
      (statement, inputs) =>
        this.#afterBegin(() => executeStatement(client, statement.forPostgres(dialect), inputs)),
      // All at once: whoever holds some of them and waits for others may wait in a circle.
      { inStep: true, mayLock: () => this.#tasks.locking >= this.#tasks.running },
    )
  }

  async #run<T>(
    transactions: readonly Transaction<T>[],
    onCommit: SharedTransactionOptions['onCommit'],
  ): Promise<Outcome<T>[]> {
    this.#tasks.running = transactions.length
    const tasks = transactions.map((transaction) => this.#runTask(transaction))
    // Not before the last task has ended: what it still sends belongs to this transaction.
    await Promise.allSettled(tasks)
    const outcomes = await Promise.all(tasks)
    const results = outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []))
    const seconds = await this.#commit(results, transactions[0])
    if (results.length > 0) onCommit(results.length, seconds)
    return outcomes
  }

  /** Sends a query behind BEGIN. If that fails, nobody goes on: each of the next queries would commit by itself. */
  async #afterBegin<T>(send: () => Promise<T>): Promise<T> {
    const begun = this.#begin()
    const [answer] = await Promise.all([send(), begun])
    return answer
  }

  /** Leaves together with the first query. */
  #begin(): Promise<unknown> {
    if (this.#begun) return this.#begun
    sendTogether(this.#client)
    const isSet = this.#lockTimeoutMs === this.#sessionLockTimeoutMs
    const limit = isSet ? '' : `; set local lock_timeout = ${this.#lockTimeoutMs}`
    this.#begun = this.#client.query(`begin isolation level read committed${limit}`)
    this.#begun.catch(() => {})
    return this.#begun
  }

  /** Rejects when the task fails after it wrote something, or because the database failed. */
  async #runTask<T>(transaction: Transaction<T>): Promise<Outcome<T>> {
    const connection = new PostgresConnection(this.#client, (send) => this.#afterBegin(send))
    let writes = 0
    const scope = this.#openScope(connection, async (statement, inputs) => {
      if (statement.onlyReads) return this.#statements.run(statement, inputs)
      writes++
      const locking = statement.locks ? 1 : 0
      this.#tasks.locking += locking
      const rows = await this.#statements.run(statement, inputs).finally(() => {
        this.#tasks.locking -= locking
      })
      // A statement returns each row that it wrote.
      if (rows.every((each) => each.length === 0)) writes--
      return rows
    })
    try {
      return { result: await transaction.task(scope.db) }
    } catch (error) {
      if (writes > 0 || connection.hasWritten || isDatabaseError(error)) throw error
      return { refusal: error }
    } finally {
      scope.end()
      this.#tasks.running--
      this.#statements.proceed()
    }
  }

  /** Returns how long PostgreSQL took for the last queries and COMMIT, in seconds. */
  async #commit<T>(results: readonly T[], first: Transaction<T> | undefined): Promise<number> {
    const connection = new PostgresConnection(this.#client, (send) => this.#afterBegin(send))
    const scope = this.#openScope(connection, this.#statements.run)
    const finishing = results.length > 0 ? first?.finish?.(scope.db, results) : undefined
    // It is awaited together with COMMIT, unless that is never sent.
    const finished = finishing?.then(
      () => null,
      (error: unknown) => ({ error }),
    )
    sendTogether(this.#client)
    this.#statements.flush()
    scope.end()
    const begun = this.#begin()
    const sentAt = this.#clock()
    const committed = this.#client.query('commit')
    this.#onCommitting?.()
    const [{ command }, failure] = await Promise.all([committed, finished, begun])
    // PostgreSQL's answer when a query of the transaction has failed.
    if (command !== 'COMMIT') throw failure?.error ?? new Error('The transaction failed before its COMMIT')
    // Everything is stored: whoever read of a failure would do it again, and find it done.
    if (failure) this.#onFinishFailed(failure.error)
    return (this.#clock() - sentAt) / 1000
  }
}

/** Everything that is asked for until the end of this turn leaves in one packet, so that PostgreSQL answers it at once. */
function sendTogether({ connection: { stream } }: PoolClient): void {
  stream.cork()
  process.nextTick(() => stream.uncork())
}

const isDatabaseError = (error: unknown): boolean =>
  error instanceof DatabaseError || error instanceof DatabaseUnavailable

type AfterBegin = <T>(send: () => Promise<T>) => Promise<T>

/** What Kysely needs of a connection. */
class PostgresConnection implements DatabaseConnection {
  hasWritten = false
  #client: PoolClient
  #afterBegin: AfterBegin

  constructor(client: PoolClient, afterBegin: AfterBegin) {
    this.#client = client
    this.#afterBegin = afterBegin
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    this.hasWritten ||= !SelectQueryNode.is(query)
    const { rows, rowCount } = await this.#afterBegin(() => this.#client.query(sql, [...parameters]))
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('A transaction does not stream')
  }
}
