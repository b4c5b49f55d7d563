import type { ServiceRequest } from '#contract/requests/requests.ts'
import type { Schema } from '../../src/server/storage/schema.ts'
import type { Checker } from './evidence.ts'

/** The guest is never told what is not so: each text that a phone has shown has the event that makes it true. */
export const guestTruth: Checker = ({ restaurant: { phones }, eventsOf }) => {
  return phones.flatMap((phone, index) => {
    const told = phone.told.splice(0)
    return told
      .filter(
        ({ text, request, seat }) =>
          request.tableNumber !== seat || !isTrue(text, request, eventsOf(request.id)),
      )
      .map(({ text, request }) => ({
        about: request.id,
        problem: `phone ${index} was told "${text}" about ${request.id}`,
      }))
  })
}

function isTrue(text: string, request: ServiceRequest, about: readonly Schema['requestEvent'][]): boolean {
  const count = (...kinds: string[]) => about.filter(({ kind }) => kinds.includes(kind)).length
  const name = request.acceptedBy?.name
  const isOnTheWay = about.some(
    ({ kind, actorName }) =>
      (kind === 'accepted' || kind === 'handed_over') && (actorName ?? 'Crew').split(' ')[0] === name,
  )
  return (
    count('created', 'asked') >= request.asks &&
    count('seen') >= request.seen &&
    (request.state === 'waiting' || isOnTheWay) &&
    (text !== 'Done' || count('completed') > 0)
  )
}
