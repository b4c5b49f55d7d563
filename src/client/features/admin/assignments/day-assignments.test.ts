import { expect, it } from 'vitest'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { Table } from '#contract/floor/floor.ts'
import { toDayAssignments, countTablesByMember, restoringAssignments } from './day-assignments.ts'

const crew: CrewMember[] = [
  { id: 'maya', name: 'Maya', role: 'Server' },
  { id: 'ana', name: 'Ana', role: 'Host' },
  { id: 'eve', name: 'Eve', role: 'Server' },
]
const tables: Table[] = ['1', '2', '3', '4'].map((id) => ({ id, tableNumber: id, category: 'table' }))
const day = (pairs: [tableId: string, crewMemberId: string][]) =>
  toDayAssignments(
    pairs.map(([tableId, crewMemberId]) => ({ tableId, crewMemberId })),
    'stand',
  )

it('separates the host stand from the tables, and counts the tables of each member', () => {
  const today = day([
    ['1', 'maya'],
    ['stand', 'ana'],
    ['2', 'maya'],
    ['stand', 'eve'],
  ])
  expect(today).toEqual({
    tables: new Map([
      ['1', 'maya'],
      ['2', 'maya'],
    ]),
    hosts: ['ana', 'eve'],
  })
  expect(countTablesByMember(today)).toEqual(new Map([['maya', 2]]))
})

it('restores neither deleted tables, nor people who left, nor former Hosts', () => {
  const before = day([
    ['1', 'maya'],
    ['2', 'left'],
    ['gone', 'eve'],
    ['stand', 'ana'],
    ['stand', 'eve'],
    ['stand', 'left'],
  ])
  expect(restoringAssignments({ before, after: day([]) }, tables, crew)).toEqual({
    assignments: [{ tableId: '1', crewMemberId: 'maya', was: null }],
    hosts: ['ana'],
  })
})

it('restores what was changed of a day, also tables that nobody had', () => {
  const before = day([
    ['1', 'maya'],
    ['2', 'left'],
    ['4', 'eve'],
    ['stand', 'ana'],
  ])
  const after = day([
    ['1', 'eve'],
    ['2', 'eve'],
    ['3', 'maya'],
    ['4', 'eve'],
  ])
  expect(restoringAssignments({ before, after }, tables, crew)).toEqual({
    assignments: [
      { tableId: '1', crewMemberId: 'maya', was: 'eve' },
      { tableId: '2', crewMemberId: null, was: 'eve' },
      { tableId: '3', crewMemberId: null, was: 'maya' },
    ],
    hosts: ['ana'],
  })
})
