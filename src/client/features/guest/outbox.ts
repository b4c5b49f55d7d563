import type { ErrorCode } from '#contract/errors.ts'
import { type ServiceType, visitDurationMs } from '#contract/requests.ts'

/** One tap of a guest, on its way to the server. Its id makes it count once, however often it is sent. */
export type Tap = {
  id: string
  restaurantId: string
  tableNumber: string
  serviceType: ServiceType
  k: string | null
  /** When it was tapped, in epoch milliseconds. */
  at: number
}

export type Answer =
  /** `request` as the server answered it, not checked. `again`: it was stored before. */
  | { type: 'stored'; request: unknown; again: boolean }
  | { type: 'refused'; code: ErrorCode; message: string }
  | { type: 'unreachable' }

export type OutboxEvent = { tap: Tap } & ({ type: 'added' } | Exclude<Answer, { type: 'unreachable' }>)

type OutboxPorts = {
  now: () => number
  /** Never rejects. */
  post: (ask: Tap) => Promise<Answer>
  /** What the device keeps over a reload. */
  storage: { all: () => Tap[]; keep: (ask: Tap) => void; drop: (ask: Tap) => void }
  /** Calls back after a pause, or never when the returned function was called. */
  schedule: (ms: number, work: () => void) => () => void
  random: () => number
}

export const visitExpiredText = 'Your session has expired after 3 hours.'
const backoff = { firstMs: 1_000, mostMs: 30_000 }

/** Keeps each tap on the device until the server stored it or refused it, and never gives up in between. */
export class Outbox {
  readonly #world: OutboxPorts
  #waiting: readonly Tap[] = []
  #posting = new Set<string>()
  #tries = 0
  #cancelRetry = (): void => {}
  #reached = true
  #reachListeners = new Set<() => void>()
  #listeners = new Set<(event: OutboxEvent) => void>()
  /** What happened before the app came; null since then. */
  #unheard: OutboxEvent[] | null = []

  constructor(world: OutboxPorts) {
    this.#world = world
  }

  /** Takes up what an earlier page left behind. */
  start(): void {
    const known = new Set(this.#waiting.map(({ id }) => id))
    const left = this.#world.storage.all().filter(({ id }) => !known.has(id))
    this.#waiting = [...left, ...this.#waiting].toSorted((a, b) => a.at - b.at)
    this.retryNow()
  }

  /** A tap. It is on the device before this returns. */
  add(ask: Tap): void {
    this.#world.storage.keep(ask)
    this.#waiting = [...this.#waiting, ask]
    this.#tell({ type: 'added', tap: ask })
    void this.#post(ask)
  }

  /** A tap that is not sent at all. */
  refuse(ask: Tap, code: ErrorCode, message: string): void {
    this.#tell({ type: 'refused', tap: ask, code, message })
  }

  /** Sends what waits at once: the network or the page came back. */
  readonly retryNow = (): void => {
    this.#tries = 0
    this.#cancelRetry()
    this.#postAll()
  }

  /** The same array until it changes. */
  readonly waiting = (): readonly Tap[] => this.#waiting

  /** False while what waits was tried, and the server not reached. */
  readonly isReachable = (): boolean => this.#reached

  readonly subscribeReachability = (listener: () => void): (() => void) => {
    this.#reachListeners.add(listener)
    return () => this.#reachListeners.delete(listener)
  }

  readonly subscribe = (listener: (event: OutboxEvent) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Like `subscribe`, but hears first what happened before anybody listened this way. */
  subscribeWithReplay(listener: (event: OutboxEvent) => void): () => void {
    const missed = this.#unheard ?? []
    this.#unheard = null
    for (const event of missed) listener(event)
    return this.subscribe(listener)
  }

  #postAll(): void {
    for (const ask of this.#waiting) void this.#post(ask)
  }

  async #post(ask: Tap): Promise<void> {
    if (this.#posting.has(ask.id)) return
    if (this.#world.now() - ask.at > visitDurationMs) {
      return this.#finish(ask, { type: 'refused', code: 'visit_expired', message: visitExpiredText })
    }
    this.#posting.add(ask.id)
    const answer = await this.#world.post(ask)
    this.#posting.delete(ask.id)
    this.#setReached(answer.type !== 'unreachable')
    if (answer.type === 'unreachable') this.#retryLater()
    else this.#finish(ask, answer)
  }

  #setReached(reached: boolean): void {
    if (reached === this.#reached) return
    this.#reached = reached
    for (const listener of this.#reachListeners) listener()
  }

  #finish(ask: Tap, answer: Exclude<Answer, { type: 'unreachable' }>): void {
    if (!this.#waiting.includes(ask)) return
    this.#world.storage.drop(ask)
    this.#waiting = this.#waiting.filter((other) => other !== ask)
    this.#tries = 0
    if (this.#waiting.length === 0) this.#setReached(true)
    this.#tell({ ...answer, tap: ask })
  }

  /** Spread by chance, so that a restarted server is not met by all its guests at one moment. */
  #retryLater(): void {
    const pause = Math.min(backoff.firstMs * 2 ** this.#tries, backoff.mostMs)
    this.#tries += 1
    this.#cancelRetry()
    this.#cancelRetry = this.#world.schedule(pause * (0.5 + this.#world.random() / 2), () => this.#postAll())
  }

  #tell(event: OutboxEvent): void {
    this.#unheard?.push(event)
    for (const listener of this.#listeners) listener(event)
  }
}
