import * as v from 'valibot'
import { hasAtMostCharacters } from './characters.ts'

/** Two spellings of one name are the same when their keys are: compatibility forms folded, case ignored. */
export const nameKey = (name: string): string =>
  collapseSpaces(name).normalize('NFKC').toLowerCase().normalize('NFKC').replace(/\s+/gu, ' ').trim()

const collapseSpaces = (text: string): string => text.trim().replace(/\s+/gu, ' ')

/**
 * Controls, bidirectional marks and zero-width characters make two names look alike that are not. Only an emoji
 * may keep the mark that says it is one.
 */
const invisibleCharacters =
  /\p{C}|\u2800|(?!\uFE0F)\p{Default_Ignorable_Code_Point}|(?<!\p{Extended_Pictographic})\uFE0F/u

/** PostgreSQL stores no NUL and half a character cannot be sent: a text with either is not one. */
export const isStorableText = (value: string): boolean => !value.includes('\0') && value.isWellFormed()

const visibleOnlyMessage = 'Please use only visible characters'

export const maxCharacters = (max: number) =>
  v.check((value: string) => hasAtMostCharacters(value, max), `Please use at most ${max} characters`)

/** Trimmed and not blank; the message is the product's own, shown by the form and by the server alike. */
export const textField = (message: string, max: number) =>
  v.pipe(
    v.string(message),
    v.trim(),
    v.minLength(1, message),
    maxCharacters(max),
    v.check(isStorableText, visibleOnlyMessage),
  )

/** A name people read and compare: spaces collapsed, nothing invisible in it. */
export const nameField = (message: string, max: number) =>
  v.pipe(
    v.string(message),
    v.transform(collapseSpaces),
    v.minLength(1, message),
    maxCharacters(max),
    v.check((value) => !invisibleCharacters.test(value), visibleOnlyMessage),
  )

/** Opaque: a UUIDv7 of ours, or a guest's own idempotency key. */
export const Id = v.pipe(v.string('An id is required'), v.regex(/^[\w-]{1,64}$/u, 'Not a valid id'))

/** The restaurant's name is its public id: it is what a QR code carries and what a guest types. */
export const RestaurantName = nameField('Please enter your restaurant name', 80)

/** A table's number is text, because a table may be called "Patio 3". */
export const TableNumber = nameField('Please enter a table number', 40)

export const Timestamp = v.number()

/** yyyy-MM-dd, a day that exists, and never so far away that counting on from it leaves this form. */
export const CalendarDate = v.pipe(
  v.string('Please choose a date'),
  v.regex(/^[12]\d{3}-\d{2}-\d{2}$/u, 'Please choose a date'),
  v.check((day) => {
    const parsed = new Date(`${day}T00:00:00Z`)
    return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day)
  }, 'Please choose a date'),
)

/** An IANA name that this runtime knows, such as Europe/Berlin. */
export const TimeZone = v.pipe(
  v.string(),
  v.maxLength(64),
  v.check((zone) => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
    } catch {
      return false
    }
  }, 'Unknown time zone'),
)
