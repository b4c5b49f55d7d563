import type { ErrorCode } from '#contract/errors.ts'
import type { MessageOf, OutgoingMessage, ServerMessage, closeCodes } from '#contract/live.ts'
import { Stream, type StreamName, streamNameOf, streams } from './stream.ts'

/** `heardAt`: when the server was last heard, so that a screen can say how old its data is. */
export type Connection =
  | { state: 'live' }
  | { state: 'reconnecting'; heardAt: number | null }
  | { state: 'signed-out' }

export type Ack = MessageOf<ServerMessage, 'ack'>

/** A message that was refused, with the server's own words. */
export class LiveError extends Error {
  override name = 'LiveError'
  readonly code: ErrorCode
  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export type ContextMessage = Extract<
  OutgoingMessage,
  { type: 'set-restaurant-context' | 'set-crew-member-context' | 'update-assigned-tables' | 'listening' }
>
/** Called each time the server answered: null when it took the context, and again after a reconnection. */
export type Answered = (refused: LiveError | null) => void

export type LiveOptions = {
  url?: () => string
  /** Staff screens check every frame against the contract; the guest page leaves the checker out. */
  isMessage?: (value: unknown) => value is ServerMessage
}

const signedOut: typeof closeCodes.signedOut = 4401
const pingEveryMs = 15_000
const answerWithinMs = 5_000
const steadyAfterMs = 5_000
const retry = { firstMs: 1_000, growth: 1.6, mostMs: 10_000 }

/** Doing one of these twice is doing it once, so they are sent until the server answered. */
const idempotent = new Set<OutgoingMessage['type']>([
  'accept-request',
  'release-request',
  'complete-request',
  'reopen-request',
  'requests-seen',
  'delete-team-message',
])
const isLasting = (message: OutgoingMessage): boolean =>
  idempotent.has(message.type) ||
  ((message.type === 'send-team-message' || message.type === 'service-request') && message.id !== undefined)

const contextOrder: ContextMessage['type'][] = [
  'set-restaurant-context',
  'set-crew-member-context',
  'update-assigned-tables',
  'listening',
]

/** The server takes 20 messages a second; contexts, questions and pings need room too. */
const pace = { messages: 10, perMs: 1000 }

type Waiting = {
  message: OutgoingMessage
  sent: boolean
  lasting: boolean
  resolve: (ack: Ack) => void
  reject: (error: LiveError) => void
}

/** One live channel per page. It heals by itself; it shows nothing and goes nowhere. */
export class Live {
  #options: LiveOptions
  #socket: WebSocket | null = null
  #open = false
  #running = false
  #tries = 0
  #retry: ReturnType<typeof setTimeout> | undefined
  #patience: ReturnType<typeof setTimeout> | undefined
  #holders = 0
  #refs = 0
  #session = Math.random().toString(36).slice(2, 8)
  #connection: Connection = { state: 'reconnecting', heardAt: null }
  #heardAt: number | null = null
  #doubted = false
  #interval: ReturnType<typeof setInterval> | undefined
  #deadline: ReturnType<typeof setTimeout> | undefined
  #outbox = new Map<string, Waiting>()
  #sentAt: number[] = []
  #pumping: ReturnType<typeof setTimeout> | undefined
  #contexts = new Map<ContextMessage['type'], { message: ContextMessage; answered: Answered | undefined }>()
  #contextRefs = new Map<string, ContextMessage['type']>()
  #streams = { requests: new Stream(), messages: new Stream() }
  #followers = { requests: 0, messages: 0 }
  /** The last question per stream that was not answered yet, and when it was put. */
  #asked = new Map<StreamName, { ref: string; at: number }>()
  #refused = new Set<StreamName>()
  #messageListeners = new Set<(message: ServerMessage) => void>()
  #connectionListeners = new Set<() => void>()

  constructor(options: LiveOptions = {}) {
    this.#options = options
  }

