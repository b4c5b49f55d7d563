import type { Transaction } from './shared-transaction.ts'

/** In a larger group the first would wait too long for the last. */
const maxMembers = 100
/** When a group takes longer, say for a row that another node has locked, the next one starts beside it. */
const heldUpAfterMs = 100
const maxGroupsAtOnce = 3

export type GroupMember<T> = Transaction<T> & {
  key: string
  resolve(result: T): void
  reject(error: unknown): void
}

/** `onCommitting` is to be called when COMMIT is on its way. */
type RunGroup = (members: readonly GroupMember<unknown>[], onCommitting: () => void) => Promise<void>

/**
 * Lets the transactions that arrive while others run wait, and run together as soon as those have sent their COMMIT;
 * those with the key of one that is not settled go on waiting.
 */
export class TransactionGroup {
  #run: RunGroup
  #waiting: GroupMember<unknown>[] = []
  #runningKeys = new Set<string>()
  #running = 0
  #isBlocked = false
  #isScheduled = false

  constructor(run: RunGroup) {
    this.#run = run
  }

  add(member: GroupMember<unknown>): void {
    this.#waiting.push(member)
    this.#schedule()
  }

  /** Those that arrive in the same turn of the event loop run together. */
  #schedule(): void {
    if (this.#isScheduled || this.#isBlocked || this.#running >= maxGroupsAtOnce) return
    if (!this.#waiting.some(({ key }) => !this.#runningKeys.has(key))) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      void this.#start(this.#takeMembers())
    })
  }

  #takeMembers(): GroupMember<unknown>[] {
    const members = new Map<string, GroupMember<unknown>>()
    const later: GroupMember<unknown>[] = []
    for (const member of this.#waiting) {
      const { key } = member
      if (members.size < maxMembers && !members.has(key) && !this.#runningKeys.has(key))
        members.set(key, member)
      else later.push(member)
    }
    this.#waiting = later
    return [...members.values()]
  }

  async #start(members: GroupMember<unknown>[]): Promise<void> {
    this.#running++
    this.#isBlocked = true
    for (const { key } of members) this.#runningKeys.add(key)
    let isBlocking = true
    const stopBlocking = () => {
      if (!isBlocking) return
      isBlocking = false
      this.#isBlocked = false
      this.#schedule()
    }
    const timer = setTimeout(stopBlocking, heldUpAfterMs)
    await this.#run(members, stopBlocking)
    clearTimeout(timer)
    this.#running--
    for (const { key } of members) this.#runningKeys.delete(key)
    stopBlocking()
    this.#schedule()
  }
}
