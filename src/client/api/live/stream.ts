import type { ServerMessage } from '#contract/live.ts'
import { HeldEvents } from './held-events.ts'

/** Each stream has its own sequence numbers and its own snapshot. */
export type StreamName = 'requests' | 'messages'

export const streamMessages = {
  requests: { ask: 'get-pending-requests', snapshot: 'pending-requests' },
  messages: { ask: 'get-team-messages', snapshot: 'team-messages-history' },
} as const

export const streamNames: readonly StreamName[] = ['requests', 'messages']

/** Null for what has no place in a stream. A type that is missing here would look like a gap. */
const streamByMessageType: Record<ServerMessage['type'], StreamName | null> = {
  'pending-requests': 'requests',
  'new-request': 'requests',
  'request-updated': 'requests',
  'request-completed': 'requests',
  'role-message': 'requests',
  'role-message-claimed': 'requests',
  breaks: 'requests',
  'muted-tables': 'requests',
  'crew-changed': 'requests',
  'floor-changed': 'requests',
  'alarm-set': 'requests',
  'seating-changed': 'requests',
  'team-messages-history': 'messages',
  'team-message': 'messages',
  'team-message-deleted': 'messages',
  'manager-notes-changed': null,
  'opening-changed': null,
  'table-changed': null,
  presence: null,
  ack: null,
  error: null,
}

export const isKnownType = (type: string): type is ServerMessage['type'] =>
  Object.hasOwn(streamByMessageType, type)

export const streamNameOf = ({ type }: ServerMessage): StreamName | null => streamByMessageType[type]

/** Beyond this the snapshot is not going to come. */
const maxHeld = 1000

/**
 * Puts the messages of one stream of one connection in order. Repeated messages are ignored; those after a gap are
 * held until the missing message or a snapshot fills it.
 */
export class Stream {
  #position: number | null = null
  #whole = false
  #held = new HeldEvents<ServerMessage>()

  /** Whether this connection has received its snapshot. */
  get whole(): boolean {
    return this.#whole
  }

  /** Whether a message is missing, so that the snapshot must be requested again. */
  get gap(): boolean {
    return this.#whole && this.#held.size > 0
  }

  /** The number of the last message applied; undefined before the first snapshot. */
  get position(): number | undefined {
    return this.#position ?? undefined
  }

  /** Whether everything up to this message has been applied on this connection. */
  knows({ seq }: ServerMessage): boolean {
    return this.#whole && seq === this.#position
  }

  reset(): void {
    this.pause()
    this.#position = null
  }

  /** The connection is lost. */
  pause(): void {
    this.#whole = false
    this.#held.clear()
  }

  /** On a new connection, when nothing was missed. Returns what came meanwhile. */
  resume(): ServerMessage[] {
    this.#whole = true
    return this.#release()
  }

  /** The messages that may be applied now, in order. */
  accept(message: ServerMessage): ServerMessage[] {
    const { seq } = message
    if (isSnapshot(message)) return this.#start(message, seq ?? null)
    if (seq === undefined) return this.#whole ? [message] : []
    if (this.#position !== null && seq <= this.#position) return []
    if (this.#whole && this.#position === null) return [message]
    if (this.#held.size >= maxHeld) this.#held.clear()
    this.#held.hold(seq, message)
    return this.#release()
  }

  #start(snapshot: ServerMessage, seq: number | null): ServerMessage[] {
    if (this.#whole && seq !== null && this.#position !== null && seq < this.#position) return []
    this.#whole = true
    this.#position = seq
    this.#held.forgetUpTo(seq ?? Infinity)
    return [snapshot, ...this.#release()]
  }

  #release(): ServerMessage[] {
    if (!this.#whole || this.#position === null) return []
    const { position, events } = this.#held.release(this.#position)
    this.#position = position
    return events
  }
}

const isSnapshot = ({ type }: ServerMessage): boolean =>
  type === streamMessages.requests.snapshot || type === streamMessages.messages.snapshot
