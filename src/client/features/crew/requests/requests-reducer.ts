import type { MessageOf, ServerMessage } from '#contract/live.ts'
import { firstName } from '#contract/names.ts'
import type { PersonRef, ClosedRequest, ServiceRequest } from '#contract/requests.ts'

export type RequestAction = 'accept' | 'release' | 'complete' | 'reopen'

/** What this screen's user did, told by us before the server confirms it. */
export type LocalAction =
  | { type: 'acting'; id: string; action: RequestAction; by: PersonRef }
  | { type: 'acted'; id: string; action: RequestAction; request?: ServiceRequest | undefined }
  | { type: 'refused'; id: string; action: RequestAction }

type PendingAction = { action: RequestAction; by: PersonRef; answered: boolean }

export type RequestsState = {
  loaded: boolean
  /** Those first whose guests said that they still wait, then the oldest. */
  open: readonly ServiceRequest[]
  /** Latest first. */
  recent: readonly ClosedRequest[]
  pending: ReadonlyMap<string, PendingAction>
  /** When a request arrived while this screen was looking on; what a snapshot brought is not here. */
  arrivedAt: ReadonlyMap<string, number>
}

export const initialRequestsState: RequestsState = {
  loaded: false,
  open: [],
  recent: [],
  pending: new Map(),
  arrivedAt: new Map(),
}

const maxRecent = 20

/** Folding a message in twice changes nothing. */
export function requestsReducer(
  state: RequestsState,
  message: ServerMessage | LocalAction,
  now: number,
): RequestsState {
  switch (message.type) {
    case 'pending-requests':
      return {
        loaded: true,
        open: message.requests.toSorted(mostUrgentFirst),
        recent: message.recent,
        pending: new Map([...state.pending].filter(([, { answered }]) => !answered)),
        arrivedAt: state.arrivedAt,
      }
    case 'new-request':
      return upsertRequest(recordArrival(state, message.request.id, now), message.request)
    case 'request-updated':
      return upsertRequest(state, message.request)
    case 'request-completed':
      return closeRequest(state, message, now)
    case 'acting': {
      const { id, action, by } = message
      return { ...state, pending: new Map(state.pending).set(id, { action, by, answered: false }) }
    }
    case 'acted':
      return markAnswered(state, message)
    case 'refused':
      return removePending(state, message.id, message.action)
    default:
      return state
  }
}

/**
 * The open requests as this screen shows them: what its user did has already happened. Without a connection nobody
 * else knows, so what was completed then stays in sight.
 */
export function visibleRequests(
  { open, recent, pending: acting }: RequestsState,
  { connected = true } = {},
): readonly ServiceRequest[] {
  if (acting.size === 0) return open
  const shown = open.flatMap((request) => {
    const done = acting.get(request.id)
    if (done?.action === 'complete') {
      const kept = { ...request, state: 'accepted' as const, acceptedBy: request.acceptedBy ?? done.by }
      return connected || done.answered ? [] : [kept]
    }
    if (done?.action === 'accept' && request.state === 'waiting')
      return [{ ...request, state: 'accepted' as const, acceptedBy: done.by }]
    if (done?.action === 'release') return [{ ...request, state: 'waiting' as const, acceptedBy: null }]
    return [request]
  })
  const openIds = new Set(open.map(({ id }) => id))
  const back = recent.filter(({ request: { id } }) => !openIds.has(id) && acting.get(id)?.action === 'reopen')
  if (back.length === 0) return shown
  // Who was on the way still is.
  return [...shown, ...back.map(({ request }) => request)].toSorted(mostUrgentFirst)
}

/** What its user did and the server has not answered yet. */
export const unansweredActions = ({ pending: acting }: RequestsState): ReadonlyMap<string, RequestAction> =>
  new Map([...acting].flatMap(([id, { action, answered }]) => (answered ? [] : [[id, action] as const])))

/** A tap that waited for the connection. */
export type DelayedAction = { id: string; action: RequestAction; tableNumber: string; by: PersonRef }

