import type { CrewMember } from '#contract/crew/crew.ts'
import type { MessageOf, ServerMessage } from '#contract/live.ts'
import type { KeptList } from '../../../api/live/live-channel.ts'
import {
  getSelectedMember,
  getStored,
  removeStored,
  setStored,
} from '../../../lib/browser/browser-storage.ts'
import { removeById, upsertById } from '../../../lib/collections.ts'
import { initialRequestsState, requestsReducer } from '../requests/requests-reducer.ts'
import { shiftMs } from '../shift/shift-flow.ts'

/** The list as the crew page last knew it, and who looked at it. */
export type LastList = KeptList & {
  restaurantId: string
  member: CrewMember | null
  /** Whether the member signed in with a login of their own. */
  ownLogin: boolean
  crew: readonly CrewMember[]
  /** The numbers of the member's tables on that day. */
  tables: readonly string[]
}

type Snapshot = KeptList['message']

/** What `requestsReducer` applies, and what changes no list. A new message does not compile before somebody has decided. */
type OtherMessage = MessageOf<
  ServerMessage,
  | 'new-request'
  | 'request-updated'
  | 'request-completed'
  | 'crew-changed'
  | 'floor-changed'
  | 'alarm-set'
  | 'seating-changed'
  | 'manager-notes-changed'
  | 'opening-changed'
  | 'table-changed'
  | 'team-message'
  | 'team-messages-history'
  | 'team-message-deleted'
  | 'presence'
  | 'ack'
  | 'error'
>

/** What the server's list would be after this message; null before the first list. */
export function updateSnapshot(list: Snapshot | null, message: ServerMessage, now: number): Snapshot | null {
  if (message.type === 'pending-requests') return message
  if (!list) return null
  const { requests, recent, calls = [] } = list
  switch (message.type) {
    case 'role-message':
      return { ...list, calls: [...upsertById(calls, message.call)] }
    case 'role-message-claimed':
      return { ...list, calls: [...removeById(calls, message.id)] }
    case 'breaks':
      return { ...list, breaks: message.breaks }
    case 'muted-tables':
      return { ...list, muted: message.tables }
    default: {
      const before = { ...initialRequestsState, open: requests, recent }
      const after = requestsReducer(before, message satisfies OtherMessage, now)
      return after === before ? list : { ...list, requests: [...after.open], recent: [...after.recent] }
    }
  }
}

export function saveLastList(list: LastList): void {
  setStored('last-list', JSON.stringify(list))
}

/** Null if there is none of this restaurant, this crew member and this shift. */
export function loadLastList(
  isMessage: (value: unknown) => value is ServerMessage,
  now = Date.now(),
): LastList | null {
  const list = parseLastList(getStored('last-list'), isMessage)
  const restaurantId = getStored('restaurantId')
  const isOwn =
    list !== null &&
    // After a shift it says nothing any more, nor by a clock that was ahead.
    Math.abs(now - list.at) < shiftMs &&
    (restaurantId === null || restaurantId === list.restaurantId) &&
    (list.member?.id ?? null) === getSelectedMember()
  if (isOwn) return list
  removeStored('last-list')
  return null
}

/** An earlier version may have written it. */
function parseLastList(
  text: string | null,
  isMessage: (value: unknown) => value is ServerMessage,
): LastList | null {
  try {
    const list: Partial<LastList> | null = JSON.parse(text ?? 'null')
    const { message, at, restaurantId, member = null, ownLogin = false } = list ?? {}
    const { crew = member ? [member] : [], tables = [] } = list ?? {}
    if (!isMessage(message) || message.type !== 'pending-requests') return null
    if (typeof at !== 'number' || typeof restaurantId !== 'string') return null
    return { message, at, restaurantId, member, ownLogin, crew, tables }
  } catch {
    return null
  }
}
