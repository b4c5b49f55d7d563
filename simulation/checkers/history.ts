import { undoWindowMs } from '#contract/requests/requests.ts'
import type { Schema } from '../../src/server/storage/schema.ts'
import type { Checker } from './evidence.ts'

type Event = Schema['requestEvent']

/**
 * The events of a request tell one possible story, and the row is its end: who is on the way is so until they are
 * released, nothing happens to a closed request but an undo in time, and a guest takes back no ask of others.
 */
export const history: Checker = ({ requests, events }) => {
  const byRequest = Map.groupBy(events, ({ requestId }) => requestId)
  return requests.flatMap((row) => tellStory(row, (byRequest.get(row.id) ?? []).toSorted(inOrder)))
}

/** At the same millisecond the creation comes first; the server's own ids are in order. */
const inOrder = (a: Event, b: Event): number =>
  a.at - b.at ||
  Number(b.kind === 'created') - Number(a.kind === 'created') ||
  (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

function tellStory(row: Schema['serviceRequest'], events: readonly Event[]): string[] {
  let isOpen = false
  let isAccepted = false
  let completedAt: number | null = null
  const asks = new Map<string, number>()
  const problems: string[] = []
  const expectThat = (holds: boolean, what: string, { kind, at }: Event) => {
    if (!holds) problems.push(`request ${row.id}: ${kind} at ${at} although it ${what}`)
  }
  for (const event of events) {
    const { kind, at, actorId, actorKind } = event
    const guest = actorId ?? ''
    if (kind !== 'created' && kind !== 'reopened') expectThat(isOpen, 'is not open', event)
    switch (kind) {
      case 'created':
        isOpen = true
        asks.set(guest, 1)
        break
      case 'asked':
        asks.set(guest, (asks.get(guest) ?? 0) + 1)
        break
      case 'taken_back':
        asks.set(guest, (asks.get(guest) ?? 0) - 1)
        break
      case 'accepted':
        expectThat(!isAccepted, 'was accepted', event)
        isAccepted = true
        break
      case 'released':
      case 'handed_over':
        expectThat(isAccepted, 'was not accepted', event)
        isAccepted = kind === 'handed_over'
        break
      case 'escalated':
        expectThat(!isAccepted, 'was accepted', event)
        break
      case 'completed':
        isOpen = false
        completedAt = at
        break
      case 'cancelled':
        isOpen = false
        completedAt = null
        for (const [who, count] of asks)
          if (actorKind === 'guest')
            expectThat(who === guest || count === 0, 'is still asked by others', event)
        break
      case 'reopened':
        expectThat(completedAt !== null && at - completedAt <= undoWindowMs, 'cannot be undone', event)
        isOpen = true
        break
      default:
        break
    }
  }
  if (isOpen !== (row.closedAt === null)) problems.push(`request ${row.id} is ${isOpen ? 'closed' : 'open'}`)
  if (isOpen && isAccepted !== (row.acceptedAt !== null))
    problems.push(`request ${row.id} ${isAccepted ? 'has lost' : 'has gained'} an acceptance`)
  return problems
}
