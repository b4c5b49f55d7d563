import { useSyncExternalStore } from 'react'

/** One timer per interval, however many components read it; it stops while the page is hidden. */
class Clock {
  #now = 0
  #timer: ReturnType<typeof setInterval> | undefined
  readonly #listeners = new Set<() => void>()
  readonly #every: number

  constructor(every: number) {
    this.#every = every
  }

  readonly now = (): number => {
    if (this.#timer === undefined && Date.now() - this.#now >= this.#every) this.#now = Date.now()
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
    this.#timer = setInterval(this.#tick, this.#every)
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

function clockFor(every: number): Clock {
  const running = clocks.get(every) ?? new Clock(every)
  clocks.set(every, running)
  return running
}

/** The time in epoch milliseconds, renewed every `everyMs` and whenever the page is shown again. */
export function useNow(everyMs: number): number {
  const { subscribe, now } = clockFor(everyMs)
  return useSyncExternalStore(subscribe, now, now)
}
