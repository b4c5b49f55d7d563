import type { ErrorCode } from '#contract/errors.ts'
import type { MessageOf, ClientMessageInput, ServerMessage } from '#contract/live.ts'

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

/** Doing one of these twice is doing it once, so they are sent until the server answered. */
const idempotentTypes = new Set<ClientMessageInput['type']>([
  'accept-request',
  'release-request',
  'complete-request',
  'reopen-request',
  'requests-seen',
  'delete-team-message',
  'claim-role-message',
  'start-break',
  'end-break',
])
/** What is made under an id of our own is made once. */
const typesWithClientId = new Set<ClientMessageInput['type']>([
  'send-team-message',
  'send-role-message',
  'service-request',
])
const isRetryable = (message: ClientMessageInput): boolean =>
  idempotentTypes.has(message.type) ||
  (typesWithClientId.has(message.type) && 'id' in message && message.id !== undefined)

/** What is refused for a while only. */
const transientErrors = new Set<ErrorCode>(['rate_limited', 'unavailable'])

/** The server takes 20 messages a second; contexts, questions and pings need room too. */
const rateLimit = { messages: 10, perMs: 1000 }

/** Who works at this screen, in the words that tell the server. */
export type CrewMemberContext = MessageOf<ClientMessageInput, 'set-crew-member-context'>

type PendingMessage = {
  message: ClientMessageInput
  /** Who tapped: it is done in this name even if another is chosen before the connection is back. */
  sender: CrewMemberContext | undefined
  retryable: boolean
  sent: boolean
  /** Never on the wire, on no connection: the server cannot know of it. */
  neverSent: boolean
  resolve: (ack: Ack) => void
  reject: (error: LiveError) => void
}

/** What was not answered yet. A tap is kept over lost connections; anything else fails with them. */
export class LiveOutbox {
  #transmit: (message: ClientMessageInput) => void
  #newRef: () => string
  #speaker: () => CrewMemberContext | undefined
  #waiting = new Map<string, PendingMessage>()
  #open = false
  #sentAt: number[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `speaker`: whose name the server has been told last. */
  constructor(
    transmit: (message: ClientMessageInput) => void,
    newRef: () => string,
    speaker: () => CrewMemberContext | undefined,
  ) {
    this.#transmit = transmit
    this.#newRef = newRef
    this.#speaker = speaker
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  async add(message: ClientMessageInput): Promise<Ack> {
    return await new Promise((resolve, reject) => {
      const lasting = isRetryable(message)
      if (!this.#open && !lasting) return reject(new LiveError('unavailable', 'No connection to the server'))
      const speaker = this.#speaker()
      this.#waiting.set(this.#newRef(), {
        message,
        sender: speaker,
        retryable: lasting,
        sent: false,
        neverSent: true,
        resolve,
        reject,
      })
      this.#pump()
    })
  }

  /** Takes back what was never sent; false when it may have been. Nobody is answered. */
  cancelUnsent(type: ClientMessageInput['type'], id: string): boolean {
    const taps = [...this.#waiting].filter(
      ([, { message }]) => message.type === type && 'id' in message && message.id === id,
    )
    if (taps.length === 0 || taps.some(([, { neverSent: fresh }]) => !fresh)) return false
    for (const [ref] of taps) this.#waiting.delete(ref)
    return true
  }

  /** A new connection: everything is sent on it. */
  connectionOpened(): void {
    this.#open = true
    this.#pump()
  }

  connectionLost(): void {
    this.#open = false
    clearTimeout(this.#timer)
    for (const waiting of this.#waiting.values()) waiting.sent = false
    this.#reject(
      new LiveError('unavailable', 'The connection was lost'),
      ({ retryable: lasting }) => !lasting,
    )
  }

  rejectAll(error: LiveError): void {
    this.#reject(error, () => true)
  }

  handleAnswer(answer: MessageOf<ServerMessage, 'ack' | 'error'>): void {
    const ref = answer.ref ?? ''
    const waiting = this.#waiting.get(ref)
    if (!waiting) return
    if (answer.type === 'error' && transientErrors.has(answer.code) && waiting.retryable) {
      waiting.sent = false
      this.#pumpIn(rateLimit.perMs)
      return
    }
    this.#waiting.delete(ref)
    if (answer.type === 'ack') waiting.resolve(answer)
    else waiting.reject(new LiveError(answer.code, answer.message))
  }

  #reject(error: LiveError, which: (waiting: PendingMessage) => boolean): void {
    for (const [ref, waiting] of this.#waiting) {
      if (!which(waiting)) continue
      this.#waiting.delete(ref)
      waiting.reject(error)
    }
  }

  /** Sends what was not sent on this connection yet, in order and no faster than the server takes it. */
  #pump = (): void => {
    clearTimeout(this.#timer)
    if (!this.#open) return
    let speaking = this.#speaker()
    for (const [ref, waiting] of this.#waiting) {
      if (waiting.sent) continue
      const pause = this.#pauseBeforeNext()
      if (pause > 0) {
        this.#pumpIn(pause)
        break
      }
      speaking = this.#speakAs(waiting.sender, speaking)
      Object.assign(waiting, { sent: true, neverSent: false })
      this.#transmit({ ...waiting.message, ref })
    }
    this.#speakAs(this.#speaker(), speaking)
  }

  #speakAs(
    speaker: CrewMemberContext | undefined,
    speaking: CrewMemberContext | undefined,
  ): CrewMemberContext | undefined {
    if (!speaker || speaker.crewMemberId === speaking?.crewMemberId) return speaking
    this.#transmit({ ...speaker, ref: this.#newRef() })
    return speaker
  }

  #pumpIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#pump, ms)
  }

  #pauseBeforeNext(): number {
    const now = Date.now()
    const earliest = this.#sentAt.length < rateLimit.messages ? -Infinity : (this.#sentAt[0] ?? -Infinity)
    const pause = earliest + rateLimit.perMs - now
    if (pause > 0) return pause
    this.#sentAt = [...this.#sentAt, now].slice(-rateLimit.messages)
    return 0
  }
}
