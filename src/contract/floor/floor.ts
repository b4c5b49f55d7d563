import * as v from 'valibot'
import { parse } from '../parse.ts'
import { CalendarDate, Id, TableNumber } from '../primitives.ts'

export const floorLimits = { tables: 500, crew: 300 } as const

const TableCategory = v.picklist(['table', 'host stand'])

export const Table = v.object({ id: Id, tableNumber: TableNumber, category: TableCategory })
export type Table = v.InferOutput<typeof Table>

export const NewTable = v.object({
  tableNumber: TableNumber,
  category: v.optional(v.literal('table', 'Only tables can be added'), 'table'),
})
export type NewTable = v.InferOutput<typeof NewTable>

export const TableAssignment = v.object({ tableId: Id, crewMemberId: Id })
export type TableAssignment = v.InferOutput<typeof TableAssignment>

export const DatedAssignment = v.object({ ...TableAssignment.entries, date: CalendarDate })
export type DatedAssignment = v.InferOutput<typeof DatedAssignment>

/**
 * Assignments for one day. `null` unassigns; tables that are not listed stay as they are. `was` is whom the caller
 * saw at the table: if that is out of date for any table, the whole call is refused as a conflict.
 */
export const BulkAssignments = v.object({
  date: CalendarDate,
  assignments: v.pipe(
    v.array(
      v.object({ tableId: Id, crewMemberId: v.nullable(Id), was: v.optional(v.nullable(Id)) }),
      'Please give a list of assignments',
    ),
    v.maxLength(floorLimits.tables, `Please assign at most ${floorLimits.tables} tables at once`),
  ),
})
export type BulkAssignments = v.InferOutput<typeof BulkAssignments>

/** What the caller saw on a day: if that is out of date, the call is refused as a conflict. */
const was = v.optional(v.pipe(v.array(TableAssignment), v.maxLength(floorLimits.tables + floorLimits.crew)))

export const DayChange = v.object({ date: CalendarDate, was })
export type DayChange = v.InferOutput<typeof DayChange>

/** Copies a day onto the six days after it. */
export const WeekCopy = v.object({ sourceDate: CalendarDate, was })
export type WeekCopy = v.InferOutput<typeof WeekCopy>

const crewIds = v.pipe(v.array(Id, 'Please give a list of crew'), v.maxLength(floorLimits.crew))

/** With `was`, whom the caller saw there, only the difference is applied, so simultaneous changes both count. */
export const HostStandAssignments = v.object({ date: CalendarDate, crewIds, was: v.optional(crewIds) })
export type HostStandAssignments = v.InferOutput<typeof HostStandAssignments>

const countMessage = 'Please enter a valid number of tables'
const rangeMessage = 'Please enter a valid range (start must be less than or equal to end)'
const positiveInteger = (message: string) =>
  v.pipe(v.number(message), v.safeInteger(message), v.minValue(1, message))

const tableCount = v.pipe(
  positiveInteger(countMessage),
  v.maxValue(floorLimits.tables, `Please set up at most ${floorLimits.tables} tables`),
)

export const TableSetup = v.union(
  [
    v.object({ setupType: v.picklist(['count', 'range']), tableCount }),
    v.pipe(
      v.object({
        setupType: v.literal('range'),
        start: positiveInteger(rangeMessage),
        end: positiveInteger(rangeMessage),
      }),
      v.check(({ start, end }) => end >= start, rangeMessage),
      v.check(
        ({ start, end }) => end - start < floorLimits.tables,
        `Please set up at most ${floorLimits.tables} tables`,
      ),
    ),
    v.object({
      setupType: v.literal('custom'),
      customTables: v.pipe(
        v.array(TableNumber, 'Please add at least one table'),
        v.minLength(1, 'Please add at least one table'),
        v.maxLength(floorLimits.tables, `Please set up at most ${floorLimits.tables} tables`),
      ),
    }),
  ],
  setupProblem,
)
export type TableSetup = v.InferOutput<typeof TableSetup>

/** Reports the problem of the kind of setup that was chosen, not of the whole union. */
function setupProblem({ input }: { input: unknown }): string {
  const meant = v.safeParse(v.looseObject({ setupType: v.string() }), input)
  if (!meant.success) return 'Please choose how to set up the tables'
  const { setupType, ...fields } = meant.output
  if (setupType === 'custom')
    return firstProblem(TableSetup.options[2], input) ?? 'Please add at least one table'
  if (setupType === 'range' && ('start' in fields || 'end' in fields)) {
    return firstProblem(TableSetup.options[1], input) ?? rangeMessage
  }
  if (setupType === 'count' || setupType === 'range')
    return firstProblem(TableSetup.options[0], input) ?? countMessage
  return 'Please choose how to set up the tables'
}

function firstProblem(schema: v.GenericSchema, input: unknown): string | undefined {
  const parsed = parse(schema, input)
  return parsed.ok ? undefined : parsed.message
}
