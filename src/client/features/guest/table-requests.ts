import type { ServerMessage } from '#contract/live.ts'
import { firstName } from '#contract/names.ts'
import {
  type Barrier,
  compareByAge,
  type ServiceRequest,
  stillWaitingPauseMs,
  targetResponseMs,
} from '#contract/requests.ts'
import { removeById, upsertById } from '../../lib/collections.ts'

/** What the phones at a table know about its requests. */
export type TableRequests = {
  /** Oldest first. */
  open: readonly ServiceRequest[]
  /** Just completed, and still shown for `doneShownMs`. */
  done: readonly ServiceRequest[]
  listening: boolean
  /** Why any request would be refused. */
  barrier: Barrier | null
}

export type TableEvent =
  | ServerMessage
  | {
      type: 'snapshot'
      requests: readonly ServiceRequest[]
      listening: boolean
      barrier: Barrier | null
    }
  | { type: 'barred'; barrier: Barrier }
  | { type: 'cancelled-here'; id: string }
  | { type: 'done-seen'; id: string }

export const doneShownMs = 10_000

/** Applying an event twice changes nothing. */
export function tableRequestsReducer(table: TableRequests, event: TableEvent): TableRequests {
  switch (event.type) {
    case 'snapshot':
      return applySnapshot(table, event)
    case 'ack':
      return event.requests
        ? applySnapshot(table, {
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
      return {
        ...table,
        open: upsertById(table.open, request).toSorted(compareByAge),
        done: removeById(table.done, request.id),
      }
    }
    case 'request-completed':
      return completeRequest(table, event.id, event.cancelled ?? false)
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
  { requests, listening, barrier }: Omit<TableEvent & { type: 'snapshot' }, 'type'>,
): TableRequests {
  const isOpen = ({ id }: ServiceRequest): boolean => requests.some((request) => request.id === id)
  const done = table.done.filter((request) => !isOpen(request))
  return { open: requests.toSorted(compareByAge), done, listening, barrier }
}

function completeRequest(table: TableRequests, id: string, cancelled: boolean): TableRequests {
  const request = table.open.find((other) => other.id === id)
  if (!request) return table
  return {
    ...table,
    open: removeById(table.open, id),
    done: cancelled ? table.done : [...table.done, request],
  }
}

/** The state of a stored request, as the guest reads it. */
export function requestStatus({ state, acceptedBy, seen }: ServiceRequest): string {
  if (state === 'accepted') return `${firstName(acceptedBy?.name)} is on the way`
  return seen > 0 ? 'Seen by the crew' : 'Sent'
}

export const requestStatusWithCount = (request: ServiceRequest): string =>
  request.asks > 1 ? `${requestStatus(request)} · asked ${request.asks}×` : requestStatus(request)

/** Whether the guest may say "Still waiting" yet. */
export const canRemind = ({ serviceType, timestamp, stillWaitingAt }: ServiceRequest, now: number): boolean =>
  now - timestamp >= targetResponseMs[serviceType] &&
  now - (stillWaitingAt ?? -Infinity) >= stillWaitingPauseMs
