type Held<T> = { event?: T; followers: T[] }

/**
 * Events of a stream that came before their turn. Each is released once none before it is missing, and after it
 * whatever follows it: events that have its number, and none of their own.
 */
export class HeldEvents<T extends object> {
  #byNumber = new Map<number, Held<T>>()

  /** How many numbers there are events for. */
  get size(): number {
    return this.#byNumber.size
  }

  /** A repetition is ignored. */
  hold(seq: number, event: T): void {
    this.#heldAt(seq).event ??= event
  }

  holdFollower(seq: number, event: T): void {
    this.#heldAt(seq).followers.push(event)
  }

  /** Takes out what may come after the event of this number, and the number of the last of them. */
  release(position: number): { position: number; events: T[] } {
    const events = this.#take(position)?.followers ?? []
    for (let last = position; ; last++) {
      const event = this.#byNumber.get(last + 1)?.event
      if (!event) return { position: last, events }
      events.push(event, ...(this.#take(last + 1)?.followers ?? []))
    }
  }

  /** Forgets those that a snapshot up to this number contains. */
  forgetUpTo(seq: number): void {
    for (const held of this.#byNumber.keys()) if (held <= seq) this.#byNumber.delete(held)
  }

  clear(): void {
    this.#byNumber.clear()
  }

  #heldAt(seq: number): Held<T> {
    const held = this.#byNumber.get(seq) ?? { followers: [] }
    this.#byNumber.set(seq, held)
    return held
  }

  #take(seq: number): Held<T> | undefined {
    const held = this.#byNumber.get(seq)
    this.#byNumber.delete(seq)
    return held
  }
}
