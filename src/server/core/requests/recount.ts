import { takenBackId } from '../../storage/requests/request-events.ts'
import type { RequestState, StateEvent } from '../../storage/requests/request-history.ts'
import type { RequestEventKind } from '../../storage/schema.ts'

/**
 * What a request says of itself that its events do not: every figure is computed from them again. Nothing depends on the
 * order of the events, as the clocks of two nodes may differ.
 */
export function findDifferences(state: RequestState, events: readonly StateEvent[]): string[] {
  const kinds = Map.groupBy(events, ({ kind }) => kind)
  const of = (kind: RequestEventKind): readonly StateEvent[] => kinds.get(kind) ?? []
  const asks = [...of('created'), ...of('asked')]
  const takenBack = new Set(of('taken_back').map(({ id }) => id))
  // Those of a request that was merged into this one, whose other events stayed where they were.
  const isJoined = asks.some(({ id }) => id.startsWith('moved:'))
  const remaining = asks.filter(({ id }) => !takenBack.has(takenBackId(id))).length
  const closings = of('completed').length + of('cancelled').length + of('merged').length
  const isAcceptance = ({ at, actorId }: StateEvent): boolean =>
    at === state.acceptedAt && (state.acceptedBy === null || actorId === state.acceptedBy)
  const isClosing = ({ at, actorId }: StateEvent): boolean =>
    (state.closedAs === 'merged' || at === state.closedAt) &&
    (state.closedBy === null || actorId === state.closedBy)

  // Each of these raises a request by one level, up to the manager. It may begin at the second, and none is taken back.
  const raises = of('escalated').length + of('still_waiting').length
  const [least, most] = isJoined ? [0, 2] : [Math.min(raises, 2), Math.min(raises + 1, 2)]

  const differences: string[] = []
  const expect = (holds: boolean, difference: string): void => {
    if (!holds) differences.push(difference)
  }
  expect(
    of('created').length === 1 && of('created')[0]?.at === state.createdAt,
    `it was created at ${time(state.createdAt)}, its events say ${times(of('created'))}`,
  )
  expect(remaining === state.asks, `it was asked ${state.asks} times, its events say ${remaining}`)
  expect(
    isJoined || asks.some(({ at }) => at === state.lastAskedAt),
    `it was last asked at ${time(state.lastAskedAt)}, its events say ${times(asks)}`,
  )
  expect(
    of('seen').length === state.seen,
    `${state.seen} screens have shown it, its events say ${of('seen').length}`,
  )
  expect(
    state.seenAt === null ? of('seen').length === 0 : of('seen').some(({ at }) => at === state.seenAt),
    `it was first shown at ${time(state.seenAt)}, its events say ${times(of('seen'))}`,
  )
  expect(
    of('accepted').length - of('released').length === (state.acceptedAt === null ? 0 : 1),
    `somebody is on the way: ${state.acceptedAt !== null}, its events say ${of('accepted').length} acceptances, ${of('released').length} of them given back`,
  )
  expect(
    state.acceptedAt === null || [...of('accepted'), ...of('handed_over')].some(isAcceptance),
    `it was accepted at ${time(state.acceptedAt)}, its events say ${times([...of('accepted'), ...of('handed_over')])}`,
  )
  expect(
    state.answeredAt === null || of('accepted').some(({ at }) => at === state.answeredAt),
    `it was answered at ${time(state.answeredAt)}, its events say ${times(of('accepted'))}`,
  )
  expect(
    closings - of('reopened').length === (state.closedAt === null ? 0 : 1),
    `it is ${state.closedAs ?? 'open'}, its events say ${closings} times closed, ${of('reopened').length} times opened again`,
  )
  expect(
    state.closedAs === null || of(state.closedAs).some(isClosing),
    `it was ${state.closedAs} at ${time(state.closedAt)}, its events say ${state.closedAs === null ? '' : times(of(state.closedAs))}`,
  )
  expect(
    isJoined
      ? state.stillWaiting >= of('still_waiting').length
      : state.stillWaiting === of('still_waiting').length,
    `its guests still waited ${state.stillWaiting} times, its events say ${of('still_waiting').length}`,
  )
  expect(
    isJoined ||
      (state.stillWaitingAt === null
        ? of('still_waiting').length === 0
        : of('still_waiting').some(({ at }) => at === state.stillWaitingAt)),
    `its guests still waited at ${time(state.stillWaitingAt)}, its events say ${times(of('still_waiting'))}`,
  )
  expect(
    state.level >= least && state.level <= most,
    `it is urgent to the degree ${state.level}, its events say ${raises} times raised`,
  )
  expect(
    state.movedTo === null || of('moved').length + of('merged').length > 0,
    `it was moved to another table, its events do not say so`,
  )
  return differences
}

const time = (at: number | null): string => (at === null ? 'no time' : new Date(at).toISOString())

const times = (events: readonly StateEvent[]): string =>
  events.length === 0 ? 'never' : events.map(({ at }) => time(at)).join(', ')
