import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ServerMessage } from '#contract/live.ts'
import type { PersonRef, ServiceRequest } from '#contract/requests/requests.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import {
  type LocalAction,
  type RequestsState,
  requestsReducer,
  initialRequestsState,
  visibleRecent,
  visibleRequests,
  unansweredActions,
  describeConflict,
} from './requests-reducer.ts'

const maya: PersonRef = { id: 'maya', name: 'Maya' }
const leo: PersonRef = { id: 'leo', name: 'Leo' }

const request = (id: string, change: Partial<ServiceRequest> = {}): ServiceRequest =>
  buildRequest({ id, tableNumber: id, timestamp: id.charCodeAt(0), ...change })
const accepted = (id: string, by: PersonRef): ServiceRequest =>
  request(id, { state: 'accepted', acceptedBy: by, acceptedAt: 1000 })

const snapshot = (...requests: ServiceRequest[]): ServerMessage => ({
  type: 'pending-requests',
  requests,
  recent: [],
})

function after(...messages: (ServerMessage | LocalAction)[]): RequestsState {
  return messages.reduce((state, message) => requestsReducer(state, message, 1000), initialRequestsState)
}
const idsOf = (state: RequestsState): string[] => visibleRequests(state).map(({ id }) => id)

it('lists a cancelled request only if somebody was on the way', () => {
  const { recent } = after(
    snapshot(accepted('a', maya), request('b')),
    { type: 'request-completed', id: 'a', by: null, cancelled: true },
    { type: 'request-completed', id: 'b', by: null, cancelled: true },
  )
  expect(recent).toEqual([{ request: accepted('a', maya), closedAt: 1000, by: null, cancelled: true }])
})

it('a request that goes on as another is not listed', () => {
  const { open, recent } = after(snapshot(accepted('a', maya), request('b')), {
    type: 'request-completed',
    id: 'a',
    by: null,
    cancelled: true,
    mergedInto: 'b',
  })
  expect(open.map(({ id }) => id)).toEqual(['b'])
  expect(recent).toEqual([])
})

describe('the list of open requests', () => {
  it('starts with those whose guests are still waiting, even once accepted', () => {
    const reminded = request('b', { stillWaiting: 1 })
    const listed = after(snapshot(request('a'), request('b')), { type: 'request-updated', request: reminded })
    expect(idsOf(listed)).toEqual(['b', 'a'])
    expect(
      idsOf(requestsReducer(listed, { type: 'acting', id: 'b', action: 'accept', by: maya }, 1000)),
    ).toEqual(['b', 'a'])
  })

  it('shows the oldest first, in whatever order they arrive', () => {
    expect(
      idsOf(after(snapshot(request('c'), request('a')), { type: 'new-request', request: request('b') })),
    ).toEqual(['a', 'b', 'c'])
  })

  it('marks as new only what arrived while the screen was open', () => {
    const state = after(snapshot(request('a')), { type: 'new-request', request: request('b') })
    expect([...state.arrivedAt]).toEqual([['b', 1000]])
  })

  it('lists completed requests, the latest first, and no cancelled ones', () => {
    const state = after(
      snapshot(request('a'), request('b'), request('c')),
      { type: 'request-completed', id: 'a', by: maya },
      { type: 'request-completed', id: 'b', by: null, cancelled: true },
      { type: 'request-completed', id: 'c', by: leo },
    )
    expect(state.open).toEqual([])
    expect(state.recent).toEqual([
      { request: request('c'), closedAt: 1000, by: leo },
      { request: request('a'), closedAt: 1000, by: maya },
    ])
  })

  it('does not change when a message is applied twice', () => {
    const messages = fc.array(
      fc
        .tuple(
          fc.constantFrom('new-request', 'request-updated', 'request-completed'),
          fc.constantFrom('a', 'b'),
        )
        .map(([type, id]): ServerMessage =>
          type === 'request-completed' ? { type, id, by: maya } : { type, request: request(id) },
        ),
    )
    fc.assert(
      fc.property(messages, (all) => {
        expect(after(...all.flatMap((message) => [message, message]))).toEqual(after(...all))
      }),
    )
  })
})

