import type { ServerMessage } from '#contract/live.ts'
import { firstName } from '#contract/names.ts'
import type { PersonRef, ServiceRequest } from '#contract/requests.ts'
import { type RequestRow, toRequest } from '../../storage/requests.ts'

/**
 * How a request looks to guests: the shape that staff get, with first names only and nothing that tells crew members
 * apart. Everything that answers a guest goes through here; what is announced to a table does so by itself.
 */
export const toGuestRequest = (row: RequestRow): ServiceRequest => redactRequest(toRequest(row))

const redactRequest = (request: ServiceRequest): ServiceRequest => ({
  ...request,
  acceptedBy: redactName(request.acceptedBy),
  crew: [],
})

const redactName = (by: PersonRef | null): PersonRef | null => by && { id: null, name: firstName(by.name) }

export function toGuestMessage(message: ServerMessage): ServerMessage {
  switch (message.type) {
    case 'new-request':
    case 'request-updated':
      return { ...message, request: redactRequest(message.request) }
    case 'request-completed':
      return { ...message, by: redactName(message.by) }
    default:
      return message
  }
}
