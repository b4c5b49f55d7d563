import type { DatabaseSync } from 'node:sqlite'
import { clearImmediate, setImmediate } from 'node:timers'
import type { Db, EngineOptions } from './types.ts'
import { resultCode, SQLITE_IOERR } from './node-sqlite.ts'
import { DatabaseUnavailable } from './outages.ts'
import type { TransactionScope } from './transaction-scope.ts'

export type GroupCommit = {
  transact<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Refuses new work and resolves when all that was queued is answered. */
  drain(): Promise<void>
}

type Queued = {
  /** Gives back the answer to the caller; throws when the whole batch is lost. */
  run(): Promise<() => void>
  fail(error: unknown): void
}

/**
 * Syncing to the disk is what a transaction costs, so all that were asked for while the last batch was syncing
 * share one COMMIT. Each runs alone in its own savepoint, one that fails takes nobody with it, and nobody is
 * answered, well or badly, before what they saw is durable.
 */
export function createGroupCommit(
  database: DatabaseSync,
  openScope: () => TransactionScope,
  { maxBatch, onCommit, onFatal }: Pick<EngineOptions, 'maxBatch' | 'onCommit' | 'onFatal'>,
): GroupCommit {
  const control = prepareControlStatements(database)
  const queue: Queued[] = []
  let refusal: Error | undefined
  let running: Promise<void> | undefined
  let interrupt: (error: Error) => void = () => {}

  function schedule(): void {
    if (running || queue.length === 0) return
    running = new Promise<void>((resolve) => setImmediate(resolve)).then(runBatch).finally(() => {
      running = undefined
      schedule()
    })
  }

  async function runBatch(): Promise<void> {
    const batch = queue.splice(0, maxBatch)
    const answers: (() => void)[] = []
    const stopWatching = watchForStalls()
    try {
      control.begin.run()
      for (const queued of batch) answers.push(await queued.run())
      control.commit.run()
    } catch (error) {
      failBatch(batch, error)
      return
    } finally {
      stopWatching()
    }
    for (const answer of answers) answer()
    onCommit(batch.length)
  }

  async function run<T>(
    work: (db: Db) => Promise<T>,
    resolve: (result: T) => void,
    reject: (error: unknown) => void,
  ): Promise<() => void> {
    control.savepoint.run()
    const scope = openScope()
    const interrupted = new Promise<never>((_, fail) => {
      interrupt = fail
    })
    try {
      const result = await Promise.race([work(scope.db), interrupted])
      scope.end()
      control.release.run()
      return () => resolve(result)
    } catch (error) {
      scope.end()
      if (isIoError(error) || !database.isTransaction) throw error
      control.rollbackTo.run()
      control.release.run()
      return () => reject(error)
    }
  }

  /** SQLite answers within one turn of the event loop: work still running in the next one waits for something else. */
  function watchForStalls(): () => void {
    let immediate = setImmediate(function late() {
      interrupt(new Error('A transaction waited for something other than its database'))
      immediate = setImmediate(late)
    })
    return () => clearImmediate(immediate)
  }

  /** After an I/O error nobody knows what the disk holds: going on could acknowledge what is not there. */
  function failBatch(batch: Queued[], error: unknown): void {
    const fatal = isIoError(error)
    if (fatal) {
      refusal = new DatabaseUnavailable('The database stopped when the disk failed a write', { cause: error })
      onFatal(error)
    } else if (database.isTransaction) {
      control.rollback.run()
    }
    for (const lost of fatal ? [...batch, ...queue.splice(0)] : batch) lost.fail(error)
  }

  async function untilIdle(): Promise<void> {
    if (!running) return
    await running
    await untilIdle()
  }

  return {
    transact: (work) =>
      new Promise((resolve, reject) => {
        if (refusal) return reject(refusal)
        queue.push({ run: () => run(work, resolve, reject), fail: reject })
        schedule()
      }),
    async drain() {
      refusal ??= new DatabaseUnavailable('The database is closed')
      await untilIdle()
    },
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

function isIoError(error: unknown): boolean {
  return resultCode(error) === SQLITE_IOERR
}
