/** `awaited`: how many followers the event has. */
type Held<T> = { event?: T; awaited: number; followers: T[] }

/**
 * Events of a stream that came before their turn. Each is released once none before it is missing, and none of what
 * follows those: events that have their number, and none of their own.
 */
export class FollowedEvents<T extends object> {
  #byNumber = new Map<number, Held<T>>()

  /** How many numbers there are events for. */
  get size(): number {
    return this.#byNumber.size
  }

  /** `followers`: how many it has. A repetition is ignored. */
  hold(seq: number, event: T, followers = 0): void {
    const held = this.#heldAt(seq)
    if (held.event) return
    held.event = event
    held.awaited = followers
  }

  holdFollower(seq: number, event: T): void {
    this.#heldAt(seq).followers.push(event)
  }

  /**
   * Takes out what may come after the event of this number, of which so many followers have not come yet, and tells the
   * same about the last of them.
   */
  release(position: number, awaited = 0): { position: number; awaited: number; events: T[] } {
    const events: T[] = []
    let last = { position, awaited }
    for (let held = this.#take(position); ; held = this.#take(last.position)) {
      const followers = held?.followers ?? []
      events.push(...followers)
      last.awaited = Math.max(0, last.awaited - followers.length)
      const next = this.#byNumber.get(last.position + 1)
      if (last.awaited > 0 || !next?.event) return { ...last, events }
      events.push(next.event)
      last = { position: last.position + 1, awaited: next.awaited }
    }
  }

  /** Forgets those that a snapshot up to this number contains. */
  forgetUpTo(seq: number): void {
    for (const held of this.#byNumber.keys()) if (held <= seq) this.#byNumber.delete(held)
  }

  #heldAt(seq: number): Held<T> {
    const held = this.#byNumber.get(seq) ?? { awaited: 0, followers: [] }
    this.#byNumber.set(seq, held)
    return held
  }

  #take(seq: number): Held<T> | undefined {
    const held = this.#byNumber.get(seq)
    this.#byNumber.delete(seq)
    return held
  }
}
