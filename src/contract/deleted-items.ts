import * as v from 'valibot'
import { CrewName } from './crew/crew.ts'
import { dayMs } from './durations.ts'
import { NewSection } from './floor/sections.ts'
import { nameField, TableNumber, textField } from './primitives.ts'

/** For how long a deletion can be undone. */
export const deletionGraceMs = 30 * dayMs

export type DeletedItem = {
  id: string
  /** A table's number, a section's or a crew member's name, a manager's username. */
  name: string
  deletedAt: number
}

/** What is restored keeps its number or name unless another is given. */
export const RestoredTable = v.object({ tableNumber: v.optional(TableNumber) })
export type RestoredTable = v.InferOutput<typeof RestoredTable>

export const RestoredSection = v.partial(NewSection)
export type RestoredSection = v.InferOutput<typeof RestoredSection>

/** A name that a colleague has meanwhile is accepted if it is given. */
export const RestoredMember = v.object({
  name: v.optional(CrewName),
  username: v.optional(nameField('Please enter a username', 80)),
})
export type RestoredMember = v.InferOutput<typeof RestoredMember>

export const RestoredManager = v.object({ username: v.optional(textField('Please enter a username', 80)) })
export type RestoredManager = v.InferOutput<typeof RestoredManager>
