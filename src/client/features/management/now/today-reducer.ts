import type { Break } from '#contract/crew/shift.ts'
import type { ServerMessage } from '#contract/live.ts'
import { compareByAge, type ServiceRequest, targetMsOf } from '#contract/requests/requests.ts'
import { removeById, upsertById } from '../../../lib/collections.ts'

export type TodayState = {
  loaded: boolean
  /** Oldest first. */
  open: readonly ServiceRequest[]
  breaks: readonly Break[]
  /** How many staff screens listen; null until known. */
  screens: number | null
  /** Incremented whenever figures may be out of date. */
  revision: number
  /** Incremented whenever the crew, the tables or who is assigned today may be. */
  floorRevision: number
}

export const initialTodayState: TodayState = {
  loaded: false,
  open: [],
  breaks: [],
  screens: null,
  revision: 0,
  floorRevision: 0,
}

export function todayReducer(state: TodayState, message: ServerMessage): TodayState {
  const revision = state.revision + 1
  const floorRevision = state.floorRevision + 1
  switch (message.type) {
    case 'pending-requests':
      return {
        ...state,
        loaded: true,
        open: message.requests.toSorted(compareByAge),
        breaks: message.breaks ?? [],
        // What this screen has read is as recent as its first list.
        revision: state.loaded ? revision : state.revision,
        floorRevision: state.loaded ? floorRevision : state.floorRevision,
      }
    case 'new-request':
    case 'request-updated':
      return { ...state, open: upsertRequest(state.open, message.request), revision }
    case 'request-completed':
      return { ...state, open: removeById(state.open, message.id), revision }
    case 'crew-changed':
    case 'floor-changed':
      return { ...state, revision, floorRevision }
    case 'breaks':
      return { ...state, breaks: message.breaks }
    case 'presence':
      return { ...state, screens: message.screens }
    default:
      return state
  }
}

/** Requests escalated to the manager: not accepted, or accepted while the guest still waits. */
export const escalatedToManager = (open: readonly ServiceRequest[]): ServiceRequest[] =>
  open.filter(
    ({ level, state, stillWaitingAt = null }) =>
      level === 2 && (state === 'waiting' || stillWaitingAt !== null),
  )

/** First whoever has waited the largest part of the target time for what they asked for. */
export const compareByUrgency = (a: ServiceRequest, b: ServiceRequest, now: number): number =>
  (now - b.timestamp) / targetMsOf(b) - (now - a.timestamp) / targetMsOf(a)

const upsertRequest = (open: readonly ServiceRequest[], request: ServiceRequest): ServiceRequest[] =>
  upsertById(open, request).toSorted(compareByAge)
