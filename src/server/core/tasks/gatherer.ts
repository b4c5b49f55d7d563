import { setTimeout } from 'node:timers/promises'

type Call<T> = { items: readonly T[]; resolve: () => void; reject: (error: unknown) => void }

/**
 * Gathers what arrives for a key within a moment, or while what came before is handled, and handles it together. The moments
 * of several keys end together, so that what they write can share a transaction: each takes at least half a window, and at
 * most a whole one.
 */
export class Gatherer<T> {
  #windowMs: number
  #handle: (key: string, items: T[]) => Promise<void>
  #isOutage: (error: unknown) => boolean
  #gathering = new Map<string, Call<T>[]>()
  #handling = new Map<string, Promise<void>>()
  /** When the current window ends, which keys that begin now share. */
  #end: Promise<void> | undefined

  /** `isOutage`: an error that none could avoid alone. */
  constructor(
    windowMs: number,
    handle: (key: string, items: T[]) => Promise<void>,
    isOutage: (error: unknown) => boolean = () => false,
  ) {
    this.#windowMs = windowMs
    this.#handle = handle
    this.#isOutage = isOutage
  }

  /** Resolves when these items have been handled; rejects only if that fails for them alone too. */
  add(key: string, items: readonly T[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const calls = this.#gathering.get(key) ?? this.#begin(key)
      calls.push({ items, resolve, reject })
    })
  }

  #begin(key: string): Call<T>[] {
    const calls: Call<T>[] = []
    this.#gathering.set(key, calls)
    const handled = Promise.all([this.#windowEnd(), this.#handling.get(key)])
      .then(() => {
        this.#gathering.delete(key)
        return this.#handleTogether(key, calls)
      })
      .then(() => {
        if (this.#handling.get(key) === handled) this.#handling.delete(key)
      })
    this.#handling.set(key, handled)
    return calls
  }

  #windowEnd(): Promise<void> {
    if (this.#end) return this.#end
    const end = setTimeout(this.#windowMs)
    this.#end = end
    void setTimeout(this.#windowMs / 2).then(() => {
      this.#end = undefined
    })
    return end
  }

  async #handleTogether(key: string, calls: Call<T>[]): Promise<void> {
    try {
      await this.#handle(
        key,
        calls.flatMap(({ items }) => items),
      )
      for (const { resolve } of calls) resolve()
    } catch (error) {
      if (calls.length === 1 || this.#isOutage(error)) for (const { reject } of calls) reject(error)
      else await Promise.all(calls.map((call) => this.#handleTogether(key, [call])))
    }
  }
}
