import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ServerMessage } from '#contract/live.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { buildRequest } from '../../../../test/support/restaurants/service-request.ts'
import { Stream } from './stream.ts'

const request = (id: string, asks = 1): ServiceRequest => buildRequest({ id, tableNumber: id, asks })

type Open = Map<string, ServiceRequest>

function fold(open: Open, message: ServerMessage): Open {
  if (message.type === 'pending-requests')
    return new Map(message.requests.map((request) => [request.id, request]))
  const next = new Map(open)
  if (message.type === 'new-request' || message.type === 'request-updated')
    next.set(message.request.id, message.request)
  if (message.type === 'request-completed') next.delete(message.id)
  return next
}

const snapshotOf = (open: Open, seq: number): ServerMessage => ({
  type: 'pending-requests',
  seq,
  requests: [...open.values()],
  recent: [],
})

/** A server's history: its list after each event, beginning empty. */
function history(events: { id: string; done: boolean }[]): { messages: ServerMessage[]; states: Open[] } {
  const states: Open[] = [new Map()]
  const messages = events.map(({ id, done }, index): ServerMessage => {
    const open = states[index] ?? new Map()
    const seq = index + 1
    const message: ServerMessage = done
      ? { type: 'request-completed', seq, id, by: null }
      : { type: open.has(id) ? 'request-updated' : 'new-request', seq, request: request(id, seq) }
    states.push(fold(open, message))
    return message
  })
  return { messages, states }
}

const someEvents = fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), done: fc.boolean() }), {
  maxLength: 12,
})

describe('the stream of one connection', () => {
  it('applies nothing before the snapshot, and then only what the snapshot does not contain', () => {
    const stream = new Stream()
    const { messages, states } = history([
      { id: 'a', done: false },
      { id: 'b', done: false },
      { id: 'c', done: false },
    ])
    const [first, second, third] = messages
    expect(stream.accept(third!)).toEqual([])
    expect(stream.whole).toBe(false)
    const snapshot = snapshotOf(states[2]!, 2)
    expect(stream.accept(snapshot)).toEqual([snapshot, third])
    expect([stream.accept(first!), stream.accept(second!), stream.accept(third!)]).toEqual([[], [], []])
  })

  it('notices a gap, and recovers with the missing message', () => {
    const stream = new Stream()
    const { messages } = history([
      { id: 'a', done: false },
      { id: 'b', done: false },
    ])
    const [first, second] = messages
    stream.accept(snapshotOf(new Map(), 0))
    expect(stream.accept(second!)).toEqual([])
    expect(stream.gap).toBe(true)
    expect(stream.accept(first!)).toEqual([first, second])
    expect(stream.gap).toBe(false)
  })

  it('ends up with the list of the server, whatever is lost, repeated or out of order', () => {
    fc.assert(
      fc.property(
        someEvents.chain((events) => {
          const { messages, states } = history(events)
          const noise = fc.array(
            fc.oneof(
              fc.constantFrom(...messages, snapshotOf(new Map(), 0)),
              fc.nat(events.length).map((seq) => snapshotOf(states[seq] ?? new Map(), seq)),
            ),
            { maxLength: 40 },
          )
          return fc.tuple(fc.constant({ messages, states }), noise)
        }),
        ([{ states }, received]) => {
          const stream = new Stream()
          let shown: Open = new Map()
          const last = states.length - 1
          const invalid: Open[] = []
          const receive = (message: ServerMessage): void => {
            for (const admitted of stream.accept(message)) shown = fold(shown, admitted)
          }
          for (const message of received) {
            receive(message)
            if (stream.gap) receive(snapshotOf(states[last] ?? new Map(), last))
            if (stream.whole && !states.some((state) => isSame(state, shown))) invalid.push(shown)
          }
          receive(snapshotOf(states[last] ?? new Map(), last))
          expect([invalid, plain(shown)]).toEqual([[], plain(states[last] ?? new Map())])
        },
      ),
      { numRuns: 500 },
    )
  })
})

const isSame = (a: Open, b: Open): boolean => JSON.stringify(plain(a)) === JSON.stringify(plain(b))
const plain = (open: Open): ServiceRequest[] => [...open.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
