/** Functions to call when something happens. */
export class Listeners<Told extends unknown[] = []> {
  #listeners = new Set<(...told: Told) => void>()

  /** Returns a function that ends it. */
  readonly add = (listener: (...told: Told) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  tell(...told: Told): void {
    for (const listener of this.#listeners) listener(...told)
  }
}
