import * as v from 'valibot'
import { CalendarDate, Id, nameField } from '../primitives.ts'
import { floorLimits, TableAssignment } from './floor.ts'

export const sectionLimits = { sections: 20 } as const

/** In cells, each with room for one table. */
export const mapSize = { columns: 24, rows: 24 } as const

/** A named part of the floor. */
export const Section = v.object({ id: Id, name: nameField('Please enter a section name', 40) })
export type Section = v.InferOutput<typeof Section>

/** Also what can be changed about a section. */
export const NewSection = v.omit(Section, ['id'])
export type NewSection = v.InferOutput<typeof NewSection>

export const SectionOrder = v.object({
  ids: v.pipe(v.array(Id, 'Please give the sections in order'), v.maxLength(sectionLimits.sections)),
})
export type SectionOrder = v.InferOutput<typeof SectionOrder>

const cell = (count: number) =>
  v.pipe(
    v.number('Not a place on the map'),
    v.integer('Not a place on the map'),
    v.minValue(0, 'Not a place on the map'),
    v.maxValue(count - 1, 'Not a place on the map'),
  )

/** A cell of the map, counted from its top left. */
const MapPlace = v.object({ x: cell(mapSize.columns), y: cell(mapSize.rows) })
export type MapPlace = v.InferOutput<typeof MapPlace>

export type PlacedTable = {
  id: string
  tableNumber: string
  sectionId: string | null
  /** Null until somebody has moved a table on the map. */
  place: MapPlace | null
}

export type FloorPlan = {
  /** In their order. */
  sections: Section[]
  tables: PlacedTable[]
  /** The sections that crew members have as their own. */
  members: { crewMemberId: string; sectionId: string }[]
}

/** What is not given stays as it is; `null` takes a table out of its section or off the map. */
export const FloorArrangement = v.object({
  tables: v.pipe(
    v.array(
      v.object({
        tableId: Id,
        sectionId: v.optional(v.nullable(Id)),
        place: v.optional(v.nullable(MapPlace)),
      }),
      'Please give a list of tables',
    ),
    v.maxLength(floorLimits.tables, `Please arrange at most ${floorLimits.tables} tables at once`),
  ),
})
export type FloorArrangement = v.InferOutput<typeof FloorArrangement>

/**
 * Gives all tables of these sections to somebody for one day, or to nobody. `was` is what the caller saw at these tables
 * on that day: if that is out of date, the whole call is refused as a conflict.
 */
export const SectionAssignments = v.object({
  date: CalendarDate,
  sections: v.pipe(
    v.array(v.object({ sectionId: Id, crewMemberId: v.nullable(Id) }), 'Please give a list of sections'),
    v.maxLength(sectionLimits.sections),
  ),
  was: v.optional(v.pipe(v.array(TableAssignment), v.maxLength(floorLimits.tables))),
})
export type SectionAssignments = v.InferOutput<typeof SectionAssignments>
