/** Remembers what is still running, so that the server can wait for it before it stops. */
export class TaskTracker {
  #running = new Set<Promise<unknown>>()

  track(task: Promise<unknown>): void {
    const forget = () => void this.#running.delete(task)
    this.#running.add(task)
    task.then(forget, forget)
  }

  /** Resolves when nothing is running, including what was started while waiting. */
  async whenIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }
}
