import { isLockTimeout } from '../errors.ts'
import type { Transaction } from './shared-transaction.ts'
import type { WaitingPlaces } from './waiting-places.ts'

/** All hold their row locks until the last has ended; another node’s group waits only `groupLockTimeoutMs` for them. */
const maxMembers = 256
/** All but the last have sent their COMMIT. */
const maxGroupsAtOnce = 3
/** Nothing waits longer for a row that another transaction holds, unless it has one of the places for that. */
export const shortLockTimeoutMs = 400
/** How long a scope stays apart after the last of its transactions. */
const apartMs = 3_000

export type GroupMember<T> = Transaction<T> & {
  keys: readonly string[]
  scope: string
  resolve(result: T): void
  reject(error: unknown): void
}

type RunOptions = {
  /** In milliseconds; as long as anybody waits if it is not given. */
  lockTimeoutMs?: number
  /** To be called when COMMIT is on its way. */
  onCommitting?: () => void
}

export type GroupRunner = {
  /** Tells all members what came of it. Rejects, and tells nobody, if everything was rolled back. */
  run(members: readonly GroupMember<unknown>[], options: RunOptions): Promise<void>
  /** Tells the member what came of it. */
  runAlone(member: GroupMember<unknown>, options: { hasPlace: boolean }): Promise<void>
}

/**
 * Lets the transactions that arrive while others run wait, and run together as soon as those have sent their COMMIT;
 * those with a key of one that is not settled go on waiting.
 *
 * When a group fails, all of it is rolled back, and its members run again by scope. A scope whose rows somebody else holds
 * then waits apart from the others, with all that comes for it, until it has been quiet for a while.
 */
export class TransactionGroup {
  #runner: GroupRunner
  #waiting: GroupMember<unknown>[] = []
  #unsettled = new Set<string>()
  #running = 0
  #isBlocked = false
  #isScheduled = false
  #scopes: SeparateScopes

  constructor(runner: GroupRunner, maxScopesAtOnce: number, places: WaitingPlaces) {
    this.#runner = runner
    const onSettled = () => this.#schedule()
    this.#scopes = new SeparateScopes(runner, this.#unsettled, maxScopesAtOnce, places, onSettled)
  }

  add(member: GroupMember<unknown>): void {
    if (this.#scopes.has(member.scope)) return this.#scopes.add(member)
    this.#waiting.push(member)
    this.#schedule()
  }

  /** Those that arrive in the same turn of the event loop run together. */
  #schedule(): void {
    if (this.#isScheduled || this.#isBlocked || this.#running >= maxGroupsAtOnce) return
    if (!this.#waiting.some((member) => isFree(member, this.#unsettled))) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      const { members, later } = takeMembers(this.#waiting, this.#unsettled)
      this.#waiting = later
      if (members.length > 0) void this.#start(members)
    })
  }

  async #start(members: readonly GroupMember<unknown>[]): Promise<void> {
    this.#running++
    this.#isBlocked = true
    let isBlocking = true
    const stopBlocking = () => {
      if (!isBlocking) return
      isBlocking = false
      this.#isBlocked = false
      this.#schedule()
    }
    const options = { lockTimeoutMs: shortLockTimeoutMs, onCommitting: stopBlocking }
    const failure = await attempt(this.#runner, members, this.#unsettled, options)
    this.#running--
    if (failure) this.#separate(failure)
    stopBlocking()
    this.#schedule()
    this.#scopes.startSome()
  }

  #separate(failure: Failure): void {
    this.#scopes.addFailed(failure)
    // What came for the same scopes meanwhile comes after them.
    const waiting = this.#waiting
    this.#waiting = waiting.filter(({ scope }) => !this.#scopes.has(scope))
    for (const member of waiting) if (this.#scopes.has(member.scope)) this.#scopes.add(member)
  }
}

/** A group of which nothing is stored, and whose members know nothing yet. */
type Failure = { members: readonly GroupMember<unknown>[]; error: unknown }

async function attempt(
  runner: GroupRunner,
  members: readonly GroupMember<unknown>[],
  unsettled: Set<string>,
  options: RunOptions,
): Promise<Failure | undefined> {
  const keys = members.flatMap((member) => member.keys)
  for (const key of keys) unsettled.add(key)
  try {
    await runner.run(members, options)
    return undefined
  } catch (error) {
    return { members, error }
  } finally {
    for (const key of keys) unsettled.delete(key)
  }
}

type Scope = {
  waiting: GroupMember<unknown>[]
  /** What failed in a group of this scope alone. */
  failure: Failure | undefined
  isRunning: boolean
  /** Another transaction held its rows for longer than a group waits. */
  isHeld: boolean
  forget: NodeJS.Timeout | undefined
}

