import { DatabaseUnavailable } from './errors.ts'
import { runWithRetries } from './postgres-retry.ts'
import { SharedTransaction, type SharedTransactionOptions, type Transaction } from './shared-transaction.ts'
import { type GroupMember, TransactionGroup } from './transaction-group.ts'
import type { Db, TransactOptions } from './types.ts'

type Options = SharedTransactionOptions & {
  /** Called when a transaction is tried again: by itself, or after another one. */
  onRetry: () => void
}

/** Runs transactions: most alone, those of a group together. */
export class PostgresTransactions {
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
      this.#groupNamed(group.name).add({ ...transaction, key: group.key, resolve, reject })
    })
  }

  #groupNamed(name: string): TransactionGroup {
    const group = this.#groups.get(name) ?? new TransactionGroup((...group) => this.#runGroup(...group))
    this.#groups.set(name, group)
    return group
  }

  async #runGroup(members: readonly GroupMember<unknown>[], onCommitting: () => void): Promise<void> {
    try {
      const outcomes = await SharedTransaction.run({ ...this.#options, onCommitting }, members)
      members.forEach((member, index) => {
        const outcome = outcomes[index]
        if (outcome && 'result' in outcome) member.resolve(outcome.result)
        else member.reject(outcome?.refusal)
      })
    } catch (error) {
      // After a lost connection nobody knows whether COMMIT was done. After anything else nothing is, and each runs
      // alone, so that only those that are at fault fail.
      if (error instanceof DatabaseUnavailable) for (const member of members) member.reject(error)
      else await Promise.all(members.map((member) => this.#settleAlone(member)))
    }
  }

  async #settleAlone(member: GroupMember<unknown>): Promise<void> {
    this.#options.onRetry()
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
