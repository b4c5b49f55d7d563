import { expect, it } from 'vitest'
import type { ServerMessage } from '#contract/live.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import { todayReducer, initialTodayState, escalatedToManager } from './today-reducer.ts'

const request = (id: string, change: Partial<ServiceRequest> = {}): ServiceRequest =>
  buildRequest({ id, tableNumber: '7', serviceType: 'check', timestamp: 1000, ...change })
const snapshot = (...requests: ServiceRequest[]): ServerMessage => ({
  type: 'pending-requests',
  requests,
  recent: [],
  calls: [],
  breaks: [],
})
const after = (...messages: ServerMessage[]) => messages.reduce(todayReducer, initialTodayState)

it('lists open requests, oldest first, and drops closed ones', () => {
  const state = after(
    snapshot(request('b', { timestamp: 2000 })),
    { type: 'new-request', request: request('a') },
    { type: 'new-request', request: request('a') },
    { type: 'request-completed', id: 'b', by: null },
  )
  expect(state.open).toEqual([request('a')])
})

it('counts every list after the first as a change', () => {
  expect(after(snapshot()).revision).toBe(0)
  expect(after(snapshot(), snapshot()).revision).toBe(1)
  expect(after(snapshot(), { type: 'new-request', request: request('a') }).revision).toBe(1)
  expect(after(snapshot(), { type: 'presence', listening: true, screens: 3 })).toMatchObject({
    revision: 0,
    screens: 3,
  })
})

it('counts changes of the floor apart from those of requests', () => {
  const revisions = (...messages: ServerMessage[]) => {
    const { revision, floorRevision } = after(snapshot(), ...messages)
    return [revision, floorRevision]
  }
  expect(revisions({ type: 'new-request', request: request('a') })).toEqual([1, 0])
  expect(revisions({ type: 'crew-changed' })).toEqual([1, 1])
  expect(revisions({ type: 'floor-changed' })).toEqual([1, 1])
  expect(revisions(snapshot())).toEqual([1, 1])
})

it('returns what has escalated to the manager and nobody has accepted', () => {
  const { open } = after(snapshot(request('a'), request('b', { level: 1 }), request('c', { level: 2 })), {
    type: 'request-updated',
    request: request('d', { level: 2, state: 'accepted' }),
  })
  expect(escalatedToManager(open).map(({ id }) => id)).toEqual(['c'])
  const repeated = request('d', { level: 2, state: 'accepted', stillWaiting: 1, stillWaitingAt: 5000 })
  expect(escalatedToManager([repeated, { ...repeated, stillWaitingAt: null }])).toEqual([repeated])
})
