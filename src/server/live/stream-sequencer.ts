/** How long a number may be missing before it counts as lost, in milliseconds: nodes publish side by side. */
const gapTimeoutMs = 250

type Stream = {
  delivered: number
  held: { seq: number; deliver: () => void }[]
  timer: NodeJS.Timeout | null
}

/**
 * Delivers the events of each stream in the order of their numbers, whatever order the bus brought them in, and
 * says so when one stays missing.
 */
export class StreamSequencer {
  #streams = new Map<string, Stream>()
  #onGap: (stream: string) => void

  constructor(onGap: (stream: string) => void) {
    this.#onGap = onGap
  }

  /** `opens` events take a number of the stream; the others go with the one that has their number. */
  receive(name: string, seq: number, opens: boolean, deliver: () => void): void {
    const stream = this.#streams.get(name)
    if (!stream) {
      this.#streams.set(name, { delivered: seq, held: [], timer: null })
      deliver()
    } else if (!opens) {
      if (seq <= stream.delivered) deliver()
      else this.#hold(name, stream, seq, deliver)
    } else if (seq === stream.delivered + 1) {
      stream.delivered = seq
      deliver()
      this.#release(stream)
    } else if (seq > stream.delivered) this.#hold(name, stream, seq, deliver)
  }

  /** Where delivery stands; undefined while nothing is known. */
  position(name: string): number | undefined {
    return this.#streams.get(name)?.delivered
  }

  /** Where a stream stood before anybody here read a snapshot of it: what comes after must all come. */
  startAt(name: string, seq: number): void {
    if (!this.#streams.has(name)) this.#streams.set(name, { delivered: seq, held: [], timer: null })
  }

  /** A snapshot up to `seq` is on its way to everybody; what is held up to there is in it. */
  skipTo(name: string, seq: number): void {
    const stream = this.#streams.get(name)
    if (!stream) {
      this.#streams.set(name, { delivered: seq, held: [], timer: null })
      return
    }
    if (seq <= stream.delivered) return
    stream.delivered = seq
    stream.held = stream.held.filter((event) => event.seq > seq)
    this.#release(stream)
  }

  forget(name: string): void {
    clearTimeout(this.#streams.get(name)?.timer ?? undefined)
    this.#streams.delete(name)
  }

  close(): void {
    for (const name of this.#streams.keys()) this.forget(name)
  }

  #hold(name: string, stream: Stream, seq: number, deliver: () => void): void {
    stream.held.push({ seq, deliver })
    stream.timer ??= setTimeout(() => {
      stream.timer = null
      if (stream.held.length > 0) this.#onGap(name)
    }, gapTimeoutMs)
  }

  #release(stream: Stream): void {
    const due = stream.held.toSorted((a, b) => a.seq - b.seq)
    stream.held = []
    for (const event of due) {
      if (event.seq > stream.delivered + 1) stream.held.push(event)
      else {
        stream.delivered = Math.max(stream.delivered, event.seq)
        event.deliver()
      }
    }
    if (stream.held.length > 0) return
    clearTimeout(stream.timer ?? undefined)
    stream.timer = null
  }
}
