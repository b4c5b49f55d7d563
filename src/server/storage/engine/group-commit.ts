import type { DatabaseSync } from 'node:sqlite'
import { clearImmediate, setImmediate } from 'node:timers'
import { DatabaseUnavailable, sqliteOutage, sqliteResultCode } from './errors.ts'
import type { TransactionScope } from './transaction-scope.ts'
import type { Db, EngineOptions, TransactOptions } from './types.ts'

type GroupCommitOptions = Pick<EngineOptions, 'maxBatch' | 'onCommit' | 'onFatal'>

type QueuedTransaction = {
  /** Returns a function that settles the caller's promise; throws when the whole batch is lost. */
  run(): Promise<() => void>
  fail(error: unknown): void
}

/**
 * Syncing to the disk is the expensive part of a transaction, so all that were requested while the last batch was
 * syncing share one COMMIT. Each runs in a savepoint of its own, so that one that fails does not affect the others, and
 * no caller gets an answer, good or bad, before everything it saw is durable.
 */
export class GroupCommit {
  #database: DatabaseSync
  #openScope: () => TransactionScope
  #options: GroupCommitOptions
  #statements: ReturnType<typeof prepareControlStatements>
  #queue: QueuedTransaction[] = []
  #running: Promise<void> | undefined
  /** Why new transactions are refused. */
  #refusal: Error | undefined
  /** Fails the transaction that is running. */
  #interrupt: (error: Error) => void = () => {}

  constructor(database: DatabaseSync, openScope: () => TransactionScope, options: GroupCommitOptions) {
    this.#database = database
    this.#openScope = openScope
    this.#options = options
    this.#statements = prepareControlStatements(database)
  }

  transact<T>(task: (db: Db) => Promise<T>, { finish }: TransactOptions<T> = {}): Promise<T> {
    const work = async (db: Db) => {
      const result = await task(db)
      await finish?.(db, [result])
      return result
    }
    return new Promise((resolve, reject) => {
      if (this.#refusal) return reject(this.#refusal)
      this.#queue.push({ run: () => this.#runOne(work, resolve, reject), fail: reject })
      this.#schedule()
    })
  }

  /** Refuses new transactions and resolves once the queued ones have settled. */
  async drain(): Promise<void> {
    this.#refusal ??= new DatabaseUnavailable('The database is closed')
    while (this.#running) await this.#running
  }

  #schedule(): void {
    if (this.#running || this.#queue.length === 0) return
    this.#running = new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => this.#runBatch())
      .finally(() => {
        this.#running = undefined
        this.#schedule()
      })
  }

  async #runBatch(): Promise<void> {
    const batch = this.#queue.splice(0, this.#options.maxBatch)
    const settlers: (() => void)[] = []
    const stopWatching = this.#watchForStalls()
    try {
      this.#statements.begin.run()
      for (const transaction of batch) settlers.push(await transaction.run())
      this.#statements.commit.run()
    } catch (error) {
      this.#failBatch(batch, error)
      return
    } finally {
      stopWatching()
    }
    for (const settle of settlers) settle()
    this.#options.onCommit(batch.length)
  }

  async #runOne<T>(
    task: (db: Db) => Promise<T>,
    resolve: (result: T) => void,
    reject: (error: unknown) => void,
  ): Promise<() => void> {
    this.#statements.savepoint.run()
    const scope = this.#openScope()
    const interrupted = new Promise<never>((_, fail) => {
      this.#interrupt = fail
    })
    try {
      const result = await Promise.race([task(scope.db), interrupted])
      scope.end()
      this.#statements.release.run()
      return () => resolve(result)
    } catch (error) {
      scope.end()
      if (isIoError(error) || !this.#database.isTransaction) throw error
      this.#statements.rollbackTo.run()
      this.#statements.release.run()
      return () => reject(error)
    }
  }

  /** SQLite answers within one turn of the event loop, so a task still running in the next waits for something else. */
  #watchForStalls(): () => void {
    const interruptStalled = () => {
      this.#interrupt(new Error('A transaction waited for something other than its database'))
      immediate = setImmediate(interruptStalled)
    }
    let immediate = setImmediate(interruptStalled)
    return () => clearImmediate(immediate)
  }

  /** After an I/O error the state of the disk is unknown: continuing might acknowledge writes that are lost. */
  #failBatch(batch: QueuedTransaction[], error: unknown): void {
    const isFatal = isIoError(error)
    if (isFatal) {
      this.#refusal = new DatabaseUnavailable('The database stopped when the disk failed a write', {
        cause: error,
      })
      this.#options.onFatal(error)
    } else if (this.#database.isTransaction) {
      this.#statements.rollback.run()
    }
    for (const lost of isFatal ? [...batch, ...this.#queue.splice(0)] : batch) lost.fail(error)
  }
}

function prepareControlStatements(database: DatabaseSync) {
  return {
    begin: database.prepare('begin immediate'),
    commit: database.prepare('commit'),
    rollback: database.prepare('rollback'),
    savepoint: database.prepare('savepoint work'),
    release: database.prepare('release work'),
    rollbackTo: database.prepare('rollback to work'),
  }
}

const isIoError = (error: unknown): boolean => sqliteResultCode(error) === sqliteOutage.ioError
