import { isLockTimeout, isOutage, isTransient } from '../errors.ts'
import type { Db, TransactOptions } from '../types.ts'
import { runWithRetries } from './postgres-retry.ts'
import { SharedTransaction, type SharedTransactionOptions, type Transaction } from './shared-transaction.ts'
import {
  type GroupMember,
  type GroupRunner,
  shortLockTimeoutMs,
  TransactionGroup,
} from './transaction-group.ts'
import { WaitingPlaces } from './waiting-places.ts'

type Options = SharedTransactionOptions & {
  /** Called when a transaction is tried again: by itself, or after another one. */
  onRetry: () => void
  /** How many scopes of a group may run apart at once. */
  maxScopesAtOnce: number
  /** How many transactions may wait for rows of others at once, longer than a moment. */
  waitingPlaces: number
}

/** Whoever has waited for a place as long as others wait for a row does not begin to wait for one. */
const maxQueueMs = 10_000

/** Runs transactions: most alone, those of a group together. */
export class PostgresTransactions implements GroupRunner {
  #options: Options
  #groups = new Map<string, TransactionGroup>()
  #places: WaitingPlaces

  constructor(options: Options) {
    this.#options = options
    this.#places = new WaitingPlaces(options.waitingPlaces)
  }

  async transact<T>(
    task: (db: Db) => Promise<T>,
    { finish, group, ...alone }: TransactOptions<T>,
  ): Promise<T> {
    const transaction: Transaction<T> = { task, ...(finish && { finish }) }
    if (!group) return this.#runAlone({ ...transaction, ...alone })
    return new Promise((resolve, reject) => {
      const { name, keys, scope } = group
      this.#groupNamed(name).add({ ...transaction, keys, scope, resolve, reject })
    })
  }

  #groupNamed(name: string): TransactionGroup {
    const known = this.#groups.get(name)
    if (known) return known
    const group = new TransactionGroup(this, this.#options.maxScopesAtOnce, this.#places)
    this.#groups.set(name, group)
    return group
  }

  async run(
    members: readonly GroupMember<unknown>[],
    { lockTimeoutMs, onCommitting }: Parameters<GroupRunner['run']>[1],
  ): Promise<void> {
    try {
      const options = { ...this.#options, ...(onCommitting && { onCommitting }) }
      const outcomes = await SharedTransaction.run(options, members, lockTimeoutMs)
      members.forEach((member, index) => {
        const outcome = outcomes[index]
        if (outcome && 'result' in outcome) member.resolve(outcome.result)
        else member.reject(outcome?.refusal)
      })
    } catch (error) {
      if (!isOutage(error) || isTransient(error)) {
        for (const _ of members) this.#options.onRetry()
        throw error
      }
      // After a lost connection nobody knows whether COMMIT was done, and nothing else would go better one by one.
      for (const member of members) member.reject(error)
    }
  }

  async runAlone(
    member: GroupMember<unknown>,
    { hasPlace }: Parameters<GroupRunner['runAlone']>[1],
  ): Promise<void> {
    try {
      member.resolve(await (hasPlace ? this.#attempt(member) : this.#runAlone(member)))
    } catch (error) {
      member.reject(error)
    }
  }

  /** Guests and crews of one restaurant may all wait for a row of it: each on a connection, none would be left for others. */
  async #runAlone<T>(transaction: Transaction<T>): Promise<T> {
    if (transaction.lockTimeoutMs !== undefined) return this.#attempt(transaction)
    try {
      return await this.#attempt({ ...transaction, lockTimeoutMs: shortLockTimeoutMs })
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      const since = this.#options.clock()
      await this.#places.take()
      try {
        if (this.#options.clock() - since >= maxQueueMs) throw error
        this.#options.onRetry()
        return await this.#attempt(transaction)
      } finally {
        this.#places.leave()
      }
    }
  }

  async #attempt<T>(transaction: Transaction<T>): Promise<T> {
    return runWithRetries(async () => {
      const [outcome] = await SharedTransaction.run(this.#options, [transaction])
      if (outcome && 'result' in outcome) return outcome.result
      throw outcome?.refusal
    }, this.#options.onRetry)
  }
}
