import { useSyncExternalStore } from 'react'

/** One timer per interval, however many components read it; it stops while the page is hidden. */
class Clock {
  #now = 0
  #timer: ReturnType<typeof setInterval> | undefined
  readonly #listeners = new Set<() => void>()
  readonly #intervalMs: number

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
  }

  readonly now = (): number => {
    if (this.#timer === undefined && Date.now() - this.#now >= this.#intervalMs) this.#now = Date.now()
    return this.#now
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.#listeners.size === 0) {
      document.addEventListener('visibilitychange', this.#follow)
      this.#follow()
    }
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      document.removeEventListener('visibilitychange', this.#follow)
      this.#rest()
    }
  }

  readonly #follow = (): void => {
    this.#rest()
    if (document.visibilityState === 'hidden') return
    this.#timer = setInterval(this.#tick, this.#intervalMs)
    this.#tick()
  }

  readonly #tick = (): void => {
    this.#now = Date.now()
    for (const listener of this.#listeners) listener()
  }

  #rest(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

const clocks = new Map<number, Clock>()

function clockFor(intervalMs: number): Clock {
  const clock = clocks.get(intervalMs) ?? new Clock(intervalMs)
  clocks.set(intervalMs, clock)
  return clock
}

const neverSubscribe = () => () => undefined

/**
 * The time in epoch milliseconds, renewed every `intervalMs` and whenever the page is shown again. `isRunning`: whether
 * anything depends on it now.
 */
export function useNow(intervalMs: number, isRunning = true): number {
  const { subscribe, now } = clockFor(intervalMs)
  return useSyncExternalStore(isRunning ? subscribe : neverSubscribe, now, now)
}
