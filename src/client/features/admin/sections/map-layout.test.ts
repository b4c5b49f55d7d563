import { describe, expect, it } from 'vitest'
import { type MapPlace, mapSize, type PlacedTable } from '#contract/floor/sections.ts'
import { moveTable, nearestTable, placeTables, sectionBounds, shownSize } from './map-layout.ts'

const table = (id: string, sectionId: string | null = null, place: MapPlace | null = null): PlacedTable => ({
  id,
  tableNumber: id,
  sectionId,
  place,
})

const sections = [
  { id: 'terrace', name: 'Terrace' },
  { id: 'bar', name: 'Bar' },
]
const at = (x: number, y: number): MapPlace => ({ x, y })

describe('the places of tables', () => {
  it('are those that were chosen; the others follow below, section by section', () => {
    const tables = [
      table('1', null, at(2, 1)),
      ...['2', '3', '4', '5'].map((id) => table(id, 'terrace')),
      ...['6', '7'].map((id) => table(id, 'bar')),
      table('8'),
    ]
    expect(Object.fromEntries(placeTables(tables, sections))).toEqual({
      1: at(2, 1),
      2: at(0, 3),
      3: at(1, 3),
      4: at(0, 4),
      5: at(1, 4),
      6: at(3, 3),
      7: at(4, 3),
      8: at(6, 3),
    })
  })

  it('are never shared, and always on the map', () => {
    const many = Array.from({ length: 500 }, (_, index) =>
      table(String(index), index % 3 === 0 ? 'bar' : null, index < 20 ? at(index % 7, 23) : null),
    )
    const places = [...placeTables(many, sections).values()]
    expect(places).toHaveLength(500)
    expect(new Set(places.map(({ x, y }) => `${x} ${y}`)).size).toBe(500)
    expect(places.every(({ x, y }) => x < mapSize.columns && y < mapSize.rows)).toBe(true)
  })

  it('are swapped when a table is moved onto another', () => {
    const places = placeTables([table('1', null, at(0, 0)), table('2', null, at(1, 0))], sections)
    expect(moveTable(places, '1', at(1, 0))).toEqual([
      { tableId: '1', place: at(1, 0) },
      { tableId: '2', place: at(0, 0) },
    ])
    expect(moveTable(places, '1', at(5, 5))).toEqual([{ tableId: '1', place: at(5, 5) }])
    expect(moveTable(places, '1', at(0, 0))).toEqual([])
  })
})

it('a section is the rectangle around its tables', () => {
  const tables = [
    table('1', 'bar', at(1, 1)),
    table('2', 'bar', at(3, 2)),
    table('3', 'terrace', at(9, 9)),
    table('4', null, at(0, 0)),
  ]
  const places = placeTables(tables, sections)
  expect(Object.fromEntries(sectionBounds(tables, places))).toEqual({
    bar: { left: 1, top: 1, right: 3, bottom: 2 },
    terrace: { left: 9, top: 9, right: 9, bottom: 9 },
  })
  expect([...sectionBounds(tables, places, '3').keys()]).toEqual(['bar'])
  expect(shownSize(places)).toEqual({ columns: 11, rows: 11 })
  expect(shownSize(new Map())).toEqual({ columns: 8, rows: 5 })
})

it('an arrow key leads to the nearest table in its direction', () => {
  const places = new Map([
    ['1', at(2, 2)],
    ['2', at(5, 2)],
    ['3', at(4, 3)],
    ['4', at(2, 9)],
  ])
  expect(nearestTable(places, '1', 'ArrowRight')).toBe('2')
  expect(nearestTable(places, '1', 'ArrowDown')).toBe('3')
  expect(nearestTable(places, '1', 'ArrowLeft')).toBeNull()
  expect(nearestTable(places, '4', 'ArrowUp')).toBe('1')
  expect(nearestTable(places, '1', 'Enter')).toBeNull()
})
