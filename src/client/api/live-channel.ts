import type { MessageOf, ClientMessageInput, ServerMessage } from '#contract/live.ts'
import { type ContextCallback, type ContextMessage, LiveContexts } from './live-contexts.ts'
import { type Ack, LiveError, LiveOutbox } from './live-outbox.ts'
import { LiveSocket, replyTimeoutMs } from './live-socket.ts'
import { Stream, type StreamName, streamNameOf, streamNames, streamMessages } from './stream.ts'

export { type Ack, LiveError }

/** `lastMessageAt`: so that a screen can say how old its data is. */
export type Connection =
  | { state: 'live' }
  | { state: 'reconnecting'; lastMessageAt: number | null }
  | { state: 'signed-out' }

type LiveChannelOptions = {
  url?: () => string
  /** Guests reconnect more slowly: their page polls meanwhile, and the server may have no room for them. */
  maxRetryDelayMs?: number
  /** Staff screens check every message against the contract; the guest page goes without the schemas. */
  isMessage?: (value: unknown) => value is ServerMessage
}

type Answer = MessageOf<ServerMessage, 'ack' | 'error'>
/** `pendingSnapshot`: the unanswered request for the stream's snapshot. */
type FollowedStream = {
  stream: Stream
  followers: number
  pendingSnapshot: { ref: string; at: number } | null
  refused: boolean
}

