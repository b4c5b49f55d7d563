import { describe, expect, it } from 'vitest'
import type { CrewActivity } from '../../../storage/crew/crew-activity.ts'
import { chooseCalled, widenAfterMs } from './calling.ts'

const members = ['ana', 'ben', 'cleo', 'dan', 'eva']
/** Ana works tables 1 and 2, Ben 3 and 4, Cleo 5 and 6; Dan and Eva work none. */
const worked = ['ana', 'ana', 'ben', 'ben', 'cleo', 'cleo'].map((crewMemberId, index) => ({
  crewMemberId,
  tableId: `${index + 1}`,
}))

type Situation = Partial<CrewActivity> & { listeners?: string[] }

const crewThat = ({ listeners = members, ...activity }: Situation = {}) => ({
  onTheWay: new Set<string>(),
  calls: new Map<string, number>(),
  screenInHand: new Set<string>(),
  onBreak: new Set<string>(),
  worked,
  sameSection: new Set<string>(),
  ...activity,
  listeners: new Set(listeners),
})

const at = (tableId: string, crew: string[], called: string[] = []) => ({
  tableId,
  crew,
  called,
  createdAt: 0,
})

describe('a new request', () => {
  it('calls the own server of its table and one neighbour', () => {
    expect(chooseCalled(at('2', ['ana']), crewThat(), 0)).toEqual(['ana', 'ben'])
    expect(chooseCalled(at('6', ['cleo']), crewThat(), 0)).toEqual(['cleo', 'ben'])
  })

  it('calls only the own server while that has the screen in hand, or in a small crew', () => {
    expect(chooseCalled(at('2', ['ana']), crewThat({ screenInHand: new Set(['ana']) }), 0)).toEqual(['ana'])
    expect(chooseCalled(at('2', ['ana']), crewThat({ listeners: ['ana', 'ben', 'eva'] }), 0)).toEqual(['ana'])
  })

  it('calls the neighbours at once when the own server is on the way elsewhere', () => {
    const crew = crewThat({ onTheWay: new Set(['ana']) })
    expect(chooseCalled(at('2', ['ana']), crew, 0)).toEqual(['ben', 'cleo'])
  })

  it('prefers those whom nothing else calls, then those with the screen in hand, then the nearest', () => {
    const crew = crewThat({ onTheWay: new Set(['ana']), calls: new Map([['ben', 1]]) })
    expect(chooseCalled(at('2', ['ana']), crew, 0)[0]).toBe('cleo')
    const inHand = crewThat({ onTheWay: new Set(['ana']), screenInHand: new Set(['eva']) })
    expect(chooseCalled(at('2', ['ana']), inHand, 0)).toEqual(['eva'])
  })

  it('takes those of the same section for the nearest, and then the order of the tables', () => {
    const onTheWay = new Set(['ana'])
    const crew = crewThat({ onTheWay, sameSection: new Set(['ana', 'cleo', 'eva']) })
    expect(chooseCalled(at('2', ['ana']), crew, 0)).toEqual(['cleo', 'eva'])
    const busy = { onTheWay, sameSection: new Set(['ana', 'cleo']), calls: new Map([['cleo', 1]]) }
    expect(chooseCalled(at('2', ['ana']), crewThat(busy), 0)[0]).toBe('ben')
  })

  it('takes whoever works one table nearby for near, wherever the others are', () => {
    const tables = ['ana', 'cleo', 'ben', 'ben', 'cleo'].map((crewMemberId, index) => ({
      crewMemberId,
      tableId: `${index + 1}`,
    }))
    const crew = crewThat({ onTheWay: new Set(['ana']), worked: tables })
    expect(chooseCalled(at('1', ['ana']), crew, 0)).toEqual(['cleo', 'ben'])
  })

  it('takes nobody for near to a table that nobody works', () => {
    const tables = ['eva', 'dan'].map((crewMemberId, index) => ({ crewMemberId, tableId: `${index + 1}` }))
    expect(chooseCalled(at('9', []), crewThat({ worked: tables }), 0)).toEqual(['ana', 'ben'])
  })

  it('calls everybody in turn where no table is assigned', () => {
    const firsts = [0, 1, 2, 3, 4].map(
      (second) =>
        chooseCalled(
          { ...at('1', []), createdAt: second * 1000 },
          crewThat({ worked: [] }),
          second * 1000,
        )[0],
    )
    expect(new Set(firsts)).toEqual(new Set(members))
  })

  it('calls nobody who is on a break or does not listen', () => {
    const crew = crewThat({ listeners: ['ana', 'ben', 'cleo', 'dan'], onBreak: new Set(['ben']) })
    expect(chooseCalled(at('4', []), crew, widenAfterMs)).toEqual([])
    const larger = crewThat({ onBreak: new Set(['ben']) })
    expect(chooseCalled(at('4', []), larger, widenAfterMs)).toHaveLength(3)
    expect(chooseCalled(at('4', []), larger, widenAfterMs)).not.toContain('ben')
  })

  it('calls everybody, also for a table of others, when all are on the way', () => {
    const crew = crewThat({ onTheWay: new Set(members) })
    expect(chooseCalled(at('2', ['ana']), crew, 0)).toEqual(members)
    expect(chooseCalled(at('2', []), crew, 0)).toEqual([])
  })

  it('names nobody where it alerts all who listen anyway', () => {
    expect(chooseCalled(at('2', ['ana']), crewThat({ listeners: ['ana'] }), 0)).toEqual([])
    expect(chooseCalled(at('2', []), crewThat({ listeners: ['ana', 'ben'] }), 0)).toEqual([])
    expect(chooseCalled(at('2', []), crewThat({ listeners: [] }), 0)).toEqual([])
  })
})

describe('a request that calls somebody', () => {
  it('calls more after 12 s, and keeps those it called', () => {
    expect(chooseCalled(at('2', ['ana'], ['ana', 'ben']), crewThat(), widenAfterMs, { more: true })).toEqual([
      'ana',
      'ben',
      'cleo',
    ])
  })

  it('no longer calls who is on the way elsewhere, and others only if nobody is left', () => {
    const onTheWay = new Set(['ana'])
    expect(chooseCalled(at('2', ['ana'], ['ana', 'ben']), crewThat({ onTheWay }), 5000)).toEqual(['ben'])
    expect(chooseCalled(at('2', ['ana'], ['ana']), crewThat({ onTheWay }), 5000)).toEqual(['ben', 'cleo'])
  })

  it('calls others when those it called stop listening or go on a break', () => {
    const call = at('2', ['ana'], ['ben'])
    expect(chooseCalled(call, crewThat({ onBreak: new Set(['ben']) }), 5000)).toEqual(['ana', 'cleo'])
    expect(chooseCalled(call, crewThat({ listeners: ['ana', 'cleo', 'dan', 'eva'] }), 5000)).toContain('ana')
  })
})
