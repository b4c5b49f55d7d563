import type { ServerMessage } from '#contract/live.ts'
import type { Break, RoleCall } from '#contract/shift.ts'

export type ShiftState = { calls: readonly RoleCall[]; breaks: readonly Break[] }

export const nobodyCalls: ShiftState = { calls: [], breaks: [] }

/** Calls to a role that nobody claimed yet, and who is on a break. Folding a message in twice changes nothing. */
export function foldShift(state: ShiftState, message: ServerMessage): ShiftState {
  switch (message.type) {
    case 'pending-requests':
      return { calls: message.calls ?? [], breaks: message.breaks ?? [] }
    case 'role-message':
      return { ...state, calls: [...state.calls.filter(({ id }) => id !== message.call.id), message.call] }
    case 'role-message-claimed':
      return { ...state, calls: state.calls.filter(({ id }) => id !== message.id) }
    case 'breaks':
      return { ...state, breaks: message.breaks }
    default:
      return state
  }
}
