import type { TeamMessage } from '#contract/crew/messages.ts'
import type { ServerMessage } from '#contract/live.ts'
import { removeById, setWithout, upsertById } from '../../lib/collections.ts'

/** What the user of this screen did, before the server has confirmed it. */
export type LocalAction =
  | { type: 'sending'; message: TeamMessage }
  | { type: 'not-sent'; id: string }
  | { type: 'deleting'; id: string }
  | { type: 'not-deleted'; id: string }

export type MessagesState = {
  loaded: boolean
  /** Oldest first. */
  stored: readonly TeamMessage[]
  /** Written here and not answered yet, in the order of writing. */
  sending: readonly TeamMessage[]
  deleting: ReadonlySet<string>
}

export const initialMessagesState: MessagesState = {
  loaded: false,
  stored: [],
  sending: [],
  deleting: new Set(),
}

/** Applying a message twice changes nothing. */
export function messagesReducer(state: MessagesState, message: ServerMessage | LocalAction): MessagesState {
  switch (message.type) {
    case 'team-messages-history':
      return dropStoredFromSending({ ...state, loaded: true, stored: message.messages.toReversed() })
    case 'team-message':
      return dropStoredFromSending({ ...state, stored: addMessage(state.stored, message.message) })
    case 'team-message-deleted':
      return {
        ...state,
        stored: removeById(state.stored, message.messageId),
        deleting: setWithout(state.deleting, message.messageId),
      }
    case 'sending':
      return dropStoredFromSending({ ...state, sending: upsertById(state.sending, message.message) })
    case 'not-sent':
      return { ...state, sending: removeById(state.sending, message.id) }
    case 'deleting':
      return { ...state, deleting: new Set(state.deleting).add(message.id) }
    case 'not-deleted':
      return { ...state, deleting: setWithout(state.deleting, message.id) }
    default:
      return state
  }
}

/** The stored messages plus those just written, minus those just deleted. */
export function visibleMessages({ stored, sending, deleting }: MessagesState): readonly TeamMessage[] {
  const all = sending.length === 0 ? stored : [...stored, ...sending]
  return deleting.size === 0 ? all : all.filter(({ id }) => !deleting.has(id))
}

function addMessage(stored: readonly TeamMessage[], message: TeamMessage): readonly TeamMessage[] {
  const known = stored.some(({ id }) => id === message.id)
  return known ? stored : [...stored, message].toSorted((a, b) => a.timestamp - b.timestamp)
}

function dropStoredFromSending(state: MessagesState): MessagesState {
  const known = new Set(state.stored.map(({ id }) => id))
  return { ...state, sending: state.sending.filter(({ id }) => !known.has(id)) }
}