/** Who had done it before the tap arrived, in words; null when the tap itself did it. */
export function describeConflict(
  { open, recent }: RequestsState,
  { id, action, tableNumber, by }: DelayedAction,
): string | null {
  if (by.id === null || (action !== 'accept' && action !== 'complete')) return null
  const standing = open.find((request) => request.id === id)
  const closed = recent.find(({ request }) => request.id === id)
  const who = standing ? standing.acceptedBy : (closed?.by ?? null)
  if (who?.id === by.id || (standing && (action === 'complete' || !who))) return null
  return who ? `${firstName(who.name)} was first: table ${tableNumber}` : `Already done: table ${tableNumber}`
}

/** "Recently completed", without what is being taken back. */
export const visibleRecent = ({ recent, pending: acting }: RequestsState): readonly ClosedRequest[] =>
  recent.filter(({ request }) => acting.get(request.id)?.action !== 'reopen')

const mostUrgentFirst = (a: ServiceRequest, b: ServiceRequest): number =>
  Number(hasReminder(b)) - Number(hasReminder(a)) || a.timestamp - b.timestamp || (a.id < b.id ? -1 : 1)

/** It stays first when somebody takes it: a ticket must not move away from under the finger. */
const hasReminder = ({ stillWaiting = 0 }: ServiceRequest): boolean => stillWaiting > 0

function recordArrival(state: RequestsState, id: string, now: number): RequestsState {
  const known = state.arrivedAt.has(id) || state.open.some((request) => request.id === id)
  const returned = state.recent.some(({ request }) => request.id === id)
  return known || returned ? state : { ...state, arrivedAt: new Map(state.arrivedAt).set(id, now) }
}

function upsertRequest(state: RequestsState, request: ServiceRequest): RequestsState {
  const others = state.open.filter(({ id }) => id !== request.id)
  const open = [...others, request].toSorted(mostUrgentFirst)
  const recent = state.recent.filter((entry) => entry.request.id !== request.id)
  return settleIfShown({ ...state, open, recent }, request.id)
}

function closeRequest(
  state: RequestsState,
  { id, by, cancelled }: MessageOf<ServerMessage, 'request-completed'>,
  now: number,
): RequestsState {
  const request = state.open.find((other) => other.id === id)
  if (!request) return settleIfShown(state, id)
  const arrivedAt = new Map(state.arrivedAt)
  arrivedAt.delete(id)
  const entry: ClosedRequest = { request, closedAt: now, by, ...(cancelled && { cancelled }) }
  // Nobody needs to know of what a guest took back before anybody went.
  const isListed = !cancelled || request.state === 'accepted'
  return settleIfShown(
    {
      ...state,
      open: state.open.filter((other) => other.id !== id),
      recent: isListed ? [entry, ...state.recent].slice(0, maxRecent) : state.recent,
      arrivedAt,
    },
    id,
  )
}

/** An answer settles what was done as soon as the stream shows it too; until then the screen keeps its word. */
function markAnswered(
  state: RequestsState,
  { id, action, request }: LocalAction & { type: 'acted' },
): RequestsState {
  const doing = state.pending.get(id)
  if (doing?.action !== action) return state
  const another = action === 'accept' && request && request.acceptedBy?.id !== doing.by.id
  if (another) return removePending(state, id, action)
  return settleIfShown(
    { ...state, pending: new Map(state.pending).set(id, { ...doing, answered: true }) },
    id,
  )
}

function settleIfShown(state: RequestsState, id: string): RequestsState {
  const doing = state.pending.get(id)
  if (!doing) return state
  const request = state.open.find((other) => other.id === id)
  const shows = {
    accept: !request || request.state === 'accepted',
    release: !request || request.state === 'waiting',
    complete: !request,
    reopen: request !== undefined && doing.answered,
  }
  return shows[doing.action] ? removePending(state, id, doing.action) : state
}

function removePending(state: RequestsState, id: string, action: RequestAction): RequestsState {
  if (state.pending.get(id)?.action !== action) return state
  const acting = new Map(state.pending)
  acting.delete(id)
  return { ...state, pending: acting }
}
