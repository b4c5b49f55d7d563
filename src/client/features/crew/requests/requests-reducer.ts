import { minuteMs } from '#contract/durations.ts'
import type { MessageOf, ServerMessage } from '#contract/live.ts'
import { firstName, localName } from '#contract/names.ts'
import {
  type ClosedRequest,
  compareByAge,
  type PersonRef,
  repeatWindowMs,
  type ServiceRequest,
} from '#contract/requests/requests.ts'
import { removeById } from '../../../lib/collections.ts'
import { t } from '../../../lib/texts/translate.ts'

export type RequestAction = 'accept' | 'release' | 'complete' | 'reopen'

/** What the user of this screen did, before the server has confirmed it. */
export type LocalAction =
  | { type: 'acting'; id: string; action: RequestAction; by: PersonRef }
  | { type: 'acted'; id: string; action: RequestAction; request?: ServiceRequest | undefined }
  | { type: 'refused'; id: string; action: RequestAction }

type PendingAction = {
  action: RequestAction
  by: PersonRef
  at: number
  answered: boolean
  /** What they did before with the same request, if it has no answer yet either. */
  before: PendingAction | undefined
}

export type RequestsState = {
  loaded: boolean
  /** Requests with a reminder come first, then the oldest. */
  open: readonly ServiceRequest[]
  /** Latest first. */
  recent: readonly ClosedRequest[]
  pending: ReadonlyMap<string, PendingAction>
  /** Arrival times of requests that came while this screen was open; those from a snapshot have none. */
  arrivedAt: ReadonlyMap<string, number>
}

export const initialRequestsState: RequestsState = {
  loaded: false,
  open: [],
  recent: [],
  pending: new Map(),
  arrivedAt: new Map(),
}

/** "Recently completed" shows this many. */
export const maxShown = 20
const maxRecent = 60

/** More than is shown, so that a ticket can say how often the table has asked. */
const keepRecent = (recent: readonly ClosedRequest[], now: number): readonly ClosedRequest[] =>
  recent
    .filter(({ closedAt }, index) => index < maxShown || now - closedAt < repeatWindowMs)
    .slice(0, maxRecent)

/** Applying a message twice changes nothing. */
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
      const last = state.pending.get(id)
      const before = last?.answered ? undefined : last
      return withPending(state, id, { action, by, at: now, answered: false, before })
    }
    case 'acted':
      return markAnswered(state, message)
    case 'refused':
      return takeBack(state, message.id, message.action)
    default:
      return state
  }
}

/**
 * The open requests as this screen shows them, with the user's own taps applied. A request completed without a
 * connection stays visible, because nobody else knows about it yet.
 */
export function visibleRequests(
  { open, recent, pending }: RequestsState,
  { connected = true } = {},
): readonly ServiceRequest[] {
  if (pending.size === 0) return open
  const shown = open.flatMap((request) => {
    const done = pending.get(request.id)
    if (done?.action === 'complete') {
      const kept = { ...request, state: 'accepted' as const, acceptedBy: request.acceptedBy ?? done.by }
      return connected || done.answered ? [] : [kept]
    }
    if (done?.action === 'accept' && request.state === 'waiting')
      return [{ ...request, state: 'accepted' as const, acceptedBy: done.by, acceptedAt: done.at }]
    if (done?.action === 'release')
      return [{ ...request, state: 'waiting' as const, acceptedBy: null, acceptedAt: null }]
    return [request]
  })
  const openIds = new Set(open.map(({ id }) => id))
  const back = recent.filter(
    ({ request: { id } }) => !openIds.has(id) && pending.get(id)?.action === 'reopen',
  )
  if (back.length === 0) return shown
  return [...shown, ...back.map(({ request }) => request)].toSorted(mostUrgentFirst)
}

/** The user's taps that the server has not answered yet. */
export const unansweredActions = ({
  pending,
}: Pick<RequestsState, 'pending'>): ReadonlyMap<string, RequestAction> =>
  new Map([...pending].flatMap(([id, { action, answered }]) => (answered ? [] : [[id, action] as const])))

/** A tap that had to wait for the connection. */
export type DelayedAction = { id: string; action: RequestAction; tableNumber: string; by: PersonRef }

/** By then the room has changed, and a colleague may have acted on what this screen did not show. */
export const sendableMs = 15 * minuteMs

/**
 * The text about a colleague who was faster than a delayed tap; null when the tap took effect. `answer`: the request as
 * the server answered the tap, which may know of a colleague before the list does.
 */
