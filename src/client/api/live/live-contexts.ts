import type { ClientMessageInput } from '#contract/live.ts'
import type { CrewMemberContext, LiveError } from './live-outbox.ts'
import { replyTimeoutMs } from './live-socket.ts'

export type ContextMessage = Extract<
  ClientMessageInput,
  { type: 'set-restaurant-context' | 'set-crew-member-context' | 'update-assigned-tables' | 'listening' }
>
/** Called with each answer of the server, also after a reconnection; null when it accepted the context. */
export type ContextCallback = (error: LiveError | null) => void

/** `ref`: of the message that the server has not answered yet. */
type SentContext = { message: ContextMessage; onAnswer: ContextCallback | undefined; ref: string | null }

/**
 * A screen that has not said how it listens counts as one that somebody looks at, so this comes first: a hidden one
 * would end the managers' alarm for a moment. Of the others, each may depend on those before it.
 */
const contextOrder: ContextMessage['type'][] = [
  'listening',
  'set-restaurant-context',
  'set-crew-member-context',
  'update-assigned-tables',
]

/** What the server must know about this page on every connection. */
export class LiveContexts {
  #send: (message: ContextMessage) => string | null
  #contexts = new Map<ContextMessage['type'], SentContext>()
  #isRestaurantGone = false

  /** `send` returns the message's ref, or null when there is no open socket. */
  constructor(send: (message: ContextMessage) => string | null) {
    this.#send = send
  }

  /** Its name, by which every earlier name leads to it too, finds nothing. */
  get isRestaurantGone(): boolean {
    return this.#isRestaurantGone
  }

  get crewMember(): CrewMemberContext | undefined {
    const message = this.#contexts.get('set-crew-member-context')?.message
    return message?.type === 'set-crew-member-context' ? message : undefined
  }

  set(message: ContextMessage, onAnswer: ContextCallback | undefined): void {
    const context: SentContext = { message, onAnswer, ref: null }
    this.#contexts.set(message.type, context)
    this.#transmit(context)
  }

  clear(type: ContextMessage['type']): void {
    this.#contexts.delete(type)
  }

  connectionOpened(): void {
    for (const type of contextOrder) {
      const context = this.#contexts.get(type)
      if (context) this.#transmit(context)
    }
  }

  connectionLost(): void {
    for (const context of this.#contexts.values()) context.ref = null
  }

  /** True when it tells the server who works here. */
  handleAnswer(ref: string, error: LiveError | null): boolean {
    let isMemberKnown = false
    for (const context of this.#contexts.values()) {
      if (context.ref !== ref) continue
      context.ref = null
      if (context.message.type === 'set-restaurant-context')
        this.#isRestaurantGone = error?.code === 'not_found'
      if (error?.code === 'unavailable') this.#transmitLater(context)
      else context.onAnswer?.(error)
      isMemberKnown ||= error === null && context.message.type === 'set-crew-member-context'
    }
    return isMemberKnown
  }

  /** The server could not reach its data. */
  #transmitLater(context: SentContext): void {
    setTimeout(() => {
      const isCurrent = this.#contexts.get(context.message.type) === context
      if (isCurrent && context.ref === null) this.#transmit(context)
    }, replyTimeoutMs)
  }

  #transmit(context: SentContext): void {
    context.ref = this.#send(context.message)
  }
}
