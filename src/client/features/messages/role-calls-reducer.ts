import type { RoleCall } from '#contract/crew/shift.ts'
import type { ServerMessage } from '#contract/live.ts'
import { removeById, setWithout, upsertById } from '../../lib/collections.ts'

/** What the user of this screen did, before the server has confirmed it. */
export type LocalAction =
  | { type: 'asking'; call: RoleCall }
  | { type: 'asked'; call: RoleCall }
  | { type: 'not-asked'; id: string }
  | { type: 'claiming'; id: string }
  | { type: 'claimed'; id: string }
  | { type: 'not-claimed'; id: string }

export type RoleCallsState = {
  /** Not claimed by anybody yet. */
  calls: readonly RoleCall[]
  /** Asked here and not on the stream yet. `answered`: the next snapshot has it, unless somebody claims it first. */
  asking: readonly { call: RoleCall; answered: boolean }[]
  claiming: ReadonlySet<string>
}

export const initialRoleCallsState: RoleCallsState = { calls: [], asking: [], claiming: new Set() }

/** Applying a message twice changes nothing. */
export function roleCallsReducer(
  state: RoleCallsState,
  message: ServerMessage | LocalAction,
): RoleCallsState {
  switch (message.type) {
    case 'pending-requests': {
      const calls = message.calls ?? []
      const known = new Set(calls.map(({ id }) => id))
      const asking = state.asking.filter(({ call, answered }) => !answered && !known.has(call.id))
      return { ...state, calls, asking }
    }
    case 'role-message':
      return { ...removeAsking(state, message.call.id), calls: upsertById(state.calls, message.call) }
    case 'role-message-claimed':
    case 'claimed':
      return {
        ...removeAsking(state, message.id),
        calls: removeById(state.calls, message.id),
        claiming: setWithout(state.claiming, message.id),
      }
    case 'asking':
      return state.calls.some(({ id }) => id === message.call.id)
        ? state
        : { ...state, asking: [...state.asking, { call: message.call, answered: false }] }
    case 'asked': {
      const { id, claimedBy } = message.call
      if (claimedBy) return removeAsking(state, id)
      const asking = state.asking.map((entry) =>
        entry.call.id === id ? { ...entry, answered: true } : entry,
      )
      return { ...state, asking }
    }
    case 'not-asked':
      return removeAsking(state, message.id)
    case 'claiming':
      return { ...state, claiming: new Set(state.claiming).add(message.id) }
    case 'not-claimed':
      return { ...state, claiming: setWithout(state.claiming, message.id) }
    default:
      return state
  }
}

const removeAsking = (state: RoleCallsState, id: string): RoleCallsState => ({
  ...state,
  asking: state.asking.filter(({ call }) => call.id !== id),
})
