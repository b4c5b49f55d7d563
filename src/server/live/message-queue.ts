/**
 * Handles the messages of one connection one after another, so that a context is set before it is used. What is about
 * one `subject` waits only for what came before about the same, and for what is about none; what is about none waits for
 * all.
 */
export class MessageQueue {
  #unfinished = 0
  /** What all that follows waits for. */
  #last: Promise<unknown> = Promise.resolve()
  /** By subject: the last about it since then. */
  #lastAbout = new Map<string, Promise<void>>()

  get isIdle(): boolean {
    return this.#unfinished === 0
  }

  /** Resolves when all tasks added so far are done. */
  async whenIdle(): Promise<void> {
    await Promise.all([this.#last, ...this.#lastAbout.values()])
  }

  /** Resolves when the task is done, which must not reject. */
  add(task: () => Promise<void>, subject: string | null): Promise<void> {
    this.#unfinished++
    const before =
      subject === null
        ? Promise.all([this.#last, ...this.#lastAbout.values()])
        : (this.#lastAbout.get(subject) ?? this.#last)
    const done = before.then(task).then(() => {
      this.#unfinished--
      if (subject !== null && this.#lastAbout.get(subject) === done) this.#lastAbout.delete(subject)
    })
    if (subject !== null) this.#lastAbout.set(subject, done)
    else {
      this.#last = done
      this.#lastAbout.clear()
    }
    return done
  }
}
