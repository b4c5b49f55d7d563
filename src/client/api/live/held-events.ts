/** Events of a stream that came before their turn. Each is released once none before it is missing. */
export class HeldEvents<T extends object> {
  #byNumber = new Map<number, T>()

  get size(): number {
    return this.#byNumber.size
  }

  /** A repetition is ignored. */
  hold(seq: number, event: T): void {
    if (!this.#byNumber.has(seq)) this.#byNumber.set(seq, event)
  }

  /** Takes out what may come after the event of this number, and the number of the last of them. */
  release(position: number): { position: number; events: T[] } {
    const events: T[] = []
    for (;;) {
      const event = this.#byNumber.get(position + 1)
      if (!event) return { position, events }
      events.push(event)
      this.#byNumber.delete(++position)
    }
  }

  /** Forgets those that a snapshot up to this number contains. */
  forgetUpTo(seq: number): void {
    for (const held of this.#byNumber.keys()) if (held <= seq) this.#byNumber.delete(held)
  }

  clear(): void {
    this.#byNumber.clear()
  }
}
