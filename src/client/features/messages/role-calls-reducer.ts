import type { ServerMessage } from '#contract/live.ts'
import type { RoleCall } from '#contract/shift.ts'
import { setWithout } from './set-without.ts'

/** What this screen's user did, told by us before the server confirms it. */
export type LocalAction =
  | { type: 'asking'; call: RoleCall }
  | { type: 'asked'; call: RoleCall }
  | { type: 'not-asked'; id: string }
  | { type: 'claiming'; id: string }
  | { type: 'claimed'; id: string }
  | { type: 'not-claimed'; id: string }

export type RoleCallsState = {
  /** What nobody claimed yet. */
  calls: readonly RoleCall[]
  /** Asked here, and not heard of from the server yet. `answered`: its next snapshot has it, or it is claimed. */
  asking: readonly { call: RoleCall; answered: boolean }[]
  claiming: ReadonlySet<string>
}

export const initialRoleCallsState: RoleCallsState = { calls: [], asking: [], claiming: new Set() }

/** Calls to a role that nobody claimed yet. Folding a message in twice changes nothing. */
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
      return {
        ...removeAsking(state, message.call.id),
        calls: [...state.calls.filter(({ id }) => id !== message.call.id), message.call],
      }
    case 'role-message-claimed':
    case 'claimed':
      return {
        ...removeAsking(state, message.id),
        calls: state.calls.filter(({ id }) => id !== message.id),
        claiming: setWithout(state.claiming, message.id),
      }
    case 'asking':
      return { ...state, asking: [...state.asking, { call: message.call, answered: false }] }
    case 'asked': {
      const { id, claimedBy } = message.call
      if (claimedBy) return removeAsking(state, id)
      const asking = state.asking.map((one) => (one.call.id === id ? { ...one, answered: true } : one))
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
