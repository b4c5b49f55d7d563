import * as v from 'valibot'
import { TableNumber } from '../primitives.ts'

/** Where the owner lets the crew open and close tables. */
export type Seating = {
  on: boolean
  tables: SeatedTable[]
}

export type SeatedTable = {
  tableNumber: string
  /** Since when it is open; null while it is closed. */
  seatedAt: number | null
  /** When somebody opened the page of the closed table with its printed code. */
  wantedAt: number | null
  /** The number of open requests. */
  requests: number
}

export const TableToSeat = v.object({ tableNumber: TableNumber })

/** `anyway`: also while the table has open requests. */
export const TableToClose = v.object({ tableNumber: TableNumber, anyway: v.optional(v.boolean()) })
export type TableToClose = v.InferOutput<typeof TableToClose>

/** `requests`: what is open at the table, which therefore was not closed. */
export type TableClosed = { closed: boolean; requests: number }
