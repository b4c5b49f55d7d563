/** Runs a limited number of tasks at once per key; the others wait in order of arrival. */
export class Semaphore {
  #limit: number
  #running = new Map<string, number>()
  #waiting = new Map<string, (() => void)[]>()

  constructor(limit: number) {
    this.#limit = limit
  }

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key) ?? 0
    if (running < this.#limit) this.#running.set(key, running + 1)
    else await this.#wait(key)
    try {
      return await task()
    } finally {
      this.#release(key)
    }
  }

  #wait(key: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(key) ?? []
      this.#waiting.set(key, waiting)
      waiting.push(resolve)
    })
  }

  /** Hands its place to the next waiting task, so that no newer one can overtake it. */
  #release(key: string): void {
    const running = this.#running.get(key) ?? 0
    const waiting = this.#waiting.get(key) ?? []
    const next = waiting.shift()
    if (waiting.length === 0) this.#waiting.delete(key)
    if (next) next()
    else if (running > 1) this.#running.set(key, running - 1)
    else this.#running.delete(key)
  }
}
