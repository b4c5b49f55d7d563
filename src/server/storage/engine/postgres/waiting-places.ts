/**
 * Few may wait for rows that others hold, each on a connection of its own, so that whoever waits for nothing always finds
 * another one.
 */
export class WaitingPlaces {
  #free: number
  #queue: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  tryTake(): boolean {
    if (this.#free === 0) return false
    this.#free--
    return true
  }

  /** Resolves once it has one. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      const attempt = () => (this.tryTake() ? resolve() : this.whenFree(attempt))
      attempt()
    })
  }

  /** Calls back once, when somebody has left one; whoever called first tries first. */
  whenFree(attempt: () => void): void {
    this.#queue.push(attempt)
  }

  leave(): void {
    this.#free++
    for (const attempt of this.#queue.splice(0)) attempt()
  }
}