  /** The channel is open while somebody holds it. */
  hold(): () => void {
    this.#holders += 1
    if (this.#connection.state === 'signed-out') this.#report({ state: 'reconnecting', heardAt: null })
    this.#start()
    return once(() => {
      this.#holders -= 1
      this.#stopIfIdle()
    })
  }

  get connection(): Connection {
    return this.#connection
  }

  onConnection(listener: () => void): () => void {
    this.#connectionListeners.add(listener)
    return () => this.#connectionListeners.delete(listener)
  }

  onMessage(listener: (message: ServerMessage) => void): () => void {
    this.#messageListeners.add(listener)
    return () => this.#messageListeners.delete(listener)
  }

  /** Asks for the stream's snapshot now and on every reconnection, until released. */
  follow(name: StreamName): () => void {
    if (this.#followers[name] === 0) this.#streams[name].reset()
    this.#followers[name] += 1
    this.#ask(name)
    this.#update()
    return once(() => {
      this.#followers[name] -= 1
      this.#update()
    })
  }

  /** Said now and again on every reconnection, until forgotten. */
  setContext(message: ContextMessage, answered?: Answered): void {
    this.#contexts.set(message.type, { message, answered })
    this.#sendContext(message.type)
  }

  forgetContext(type: ContextMessage['type']): void {
    this.#contexts.delete(type)
  }

  /** A hint that may be lost. False when there is no open socket. */
  send(message: OutgoingMessage): boolean {
    if (!this.#open) console.error('The live channel is closed: not sent', message.type)
    return this.#transmit(message)
  }

  /**
   * Resolves with the server's answer, rejects with its `LiveError`. What may be repeated is kept
   * and sent again after a reconnection until it was answered; anything else fails with 'unavailable'.
   */
  async request(message: OutgoingMessage): Promise<Ack> {
    return await new Promise((resolve, reject) => {
      const lasting = isLasting(message)
      if (this.#connection.state === 'signed-out')
        return reject(new LiveError('unauthenticated', 'Signed out'))
      if (!this.#open && !lasting) return reject(new LiveError('unavailable', 'No connection to the server'))
      const ref = this.#newRef()
      this.#outbox.set(ref, { message, sent: false, lasting, resolve, reject })
      this.#pump()
    })
  }

  #start(): void {
    if (this.#running) return
    this.#running = true
    this.#interval = setInterval(this.#beat, pingEveryMs)
    for (const [target, name] of wakeUps()) target.addEventListener(name, this.#wake)
    this.#connect()
  }

  #stopIfIdle(): void {
    if (this.#holders === 0 && this.#outbox.size === 0) this.#stop()
  }

  #stop(): void {
    this.#running = false
    clearInterval(this.#interval)
    for (const [target, name] of wakeUps()) target.removeEventListener(name, this.#wake)
    this.#drop()
  }

  #connect(): void {
    this.#drop()
    const socket = new WebSocket((this.#options.url ?? ownHost)())
    this.#socket = socket
    const whileCurrent =
      <E>(work: (event: E) => void) =>
      (event: E) => {
        if (this.#socket === socket) work(event)
      }
    socket.addEventListener(
      'open',
      whileCurrent(() => this.#opened()),
    )
    socket.addEventListener(
      'message',
      whileCurrent(({ data }: MessageEvent<unknown>) => this.#heard(data)),
    )
    socket.addEventListener(
      'close',
      whileCurrent(({ code }: CloseEvent) => this.#closed(code)),
    )
    this.#patience = setTimeout(() => this.#closed(), answerWithinMs)
  }

  /** Leaves the socket without waiting for its farewell, which a dead one never gives. */
  #drop(): void {
    const socket = this.#socket
    this.#socket = null
    clearTimeout(this.#retry)
    clearTimeout(this.#patience)
    socket?.close()
    this.#lost()
  }

  #closed(code?: number): void {
    this.#drop()
    if (code === signedOut) return this.#signOut()
    if (this.#running) this.#retry = setTimeout(() => this.#connect(), this.#nextDelay())
  }

  /** Spread by chance, so that a restarted server is not met by all its screens at one moment. */
  #nextDelay(): number {
    const delay = Math.min(retry.firstMs * retry.growth ** this.#tries, retry.mostMs)
    this.#tries += 1
    return delay * (0.5 + Math.random() / 2)
  }

  #opened(): void {
    clearTimeout(this.#patience)
    this.#patience = setTimeout(() => {
      this.#tries = 0
    }, steadyAfterMs)
    this.#open = true
    this.#heardAt = Date.now()
    this.#doubted = false
    for (const type of contextOrder) this.#sendContext(type)
    this.#pump()
    this.#ask('requests')
    this.#ask('messages')
    this.#update()
  }

  /** Sends what was not sent on this connection yet, in order and no faster than the server takes it. */
  #pump = (): void => {
    clearTimeout(this.#pumping)
    if (!this.#open) return
    for (const [ref, waiting] of this.#outbox) {
      if (waiting.sent) continue
      const pause = this.#pauseBeforeNext()
      if (pause > 0) {
        this.#pumping = setTimeout(this.#pump, pause)
        return
      }
      waiting.sent = true
      this.#transmit({ ...waiting.message, ref })
    }
  }

  #pauseBeforeNext(): number {
    const now = Date.now()
    const earliest = this.#sentAt.length < pace.messages ? -Infinity : (this.#sentAt[0] ?? -Infinity)
    const pause = earliest + pace.perMs - now
    if (pause > 0) return pause
    this.#sentAt = [...this.#sentAt, now].slice(-pace.messages)
    return 0
  }

  #lost(): void {
    this.#open = false
    clearTimeout(this.#pumping)
    for (const waiting of this.#outbox.values()) waiting.sent = false
    this.#forgiveDeadline()
    this.#asked.clear()
    this.#refused.clear()
    this.#contextRefs.clear()
    for (const stream of Object.values(this.#streams)) stream.reset()
    this.#rejectWaiting(new LiveError('unavailable', 'The connection was lost'), ({ lasting }) => !lasting)
    this.#update()
  }

  #signOut(): void {
    this.#stop()
    this.#report({ state: 'signed-out' })
    this.#rejectWaiting(new LiveError('unauthenticated', 'Signed out'), () => true)
  }

  #rejectWaiting(error: LiveError, which: (waiting: Waiting) => boolean): void {
    for (const [ref, waiting] of this.#outbox) {
      if (!which(waiting)) continue
      this.#outbox.delete(ref)
      waiting.reject(error)
    }
  }

  #heard(data: unknown): void {
    const message = parse(data, this.#options.isMessage ?? looksLikeMessage)
    if (!message) return console.error('A live message was not understood', data)
    this.#heardAt = Date.now()
    this.#doubted = false
    this.#forgiveDeadline()
    if (message.type === 'ack' || message.type === 'error') this.#answered(message)
    const name = streamNameOf(message)
    if (name === null) this.#tell(message)
    else this.#follow(name, message)
    this.#update()
  }

  #follow(name: StreamName, message: ServerMessage): void {
    const stream = this.#streams[name]
    if (message.type === streams[name].snapshot) this.#asked.delete(name)
    if (this.#followers[name] === 0) return this.#tell(message)
    for (const admitted of stream.admit(message)) this.#tell(admitted)
    if (stream.gap) this.#askOnce(name)
  }

  #tell(message: ServerMessage): void {
    for (const listener of this.#messageListeners) listener(message)
  }

  #answered(answer: MessageOf<ServerMessage, 'ack' | 'error'>): void {
    const { ref } = answer
    if (ref === undefined) return
    const error = answer.type === 'error' ? new LiveError(answer.code, answer.message) : null
    const context = this.#contextRefs.get(ref)
    if (context) {
      this.#contextRefs.delete(ref)
      this.#contexts.get(context)?.answered?.(error)
    }
    for (const [name, asked] of this.#asked) if (error && asked.ref === ref) this.#askRefused(name, error)
    const waiting = this.#outbox.get(ref)
    if (!waiting) return
    if (error?.code === 'rate_limited' && waiting.lasting) return this.#later(waiting)
    this.#outbox.delete(ref)
    if (answer.type === 'ack') waiting.resolve(answer)
    else if (error) waiting.reject(error)
    this.#stopIfIdle()
  }

  #later(waiting: Waiting): void {
    waiting.sent = false
    clearTimeout(this.#pumping)
    this.#pumping = setTimeout(this.#pump, pace.perMs)
  }

  #askRefused(name: StreamName, { code }: LiveError): void {
    this.#asked.delete(name)
    this.#refused.add(name)
    if (name === 'requests' && (code === 'unauthenticated' || code === 'forbidden')) this.#signOut()
  }

  #ask(name: StreamName): void {
    if (!this.#open || this.#followers[name] === 0) return
    const ref = this.#newRef()
    this.#asked.set(name, { ref, at: Date.now() })
    this.#refused.delete(name)
    this.#transmit({ type: streams[name].ask, ref })
  }

  #askOnce(name: StreamName): void {
    const asked = this.#asked.get(name)
    if (!asked || Date.now() - asked.at > answerWithinMs) this.#ask(name)
  }

  #sendContext(type: ContextMessage['type']): void {
    const context = this.#contexts.get(type)
    if (!context || !this.#open) return
    const ref = this.#newRef()
    this.#contextRefs.set(ref, type)
    this.#transmit({ ...context.message, ref })
  }

  #transmit(message: OutgoingMessage): boolean {
    if (!this.#open) return false
    this.#socket?.send(JSON.stringify(message))
    return true
  }

  #newRef(): string {
    this.#refs += 1
    return `${this.#session}-${this.#refs}`
  }

  #beat = (): void => {
    if (!this.#open || globalThis.document?.hidden) return
    this.#transmit({ type: 'ping', ref: this.#newRef() })
    this.#deadline ??= setTimeout(() => this.#connect(), answerWithinMs)
  }

  #forgiveDeadline(): void {
    clearTimeout(this.#deadline)
    this.#deadline = undefined
  }

  /** The device or its network woke up: an open socket must prove itself, a closed one is not waited for. */
  #wake = (): void => {
    if (globalThis.document?.hidden) return
    if (!this.#open) {
      this.#tries = 0
      if (!this.#socket) this.#connect()
      return
    }
    this.#doubted = Date.now() - (this.#heardAt ?? 0) > pingEveryMs + answerWithinMs
    this.#beat()
    this.#update()
  }

  #update(): void {
    if (this.#connection.state === 'signed-out') return
    const whole = this.#isWhole('requests') && this.#isWhole('messages')
    if (this.#open && whole && !this.#doubted) this.#report({ state: 'live' })
    else this.#report({ state: 'reconnecting', heardAt: this.#heardAt })
  }

  #isWhole(name: StreamName): boolean {
    return this.#followers[name] === 0 || this.#streams[name].whole || this.#refused.has(name)
  }

  #report(connection: Connection): void {
    if (connection.state === this.#connection.state) return
    this.#connection = connection
    for (const listener of this.#connectionListeners) listener()
  }
}

const ownHost = (): string => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`

function* wakeUps(): Generator<[EventTarget, string]> {
  if (typeof window === 'undefined') return
  yield [window, 'online']
  yield [window, 'offline']
  yield [window, 'pageshow']
  yield [document, 'visibilitychange']
}

function parse(data: unknown, isMessage: (value: unknown) => value is ServerMessage): ServerMessage | null {
  try {
    const value: unknown = JSON.parse(String(data))
    return isMessage(value) ? value : null
  } catch {
    return null
  }
}

const looksLikeMessage = (value: unknown): value is ServerMessage =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    work()
  }
}
