import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'

export type VirtualTime = {
  now: () => number
  /** Moves to the next timer that is due by `limit` and runs all of that moment. False, and at `limit`, without one. */
  runNext(limit: number): boolean
  /** Between two runs: the timers of a server that was killed. */
  reset(now: number): void
}

const real = { clearTimeout, clearInterval }

/**
 * From now on time passes in this process only when the simulation says so: for timers, and for `performance.now`. What
 * Node needs itself keeps the real clock.
 */
export function installVirtualTime(start: number): VirtualTime {
  let now = start
  let orders = 0
  const timers = new Set<Timer>()

  /** Also what `setTimeout` returns. A class: a server that starts sets hundreds. */
  class Timer {
    at = 0
    order = 0
    readonly everyMs: number | null
    readonly run: () => void
    #delayMs: number

    constructor(run: () => void, delayMs: number, everyMs: number | null) {
      this.run = run
      this.everyMs = everyMs
      // Node cuts off fractions, too: no clock says one.
      this.#delayMs = Math.max(1, Math.trunc(delayMs) || 0)
      this.refresh()
    }

    ref(): this {
      return this
    }

    unref(): this {
      return this
    }

    hasRef(): boolean {
      return false
    }

    refresh(): this {
      this.at = now + this.#delayMs
      this.order = ++orders
      timers.add(this)
      return this
    }

    close(): this {
      timers.delete(this)
      return this
    }

    [Symbol.dispose](): void {
      timers.delete(this)
    }
  }

  function remove(handle: unknown): void {
    if (handle instanceof Timer) timers.delete(handle)
  }

  type Callback = (...args: unknown[]) => void
  Object.assign(globalThis, {
    setTimeout: (run: Callback, ms = 1, ...args: unknown[]) => new Timer(() => run(...args), ms, null),
    setInterval: (run: Callback, ms = 1, ...args: unknown[]) =>
      new Timer(() => run(...args), ms, Math.max(1, ms)),
    clearTimeout(handle: NodeJS.Timeout | undefined) {
      remove(handle)
      real.clearTimeout(handle)
    },
    clearInterval(handle: NodeJS.Timeout | undefined) {
      remove(handle)
      real.clearInterval(handle)
    },
  })
  Object.assign(timersPromises, {
    setTimeout: (ms?: number, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
      new Promise((resolve, reject) => {
        const abort = () => reject(new DOMException('The operation was aborted', 'AbortError'))
        if (signal?.aborted === true) return abort()
        const handle = new Timer(() => resolve(value), ms ?? 1, null)
        signal?.addEventListener('abort', () => {
          remove(handle)
          abort()
        })
      }),
  })
  syncBuiltinESMExports()
  Object.defineProperty(performance, 'now', { value: () => now - start, configurable: true })

  return {
    now: () => now,
    runNext(limit) {
      const due = Math.min(limit + 1, ...[...timers].map(({ at }) => at))
      if (due > limit) {
        now = Math.max(now, limit)
        return false
      }
      now = Math.max(now, due)
      for (const timer of [...timers].filter(({ at }) => at === due).toSorted((a, b) => a.order - b.order)) {
        if (!timers.has(timer)) continue
        if (timer.everyMs === null) timers.delete(timer)
        else timer.at = due + timer.everyMs
        timer.run()
      }
      return true
    },
    reset(at) {
      timers.clear()
      now = at
    },
  }
}
