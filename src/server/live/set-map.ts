const nothing: ReadonlySet<never> = new Set<never>()

/** A set of values for each key. */
export class SetMap<V> {
  #sets = new Map<string, Set<V>>()

  get(key: string): ReadonlySet<V> {
    return this.#sets.get(key) ?? nothing
  }

  keys(): string[] {
    return [...this.#sets.keys()]
  }

  add(key: string, value: V): void {
    const set = this.#sets.get(key)
    if (set) set.add(value)
    else this.#sets.set(key, new Set([value]))
  }

  delete(key: string, value: V): void {
    const set = this.#sets.get(key)
    set?.delete(value)
    if (set?.size === 0) this.#sets.delete(key)
  }
}
