import type { Positions } from '../../core/streams.ts'
import { FollowedEvents } from './followed-events.ts'

/** Nodes publish concurrently, so events may arrive out of order; a number missing for longer counts as lost. */
const gapTimeoutMs = 250
/** A stream that loses numbers again and again waits longer each time: what is only late needs no recovery. */
const maxDoublings = 3
const forgetGapsAfterMs = 10_000
/** A timer that is later than this shows that the process was busy: what has come meanwhile may be unread. */
const busyAfterMs = 50
const maxWaitsWhileBusy = 8

type Stream = {
  delivered: number
  /** How many followers of that number have not come yet: an event after it must not overtake them. */
  awaited: number
  held: FollowedEvents<() => void>
  timer: NodeJS.Timeout | null
  gaps: number
  lastGapAt: number
}

const newStream = (delivered: number, awaited = 0): Stream => ({
  delivered,
  awaited,
  held: new FollowedEvents(),
  timer: null,
  gaps: 0,
  lastGapAt: Number.NEGATIVE_INFINITY,
})

const isWaiting = ({ held, awaited }: Stream): boolean => held.size > 0 || awaited > 0

/**
 * Delivers the events of each stream in the order of their numbers, in whatever order they arrive, and reports a
 * number that stays missing.
 */
export class StreamSequencer {
  #streams = new Map<string, Stream>()
  #onGap: (stream: string) => void

  constructor(onGap: (stream: string) => void) {
    this.#onGap = onGap
  }

  /**
   * An event that `advances` has a number of its own, and so many followers; any other follows the event that has the
   * same number. Nodes of earlier versions do not say how many: then those of the next event may come before them.
   */
  receive(name: string, seq: number, advances: { followers: number } | null, deliver: () => void): void {
    const stream = this.#streams.get(name)
    if (!stream) this.#streams.set(name, newStream(seq, advances?.followers))
    if (!stream || (!advances && seq < stream.delivered)) return deliver()
    if (!advances) stream.held.holdFollower(seq, deliver)
    else if (seq > stream.delivered) stream.held.hold(seq, deliver, advances.followers)
    this.#release(stream)
    if (isWaiting(stream)) this.#waitForMissing(name, stream)
  }

  /** The last number delivered; undefined for a stream that is not followed. */
  position(name: string): number | undefined {
    return this.#streams.get(name)?.delivered
  }

  /** The streams that are followed. */
  names = (): IterableIterator<string> => this.#streams.keys()

  /** Whether everything up to this number was delivered, and nothing waits for a number that is missing. */
  isComplete(name: string, lastSeq: number): boolean {
    const stream = this.#streams.get(name)
    return stream !== undefined && !isWaiting(stream) && stream.delivered >= lastSeq
  }

  /** All streams that are followed, with the last number delivered of each, in parts of at most `most`. */
  *positions(most: number): Generator<Positions> {
    let part: Positions = { streams: [], lastSeqs: [] }
    for (const [name, { delivered }] of this.#streams) {
      part.streams.push(name)
      part.lastSeqs.push(delivered)
      if (part.streams.length < most) continue
      yield part
      part = { streams: [], lastSeqs: [] }
    }
    if (part.streams.length > 0) yield part
  }

  /** Starts following a stream before a snapshot of it is read: every later event must arrive. */
  startAt(name: string, seq: number): void {
    if (!this.#streams.has(name)) this.#streams.set(name, newStream(seq))
  }

  /** Everybody gets a snapshot up to `seq`, which includes the events held until then. */
  skipTo(name: string, seq: number): void {
    const stream = this.#streams.get(name)
    if (!stream) {
      this.#streams.set(name, newStream(seq))
      return
    }
    if (seq < stream.delivered) return
    stream.delivered = seq
    stream.awaited = 0
    stream.held.forgetUpTo(seq)
    this.#release(stream)
  }

  forget(name: string): void {
    clearTimeout(this.#streams.get(name)?.timer ?? undefined)
    this.#streams.delete(name)
  }

  close(): void {
    for (const name of this.#streams.keys()) this.forget(name)
  }

  #waitForMissing(name: string, stream: Stream): void {
    if (stream.timer) return
    if (performance.now() - stream.lastGapAt > forgetGapsAfterMs) stream.gaps = 0
    this.#wait(name, stream, gapTimeoutMs * 2 ** Math.min(stream.gaps, maxDoublings))
  }

  #wait(name: string, stream: Stream, ms: number, waits = 1): void {
    const dueAt = performance.now() + ms
    stream.timer = setTimeout(() => {
      stream.timer = null
      if (!isWaiting(stream)) return
      const now = performance.now()
      if (now - dueAt > busyAfterMs && waits < maxWaitsWhileBusy)
        return this.#wait(name, stream, ms, waits + 1)
      stream.gaps++
      stream.lastGapAt = now
      this.#onGap(name)
    }, ms)
  }

  #release(stream: Stream): void {
    const { position, awaited, events } = stream.held.release(stream.delivered, stream.awaited)
    stream.delivered = position
    stream.awaited = awaited
    for (const deliver of events) deliver()
    if (isWaiting(stream)) return
    clearTimeout(stream.timer ?? undefined)
    stream.timer = null
  }
}
