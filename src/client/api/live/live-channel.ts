import { backoffMs } from '#contract/backoff.ts'
import type {
  ClientMessageInput,
  LiveReply,
  MessageOf,
  restaurantDeletedReason,
  ServerMessage,
} from '#contract/live.ts'
import { getStored } from '../../lib/browser/browser-storage.ts'
import { Listeners } from '../../lib/listeners.ts'
import type { ProbeResult } from '../http.ts'
import { type ContextCallback, type ContextMessage, LiveContexts } from './live-contexts.ts'
import { type Due, LiveError, LiveOutbox, retryBackoff, tooLateText } from './live-outbox.ts'
import { isReplyTo } from './live-replies.ts'
import { LiveSocket, parseMessage, replyTimeoutMs, typeOf } from './live-socket.ts'
import { isKnownType, Stream, type StreamName, streamNameOf, streamNames, streamMessages } from './stream.ts'

export { type Due, LiveError, tooLateText }

const deletedReason: typeof restaurantDeletedReason = 'Restaurant deleted'

/**
 * `lastMessageAt`: so that a screen can say how old its data is. `isDeleted`: the restaurant, by its owner.
 */
export type Connection =
  | { state: 'live' }
  | { state: 'reconnecting'; lastMessageAt: number | null }
  | { state: 'signed-out'; isDeleted: boolean }

/** The requests as an earlier page of this device knew them. */
export type KeptList = { message: MessageOf<ServerMessage, 'pending-requests'>; at: number }

type LiveChannelOptions = {
  url?: () => string
  /** Guests reconnect more slowly: their page polls meanwhile, and the server may have no room for them. */
  maxRetryDelayMs?: number
  /** Staff screens check every message against the contract. */
  isMessage?: (value: unknown) => value is ServerMessage
  /** Tells quickly, so that a screen is back as soon as its server is. */
  probeServer?: () => Promise<ProbeResult>
  /** The server, of a later version than the page, has sent what the page cannot read. */
  onOutdated?: () => void
  kept?: KeptList | null
}

type OpeningMessage = MessageOf<ClientMessageInput, 'resume'>['messages'][number]
type Answer = MessageOf<ServerMessage, 'ack' | 'error'>
type FollowedStream = {
  stream: Stream
  followers: number
  /** The unanswered request for the stream's snapshot. `since`: nothing is sent if nothing came after this number. */
  pendingSnapshot: { ref: string; since: number | undefined } | null
  /** Who the page acted as when the snapshot came. */
  crewMemberId: string | undefined
  refused: boolean
  /** How often in turn the snapshot could not be had. */
  failures: number
}

