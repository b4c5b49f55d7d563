import * as v from 'valibot'
import { TableNumber, Timestamp } from './primitives.ts'
import { PersonRef } from './requests.ts'

/** How long a table is muted that is muted for an hour, in milliseconds. */
export const hourMuteMs = 3_600_000

/** Its guests cannot ask; what it asked for before stays. */
export const MutedTable = v.object({
  tableNumber: v.string(),
  /** Null: until somebody unmutes it. */
  until: v.nullable(Timestamp),
  by: PersonRef,
})
export type MutedTable = v.InferOutput<typeof MutedTable>

export const TableToMute = v.object({
  tableNumber: TableNumber,
  /** Left out: until somebody unmutes it. */
  until: v.optional(v.pipe(v.number(), v.safeInteger())),
})
export type TableToMute = v.InferOutput<typeof TableToMute>
