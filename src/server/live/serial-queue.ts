/** Runs tasks one after another, in the order in which they were added. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve()
  #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  add(task: () => Promise<void>): void {
    this.#last = this.#last.then(task).catch(this.#onError)
  }

  /** Resolves when all tasks added so far are done. */
  whenDone(): Promise<void> {
    return this.#last
  }
}
