import type { closeCodes, ServerMessage } from '#contract/live.ts'
import type { Actor } from '../core/actor.ts'

/** What the gateway needs of a socket; `ws` provides it in production, a pair of queues in tests. */
export type Socket = {
  send(text: string): void
  close(code: number, reason: string): void
  /** Ends it without waiting for the other side. */
  terminate(): void
  ping(): void
  /** Bytes that the other side has not taken yet. */
  readonly bufferedBytes: number
  onMessage(listener: (text: string) => void): void
  onPong(listener: () => void): void
  onClose(listener: () => void): void
}

/** Past this a reader is too slow to be told the truth; it comes back and gets a snapshot. */
const maxBufferedBytes = 256 * 1024
const messagesPerSecond = 20
/** For the other side to answer the close, in milliseconds. */
const closeTimeoutMs = 2_500

export class Connection {
  /** Fixed by the session at the upgrade; only the chosen crew member and ended grants change it. */
  actor: Actor
  readonly topics = new Set<string>()
  /** The restaurant whose news it gets, as staff or as a guest at a table. */
  restaurantId: string | null = null
  /** A staff screen, and what it said of itself. */
  screen: { sound: boolean; push: boolean; visible: boolean } | null = null
  lastCheckedAt: number
  /** Since when it is not known whether its login still stands. */
  unconfirmedSince: number | null = null
  lastPingAt: number
  lastPongAt: number
  /** Its session ended: whoever is behind it does not come back by itself. */
  sessionEnded = false
  /** Whoever is behind it signed out. */
  signedOut = false
  #closing = false
  #silent = false
  #socket: Socket
  #queued: string[] = []
  #pendingSnapshots = 0
  #tokens = messagesPerSecond
  #refilledAt: number

  constructor(socket: Socket, actor: Actor, now: number) {
    this.#socket = socket
    this.actor = actor
    this.lastCheckedAt = now
    this.lastPingAt = now
    this.lastPongAt = now
    this.#refilledAt = now
  }

  /**
   * A fact, not a guess: it answered the last heartbeat and its page is visible. A device with push on counts by
   * itself, hidden or asleep; what its page says of that is not taken for it.
   */
  get isListening(): boolean {
    return this.screen !== null && !this.#silent && this.screen.visible
  }

  get isSilent(): boolean {
    return this.#silent
  }

  /** From here on nothing that it says counts, and nothing is told to it. */
  get isClosing(): boolean {
    return this.#closing
  }

  send(text: string): void {
    if (this.#pendingSnapshots > 0) this.#queued.push(text)
    else this.#write(text)
  }

  /** An answer to this connection alone: it waits for no snapshot. */
  sendDirectly(message: ServerMessage): void {
    this.#write(JSON.stringify(message))
  }

  #write(text: string): void {
    if (this.#closing) return
    if (this.#socket.bufferedBytes > maxBufferedBytes) this.terminate()
    else this.#socket.send(text)
  }

  /**
   * Sends a snapshot with no gap and no ghost: the topic is joined before the query, and events that arrive while
   * it runs are held back until the snapshot is out.
   */
  async sendSnapshot(read: () => Promise<ServerMessage>): Promise<void> {
    this.#pendingSnapshots++
    try {
      this.#write(JSON.stringify(await read()))
    } finally {
      if (--this.#pendingSnapshots === 0) for (const text of this.#queued.splice(0)) this.#write(text)
    }
  }

  /** False when it sends more than it may. */
  takeRateToken(now: number): boolean {
    const refill = ((now - this.#refilledAt) / 1000) * messagesPerSecond
    this.#tokens = Math.min(messagesPerSecond, this.#tokens + refill)
    this.#refilledAt = now
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  ping(now: number): void {
    this.lastPingAt = now
    this.#socket.ping()
  }

  /** True when the other side has just become too quiet to count as there. */
  markSilent(now: number, afterMs: number): boolean {
    if (this.#silent || now - this.lastPongAt <= afterMs) return false
    this.#silent = true
    return this.screen !== null
  }

  /** True when it was silent until now. */
  markAnswered(now: number): boolean {
    this.lastPongAt = now
    if (!this.#silent) return false
    this.#silent = false
    return this.screen !== null
  }

  close(code: (typeof closeCodes)[keyof typeof closeCodes], reason: string): void {
    if (this.#closing) return
    this.#closing = true
    this.#queued = []
    this.#socket.close(code, reason)
    setTimeout(() => this.#socket.terminate(), closeTimeoutMs).unref()
  }

  terminate(): void {
    this.#closing = true
    this.#queued = []
    this.#socket.terminate()
  }
}
