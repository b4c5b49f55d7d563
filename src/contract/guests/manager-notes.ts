import * as v from 'valibot'
import { Id, nameField, TableNumber, textField, type Timestamp } from '../primitives.ts'
import { PrintedCodeProof, RestaurantRef } from '../requests/requests.ts'
import { noteLimits } from './note-limits.ts'

/** A guest's private word to the manager. */
export const NewGuestNote = v.object({
  /** The client's id: however often it is sent, it counts once. */
  id: Id,
  restaurantId: RestaurantRef,
  tableNumber: TableNumber,
  k: PrintedCodeProof,
  text: textField('Please tell us what is wrong', noteLimits.text),
})
export type NewGuestNote = v.InferOutput<typeof NewGuestNote>

/** What became of it, as the device that wrote it reads it. */
export type GuestNote = {
  id: string
  text: string
  state: 'new' | 'seen' | 'taken' | 'closed'
  /** Who looks after it; null for a manager who gave no name. */
  by: string | null
  answer: string | null
}

/** As managers and the owner read it. */
export type ManagerNote = GuestNote & {
  /** Where the guest is now. */
  tableNumber: string
  timestamp: v.InferOutput<typeof Timestamp>
  /** Written with a valid printed code. */
  verified: boolean
}

export type ManagerNotes = {
  /** Whether guests can write. */
  on: boolean
  /** Newest first. */
  notes: ManagerNote[]
}

export const NotesSeen = v.object({ ids: v.pipe(v.array(Id), v.maxLength(200)) })

/** `name`: as the guest reads it. */
export const NoteTaken = v.object({
  name: v.optional(nameField('Please enter your name', noteLimits.name)),
})

export const NoteClosed = v.object({
  answer: v.optional(textField('Please write an answer', noteLimits.answer)),
})