/** The live channel of a page. It reconnects by itself, and leaves it to its users to show anything. */
export class LiveChannel {
  #isMessage: (value: unknown) => value is ServerMessage
  #socket: LiveSocket
  #contexts: LiveContexts
  #outbox: LiveOutbox
  #holders = 0
  #refs = 0
  #session = Math.random().toString(36).slice(2, 8)
  #connection: Connection = { state: 'reconnecting', lastMessageAt: null }
  #followed: Record<StreamName, FollowedStream> = {
    requests: createFollowedStream(),
    messages: createFollowedStream(),
  }
  #messageListeners = new Set<(message: ServerMessage) => void>()
  #connectionListeners = new Set<() => void>()

  constructor({
    url = defaultUrl,
    maxRetryDelayMs = 10_000,
    isMessage = hasMessageType,
  }: LiveChannelOptions = {}) {
    this.#isMessage = isMessage
    this.#socket = new LiveSocket(url, maxRetryDelayMs, {
      onOpen: () => this.#handleOpen(),
      onMessage: (data) => this.#receive(data),
      onClose: (reason) => this.#handleClose(reason),
      onSuspect: () => this.#update(),
      onPing: () => this.#transmit({ type: 'ping', ref: this.#newRef() }),
    })
    this.#contexts = new LiveContexts((message) => this.#sendContext(message))
    this.#outbox = new LiveOutbox(
      (message) => this.#transmit(message),
      () => this.#newRef(),
      () => this.#contexts.crewMember,
    )
  }

  /** The channel stays open until every holder has released it. */
  acquire(): () => void {
    this.#holders += 1
    if (this.#connection.state === 'signed-out')
      this.#setConnection({ state: 'reconnecting', lastMessageAt: null })
    this.#socket.start()
    return once(() => {
      this.#holders -= 1
      this.#stopIfIdle()
    })
  }

  get connection(): Connection {
    return this.#connection
  }

  onConnectionChange(listener: () => void): () => void {
    this.#connectionListeners.add(listener)
    return () => this.#connectionListeners.delete(listener)
  }

  onMessage(listener: (message: ServerMessage) => void): () => void {
    this.#messageListeners.add(listener)
    return () => this.#messageListeners.delete(listener)
  }

  /** Requests the stream's snapshot now and after every reconnection, until released. */
  subscribe(name: StreamName): () => void {
    const followed = this.#followed[name]
    if (followed.followers === 0) followed.stream.reset()
    followed.followers += 1
    this.#requestSnapshot(name)
    this.#update()
    return once(() => {
      followed.followers -= 1
      this.#update()
    })
  }

  /** Sends the context now and after every reconnection, until it is cleared. */
  setContext(message: ContextMessage, onAnswer?: ContextCallback): void {
    this.#contexts.set(message, onAnswer)
  }

  clearContext(type: ContextMessage['type']): void {
    this.#contexts.clear(type)
  }

  /** For a hint that may be lost. False when there is no open socket. */
  send(message: ClientMessageInput): boolean {
    if (!this.#socket.isOpen) console.error('Not sent, the live channel is closed:', message.type)
    return this.#transmit(message)
  }

  /**
   * Resolves with the server's answer, rejects with its `LiveError`. An idempotent message is sent again after each
   * reconnection until it is answered; without a connection any other fails with 'unavailable'.
   */
  async request(message: ClientMessageInput): Promise<Ack> {
    if (this.#connection.state === 'signed-out') throw signedOutError()
    return await this.#outbox.add(message)
  }

  /** Cancels a message that was never sent; false when it may have been. */
  cancelUnsent(type: ClientMessageInput['type'], id: string): boolean {
    return this.#outbox.cancelUnsent(type, id)
  }

  #stopIfIdle(): void {
    if (this.#holders === 0 && this.#outbox.isEmpty) this.#socket.stop()
  }

  #handleOpen(): void {
    this.#contexts.connectionOpened()
    this.#outbox.connectionOpened()
    for (const name of streamNames) this.#requestSnapshot(name)
    this.#update()
  }

  #handleClose(reason: 'signed-out' | 'lost'): void {
    for (const followed of Object.values(this.#followed)) {
      followed.stream.reset()
      Object.assign(followed, { pendingSnapshot: null, refused: false })
    }
    this.#contexts.connectionLost()
    this.#outbox.connectionLost()
    if (reason === 'signed-out') this.#signOut()
    else this.#update()
  }

  #signOut(): void {
    this.#setConnection({ state: 'signed-out' })
    this.#outbox.rejectAll(signedOutError())
    this.#socket.stop()
  }

  #receive(data: unknown): void {
    const message = parseMessage(data, this.#isMessage)
    if (!message) return console.error('Live message not understood:', data)
    if (message.type === 'ack' || message.type === 'error') this.#handleAnswer(message)
    const name = streamNameOf(message)
    if (name === null) this.#emit(message)
    else this.#receiveFromStream(name, message)
    this.#update()
  }

  #receiveFromStream(name: StreamName, message: ServerMessage): void {
    const followed = this.#followed[name]
    if (message.type === streamMessages[name].snapshot) followed.pendingSnapshot = null
    if (followed.followers === 0) return this.#emit(message)
    for (const admitted of followed.stream.accept(message)) this.#emit(admitted)
    if (!followed.stream.gap) return
    if (!followed.pendingSnapshot || Date.now() - followed.pendingSnapshot.at > replyTimeoutMs)
      this.#requestSnapshot(name)
  }

  #emit(message: ServerMessage): void {
    for (const listener of this.#messageListeners) listener(message)
  }

  #handleAnswer(answer: Answer): void {
    if (answer.ref === undefined) return
    const error = answer.type === 'error' ? new LiveError(answer.code, answer.message) : null
    this.#contexts.handleAnswer(answer.ref, error)
    for (const name of streamNames)
      if (error && this.#followed[name].pendingSnapshot?.ref === answer.ref)
        this.#handleSnapshotError(name, error)
    this.#outbox.handleAnswer(answer)
    this.#stopIfIdle()
  }

  /** A screen that may not see the requests is signed out; on any other error the snapshot is requested again. */
  #handleSnapshotError(name: StreamName, { code }: LiveError): void {
    const followed = this.#followed[name]
    followed.pendingSnapshot = null
    const isForbidden = code === 'unauthenticated' || code === 'forbidden'
    if (!isForbidden)
      setTimeout(
        () => !followed.pendingSnapshot && !followed.stream.whole && this.#requestSnapshot(name),
        replyTimeoutMs,
      )
    else if (name === 'requests') this.#signOut()
    else followed.refused = true
  }

  #requestSnapshot(name: StreamName): void {
    const followed = this.#followed[name]
    if (!this.#socket.isOpen || followed.followers === 0) return
    const ref = this.#newRef()
    followed.pendingSnapshot = { ref, at: Date.now() }
    followed.refused = false
    this.#transmit({ type: streamMessages[name].ask, ref })
  }

  #sendContext(message: ContextMessage): string | null {
    if (!this.#socket.isOpen) return null
    const ref = this.#newRef()
    this.#transmit({ ...message, ref })
    return ref
  }

  #transmit(message: ClientMessageInput): boolean {
    return this.#socket.send(JSON.stringify(message))
  }

  #newRef(): string {
    this.#refs += 1
    return `${this.#session}-${this.#refs}`
  }

  #update(): void {
    if (this.#connection.state === 'signed-out') return
    const isWhole = Object.values(this.#followed).every(
      ({ followers, stream, refused }) => followers === 0 || stream.whole || refused,
    )
    if (this.#socket.isHealthy && isWhole) this.#setConnection({ state: 'live' })
    else this.#setConnection({ state: 'reconnecting', lastMessageAt: this.#socket.lastMessageAt })
  }

  #setConnection(connection: Connection): void {
    if (connection.state === this.#connection.state) return
    this.#connection = connection
    for (const listener of this.#connectionListeners) listener()
  }
}

const createFollowedStream = (): FollowedStream => ({
  stream: new Stream(),
  followers: 0,
  pendingSnapshot: null,
  refused: false,
})

const signedOutError = (): LiveError => new LiveError('unauthenticated', 'Signed out')

const defaultUrl = (): string => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`

function parseMessage(
  data: unknown,
  isMessage: (value: unknown) => value is ServerMessage,
): ServerMessage | null {
  try {
    const value: unknown = JSON.parse(String(data))
    return isMessage(value) ? value : null
  } catch {
    return null
  }
}

const hasMessageType = (value: unknown): value is ServerMessage =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

function once(task: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    task()
  }
}
