import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { ServerMessage } from '#contract/live.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import {
  canRemind,
  requestStatus,
  type TableEvent,
  type TableRequests,
  tableRequestsReducer,
} from './table-requests.ts'

const request = (id: string, fields: Partial<ServiceRequest> = {}): ServiceRequest =>
  buildRequest({ id, tableNumber: '7', timestamp: 1000, verified: false, ...fields })
const [a, b] = [request('a'), request('b', { serviceType: 'check', timestamp: 2000 })]
const quiet: TableRequests = { open: [], done: [], listening: true, barrier: null }
const after = (...events: TableEvent[]): TableRequests => events.reduce(tableRequestsReducer, quiet)

describe('the requests of a table', () => {
  it('are those in the answer to the context, oldest first', () => {
    expect(after({ type: 'ack', requests: [b, a], listening: false })).toEqual({
      open: [a, b],
      done: [],
      listening: false,
      barrier: null,
    })
  })

  it('leave out those of whoever came after a visit that is over', () => {
    const over: TableEvent = { type: 'barred', barrier: 'visit_expired' }
    const events: TableEvent[] = [
      { type: 'new-request', request: a },
      { type: 'request-updated', request: b },
    ]
    expect(after(over, ...events).open).toEqual([])
    expect(after({ type: 'barred', barrier: 'table_muted' }, ...events).open).toEqual([a, b])
  })

  it('follow each event, and applying one twice changes nothing', () => {
    const seen = { ...a, seen: 1 }
    const events: TableEvent[] = [
      { type: 'request-updated', request: a },
      { type: 'request-updated', request: seen },
      { type: 'request-updated', request: b },
    ]
    expect(after(...events).open).toEqual([seen, b])
    expect(after(...events.flatMap((event) => [event, event]))).toEqual(after(...events))
  })

  it('are done when completed, and gone when cancelled', () => {
    const open: TableEvent = { type: 'ack', requests: [a, b], listening: true }
    const completed: TableEvent = { type: 'request-completed', id: 'a', by: { id: null, name: 'Crew' } }
    const cancelled: TableEvent = { type: 'request-completed', id: 'b', by: null, cancelled: true }
    expect(after(open, completed, completed, cancelled)).toEqual({ ...quiet, done: [a] })
    expect(after(open, completed, { type: 'done-seen', id: 'a' })).toEqual({ ...quiet, open: [b] })
    expect(after(open, { type: 'cancelled-here', id: 'b' })).toEqual({ ...quiet, open: [a] })
  })

  it('come back when a completion is undone', () => {
    const events: TableEvent[] = [
      { type: 'request-updated', request: a },
      { type: 'request-completed', id: 'a', by: null },
      { type: 'request-updated', request: a },
    ]
    expect(after(...events)).toEqual({ ...quiet, open: [a] })
  })

  it('are done, or gone, when a tap that is sent again learns that they are closed', () => {
    const closed: TableEvent = { type: 'closed-since', request: a, cancelled: false }
    expect(after({ type: 'request-updated', request: b }, closed)).toEqual({ ...quiet, open: [b], done: [a] })
    expect(after({ type: 'request-updated', request: a }, closed, closed)).toEqual({ ...quiet, done: [a] })
    expect(after({ ...closed, cancelled: true })).toEqual(quiet)
    const barred: TableEvent = { type: 'barred', barrier: 'visit_expired' }
    expect(after(barred, closed)).toEqual({ ...quiet, barrier: 'visit_expired' })
  })

  it('are those of the table that the party moved to, until it is back', () => {
    const moved: TableEvent = {
      type: 'snapshot',
      requests: [b],
      listening: true,
      barrier: null,
      movedTo: '12',
    }
    expect(after({ type: 'request-updated', request: a }, moved)).toMatchObject({ open: [b], movedTo: '12' })
    expect(after(moved, { type: 'ack', ref: '1' }).movedTo).toBe('12')
    expect(after(moved, { type: 'ack', requests: [a], listening: true }).movedTo).toBeUndefined()
  })

  it('keep what an acknowledgement without requests does not mention', () => {
    expect(after({ type: 'request-updated', request: a }, { type: 'ack', ref: '1' }).open).toEqual([a])
  })

  it('know from each answer to the context what is paused, and until when it is closed', () => {
    const pause = { serviceType: 'food', until: 5, reason: 'kitchen', text: null } as const
    const paused: TableEvent = {
      type: 'snapshot',
      requests: [],
      listening: true,
      barrier: null,
      pauses: [pause],
      timeZone: 'UTC',
    }
    const ack = v.parse(ServerMessage, { ...paused, type: 'ack', requests: [a], closedUntil: 9 })
    expect(after(ack)).toMatchObject({ open: [a], closedUntil: 9, pauses: [pause], timeZone: 'UTC' })
    expect(after(paused, { type: 'ack', ref: '1' })).toMatchObject({ pauses: [pause] })
    expect(after(paused, { type: 'ack', requests: [a] }).pauses).toBeUndefined()
    expect(after(paused, { ...paused, pauses: undefined }).pauses).toBeUndefined()
  })

  it('report whether anybody is listening, and what bars the table', () => {
    expect(after({ type: 'presence', listening: false, screens: 0 }).listening).toBe(false)
    const barred: TableEvent = { type: 'barred', barrier: 'table_muted' }
    expect(after(barred).barrier).toBe('table_muted')
    expect(after(barred, { type: 'ack', requests: [], barrier: null }).barrier).toBeNull()
  })
})

describe('the status of a request', () => {
  it('claims nothing that has not happened', () => {
    expect(requestStatus(a)).toBe('Sent')
    expect(requestStatus({ ...a, seen: 2 })).toBe('Seen by the crew')
    const accepted = { ...a, seen: 2, state: 'accepted' } as const
    expect(requestStatus({ ...accepted, acceptedBy: { id: 'm', name: 'Ana  Maria Lopez' } })).toBe(
      'Ana is on the way',
    )
    expect(requestStatus({ ...accepted, acceptedBy: { id: null, name: 'Crew' } })).toBe('Crew is on the way')
  })

  it('allows a reminder once its target time has passed', () => {
    expect([91_000, 90_999].map((now) => canRemind(a, now))).toEqual([true, false])
    expect(canRemind(b, 47_000)).toBe(true)
  })

  it('allows a reminder although the clock of the server was set back since the request, or the last one', () => {
    const now = 91_000 + 3_600_000
    const asked = { ...a, timestamp: now + 3_000_000 }
    expect(canRemind(asked, now)).toBe(true)
    expect(canRemind({ ...a, stillWaitingAt: now + 3_000_000 }, now)).toBe(true)
    // The clocks of several servers differ by less.
    expect(canRemind({ ...a, timestamp: now + 1_000 }, now)).toBe(false)
    expect(canRemind({ ...a, stillWaitingAt: now + 1_000 }, now)).toBe(false)
  })
})
