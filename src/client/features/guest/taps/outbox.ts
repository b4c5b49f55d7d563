import { backoffMs } from '#contract/backoff.ts'
import type { ErrorCode, RefusalBody } from '#contract/errors.ts'
import { type ServiceType, visitDurationMs } from '#contract/requests/requests.ts'
import { visitExpiredText } from '../visit.ts'

/** What a guest sends. Because of its id it counts once, however often it is sent. */
export type Kept = {
  id: string
  restaurantId: string
  tableNumber: string
  k: string | null
  /** In epoch milliseconds. */
  at: number
}

/** One tap of a guest, on its way to the server. */
export type Tap = Kept & {
  serviceType: ServiceType
  /** The id of a need of the restaurant's own. */
  need?: string | undefined
  choice?: string | undefined
  note?: string | undefined
}

export type Answer =
  /**
   * `request` is not validated yet. `again`: it had been stored before. `closed`: how it has ended since. `listening`: not
   * in every answer. `noteCut`: the crew cannot see all of its note.
   */
  | {
      type: 'stored'
      request: unknown
      again: boolean
      closed?: unknown
      listening?: unknown
      noteCut?: unknown
    }
  | ({ type: 'refused' } & RefusalBody)
  | { type: 'unreachable' }

export type OutboxEvent<T = Tap> = { tap: T } & (
  | { type: 'added' }
  | { type: 'withdrawn' }
  | Exclude<Answer, { type: 'unreachable' }>
)

type OutboxPorts<T> = {
  now: () => number
  /** Never rejects. */
  post: (tap: T) => Promise<Answer>
  /** Outlives a reload. */
  storage: { all: () => T[]; save: (tap: T) => void; remove: (tap: T) => void }
  /** Returns a function that cancels the task. */
  schedule: (ms: number, task: () => void) => () => void
  random: () => number
}

const backoff = { firstMs: 1_000, growth: 2, maxMs: 30_000 }

/** Keeps each tap on the device until the server has stored or refused it, or the guest takes it back. */
export class Outbox<T extends Kept = Tap> {
  readonly #ports: OutboxPorts<T>
  #waiting: readonly T[] = []
  #posting = new Set<string>()
  #tries = 0
  #cancelRetry = (): void => {}
  #reachable = true
  #reachListeners = new Set<() => void>()
  #listeners = new Set<(event: OutboxEvent<T>) => void>()
  /** What happened before the app had loaded; null since then. */
  #missed: OutboxEvent<T>[] | null = []

  constructor(ports: OutboxPorts<NoInfer<T>>) {
    this.#ports = ports
  }

  /** Resumes the taps that an earlier page left behind. */
  start(): void {
    const known = new Set(this.#waiting.map(({ id }) => id))
    const left = this.#ports.storage.all().filter(({ id }) => !known.has(id))
    this.#waiting = [...left, ...this.#waiting].toSorted((a, b) => a.at - b.at)
    this.retryNow()
  }

  /** The tap is stored on the device before this returns. */
  add(tap: T): void {
    this.#ports.storage.save(tap)
    this.#waiting = [...this.#waiting, tap]
    this.#emit({ type: 'added', tap })
    void this.#post(tap)
  }

  /** For a tap that is not sent at all. */
  refuse(tap: T, code: ErrorCode, message: string): void {
    this.#emit({ type: 'refused', tap, code, message })
  }

  /** It is not sent again. What was sent before may still arrive. */
  withdraw(tap: T): void {
    this.#finish(tap, { type: 'withdrawn' })
  }

  /** For when the network or the page has come back. */
  readonly retryNow = (): void => {
    this.#tries = 0
    this.#cancelRetry()
    this.#postAll()
  }

  /** The same array as long as nothing changes. */
  readonly waiting = (): readonly T[] => this.#waiting

  /** False when the last attempt to send a waiting tap did not reach the server. */
  readonly isReachable = (): boolean => this.#reachable

  readonly subscribeReachability = (listener: () => void): (() => void) => {
    this.#reachListeners.add(listener)
    return () => this.#reachListeners.delete(listener)
  }

  readonly subscribe = (listener: (event: OutboxEvent<T>) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** What happened so far, until somebody follows it. */
  readonly missed = (): readonly OutboxEvent<T>[] => this.#missed ?? []

  /** Like `subscribe`, but the first such listener also gets the events it missed. */
  subscribeWithReplay(listener: (event: OutboxEvent<T>) => void): () => void {
    const missed = this.#missed ?? []
    this.#missed = null
    for (const event of missed) listener(event)
    return this.subscribe(listener)
  }

  #postAll(): void {
    for (const tap of this.#waiting) void this.#post(tap)
  }

  async #post(tap: T): Promise<void> {
    if (this.#posting.has(tap.id)) return
    if (this.#ports.now() - tap.at > visitDurationMs) {
      return this.#finish(tap, { type: 'refused', code: 'visit_expired', message: visitExpiredText })
    }
    this.#posting.add(tap.id)
    const answer = await this.#ports.post(tap)
    this.#posting.delete(tap.id)
    this.#setReachable(answer.type !== 'unreachable')
    if (answer.type === 'unreachable') this.#retryLater()
    else this.#finish(tap, answer)
  }

  #setReachable(reachable: boolean): void {
    if (reachable === this.#reachable) return
    this.#reachable = reachable
    for (const listener of this.#reachListeners) listener()
  }

  #finish(tap: T, answer: { type: 'withdrawn' } | Exclude<Answer, { type: 'unreachable' }>): void {
    if (!this.#waiting.includes(tap)) return
    this.#ports.storage.remove(tap)
    this.#waiting = this.#waiting.filter((other) => other !== tap)
    this.#tries = 0
    if (this.#waiting.length === 0) this.#setReachable(true)
    this.#emit({ ...answer, tap })
  }

  #retryLater(): void {
    const delay = backoffMs(this.#tries, backoff, this.#ports.random)
    this.#tries += 1
    this.#cancelRetry()
    this.#cancelRetry = this.#ports.schedule(delay, () => this.#postAll())
  }

  #emit(event: OutboxEvent<T>): void {
    this.#missed?.push(event)
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch (error) {
        // The tap is sent, whatever the page makes of it.
        reportError(error)
      }
    }
  }
}
