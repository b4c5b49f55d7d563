import type { ServerMessage } from '#contract/live.ts'
import { type ServiceRequest, targetMs } from '#contract/requests.ts'

/** What a table's phones know of its requests. */
export type TableRequests = {
  /** Oldest first. */
  open: readonly ServiceRequest[]
  /** Completed lately, still shown for `doneShownMs`. */
  done: readonly ServiceRequest[]
  listening: boolean
}

export type TableEvent =
  | ServerMessage
  | { type: 'snapshot'; requests: readonly ServiceRequest[]; listening: boolean }
  | { type: 'cancelled-here'; id: string }
  | { type: 'done-seen'; id: string }

export const doneShownMs = 10_000

/** Folding an event in twice changes nothing. */
export function tableRequests(table: TableRequests, event: TableEvent): TableRequests {
  switch (event.type) {
    case 'snapshot':
      return snapshot(table, event.requests, event.listening)
    case 'ack':
      return event.requests ? snapshot(table, event.requests, event.listening ?? table.listening) : table
    case 'presence':
      return { ...table, listening: event.listening }
    case 'new-request':
    case 'request-updated': {
      const { request } = event
      return {
        ...table,
        open: inOrder([...without(table.open, request.id), request]),
        done: without(table.done, request.id),
      }
    }
    case 'request-completed':
      return completed(table, event.id, event.cancelled ?? false)
    case 'cancelled-here':
      return completed(table, event.id, true)
    case 'done-seen':
      return { ...table, done: without(table.done, event.id) }
    default:
      return table
  }
}

function snapshot(
  table: TableRequests,
  requests: readonly ServiceRequest[],
  listening: boolean,
): TableRequests {
  const isOpen = ({ id }: ServiceRequest): boolean => requests.some((request) => request.id === id)
  return { open: inOrder([...requests]), done: table.done.filter((request) => !isOpen(request)), listening }
}

function completed(table: TableRequests, id: string, cancelled: boolean): TableRequests {
  const request = table.open.find((one) => one.id === id)
  if (!request) return table
  return { ...table, open: without(table.open, id), done: cancelled ? table.done : [...table.done, request] }
}

const without = (requests: readonly ServiceRequest[], id: string): readonly ServiceRequest[] =>
  requests.filter((request) => request.id !== id)

const inOrder = (requests: ServiceRequest[]): readonly ServiceRequest[] =>
  requests.toSorted((a, b) => a.timestamp - b.timestamp || (a.id < b.id ? -1 : 1))

/** Where a stored request stands, in the guest's words. */
export function standing({ state, acceptedBy, seen }: ServiceRequest): string {
  if (state === 'accepted') return `${firstName(acceptedBy?.name)} is on the way`
  return seen > 0 ? 'Seen by the crew' : 'Sent'
}

export const standingWithAsks = (request: ServiceRequest): string =>
  request.asks > 1 ? `${standing(request)} · asked ${request.asks}×` : standing(request)

const firstName = (name = ''): string => name.trim().split(/\s+/u)[0] || 'Crew'

/** From when on the guest may say "Still waiting". */
export const isLate = ({ serviceType, timestamp }: ServiceRequest, now: number): boolean =>
  now - timestamp >= targetMs[serviceType]
