import * as v from 'valibot'
import { findExceededLimit, hasAtMostCharacters } from './texts/characters.ts'

/** Two spellings are the same name if their keys are equal. Compatibility forms are folded and case is ignored. */
export const nameKey = (name: string): string =>
  collapseSpaces(name).normalize('NFKC').toLowerCase().normalize('NFKC').replace(/\s+/gu, ' ').trim()

const collapseSpaces = (text: string): string => text.trim().replace(/\s+/gu, ' ')

/**
 * Control, bidirectional and zero-width characters can make different names look alike. Only an emoji may keep its
 * variation selector.
 */
const invisibleCharacters =
  /\p{C}|\u2800|(?!\uFE0F)\p{Default_Ignorable_Code_Point}|(?<!\p{Extended_Pictographic})\uFE0F/u

/** Rejects NUL, which PostgreSQL cannot store, and lone surrogates, which cannot be encoded. */
export const isStorableText = (value: string): boolean => !value.includes('\0') && value.isWellFormed()

const visibleOnlyMessage = 'Please use only visible characters'

/* @__NO_SIDE_EFFECTS__ */
export const maxCharacters = (max: number) =>
  v.check(
    (value: string) => hasAtMostCharacters(value, max),
    ({ input }) => {
      const { bytes } = findExceededLimit(input, max)
      return bytes === null
        ? `Please use at most ${max} characters`
        : `Please shorten this: at most ${bytes} bytes fit, and emoji take many`
    },
  )

/** Trimmed and not blank. The form and the server show the same message. */
/* @__NO_SIDE_EFFECTS__ */
export const textField = (message: string, max: number) =>
  v.pipe(
    v.string(message),
    v.trim(),
    v.minLength(1, message),
    maxCharacters(max),
    v.check(isStorableText, visibleOnlyMessage),
  )

/** A name that people read and compare: spaces collapsed, no invisible characters. */
/* @__NO_SIDE_EFFECTS__ */
export const nameField = (message: string, max: number) =>
  v.pipe(
    v.string(message),
    v.transform(collapseSpaces),
    v.minLength(1, message),
    maxCharacters(max),
    v.check((value) => !invisibleCharacters.test(value), visibleOnlyMessage),
  )

/** Opaque: one of our UUIDv7 ids, or a guest's own idempotency key. */
export const Id = v.pipe(v.string('An id is required'), v.regex(/^[\w-]{1,64}$/u, 'Not a valid id'))

/** The restaurant's name is its public id: QR codes contain it, and guests type it. */
export const RestaurantName = nameField('Please enter your restaurant name', 80)

/** A table's number is text, since a table may be called "Patio 3". */
export const TableNumber = nameField('Please enter a table number', 40)

export const Timestamp = v.number()

/** An existing day as yyyy-MM-dd, and not so late that adding days would need a longer year. */
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
