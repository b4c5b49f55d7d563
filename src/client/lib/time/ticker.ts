import { onServerClock, serverNow } from '../server-clock.ts'

/** Shows the state of this moment, by the server's clock; returns when it next changes, in epoch milliseconds. */
type Show = (now: number) => number

const resolutionMs = 1000

/** One timer for everything that shows time. It fires when the next of them changes, and not on a hidden page. */
class Ticker {
  readonly #due = new Map<Show, number>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #firesAt = Infinity
  #ignoreClock = (): void => {}

  readonly add = (show: Show): (() => void) => {
    if (this.#due.size === 0) {
      document.addEventListener('visibilitychange', this.#run)
      this.#ignoreClock = onServerClock(this.#renew)
    }
    const due = show(serverNow())
    this.#due.set(show, due)
    this.#schedule(due)
    return () => {
      this.#due.delete(show)
      if (this.#due.size > 0) return
      document.removeEventListener('visibilitychange', this.#run)
      this.#ignoreClock()
      this.#stop()
    }
  }

  /** What was due by the clock before may be due at any time. */
  readonly #renew = (): void => {
    for (const show of this.#due.keys()) this.#due.set(show, 0)
    this.#run()
  }

  readonly #run = (): void => {
    this.#stop()
    const now = serverNow()
    let next = Infinity
    for (const [show, due] of this.#due) {
      const then = due > now ? due : show(now)
      if (then !== due) this.#due.set(show, then)
      next = Math.min(next, then)
    }
    this.#schedule(next)
  }

  /** At whole seconds, so that all tickets change together. */
  #schedule(due: number): void {
    const at = Math.ceil(due / resolutionMs) * resolutionMs
    if (at >= this.#firesAt || document.visibilityState === 'hidden') return
    this.#stop()
    this.#firesAt = at
    this.#timer = setTimeout(this.#run, at - serverNow())
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#firesAt = Infinity
  }
}

export const { add: showTime } = new Ticker()
