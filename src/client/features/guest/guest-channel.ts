import type { ClientMessageInput, MessageOf, ServerMessage } from '#contract/live.ts'
import { LiveSocket, parseMessage, replyTimeoutMs } from '../../api/live-socket.ts'
import { Listeners } from '../../lib/listeners.ts'

type Table = Omit<MessageOf<ClientMessageInput, 'set-restaurant-context'>, 'type' | 'ref'>

/** The live channel of a guest's page, which follows one table. A small part of what `LiveChannel` does for the crew. */
export class GuestChannel {
  #socket: LiveSocket
  #table: Table | null = null
  #refs = 0
  /** Of the message that names the table, until the server has accepted it. */
  #unanswered: string | null = ''
  #isLive = false
  #messageListeners = new Listeners<[ServerMessage]>()
  #connectionListeners = new Listeners()
  readonly onMessage = this.#messageListeners.add
  readonly onConnectionChange = this.#connectionListeners.add

  constructor() {
    this.#socket = new LiveSocket(
      // Slowly: the page polls meanwhile, and the server may have no room for it.
      { maxRetryDelayMs: 30_000 },
      {
        onOpen: () => this.#follow(),
        onMessage: (data) => this.#receive(data),
        onClose: () => this.#update(),
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

  /** Whether the server tells this page what happens at its table. */
  get isLive(): boolean {
    return this.#isLive
  }

  /** Now and after every reconnection, until it is another or null. */
  followTable(table: Table | null): void {
    this.#table = table
    if (this.#socket.isOpen) this.#follow()
  }

  #follow(): void {
    this.#unanswered = this.#table && this.#send({ type: 'set-restaurant-context', ...this.#table })
    this.#update()
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
    if (message.type === 'ack' && message.ref === this.#unanswered) this.#unanswered = null
    // The server could not reach its data.
    if (message.type === 'error' && message.code === 'unavailable')
      setTimeout(() => this.followTable(this.#table), replyTimeoutMs)
    this.#messageListeners.tell(message)
    this.#update()
  }

  #update(): void {
    const isLive = this.#socket.isHealthy && this.#unanswered === null
    if (isLive === this.#isLive) return
    this.#isLive = isLive
    this.#connectionListeners.tell()
  }
}
