import type { ServerMessage } from '#contract/live.ts'

/** What a screen follows: each has its own sequence numbers and its own snapshot. */
export type StreamName = 'requests' | 'messages'

export const streamMessages = {
  requests: { ask: 'get-pending-requests', snapshot: 'pending-requests' },
  messages: { ask: 'get-team-messages', snapshot: 'team-messages-history' },
} as const

export const streamNames: readonly StreamName[] = ['requests', 'messages']

const streamByMessageType: Partial<Record<ServerMessage['type'], StreamName>> = {
  'pending-requests': 'requests',
  'new-request': 'requests',
  'request-updated': 'requests',
  'request-completed': 'requests',
  'role-message': 'requests',
  'role-message-claimed': 'requests',
  breaks: 'requests',
  'team-messages-history': 'messages',
  'team-message': 'messages',
  'team-message-deleted': 'messages',
}

export const streamNameOf = (message: ServerMessage): StreamName | null =>
  streamByMessageType[message.type] ?? null

/** More than these wait for a snapshot that will not come. */
const maxBuffered = 1000

/**
 * One stream of one connection: which messages may be folded, and in what order.
 * Whatever is repeated is ignored; whatever comes after a gap is held until the gap is filled,
 * by the missing message or by a snapshot.
 */
export class Stream {
  #position: number | null = null
  #whole = false
  #held = new Map<number, ServerMessage>()

  /** Whether this connection's snapshot has come. */
  get whole(): boolean {
    return this.#whole
  }

  /** Whether something is known to be missing, so that the snapshot must be asked for. */
  get gap(): boolean {
    return this.#whole && this.#held.size > 0
  }

  reset(): void {
    this.#position = null
    this.#whole = false
    this.#held.clear()
  }

  /** The messages that may be folded now, in order. */
  accept(message: ServerMessage): ServerMessage[] {
    const { seq } = message
    if (isSnapshot(message)) return this.#start(message, seq ?? null)
    if (seq === undefined) return this.#whole ? [message] : []
    if (this.#position !== null && seq <= this.#position) return []
    if (this.#whole && this.#position === null) return [message]
    if (this.#held.size >= maxBuffered) this.#held.clear()
    this.#held.set(seq, message)
    return this.#release()
  }

  #start(snapshot: ServerMessage, seq: number | null): ServerMessage[] {
    if (this.#whole && seq !== null && this.#position !== null && seq < this.#position) return []
    this.#whole = true
    this.#position = seq
    for (const held of this.#held.keys()) if (seq === null || held <= seq) this.#held.delete(held)
    return [snapshot, ...this.#release()]
  }

  #release(): ServerMessage[] {
    const released: ServerMessage[] = []
    if (!this.#whole || this.#position === null) return released
    for (;;) {
      const next = this.#held.get(this.#position + 1)
      if (!next) return released
      this.#position += 1
      this.#held.delete(this.#position)
      released.push(next)
    }
  }
}

const isSnapshot = ({ type }: ServerMessage): boolean =>
  type === streamMessages.requests.snapshot || type === streamMessages.messages.snapshot
