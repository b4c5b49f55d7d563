import { expect, it } from 'vitest'
import { listCrewOnFloor } from './crew-on-floor.ts'

const maya = { id: 'maya', name: 'Maya', role: 'Server' } as const
const ana = { id: 'ana', name: 'Ana', role: 'Host' } as const
const sam = { id: 'sam', name: 'Sam', role: 'Busser' } as const

it('names who works where today, and who is on a break', () => {
  const people = listCrewOnFloor({
    crew: [ana, maya, sam],
    tables: [
      { id: 't1', tableNumber: '1', category: 'table' },
      { id: 't2', tableNumber: '2', category: 'table' },
      { id: 'h', tableNumber: 'Host Stand', category: 'host stand' },
    ],
    assignments: [
      { tableId: 't1', crewMemberId: 'maya' },
      { tableId: 'h', crewMemberId: 'ana' },
      { tableId: 't2', crewMemberId: 'maya' },
      { tableId: 'removed since', crewMemberId: 'sam' },
    ],
    breaks: [{ crewMemberId: 'maya', coverId: null }],
  })
  expect(people).toEqual([
    { ...ana, tables: ['Host Stand'], onBreak: false },
    { ...maya, tables: ['1', '2'], onBreak: true },
  ])
})
