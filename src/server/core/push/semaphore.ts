/** Lets so many work at once under one name; others wait for their turn, first come first served. */
export class Semaphore {
  #atOnce: number
  #running = new Map<string, number>()
  #waiting = new Map<string, (() => void)[]>()

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key) ?? 0
    if (running < this.#atOnce) this.#running.set(key, running + 1)
    else await this.#itsTurn(key)
    try {
      return await work()
    } finally {
      this.#leave(key, this.#running.get(key) ?? 0)
    }
  }

  #itsTurn(name: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(name) ?? []
      this.#waiting.set(name, waiting)
      waiting.push(resolve)
    })
  }

  /** Whoever waits takes the place over, so that nobody comes in between. */
  #leave(name: string, running: number): void {
    const waiting = this.#waiting.get(name) ?? []
    const next = waiting.shift()
    if (waiting.length === 0) this.#waiting.delete(name)
    if (next) next()
    else if (running > 1) this.#running.set(name, running - 1)
    else this.#running.delete(name)
  }
}
