import type { DatabaseSync } from 'node:sqlite'
import { clearImmediate, setImmediate } from 'node:timers'
import { DatabaseUnavailable, sqliteOutage, sqliteResultCode } from '../errors.ts'
import type { TransactionScope } from '../transaction-scope.ts'
import type { Db, EngineOptions, Group, TransactOptions } from '../types.ts'

type GroupCommitOptions = Pick<EngineOptions, 'maxBatch' | 'clock' | 'onCommit' | 'onFatal'>

type QueuedTransaction<T> = {
  task(db: Db): Promise<T>
  finish?(db: Db, results: readonly T[]): Promise<void>
  group: Group | undefined
  resolve(result: T): void
  reject(error: unknown): void
}

type Member = QueuedTransaction<unknown>
type Outcome = { result: unknown } | { error: unknown }

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
  #queue: Member[] = []
  #running: Promise<void> | undefined
  /** How long the last COMMIT took. */
  #commitSeconds = 0
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

  transact<T>(task: (db: Db) => Promise<T>, { finish, group }: TransactOptions<T> = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#refusal) return reject(this.#refusal)
      this.#queue.push({ task, ...(finish && { finish }), group, resolve, reject })
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
      .then(() => this.#runQueue())
      .finally(() => {
        this.#running = undefined
        this.#schedule()
      })
  }

  async #runQueue(): Promise<void> {
    const batch = this.#queue.splice(0, this.#options.maxBatch)
    const stopWatching = this.#watchForStalls()
    let settlers: (() => void)[]
    try {
      settlers = await this.#runBatch(batch)
    } catch (error) {
      this.#failBatch(batch, error)
      return
    } finally {
      stopWatching()
    }
    for (const settle of settlers) settle()
    this.#options.onCommit(batch.length, this.#commitSeconds)
  }

  /** If what a round writes last fails, each ends by itself, so that only those at fault fail. */
  async #runBatch(batch: Member[]): Promise<(() => void)[]> {
    try {
      return await this.#commit(toRounds(batch))
    } catch (error) {
      if (isIoError(error)) throw error
      if (this.#database.isTransaction) this.#statements.rollback.run()
      return this.#commit(batch.map((member) => [member]))
    }
  }

  async #commit(rounds: Member[][]): Promise<(() => void)[]> {
    const settlers: (() => void)[] = []
    this.#statements.begin.run()
    for (const members of rounds) {
      const outcomes = await this.#runRound(members)
      settlers.push(...members.map((member, index) => () => settle(member, outcomes[index])))
    }
    const startedAt = this.#options.clock()
    this.#statements.commit.run()
    this.#commitSeconds = (this.#options.clock() - startedAt) / 1000
    return settlers
  }

  async #runRound(members: Member[]): Promise<Outcome[]> {
    const [first] = members
    if (first && members.length === 1) return [await this.#attempt((db) => runWithFinish(first, db))]
    const outcomes: Outcome[] = []
    for (const member of members) outcomes.push(await this.#attempt((db) => member.task(db)))
    const results = outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []))
    await this.#runInScope(async (db) => first?.finish?.(db, results))
    return outcomes
  }

  /** Takes back what the work wrote when it fails. Throws when the whole batch is lost. */
  async #attempt(work: (db: Db) => Promise<unknown>): Promise<Outcome> {
    this.#statements.savepoint.run()
    try {
      const result = await this.#runInScope(work)
      this.#statements.release.run()
      return { result }
    } catch (error) {
      if (isIoError(error) || !this.#database.isTransaction) throw error
      this.#statements.rollbackTo.run()
      this.#statements.release.run()
      return { error }
    }
  }

  async #runInScope<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const scope = this.#openScope()
    const interrupted = new Promise<never>((_, fail) => {
      this.#interrupt = fail
    })
    try {
      return await Promise.race([work(scope.db), interrupted])
    } finally {
      scope.end()
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
  #failBatch(batch: Member[], error: unknown): void {
    const isFatal = isIoError(error)
    if (isFatal) {
      this.#refusal = new DatabaseUnavailable('The database stopped when the disk failed a write', {
        cause: error,
      })
      this.#options.onFatal(error)
    } else if (this.#database.isTransaction) {
      this.#statements.rollback.run()
    }
    for (const lost of isFatal ? [...batch, ...this.#queue.splice(0)] : batch) lost.reject(error)
  }
}

async function runWithFinish(member: Member, db: Db): Promise<unknown> {
  const result = await member.task(db)
  await member.finish?.(db, [result])
  return result
}

function settle(member: Member, outcome: Outcome | undefined): void {
  if (outcome && 'result' in outcome) member.resolve(outcome.result)
  else member.reject(outcome?.error)
}

/** Those of one group end together, but never two with a key in common: the later one is to see all of the earlier. */
function toRounds(batch: Member[]): Member[][] {
  const rounds: { name: string | undefined; keys: Set<string>; members: Member[] }[] = []
  for (const member of batch) {
    const { name, keys = [] } = member.group ?? {}
    const earlier = rounds.findLastIndex((each) => keys.some((key) => each.keys.has(key)))
    const shared = rounds.find((each, index) => name !== undefined && each.name === name && index > earlier)
    const round = shared ?? { name, keys: new Set(), members: [] }
    if (!shared) rounds.push(round)
    round.members.push(member)
    for (const key of keys) round.keys.add(key)
  }
  return rounds.map(({ members }) => members)
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
