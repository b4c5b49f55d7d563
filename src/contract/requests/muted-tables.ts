import * as v from 'valibot'
import { TableNumber, Timestamp } from '../primitives.ts'
import { PersonRef } from './requests.ts'

/** Guests at a muted table cannot send requests; earlier requests stay open. */
export const MutedTable = v.object({
  tableNumber: v.string(),
  /** Null means until somebody unmutes it. */
  until: v.nullable(Timestamp),
  by: PersonRef,
})
export type MutedTable = v.InferOutput<typeof MutedTable>

/** In milliseconds: no date is later. */
const lastMoment = 8.64e15

export const TableToMute = v.object({
  tableNumber: TableNumber,
  /** If missing, until somebody unmutes it. */
  until: v.optional(v.pipe(v.number(), v.safeInteger(), v.maxValue(lastMoment))),
})
export type TableToMute = v.InferOutput<typeof TableToMute>
