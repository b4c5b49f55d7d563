import { backoffMs } from '#contract/backoff.ts'
import { dayMs } from '#contract/durations.ts'
import type { ErrorCode } from '#contract/errors.ts'
import type { MessageOf, ClientMessageInput, ServerMessage } from '#contract/live.ts'
import type { Ack } from './live-replies.ts'

/** A message that was refused, with the server's own words. */
export class LiveError extends Error {
  override name = 'LiveError'
  readonly code: ErrorCode
  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Idempotent messages are sent until the server has answered. */
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
/** With an id from the client, these are idempotent too. */
const typesWithClientId = new Set<ClientMessageInput['type']>([
  'send-team-message',
  'send-role-message',
  'service-request',
])
const isRetryable = (message: ClientMessageInput): boolean =>
  idempotentTypes.has(message.type) ||
  (typesWithClientId.has(message.type) && 'id' in message && message.id !== undefined)

const takesBack = (
  message: ClientMessageInput,
): message is MessageOf<ClientMessageInput, 'release-request' | 'reopen-request'> =>
  message.type === 'release-request' || message.type === 'reopen-request'

/** What is sent sooner is sent at once. */
const lateMs = 1_000

/** What may be over by the next attempt. */
const transientErrors = new Set<ErrorCode>(['rate_limited', 'unavailable', 'internal'])
export const retryBackoff = { firstMs: 1_000, growth: 2, maxMs: 10_000 }
/** An `internal` error that lasts longer is a bug, and its user is told. */
const internalErrorMs = 15_000

/** The server accepts 20 messages a second; this leaves room for contexts, snapshot requests and pings. */
const rateLimit = { messages: 10, perMs: 1000 }

export type CrewMemberContext = MessageOf<ClientMessageInput, 'set-crew-member-context'>

export type Due = {
  /** Sent later than at once, it says how long ago that was. */
  tappedAt?: number
  /** What was never sent before fails with 'timeout'. */
  sendBefore?: number
}

type PendingMessage = {
  message: ClientMessageInput
  /** Who tapped: the message goes out under this name even if another is chosen before the connection is back. */
  sender: CrewMemberContext | undefined
  retryable: boolean
  sent: boolean
  /** On no connection yet, so the server cannot know of it. */
  neverSent: boolean
  /** From then on it is refused instead of sent for the first time: timers stand still while a device sleeps. */
  sendBefore: number
  /** When the user tapped; null if its age says nothing. */
  tappedAt: number | null
  /** When it first failed with `internal`. */
  failedAt: number | null
  resolve: (ack: Ack) => void
  reject: (error: LiveError) => void
}

export const tooLateText = 'Not sent, because the tap waited too long for the connection'

const tooLateError = (): LiveError => new LiveError('timeout', tooLateText)

function isTransient(waiting: PendingMessage, code: ErrorCode): boolean {
  if (!waiting.retryable || !transientErrors.has(code)) return false
  if (code !== 'internal') return true
  waiting.failedAt ??= Date.now()
  return Date.now() - waiting.failedAt < internalErrorMs
}

/** The unanswered messages. Retryable ones outlive a lost connection, all others fail with it. */
export class LiveOutbox {
  #transmit: (message: ClientMessageInput) => void
  #newRef: () => string
  #sender: () => CrewMemberContext | undefined
  #waiting = new Map<string, PendingMessage>()
  #open = false
  /** How often in turn an attempt failed for a transient reason. */
  #failures = 0
  #sentAt: number[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #retryTimer: ReturnType<typeof setTimeout> | undefined

  /** `sender`: the crew member whose name the server was told last. */
  constructor(
    transmit: (message: ClientMessageInput) => void,
    newRef: () => string,
    sender: () => CrewMemberContext | undefined,
  ) {
    this.#transmit = transmit
    this.#newRef = newRef
    this.#sender = sender
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  async add(message: ClientMessageInput, { tappedAt, sendBefore = Infinity }: Due = {}): Promise<Ack> {
    return await new Promise((resolve, reject) => {
      const retryable = isRetryable(message)
      if (!this.#open && !retryable)
        return reject(new LiveError('unavailable', 'No connection to the server'))
      this.#waiting.set(this.#newRef(), {
        message,
        sender: this.#sender(),
        retryable,
        sent: false,
        neverSent: true,
        sendBefore,
        tappedAt: this.#isTakenBackHere(message) ? null : (tappedAt ?? null),
        failedAt: null,
        resolve,
        reject,
      })
      this.#flush()
    })
  }