/** The live channel of a page. It reconnects by itself, and leaves it to its users to show anything. */
export class LiveChannel {
  #isMessage: ((value: unknown) => value is ServerMessage) | undefined
  #onOutdated: () => void
  #socket: LiveSocket
  #contexts: LiveContexts
  #outbox: LiveOutbox
  #holders = 0
  #refs = 0
  /** What is to be sent as one message; null while each goes by itself. */
  #together: OpeningMessage[] | null = null
  #resume: { ref: string; messages: OpeningMessage[] } | null = null
  #session = Math.random().toString(36).slice(2, 8)
  #connection: Connection
  #kept: KeptList | null
  #followed: Record<StreamName, FollowedStream> = {
    requests: createFollowedStream(),
    messages: createFollowedStream(),
  }
  #messageListeners = new Listeners<[message: ServerMessage, isKnown?: boolean]>()
  #connectionListeners = new Listeners()
  /** `isKnown`: a list that says nothing new, which a part of the screen that came later has asked for. */
  readonly onMessage = this.#messageListeners.add
  readonly onConnectionChange = this.#connectionListeners.add

  constructor({
    url,
    maxRetryDelayMs = 10_000,
    isMessage,
    probeServer,
    onOutdated = () => {},
    kept = null,
  }: LiveChannelOptions = {}) {
    this.#isMessage = isMessage
    this.#onOutdated = onOutdated
    this.#kept = kept
    this.#connection = { state: 'reconnecting', lastMessageAt: kept?.at ?? null }
    this.#socket = new LiveSocket(
      { url, maxRetryDelayMs, probeServer },
      {
        onOpen: () => this.#handleOpen(),
        onMessage: (data) => this.#receive(data),
        onClose: (end, reason) => this.#handleClose(end, reason),
        onSuspect: () => this.#update(),
        onPing: () => this.#transmit({ type: 'ping', ref: this.#newRef() }),
      },
    )
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

  /** What to show until the server has sent its list. */
  get kept(): KeptList | null {
    return this.#kept
  }

  get connection(): Connection {
    return this.#connection
  }

  /** Requests the stream's snapshot now and after every reconnection, until released. */
  subscribe(name: StreamName): () => void {
    const followed = this.#followed[name]
    if (followed.followers === 0 || !this.#socket.isOpen) followed.stream.reset()
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
   * Resolves with the server's reply, rejects with its `LiveError`. An idempotent message is sent again after each
   * reconnection until it is answered; without a connection any other fails with 'unavailable'.
   */
  async request<M extends ClientMessageInput>(message: M, due?: Due): Promise<LiveReply<M['type']>> {
    if (this.#connection.state === 'signed-out') throw signedOutError()
    const type: M['type'] = message.type
    const ack = await this.#outbox.add(message, due)
    if (!isReplyTo(type, ack)) throw new LiveError('internal', 'Something went wrong')
    return ack
  }

  /** Cancels a message that was never sent; false when it may have been. */
  cancelUnsent(type: ClientMessageInput['type'], id: string): boolean {
    return this.#outbox.cancelUnsent(type, id)
  }

  #stopIfIdle(): void {
    if (this.#holders === 0 && this.#outbox.isEmpty) this.#socket.stop()
  }

  #handleOpen(): void {
    this.#together = []
    this.#contexts.connectionOpened()
    for (const name of streamNames) this.#requestSnapshot(name, this.#lastNumber(name))
    this.#transmitTogether()
    // Kept taps come after the contexts, which a server may refuse to take together.
    if (!this.#resume) this.#outbox.connectionOpened()
    this.#update()
  }

  /** Undefined when somebody needs the whole list in any case. */
  #lastNumber(name: StreamName): number | undefined {
    const { stream, crewMemberId } = this.#followed[name]
    const isSameMember = crewMemberId === this.#contexts.crewMember?.crewMemberId
    return name === 'requests' || isSameMember ? stream.position : undefined
  }

  #transmitTogether(): void {
    const messages = this.#together ?? []
    this.#together = null
    const [first] = messages
    if (!first) return
    if (messages.length === 1) return void this.#transmit(first)
    this.#resume = { ref: this.#newRef(), messages }
    this.#transmit({ type: 'resume', ...this.#resume })
  }

  #handleClose(end: 'signed-out' | 'lost', reason: string | undefined): void {
    this.#resume = null
    for (const followed of Object.values(this.#followed)) {
      const { stream, pendingSnapshot } = followed
      const needsList = pendingSnapshot !== null && pendingSnapshot.since === undefined
      if (needsList || end === 'signed-out') stream.reset()
      else stream.pause()
      Object.assign(followed, { pendingSnapshot: null, refused: false })
    }
    this.#contexts.connectionLost()
    this.#outbox.connectionLost()
    if (end === 'signed-out') this.#signOut(reason === deletedReason)
    else this.#update()
  }

  #signOut(isDeleted = false): void {
    this.#setConnection({ state: 'signed-out', isDeleted })
    this.#outbox.rejectAll(signedOutError())
    this.#socket.stop()
  }

  #receive(data: unknown): void {
    const message = parseMessage(data, this.#isMessage)
    if (!message) return this.#handleUnreadable(data)
    if (message.type === 'ack' || message.type === 'error') this.#handleAnswer(message)
    const name = streamNameOf(message)
    if (name === null) this.#messageListeners.tell(message)
    else this.#receiveFromStream(name, message)
    this.#update()
  }

  /** Types that a page does not know may be left out; one that it knows holds what only a later version can read. */
  #handleUnreadable(data: unknown): void {
    console.error('Live message not understood:', data)
    if (isKnownType(typeOf(data) ?? '')) this.#onOutdated()
  }

  #receiveFromStream(name: StreamName, message: ServerMessage): void {
    const followed = this.#followed[name]
    if (message.type === streamMessages[name].snapshot) {
      Object.assign(followed, { pendingSnapshot: null, failures: 0 })
      followed.crewMemberId = this.#contexts.crewMember?.crewMemberId
    }
    if (followed.followers === 0) return this.#messageListeners.tell(message)
    const isKnown = followed.stream.knows(message)
    for (const admitted of followed.stream.accept(message)) this.#messageListeners.tell(admitted, isKnown)
    if (followed.stream.gap && !followed.pendingSnapshot) this.#requestSnapshot(name)
  }

  #handleAnswer(answer: Answer): void {
    if (answer.ref === undefined) return
    if (answer.ref === this.#resume?.ref) return this.#handleResumeAnswer(answer, this.#resume.messages)
    const error = answer.type === 'error' ? new LiveError(answer.code, answer.message) : null
    if (this.#contexts.handleAnswer(answer.ref, error)) this.#requestRefused()
    for (const name of streamNames) {
      if (this.#followed[name].pendingSnapshot?.ref !== answer.ref) continue
      if (error) this.#handleSnapshotError(name, error)
      else if (answer.type === 'ack' && answer.unchanged) this.#resumeStream(name)
    }
    this.#outbox.handleAnswer(answer)
    this.#stopIfIdle()
  }

  /** A server of an earlier version refuses to take several messages in one. */
  #handleResumeAnswer(answer: Answer, messages: OpeningMessage[]): void {
    this.#resume = null
    const answers = answer.type === 'ack' ? (answer.answers ?? []) : []
    if (answer.type === 'error') for (const message of messages) this.#transmit(message)
    // Then the numbers that the page has may be those of another restaurant or crew member.
    else if (answers.some(({ type }, index) => type === 'error' && isContext(messages[index])))
      for (const name of streamNames) this.#requestWholeSnapshot(name)
    for (const single of answers) this.#handleAnswer(single)
    this.#outbox.connectionOpened()
  }

  #requestWholeSnapshot(name: StreamName): void {
    const { stream, pendingSnapshot } = this.#followed[name]
    if (pendingSnapshot?.since === undefined) return
    stream.reset()
    this.#requestSnapshot(name)
  }

  #resumeStream(name: StreamName): void {
    const followed = this.#followed[name]
    Object.assign(followed, { pendingSnapshot: null, failures: 0 })
    for (const message of followed.stream.resume()) this.#messageListeners.tell(message)
  }

  /** A screen that may not see the requests is signed out; on any other error the snapshot is requested again. */
  #handleSnapshotError(name: StreamName, { code }: LiveError): void {
    const isForbidden = code === 'unauthenticated' || code === 'forbidden'
    if (!isForbidden) return this.#retrySnapshot(name)
    this.#followed[name].pendingSnapshot = null
    if (name === 'requests') this.#signOut(this.#hasSleptThroughDeletion())
    else this.#followed[name].refused = true
  }

  /** Until it has come, the page is not live, even if it had an earlier one. */
  #retrySnapshot(name: StreamName): void {
    const followed = this.#followed[name]
    followed.stream.reset()
    followed.pendingSnapshot = null
    setTimeout(
      () => {
        if (!followed.pendingSnapshot && !followed.stream.whole) this.#requestSnapshot(name)
      },
      backoffMs(followed.failures++, retryBackoff),
    )
  }

  /** While the server did not know who works here, it refused their messages. */
  #requestRefused(): void {
    for (const name of streamNames) if (this.#followed[name].refused) this.#requestSnapshot(name)
  }

  /** Nobody was there to be told. A demo ends by itself. */
  #hasSleptThroughDeletion(): boolean {
    return this.#contexts.isRestaurantGone && getStored('demo') === null
  }

  #requestSnapshot(name: StreamName, since?: number): void {
    const followed = this.#followed[name]
    if (!this.#socket.isOpen || followed.followers === 0) return
    const ref = this.#newRef()
    followed.pendingSnapshot = { ref, since }
    followed.refused = false
    // The first one of a connection is waited for: a server that is slow with it has many to send.
    if (followed.stream.whole || followed.failures > 0)
      setTimeout(() => {
        if (followed.pendingSnapshot?.ref !== ref) return
        this.#retrySnapshot(name)
        this.#update()
      }, replyTimeoutMs)
    this.#transmitOpening({ type: streamMessages[name].ask, ref, ...(since !== undefined && { since }) })
  }

  #sendContext(message: ContextMessage): string | null {
    if (!this.#socket.isOpen) return null
    const ref = this.#newRef()
    this.#transmitOpening({ ...message, ref })
    return ref
  }

  #transmitOpening(message: OpeningMessage): void {
    if (this.#together) this.#together.push(message)
    else this.#transmit(message)
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
    if (!this.#socket.isHealthy || !isWhole)
      return this.#setConnection({ state: 'reconnecting', lastMessageAt: this.#socket.lastMessageAt })
    this.#kept = null
    this.#setConnection({ state: 'live' })
  }

  #setConnection(connection: Connection): void {
    if (connection.state === this.#connection.state) return
    this.#connection = connection
    this.#connectionListeners.tell()
  }
}

const isContext = (message: OpeningMessage | undefined): boolean =>
  message?.type === 'set-restaurant-context' || message?.type === 'set-crew-member-context'

const createFollowedStream = (): FollowedStream => ({
  stream: new Stream(),
  followers: 0,
  pendingSnapshot: null,
  crewMemberId: undefined,
  refused: false,
  failures: 0,
})

const signedOutError = (): LiveError => new LiveError('unauthenticated', 'Signed out')

function once(task: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    task()
  }
}
