import { type RawBuilder, sql } from 'kysely'

/** The length of all notes of a request together. */
const maxLength = 280
const dot = ' · '
const separator = sql.lit(dot)

type Note = RawBuilder<string | null>

/** Whether one of the joined texts is this one. */
export const hasNote = (notes: string | null, note: string): boolean =>
  notes !== null && `${dot}${notes}${dot}`.includes(`${dot}${note}${dot}`)

/** Whether no other text fits, as after one was cut. */
export const isFull = (notes: string): boolean => Array.from(notes).length + dot.length >= maxLength - 1

/** What was added to notes of that length. */
export const notesAfter = (notes: string, length: number): string =>
  length === 0 ? notes : notes.slice(length + dot.length)

/** Texts that fit, as they did before. */
export const listNotes = (...texts: (string | null)[]): string | null =>
  texts.filter((text) => text !== null && text !== '').join(dot) || null

/** Both notes, the first one complete. A text that the first contains already is not added again. */
export const joinNotes = (first: Note, second: Note): Note => sql<string | null>`case
  when ${second} is null then ${first}
  when ${first} is null then ${second}
  when ${contains(first, second)} then ${first}
  when length(${first}) + length(${separator}) + length(${second}) <= ${sql.lit(maxLength)}
    then ${first} || ${separator} || ${second}
  when length(${first}) + length(${separator}) >= ${sql.lit(maxLength - 1)} then ${first}
  else substr(${first} || ${separator} || ${second}, 1, ${sql.lit(maxLength - 1)}) || '…' end`

/** Adds the note of a repeat. That of a guest who has scanned the code comes first, so that no stranger's can crowd it out. */
export const addNote = (
  stored: { note: Note; verified: RawBuilder<number> },
  added: { note: Note; verified: RawBuilder<number> },
): Note => sql<string | null>`case
  when ${added.verified} > ${stored.verified} and not coalesce(${contains(stored.note, added.note)}, false)
    then ${joinNotes(added.note, stored.note)}
  else ${joinNotes(stored.note, added.note)} end`

/** The same as `hasNote`. */
function contains(notes: Note, note: Note): RawBuilder<boolean> {
  const joined = sql`${separator} || ${notes} || ${separator}`
  return sql<boolean>`replace(${joined}, ${separator} || ${note} || ${separator}, '') <> ${joined}`
}