describe('a tap', () => {
  const open = snapshot(request('a'), request('b'))

  it('completes at once, stays so when the answer comes before the stream, and is then listed', () => {
    const tapped = after(open, { type: 'acting', id: 'a', action: 'complete', by: maya })
    expect(idsOf(tapped)).toEqual(['b'])
    const answered = requestsReducer(tapped, { type: 'acted', id: 'a', action: 'complete' }, 0)
    expect(idsOf(answered)).toEqual(['b'])
    const updated = requestsReducer(answered, { type: 'request-completed', id: 'a', by: maya }, 5)
    expect([idsOf(updated), updated.recent.map(({ request: { id } }) => id), updated.pending.size]).toEqual([
      ['b'],
      ['a'],
      0,
    ])
  })

  it('that is refused brings the ticket back', () => {
    const state = after(
      open,
      { type: 'acting', id: 'a', action: 'complete', by: maya },
      { type: 'refused', id: 'a', action: 'complete' },
    )
    expect(idsOf(state)).toEqual(['a', 'b'])
  })

  it('survives a reconnection until it is answered; then the new list decides', () => {
    const tapped = after(open, { type: 'acting', id: 'a', action: 'complete', by: maya })
    expect(idsOf(requestsReducer(tapped, open, 0))).toEqual(['b'])
    const answered = requestsReducer(tapped, { type: 'acted', id: 'a', action: 'complete' }, 0)
    expect(idsOf(requestsReducer(answered, open, 0))).toEqual(['a', 'b'])
  })

  it('accepts at once, and yields to whoever was first', () => {
    const tapped = after(open, { type: 'acting', id: 'a', action: 'accept', by: maya })
    expect(visibleRequests(tapped)[0]).toEqual(accepted('a', maya))
    const late = requestsReducer(
      tapped,
      { type: 'acted', id: 'a', action: 'accept', request: accepted('a', leo) },
      0,
    )
    const updated = requestsReducer(late, { type: 'request-updated', request: accepted('a', leo) }, 0)
    expect(visibleRequests(updated)[0]).toEqual(accepted('a', leo))
  })

  it('stays applied while unrelated changes of the request arrive', () => {
    const tapped = after(open, { type: 'acting', id: 'a', action: 'accept', by: maya })
    const seen = requestsReducer(tapped, { type: 'request-updated', request: request('a', { seen: 1 }) }, 0)
    expect(visibleRequests(seen)[0]).toEqual({ ...accepted('a', maya), seen: 1 })
  })

  it('undoes a completion at once, even before the server has answered it', () => {
    const undone = after(
      open,
      { type: 'acting', id: 'a', action: 'complete', by: maya },
      { type: 'acting', id: 'a', action: 'reopen', by: maya },
    )
    expect(idsOf(undone)).toEqual(['a', 'b'])
    const completed = requestsReducer(undone, { type: 'request-completed', id: 'a', by: maya }, 0)
    expect([idsOf(completed), visibleRecent(completed)]).toEqual([['a', 'b'], []])
    const reopened = requestsReducer(completed, { type: 'request-updated', request: request('a') }, 0)
    const settled = requestsReducer(reopened, { type: 'acted', id: 'a', action: 'reopen' }, 0)
    expect([idsOf(settled), settled.recent, settled.pending.size]).toEqual([['a', 'b'], [], 0])
  })

  it('returns an undone completion to whoever was on the way: nobody is alerted again', () => {
    const undone = after(
      open,
      { type: 'request-updated', request: accepted('a', maya) },
      { type: 'request-completed', id: 'a', by: maya },
      { type: 'acting', id: 'a', action: 'reopen', by: maya },
    )
    expect(visibleRequests(undone)[0]).toEqual(accepted('a', maya))
  })

  it('applies again when a later one on the same request is taken back, until the server has answered it', () => {
    const both = after(
      open,
      { type: 'acting', id: 'a', action: 'accept', by: maya },
      { type: 'acting', id: 'a', action: 'complete', by: maya },
    )
    const takeBack = (state: RequestsState): RequestsState =>
      requestsReducer(state, { type: 'refused', id: 'a', action: 'complete' }, 0)
    expect(visibleRequests(takeBack(both))[0]).toEqual(accepted('a', maya))
    expect([...unansweredActions(takeBack(both))]).toEqual([['a', 'accept']])
    const answered = requestsReducer(both, { type: 'acted', id: 'a', action: 'accept' }, 0)
    expect([...unansweredActions(answered)]).toEqual([['a', 'complete']])
    expect(takeBack(answered).pending.size).toBe(0)
  })

  it('never hides a request that somebody reopened', () => {
    const state = after(
      open,
      { type: 'acting', id: 'a', action: 'complete', by: maya },
      { type: 'request-completed', id: 'a', by: maya },
      { type: 'request-updated', request: request('a') },
      { type: 'acted', id: 'a', action: 'complete' },
    )
    expect(idsOf(state)).toEqual(['a', 'b'])
  })
})

describe('a tap without a connection', () => {
  const tapped = after(
    snapshot(request('a'), request('b')),
    { type: 'acting', id: 'a', action: 'complete', by: maya },
    { type: 'acting', id: 'b', action: 'accept', by: maya },
  )

  it('keeps the ticket visible, and is marked as not sent', () => {
    expect(visibleRequests(tapped, { connected: false }).map(({ id, state }) => [id, state])).toEqual([
      ['a', 'accepted'],
      ['b', 'accepted'],
    ])
    expect([...unansweredActions(tapped)]).toEqual([
      ['a', 'complete'],
      ['b', 'accept'],
    ])
    expect(idsOf(tapped)).toEqual(['b'])
  })

  const tap = (action: 'accept' | 'complete') => ({ id: 'a', action, tableNumber: '7', by: maya })
  const closedBy = (by: PersonRef | null): ServerMessage => ({
    type: 'pending-requests',
    requests: [],
    recent: [{ request: request('a'), closedAt: 1, by }],
  })

  it.each<[string, 'accept' | 'complete', ServerMessage, string | null]>([
    ['accepted by the same member', 'accept', snapshot(accepted('a', maya)), null],
    ['accepted by a colleague', 'accept', snapshot(accepted('a', leo)), 'Leo was first: table 7'],
    ['completed by a colleague', 'accept', closedBy(leo), 'Leo was first: table 7'],
    ['cancelled by the guest', 'accept', snapshot(), 'Already done: table 7'],
    ['completed by the same member', 'complete', closedBy(maya), null],
    ['completed by a colleague', 'complete', closedBy(leo), 'Leo was first: table 7'],
    ['cancelled by the guest', 'complete', snapshot(), 'Already done: table 7'],
    ['not completed yet', 'complete', snapshot(accepted('a', leo)), null],
  ])('%s: names who was first to %s', (_, action, updated, text) => {
    expect(describeConflict(after(updated), tap(action))).toBe(text)
  })
})
