import type { ServerMessage } from '#contract/live.ts'
import { firstName, localName } from '#contract/names.ts'
import {
  type Availability,
  type Barrier,
  compareByAge,
  type PersonRef,
  type ServiceRequest,
  stillWaitingPauseMs,
  targetMsOf,
} from '#contract/requests/requests.ts'
import { removeById, upsertById } from '../../../lib/collections.ts'
import { t } from '../../../lib/texts/translate.ts'

/** Every field, so that none of a server's answer is forgotten. */
type AllOf<T> = { [Name in keyof T]-?: T[Name] | undefined }

/** What the phones at a table know about its requests. */
export type TableRequests = Partial<AllOf<Availability>> & {
  /** Oldest first. */
  open: readonly ServiceRequest[]
  /** Just completed, and still shown for `doneShownMs`. */
  done: readonly ServiceRequest[]
  listening: boolean
  /** The page was kept on the device, and the server has not answered yet. */
  asking?: boolean | undefined
  /** Why any request would be refused. */
  barrier: Barrier | null
  /** The table that the crew moved this party to. */
  movedTo?: string | undefined
  /** The visit has lasted for its three hours. */
  expired?: boolean | undefined
}

export type TableEvent =
  | ServerMessage
  | ({
      type: 'snapshot'
      requests: readonly ServiceRequest[]
      listening: boolean
      barrier: Barrier | null
      movedTo?: string | undefined
      expired?: boolean | undefined
    } & Availability)
  | { type: 'presence'; listening: boolean }
  | { type: 'barred'; barrier: Barrier }
  | { type: 'cancelled-here'; id: string }
  /** The answer to a call of this page, which may be older than what it knows. */
  | { type: 'answered'; request: ServiceRequest }
  /** What a tap that was sent again asked for. */
  | { type: 'closed-since'; request: ServiceRequest; cancelled: boolean }
  | { type: 'done-seen'; id: string }
  | { type: 'visit-started' }

export const doneShownMs = 10_000

/** Applying an event twice changes nothing. */
export function tableRequestsReducer(table: TableRequests, event: TableEvent): TableRequests {
  switch (event.type) {
    case 'snapshot':
      return applySnapshot(table, event)
    case 'ack':
      return event.requests
        ? applySnapshot(table, {
            ...event,
            requests: event.requests,
            listening: event.listening ?? table.listening,
            barrier: event.barrier ?? null,
          })
        : table
    case 'barred':
      return { ...table, barrier: event.barrier }
    case 'presence':
      return { ...table, listening: event.listening }
    case 'new-request':
    case 'request-updated': {
      const { request } = event
      // It is of those who sit there now.
      if (table.barrier === 'visit_expired') return table
      return {
        ...table,
        open: upsertById(table.open, request).toSorted(compareByAge),
        done: removeById(table.done, request.id),
      }
    }
    case 'answered': {
      const { request } = event
      const isKnown = [...table.open, ...table.done].some(({ id }) => id === request.id)
      return isKnown ? table : tableRequestsReducer(table, { type: 'request-updated', request })
    }
    case 'request-completed':
      return completeRequest(table, event.id, event.cancelled ?? false)
    case 'closed-since': {
      const updated = tableRequestsReducer(table, { type: 'request-updated', request: event.request })
      return completeRequest(updated, event.request.id, event.cancelled)
    }
    case 'cancelled-here':
      return completeRequest(table, event.id, true)
    case 'done-seen':
      return { ...table, done: removeById(table.done, event.id) }
    default:
      return table
  }
}

function applySnapshot(
  table: TableRequests,
  snapshot: Omit<TableEvent & { type: 'snapshot' }, 'type'>,
): TableRequests {
  const { requests, listening, barrier, movedTo, expired } = snapshot
  const isOpen = ({ id }: ServiceRequest): boolean => requests.some((request) => request.id === id)
  const done = table.done.filter((request) => !isOpen(request))
  const open = requests.toSorted(compareByAge)
  return { open, done, listening, barrier, movedTo, expired, ...availabilityIn(snapshot) }
}

export const availabilityIn = ({
  needs,
  card,
  closedUntil,
  pauses,
  timeZone,
}: Availability): AllOf<Availability> => ({ needs, card, closedUntil, pauses, timeZone })

function completeRequest(table: TableRequests, id: string, cancelled: boolean): TableRequests {
  const request = table.open.find((other) => other.id === id)
  if (!request) return table
  return {
    ...table,
    open: removeById(table.open, id),
    done: cancelled ? table.done : [...table.done, request],
  }
}

/** Somebody without a name is the crew. */
export const crewName = (person: PersonRef | null): string => localName(firstName(person?.name), t)

/** The state of a stored request, as the guest reads it. */
export function requestStatus({ state, acceptedBy, seen }: ServiceRequest): string {
  if (state === 'accepted') return t('{name} is on the way', { name: crewName(acceptedBy) })
  return seen > 0 ? t('Seen by the crew') : t('Sent')
}

/** How many of the four steps to its end are behind it: sent, seen, on the way, done. */
export const progressOf = ({ state, seen }: ServiceRequest): number =>
  state === 'accepted' ? 3 : seen > 0 ? 2 : 1

export const requestStatusWithCount = (request: ServiceRequest): string =>
  request.asks > 1
    ? `${requestStatus(request)} · ${t('asked {count}×', { count: request.asks })}`
    : requestStatus(request)

/** Whether the guest may say "Still waiting" yet. */
export const canRemind = (request: ServiceRequest, now: number): boolean =>
  hasPassed(now - request.timestamp, targetMsOf(request)) &&
  hasPassed(now - (request.stillWaitingAt ?? -Infinity), stillWaitingPauseMs)

/** What lies far ahead is from before the server's clock was set back: nobody knows how long ago that was. */
const hasPassed = (agoMs: number, waitMs: number): boolean => agoMs >= waitMs || agoMs < -stillWaitingPauseMs
