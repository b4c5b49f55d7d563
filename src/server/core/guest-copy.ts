import type { ServerMessage } from '#contract/live.ts'
import { firstName } from '#contract/names.ts'
import type { By, ServiceRequest } from '#contract/requests.ts'
import { type RequestRow, toRequest } from '../storage/requests.ts'

/**
 * How a request looks to guests: the shape that staff get, with first names only and nothing that tells crew members
 * apart. Everything that answers a guest goes through here; what is announced to a table does so by itself.
 */
export const toGuestRequest = (row: RequestRow): ServiceRequest => guestCopy(toRequest(row))

const guestCopy = (request: ServiceRequest): ServiceRequest => ({
  ...request,
  acceptedBy: withoutId(request.acceptedBy),
  crew: [],
})

const withoutId = (by: By | null): By | null => by && { id: null, name: firstName(by.name) }

export function toGuestMessage(message: ServerMessage): ServerMessage {
  switch (message.type) {
    case 'new-request':
    case 'request-updated':
      return { ...message, request: guestCopy(message.request) }
    case 'request-completed':
      return { ...message, by: withoutId(message.by) }
    default:
      return message
  }
}
