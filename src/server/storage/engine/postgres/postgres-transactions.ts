import { isOutage, isTransient } from '../errors.ts'
import type { Db, TransactOptions } from '../types.ts'
import { runWithRetries } from './postgres-retry.ts'
import { SharedTransaction, type SharedTransactionOptions, type Transaction } from './shared-transaction.ts'
import { type GroupMember, type GroupRunner, TransactionGroup } from './transaction-group.ts'

type Options = SharedTransactionOptions & {
  /** Called when a transaction is tried again: by itself, or after another one. */
  onRetry: () => void
  /** How many scopes may run apart at once: some may wait for rows of others. */
  maxScopesAtOnce: number
}

/** Runs transactions: most alone, those of a group together. */
export class PostgresTransactions implements GroupRunner {
  #options: Options
  #groups = new Map<string, TransactionGroup>()

  constructor(options: Options) {
    this.#options = options
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
    const group = this.#groups.get(name) ?? new TransactionGroup(this, this.#options.maxScopesAtOnce)
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

  async runAlone(member: GroupMember<unknown>): Promise<void> {
    try {
      member.resolve(await this.#runAlone(member))
    } catch (error) {
      member.reject(error)
    }
  }

  async #runAlone<T>(transaction: Transaction<T>): Promise<T> {
    return runWithRetries(async () => {
      const [outcome] = await SharedTransaction.run(this.#options, [transaction])
      if (outcome && 'result' in outcome) return outcome.result
      throw outcome?.refusal
    }, this.#options.onRetry)
  }
}
