import { backoffMs } from '#contract/backoff.ts'
import type { ClientMessageInput, MessageOf, ServerMessage } from '#contract/live.ts'
import { LiveSocket, parseMessage, replyTimeoutMs } from '../../../api/live/live-socket.ts'
import { Listeners } from '../../../lib/listeners.ts'

type Table = Omit<MessageOf<ClientMessageInput, 'set-restaurant-context'>, 'type' | 'ref'>

/** Slowly: the page polls meanwhile, and the server may have no room for it. */
const maxRetryDelayMs = 30_000
const retryDelay = { firstMs: 2 * replyTimeoutMs, growth: 1.6, maxMs: maxRetryDelayMs }

/** The live channel of a guest's page, which follows one table. A small part of what `LiveChannel` does for the crew. */
export class GuestChannel {
  #socket: LiveSocket
  #table: Table | null = null
  #refs = 0
  /** The `ref` of the last message that named the table; null without one. */
  #asked: string | null = null
  #isAccepted = false
  #tries = 0
  #retry: ReturnType<typeof setTimeout> | undefined
  #isLive = false
  /** When it last named the table. */
  askedAt = -Infinity
  #messageListeners = new Listeners<[ServerMessage]>()
  #connectionListeners = new Listeners()
  readonly onMessage = this.#messageListeners.add
  readonly onConnectionChange = this.#connectionListeners.add

  constructor() {
    this.#socket = new LiveSocket(
      { maxRetryDelayMs },
      {
        onOpen: () => this.#follow(),
        onMessage: (data) => this.#receive(data),
        onClose: () => {
          clearTimeout(this.#retry)
          this.#update()
        },
        onSuspect: () => this.#update(),
        onPing: () => this.#send({ type: 'ping' }),
      },
    )
  }

  /** Returns a function that closes it. */
  open(): () => void {
    this.#socket.start()
    return () => this.#socket.stop()
  }

  /** The server knows a socket's visit by the cookie that it was opened with. */
  reopen(): void {
    this.#socket.stop()
    this.#socket.start()
  }

  /** Whether the server tells this page what happens at its table. */
  get isLive(): boolean {
    return this.#isLive
  }

  /** Now and after every reconnection, until it is another or null. */
  followTable(table: Table | null): void {
    this.#table = table
    this.#tries = 0
    if (this.#socket.isOpen) this.#follow()
  }

  /** Asks until the server has accepted it: what is refused is tried again like what is lost. */
  #follow(): void {
    clearTimeout(this.#retry)
    this.askedAt = Date.now()
    this.#asked = this.#table && this.#send({ type: 'set-restaurant-context', ...this.#table })
    this.#isAccepted = !this.#table
    if (this.#table) {
      this.#retry = setTimeout(() => this.#follow(), backoffMs(this.#tries, retryDelay))
      this.#tries += 1
    }
    this.#update()
  }

  #accepted(): void {
    clearTimeout(this.#retry)
    this.#isAccepted = true
    this.#tries = 0
  }

  #send(message: ClientMessageInput): string {
    this.#refs += 1
    const ref = String(this.#refs)
    this.#socket.send(JSON.stringify({ ...message, ref }))
    return ref
  }

  #receive(data: unknown): void {
    const message = parseMessage(data)
    if (!message) return
    const isAnswer = 'ref' in message && message.ref === this.#asked
    // Such a list is of an earlier table, or lacks what the guest has done since.
    if (message.type === 'ack' && message.requests && !isAnswer) return
    if (isAnswer && !this.#isAccepted) {
      if (message.type === 'ack') this.#accepted()
      // Asking for a table that is gone counts as guessing.
      else if (message.type === 'error' && message.code === 'not_found') clearTimeout(this.#retry)
    }
    this.#messageListeners.tell(message)
    this.#update()
  }

  #update(): void {
    const isLive = this.#socket.isHealthy && this.#isAccepted
    if (isLive === this.#isLive) return
    this.#isLive = isLive
    this.#connectionListeners.tell()
  }
}