/** Those that run again, few at a time, so that the others always find a connection. */
class SeparateScopes {
  #runner: GroupRunner
  #unsettled: Set<string>
  /** How many of those that are not held run at once. */
  #maxAtOnce: number
  /** For those that are. */
  #places: WaitingPlaces
  #isQueued = false
  #onSettled: () => void
  #scopes = new Map<string, Scope>()

  constructor(
    runner: GroupRunner,
    unsettled: Set<string>,
    maxAtOnce: number,
    places: WaitingPlaces,
    onSettled: () => void,
  ) {
    this.#runner = runner
    this.#unsettled = unsettled
    this.#maxAtOnce = maxAtOnce
    this.#places = places
    this.#onSettled = onSettled
  }

  has(scope: string): boolean {
    return this.#scopes.has(scope)
  }

  add(member: GroupMember<unknown>): void {
    this.#scopeNamed(member.scope).waiting.push(member)
    this.startSome()
  }

  addFailed(failure: Failure): void {
    for (const [name, members] of Map.groupBy(failure.members, ({ scope }) => scope)) {
      const scope = this.#scopeNamed(name)
      const isAlone = members.length === failure.members.length
      if (isAlone && !scope.isRunning && !scope.isHeld) scope.failure = failure
      // Before those that came after them.
      else scope.waiting.unshift(...members)
    }
    this.startSome()
  }

  #scopeNamed(name: string): Scope {
    const known = this.#scopes.get(name)
    if (known) return known
    const scope: Scope = {
      waiting: [],
      failure: undefined,
      isRunning: false,
      isHeld: false,
      forget: undefined,
    }
    this.#scopes.set(name, scope)
    return scope
  }

  /** Held ones wait for themselves alone; the others are done in a moment. */
  startSome(): void {
    const due = [...this.#scopes].filter(
      ([, { isRunning, failure, waiting }]) =>
        !isRunning && (failure || waiting.some((member) => isFree(member, this.#unsettled))),
    )
    const running = [...this.#scopes.values()].filter(({ isRunning, isHeld }) => isRunning && !isHeld)
    let free = this.#maxAtOnce - running.length
    for (const [name, scope] of due)
      if (!scope.isHeld) {
        if (free-- > 0) void this.#run(name, scope)
      } else if (this.#places.tryTake()) void this.#run(name, scope).finally(() => this.#places.leave())
      else this.#startWhenFree()
  }

  #startWhenFree(): void {
    if (this.#isQueued) return
    this.#isQueued = true
    this.#places.whenFree(() => {
      this.#isQueued = false
      this.startSome()
    })
  }

  async #run(name: string, scope: Scope): Promise<void> {
    scope.isRunning = true
    clearTimeout(scope.forget)
    const failure = scope.failure ?? (await this.#runWaiting(scope))
    scope.failure = undefined
    if (failure) await this.#settle(scope, failure)
    scope.isRunning = false
    if (scope.waiting.length === 0) this.#forget(name, scope)
    this.startSome()
    this.#onSettled()
  }

  async #runWaiting(scope: Scope): Promise<Failure | undefined> {
    const { members, later } = takeMembers(scope.waiting, this.#unsettled)
    scope.waiting = later
    if (members.length === 0) return undefined
    const options = scope.isHeld ? {} : { lockTimeoutMs: shortLockTimeoutMs }
    return attempt(this.#runner, members, this.#unsettled, options)
  }

  async #settle(scope: Scope, { members, error }: Failure): Promise<void> {
    if (!isLockTimeout(error)) {
      for (const member of members) await this.#runner.runAlone(member, { hasPlace: scope.isHeld })
    } else if (scope.isHeld) {
      // Those that waited behind them have waited as long.
      for (const member of [...members, ...scope.waiting.splice(0)]) member.reject(error)
    } else {
      scope.isHeld = true
      scope.waiting.unshift(...members)
    }
  }

  #forget(name: string, scope: Scope): void {
    if (!scope.isHeld) this.#scopes.delete(name)
    else
      scope.forget = setTimeout(() => {
        if (scope.waiting.length === 0) this.#scopes.delete(name)
      }, apartMs).unref()
  }
}

const isFree = ({ keys }: GroupMember<unknown>, taken: ReadonlySet<string>): boolean =>
  keys.every((key) => !taken.has(key))

/** Nobody overtakes a waiting one that has a key in common. */
function takeMembers(waiting: readonly GroupMember<unknown>[], unsettled: ReadonlySet<string>) {
  const taken = new Set(unsettled)
  const members: GroupMember<unknown>[] = []
  const later: GroupMember<unknown>[] = []
  for (const member of waiting) {
    if (members.length < maxMembers && isFree(member, taken)) members.push(member)
    else later.push(member)
    for (const key of member.keys) taken.add(key)
  }
  return { members, later }
}
