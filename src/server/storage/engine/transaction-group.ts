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

/** Lets the transactions that arrive while others run wait, and run together as soon as those are done. */
export class TransactionGroup {
  #run: (members: readonly GroupMember<unknown>[]) => Promise<void>
  #waiting: GroupMember<unknown>[] = []
  #running = 0
  #heldUp = 0
  #isScheduled = false

  constructor(run: (members: readonly GroupMember<unknown>[]) => Promise<void>) {
    this.#run = run
  }

  add(member: GroupMember<unknown>): void {
    this.#waiting.push(member)
    this.#schedule()
  }

  /** Those that arrive in the same turn of the event loop run together. */
  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return
    if (this.#running > this.#heldUp || this.#running >= maxGroupsAtOnce) return
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
      if (members.size < maxMembers && !members.has(member.key)) members.set(member.key, member)
      else later.push(member)
    }
    this.#waiting = later
    return [...members.values()]
  }

  async #start(members: GroupMember<unknown>[]): Promise<void> {
    this.#running++
    let isHeldUp = false
    const timer = setTimeout(() => {
      isHeldUp = true
      this.#heldUp++
      this.#schedule()
    }, heldUpAfterMs)
    await this.#run(members)
    clearTimeout(timer)
    this.#running--
    if (isHeldUp) this.#heldUp--
    this.#schedule()
  }
}
