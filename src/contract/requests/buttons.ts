import * as v from 'valibot'
import { Id, Timestamp } from '../primitives.ts'
import { NeedId, serviceTypes } from './requests.ts'

/** How many a restaurant may have. */
export const maxButtons = 500

/** A network button, or a script, that asks for one need at one table. */
export const TableButton = v.object({
  id: Id,
  tableId: Id,
  /** `other` for a need of the restaurant's own. */
  serviceType: v.picklist(serviceTypes),
  need: v.optional(NeedId),
  createdAt: Timestamp,
  /** Null until it is first pressed. */
  pressedAt: v.nullable(Timestamp),
})
export type TableButton = v.InferOutput<typeof TableButton>

export const NewTableButton = v.object({
  tableId: Id,
  serviceType: v.picklist(serviceTypes),
  need: v.optional(NeedId),
})
export type NewTableButton = v.InferOutput<typeof NewTableButton>

/** The token is stored only as a digest, so this is the only answer that contains it. */
export const CreatedTableButton = v.object({ button: TableButton, token: v.string() })
export type CreatedTableButton = v.InferOutput<typeof CreatedTableButton>

const tokenMessage = 'The token of the button is missing'
export const ButtonPress = v.object({
  /** The button's id for this press: however often it is sent, it counts once. */
  id: v.optional(Id),
  token: v.pipe(v.string(tokenMessage), v.regex(/^[\w-]{1,64}$/u, tokenMessage)),
})
export type ButtonPress = v.InferOutput<typeof ButtonPress>