export function describeConflict(
  { open, recent }: RequestsState,
  { id, action, tableNumber, by }: DelayedAction,
  answer?: ServiceRequest,
): string | null {
  if (by.id === null || (action !== 'accept' && action !== 'complete')) return null
  const current = open.find((request) => request.id === id)
  const closed = recent.find(({ request }) => request.id === id)
  const who = current ? (current.acceptedBy ?? answer?.acceptedBy) : (closed?.by ?? null)
  if (who?.id === by.id || (current && (action === 'complete' || !who))) return null
  return who
    ? t('{name} was first: table {table}', { name: localName(firstName(who.name), t), table: tableNumber })
    : t('Already done: table {table}', { table: tableNumber })
}

/** Closed requests, without what the user is reopening. */
export const visibleRecent = ({ recent, pending }: RequestsState): readonly ClosedRequest[] =>
  recent.filter(({ request }) => pending.get(request.id)?.action !== 'reopen')

const mostUrgentFirst = (a: ServiceRequest, b: ServiceRequest): number =>
  Number(hasReminder(b)) - Number(hasReminder(a)) || compareByAge(a, b)

/** Stays true after the request is accepted: a ticket must not move away from under the finger. */
const hasReminder = ({ stillWaiting = 0 }: ServiceRequest): boolean => stillWaiting > 0

function recordArrival(state: RequestsState, id: string, now: number): RequestsState {
  const known = state.arrivedAt.has(id) || state.open.some((request) => request.id === id)
  const returned = state.recent.some(({ request }) => request.id === id)
  return known || returned ? state : { ...state, arrivedAt: new Map(state.arrivedAt).set(id, now) }
}

function upsertRequest(state: RequestsState, request: ServiceRequest): RequestsState {
  const others = removeById(state.open, request.id)
  const place = others.findLastIndex((other) => mostUrgentFirst(other, request) < 0) + 1
  const open = others.toSpliced(place, 0, request)
  const recent = state.recent.filter((entry) => entry.request.id !== request.id)
  return settleIfShown({ ...state, open, recent }, request.id)
}

function closeRequest(
  state: RequestsState,
  { id, by, cancelled, mergedInto }: MessageOf<ServerMessage, 'request-completed'>,
  now: number,
): RequestsState {
  const request = state.open.find((other) => other.id === id)
  if (!request) return settleIfShown(state, id)
  const arrivedAt = new Map(state.arrivedAt)
  arrivedAt.delete(id)
  const entry: ClosedRequest = { request, closedAt: now, by, ...(cancelled && { cancelled }) }
  // Nobody needs to know about a request that was cancelled before it was accepted, or that goes on as another.
  const isListed = mergedInto === undefined && (!cancelled || request.state === 'accepted')
  return settleIfShown(
    {
      ...state,
      open: removeById(state.open, id),
      recent: isListed ? keepRecent([entry, ...state.recent], now) : state.recent,
      arrivedAt,
    },
    id,
  )
}

/** The answer and the stream may come in either order: a tap stays applied until the stream shows its effect. */
function markAnswered(
  state: RequestsState,
  { id, action, request }: LocalAction & { type: 'acted' },
): RequestsState {
  const pending = state.pending.get(id)
  const isSomebodyElses = action === 'accept' && request && request.acceptedBy?.id !== pending?.by.id
  if (pending?.action !== action || isSomebodyElses) return takeBack(state, id, action)
  return settleIfShown(withPending(state, id, { ...pending, answered: true }), id)
}

function settleIfShown(state: RequestsState, id: string): RequestsState {
  const pending = state.pending.get(id)
  if (!pending) return state
  const request = state.open.find((other) => other.id === id)
  const shows = {
    accept: !request || request.state === 'accepted',
    release: !request || request.state === 'waiting',
    complete: !request,
    reopen: request !== undefined && pending.answered,
  }
  return shows[pending.action] ? withPending(state, id, undefined) : state
}

/** What was done before with the same request applies again. */
function takeBack(state: RequestsState, id: string, action: RequestAction): RequestsState {
  const last = state.pending.get(id)
  const left = without(last, action)
  return left === last ? state : withPending(state, id, left)
}

function without(last: PendingAction | undefined, action: RequestAction): PendingAction | undefined {
  if (!last || last.action === action) return last?.before
  const before = without(last.before, action)
  return before === last.before ? last : { ...last, before }
}

function withPending(state: RequestsState, id: string, action: PendingAction | undefined): RequestsState {
  const pending = new Map(state.pending)
  if (action) pending.set(id, action)
  else pending.delete(id)
  return { ...state, pending }
}
