import type { ServerMessage } from '#contract/live.ts'
import { Semaphore } from '../../core/tasks/semaphore.ts'
import { type Connection, toFrame } from '../connection.ts'
import type { StreamSequencer } from './stream-sequencer.ts'

/** How old a snapshot may be in what no event announces, such as a new name of the restaurant; in milliseconds. */
const keepMs = 1_000

type Snapshot = { seq: number; frame: Buffer; readAt: number }
type ReadSnapshot = () => Promise<ServerMessage & { seq: number }>

/** Reads and encodes the snapshot of a stream once for all screens that ask for it at about the same time. */
export class StreamSnapshots {
  #now: () => number
  #sequencer: StreamSequencer
  #readPosition: (stream: string) => Promise<number>
  #kept = new Map<string, Snapshot>()
  /** The snapshots that wait for their turn, and those in `#begun`. */
  #reading = new Map<string, Promise<Snapshot>>()
  #begun = new Set<Promise<Snapshot>>()
  #reads: Semaphore
  /** Changes whenever a stream is forgotten: what was read before says nothing about it any more. */
  #followed = new Map<string, symbol>()

  constructor(
    now: () => number,
    sequencer: StreamSequencer,
    readPosition: (stream: string) => Promise<number>,
    maxReads: number,
  ) {
    this.#now = now
    this.#sequencer = sequencer
    this.#readPosition = readPosition
    this.#reads = new Semaphore(maxReads)
  }

  /**
   * The connection must have joined the stream's topic, so that it receives whatever is delivered from now on. False,
   * and nothing is sent, when nothing came after `since`.
   */
  async send(
    to: Connection,
    stream: string,
    since: number | undefined,
    read: ReadSnapshot,
  ): Promise<boolean> {
    if (since !== undefined && (await this.follow(stream)) === since) return false
    await to.sendSnapshot(async () => (await this.#get(stream, read)).frame)
    return true
  }

  /** Notices events that get lost from now on. Returns the number of the last one delivered, if it is known. */
  async follow(stream: string): Promise<number | undefined> {
    if (this.#sequencer.position(stream) === undefined) {
      const start = this.#startFollowing(stream)
      start(await this.#readPosition(stream))
    }
    return this.#sequencer.position(stream)
  }

  /** The streams that are followed, or about to be. */
  followed = (): IterableIterator<string> => this.#followed.keys()

  /** Nobody is here for it, so that its events are not delivered. */
  forget(stream: string): void {
    this.#followed.delete(stream)
    this.#kept.delete(stream)
    this.#reading.delete(stream)
  }

  async #get(stream: string, read: ReadSnapshot): Promise<Snapshot> {
    const joinedAt = this.#sequencer.position(stream)
    // What comes after the number at which a screen joins, the screen receives.
    const hasAll = ({ seq }: Snapshot): boolean => joinedAt !== undefined && seq >= joinedAt
    const kept = this.#kept.get(stream)
    if (kept && this.#now() - kept.readAt < keepMs && hasAll(kept)) return kept
    const reading = this.#reading.get(stream)
    if (reading && this.#begun.has(reading)) {
      const snapshot = await reading
      if (hasAll(snapshot)) return snapshot
    }
    // Whatever is read from here on began after the screen joined.
    return this.#reading.get(stream) ?? this.#read(stream, read)
  }

  #read(stream: string, read: ReadSnapshot): Promise<Snapshot> {
    const reading: Promise<Snapshot> = this.#reads.run('snapshots', async () => {
      // Not before `reading` has its value.
      await Promise.resolve()
      this.#begun.add(reading)
      try {
        const start = this.#startFollowing(stream)
        const readAt = this.#now()
        const message = await read()
        const snapshot = { seq: message.seq, frame: toFrame(message), readAt }
        if (start(message.seq)) this.#keep(stream, snapshot)
        return snapshot
      } finally {
        this.#begun.delete(reading)
        if (this.#reading.get(stream) === reading) this.#reading.delete(stream)
      }
    })
    this.#reading.set(stream, reading)
    return reading
  }

  /** Returns what to call with the stream's number, which is false if the stream was forgotten meanwhile. */
  #startFollowing(stream: string): (seq: number) => boolean {
    const followed = this.#followed.get(stream) ?? Symbol(stream)
    this.#followed.set(stream, followed)
    return (seq) => {
      if (this.#followed.get(stream) !== followed) return false
      this.#sequencer.startAt(stream, seq)
      return true
    }
  }

  #keep(stream: string, snapshot: Snapshot): void {
    this.#kept.set(stream, snapshot)
    setTimeout(() => {
      if (this.#kept.get(stream) === snapshot) this.#kept.delete(stream)
    }, keepMs).unref()
  }
}