  /** What this screen itself took back before the tap, and the server does not know yet, comes before it in any case. */
  #isTakenBackHere(message: ClientMessageInput): boolean {
    return [...this.#waiting.values()].some(
      ({ message: before }) => takesBack(before) && 'id' in message && message.id === before.id,
    )
  }

  /** Cancels a message that was never sent, and leaves its promise pending; false when it may have been sent. */
  cancelUnsent(type: ClientMessageInput['type'], id: string): boolean {
    const matches = [...this.#waiting].filter(
      ([, { message }]) => message.type === type && 'id' in message && message.id === id,
    )
    if (matches.length === 0 || matches.some(([, { neverSent }]) => !neverSent)) return false
    for (const [ref] of matches) this.#waiting.delete(ref)
    return true
  }

  connectionOpened(): void {
    this.#open = true
    this.#flush()
  }

  connectionLost(): void {
    this.#open = false
    clearTimeout(this.#timer)
    clearTimeout(this.#retryTimer)
    this.#retryTimer = undefined
    this.#failures = 0
    for (const waiting of this.#waiting.values()) Object.assign(waiting, { sent: false, failedAt: null })
    this.#rejectWhere(new LiveError('unavailable', 'The connection was lost'), ({ retryable }) => !retryable)
  }

  rejectAll(error: LiveError): void {
    this.#rejectWhere(error, () => true)
  }

  handleAnswer(answer: MessageOf<ServerMessage, 'ack' | 'error'>): void {
    const ref = answer.ref ?? ''
    const waiting = this.#waiting.get(ref)
    if (!waiting) return
    if (answer.type === 'error' && isTransient(waiting, answer.code)) {
      waiting.sent = false
      this.#retryLater()
      return
    }
    this.#waiting.delete(ref)
    if (answer.type === 'error') return waiting.reject(new LiveError(answer.code, answer.message))
    this.#failures = 0
    waiting.resolve(answer)
  }

  #rejectWhere(error: LiveError, matches: (waiting: PendingMessage) => boolean): void {
    for (const [ref, waiting] of this.#waiting) {
      if (!matches(waiting)) continue
      this.#waiting.delete(ref)
      waiting.reject(error)
    }
  }

  /** Sends what this connection has not carried yet, in order and no faster than the server accepts it. */
  #flush = (): void => {
    clearTimeout(this.#timer)
    if (!this.#open) return
    const now = Date.now()
    this.#rejectWhere(tooLateError(), ({ neverSent, sendBefore }) => neverSent && sendBefore <= now)
    let sender = this.#sender()
    for (const [ref, waiting] of this.#waiting) {
      if (waiting.sent) continue
      const delay = this.#delayBeforeNext()
      if (delay > 0) {
        this.#flushIn(delay)
        break
      }
      sender = this.#switchSender(sender, waiting.sender)
      Object.assign(waiting, { sent: true, neverSent: false })
      const ageMs = Math.min(now - (waiting.tappedAt ?? now), dayMs)
      this.#transmit({ ...waiting.message, ref, ...(ageMs >= lateMs && { ageMs }) })
    }
    this.#switchSender(sender, this.#sender())
  }

  #switchSender(
    from: CrewMemberContext | undefined,
    to: CrewMemberContext | undefined,
  ): CrewMemberContext | undefined {
    if (!to || to.crewMemberId === from?.crewMemberId) return from
    this.#transmit({ ...to, ref: this.#newRef() })
    return to
  }

  /** Once for all that were sent together, since they fail together. */
  #retryLater(): void {
    this.#retryTimer ??= setTimeout(
      () => {
        this.#retryTimer = undefined
        this.#flush()
      },
      backoffMs(this.#failures++, retryBackoff),
    )
  }

  #flushIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#flush, ms)
  }

  #delayBeforeNext(): number {
    const now = Date.now()
    // What seems to have been sent in the future was sent before the device's clock was set back.
    this.#sentAt = this.#sentAt.filter((at) => at <= now)
    const earliest = this.#sentAt.length < rateLimit.messages ? -Infinity : (this.#sentAt[0] ?? -Infinity)
    const delay = earliest + rateLimit.perMs - now
    if (delay > 0) return delay
    this.#sentAt = [...this.#sentAt, now].slice(-rateLimit.messages)
    return 0
  }
}
