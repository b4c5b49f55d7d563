import type { ServerMessage } from '#contract/live.ts'
import { firstName } from '#contract/names.ts'
import type { PersonRef, ServiceRequest } from '#contract/requests/requests.ts'
import { type RequestRow, toRequest } from '../../storage/requests/requests.ts'

/**
 * A request as guests see it: the same shape that staff get, with first names only and without crew ids and notes, since
 * whoever names a table sees its requests. Every answer to a guest must be redacted by this; `write` redacts what is
 * announced to a table.
 */
export const toGuestRequest = (row: RequestRow): ServiceRequest => redactRequest(toRequest(row))

const redactRequest = ({ called: _called, note: _note, ...request }: ServiceRequest): ServiceRequest => ({
  ...request,
  acceptedBy: redactName(request.acceptedBy),
  crew: [],
})

const redactName = (person: PersonRef | null): PersonRef | null =>
  person && { id: null, name: firstName(person.name) }

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
