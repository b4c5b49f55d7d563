import type { closeCodes, ServerMessage } from '#contract/live.ts'
import type { Actor } from '../core/actor.ts'
import type { Topic } from '../core/topics.ts'
import { TokenBucket } from './limits/token-bucket.ts'

/** What the gateway needs from a socket: `ws` in production, a fake in tests. */
export type Socket = {
  /** Many sockets may be given the same frame. */
  send(frame: Buffer): void
  close(code: number, reason: string): void
  /** Closes without waiting for the other side. */
  terminate(): void
  ping(): void
  /** Bytes the other side has not received yet. */
  readonly bufferedBytes: number
  listen(listener: SocketListener): void
}

type SocketListener = {
  onMessage: (text: string) => void
  /** The other side answered a ping or sent a message. */
  onHeard: () => void
  onClose: () => void
}

/** A reader that falls further behind is cut off; it reconnects and gets a snapshot, which may be larger than this. */
const maxBufferedBytes = 256 * 1024
const rate = { burst: 20, perSecond: 20 }
/** How long the other side has to answer the close, in milliseconds. */
const closeTimeoutMs = 2_500

type CloseCode = (typeof closeCodes)[keyof typeof closeCodes]

/** Closes a connection and removes it from all rooms at once, even if the other side is slow to close. */
export type Disconnect = (connection: Connection, code: CloseCode, reason: string) => void

export class Connection {
  /** Set by the session at the upgrade; changes only when a crew member is chosen or a grant ends. */
  actor: Actor
  readonly topics = new Map<string, Topic>()
  /** The restaurant whose events it receives, as staff or as a guest at a table. */
  restaurantId: string | null = null
  /** Set for staff screens: what the screen reported about itself. */
  screen: { sound: boolean; push: boolean; visible: boolean } | null = null
  /** The restaurant whose code this guest has shown. */
  codeOf: string | null = null
  /** It has sent a `resume`. */
  hasResumed = false
  lastCheckedAt: number
  /** Since when it has been unknown whether its login is still valid. */
  unconfirmedSince: number | null = null
  /** By the heartbeat's clock, as is what follows. */
  lastPingAt: number
  lastHeardAt: number
  unansweredPings = 0
  /** Its session ended, so it will not reconnect by itself. */
  sessionEnded = false
  /** Its user signed out. */
  signedOut = false
  #closing = false
  #silent = false
  #socket: Socket
  #queued: Buffer[] = []
  /** What is waited for before it is sent any event. */
  #holds = 0
  #holdsUntilAnswered = false
  #changes = 0
  #holdsUntilChecked = false
  /** The largest snapshot that may still be on its way, in bytes. */
  #snapshotBytes = 0
  #rateBucket: TokenBucket

  constructor(socket: Socket, actor: Actor, now: number, heardAt = now) {
    this.#socket = socket
    this.actor = actor
    this.lastCheckedAt = now
    this.lastPingAt = heardAt
    this.lastHeardAt = heardAt
    this.#rateBucket = new TokenBucket(rate, now)
  }

  /**
   * It answers heartbeats and its page is visible. A device with push alerts is counted separately, even when hidden
   * or asleep, so what its page reports about push does not matter here.
   */
  get isListening(): boolean {
    return this.screen !== null && !this.#silent && this.screen.visible
  }

  get isSilent(): boolean {
    return this.#silent
  }

  /** Once closing, its messages are ignored and nothing more is sent to it. */
  get isClosing(): boolean {
    return this.#closing
  }

  send(frame: Buffer): void {
    if (this.#holds > 0) this.#queued.push(frame)
    else this.#write(frame)
  }

  /** For answers to this connection alone, which need not wait for a snapshot. */
  sendDirectly(message: ServerMessage): void {
    this.#write(toFrame(message))
  }

  #write(frame: Buffer): void {
    if (this.#closing) return
    const { bufferedBytes } = this.#socket
    if (bufferedBytes === 0) this.#snapshotBytes = 0
    if (bufferedBytes > maxBufferedBytes + this.#snapshotBytes) this.terminate()
    else this.#socket.send(frame)
  }

  /**
   * The topic must be joined before the query starts. Events that arrive while the query runs are held back until the
   * snapshot is sent, so that none is lost and none is undone by an older snapshot.
   */
  async sendSnapshot(read: () => Promise<Buffer>): Promise<void> {
    this.#holds++
    try {
      const frame = await read()
      this.#write(frame)
      this.#snapshotBytes = Math.max(this.#snapshotBytes, frame.length)
    } finally {
      this.#release()
    }
  }

  /** From now on the same holds for the list that the message being handled is answered with. */
  holdUntilAnswered(): void {
    if (this.#holdsUntilAnswered) return
    this.#holdsUntilAnswered = true
    this.#holds++
  }

  markAnswered(): void {
    if (!this.#holdsUntilAnswered) return
    this.#holdsUntilAnswered = false
    this.#release()
  }

  /** How often its login or its crew member was said to have changed. */
  get changes(): number {
    return this.#changes
  }

  /** It may have lost its right to events: they wait until a check that begins after this lets it go on. */
  holdUntilChecked(): void {
    this.#changes++
    if (this.#holdsUntilChecked) return
    this.#holdsUntilChecked = true
    this.#holds++
  }

  markChecked(): void {
    if (!this.#holdsUntilChecked) return
    this.#holdsUntilChecked = false
    this.#release()
  }

  #release(): void {
    if (--this.#holds === 0) for (const frame of this.#queued.splice(0)) this.#write(frame)
  }

  /** False when it sends too many messages. */
  takeRateToken(now: number): boolean {
    return this.#rateBucket.take(1, now) === 0
  }

  ping(now: number): void {
    this.lastPingAt = now
    this.unansweredPings++
    this.#socket.ping()
  }

  /** True when a staff screen has just fallen silent. */
  markSilent(now: number, afterMs: number): boolean {
    if (this.#silent || now - this.lastHeardAt <= afterMs) return false
    this.#silent = true
    return this.screen !== null
  }

  /** True when a staff screen that was silent is heard from again. */
  markHeard(now: number): boolean {
    this.lastHeardAt = now
    this.unansweredPings = 0
    if (!this.#silent) return false
    this.#silent = false
    return this.screen !== null
  }

  close(code: CloseCode, reason: string): void {
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

/** Encodes the message once, however many receive it. */
export function broadcast(to: Iterable<Connection>, message: ServerMessage): void {
  let frame: Buffer | null = null
  for (const connection of to) connection.send((frame ??= toFrame(message)))
}

export const toFrame = (message: ServerMessage): Buffer => toTextFrame(JSON.stringify(message))

/** FIN, and the opcode of a text message. */
const wholeText = 0x81

/** A text message as it goes over a WebSocket. A server masks nothing, so every receiver gets the same bytes. */
function toTextFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const lengthBytes = length < 126 ? 0 : length < 2 ** 16 ? 2 : 8
  const frame = Buffer.allocUnsafe(2 + lengthBytes + length)
  frame[0] = wholeText
  if (lengthBytes === 0) frame[1] = length
  else if (lengthBytes === 2) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, 2 + lengthBytes)
  return frame
}
