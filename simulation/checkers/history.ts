import { stillWaitingPauseMs, undoWindowMs } from '#contract/requests/requests.ts'
import { targetMsOfRow } from '../../src/server/storage/requests/asked-need.ts'
import type { Schema } from '../../src/server/storage/schema.ts'
import type { Checker } from './evidence.ts'
import { isRepeated } from './parties.ts'

type Event = Schema['requestEvent']

/**
 * The events of a request tell one possible story, and the row is its end: who is on the way is so until they are
 * released, nothing happens to a closed request but an undo in time, and a guest takes back no ask of others.
 */
export const history: Checker = ({ restaurant: { world }, requests, eventsOf }) =>
  requests.flatMap((row) => {
    const events = eventsOf(row.id).toSorted(inOrder)
    const problems = tellStory(row, events)
    if (problems.length === 0) return []
    const isPossible =
      world.server.nodeCount > 1 && ordersOf(events).some((order) => tellStory(row, order).length === 0)
    return isPossible ? [] : problems.map((problem) => ({ about: row.id, problem }))
  })

/** Their ids are not the server's, so they may have happened anywhere in their millisecond. */
const unordered = new Set<Event['kind']>(['asked', 'taken_back', 'seen'])

/** What screens have shown is stored this much later, with the time at which they said so. */
const gatheredMs = 100

/** Within a millisecond the creation comes first; the server's own ids are in order. */
const inOrder = (a: Event, b: Event): number =>
  a.at - b.at || rankOf(a) - rankOf(b) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** Every order that what several nodes did may have happened in: within a millisecond, their ids tell nothing. */
function ordersOf(events: readonly Event[]): Event[][] {
  return [...Map.groupBy(events, ({ at }) => at).values()].reduce<Event[][]>(
    (orders, together) => orders.flatMap((order) => permute(together).map((next) => [...order, ...next])),
    [[]],
  )
}

const permute = (events: readonly Event[]): Event[][] =>
  events.length < 2
    ? [[...events]]
    : events.flatMap((event, at) => permute(events.toSpliced(at, 1)).map((rest) => [event, ...rest]))

const rankOf = ({ kind }: Event): number => (kind === 'created' ? 0 : unordered.has(kind) ? 2 : 1)

/** Who besides this guest has asked and not taken it back by then. */
function listOthers(events: readonly Event[], { actorId, at }: Event): string[] {
  const asks = new Map<string, number>()
  for (const event of events) {
    const isAsk = event.kind === 'created' || (event.kind === 'asked' && event.at < at)
    const by = isAsk ? 1 : event.kind === 'taken_back' && event.at <= at ? -1 : 0
    asks.set(event.actorId ?? '', (asks.get(event.actorId ?? '') ?? 0) + by)
  }
  return [...asks].flatMap(([who, count]) => (count > 0 && who !== actorId ? who : []))
}

function tellStory(row: Schema['serviceRequest'], events: readonly Event[]): string[] {
  let isOpen = false
  let isAccepted = false
  let wasMerged = false
  let completedAt: number | null = null
  let changedAt = 0
  let urgedAt = 0
  const problems: string[] = []
  const expectThat = (holds: boolean, what: string, { kind, at }: Event) => {
    if (!holds) problems.push(`request ${row.id}: ${kind} at ${at} although it ${what}`)
  }
  for (const event of events) {
    const { id, kind, at, actorKind } = event
    // It happened to the request that was merged, or from which an undone move took it for a request of its own.
    if (isRepeated(id) && kind !== 'created') continue
    const isReopenedAt = (from: number, until: number) =>
      events.some((later) => later.kind === 'reopened' && later.at >= from && later.at <= until)
    const mayBeLate = kind === 'seen' && isReopenedAt(at, at + gatheredMs)
    // A guest who corrects their table takes along what was just completed, for an undo of that.
    const isForUndo =
      kind === 'moved' && actorKind === 'guest' && completedAt !== null && at - completedAt <= undoWindowMs
    if (kind !== 'created' && kind !== 'reopened')
      expectThat(
        isOpen || mayBeLate || isForUndo || (unordered.has(kind) && at === changedAt),
        'is not open',
        event,
      )
    switch (kind) {
      case 'created':
        isOpen = true
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
      case 'still_waiting':
        expectThat(at - row.createdAt >= targetMsOfRow(row), 'is not late yet', event)
        expectThat(at - urgedAt >= stillWaitingPauseMs, 'was urged a moment ago', event)
        urgedAt = at
        break
      case 'completed':
        isOpen = false
        changedAt = completedAt = at
        break
      case 'cancelled':
        isOpen = false
        changedAt = at
        completedAt = null
        if (actorKind === 'guest')
          expectThat(listOthers(events, event).length === 0, 'is still asked by others', event)
        break
      case 'merged':
        isOpen = false
        wasMerged = true
        changedAt = at
        break
      case 'reopened':
        expectThat(
          wasMerged || (completedAt !== null && at - completedAt <= undoWindowMs),
          'cannot be undone',
          event,
        )
        isOpen = true
        wasMerged = false
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
