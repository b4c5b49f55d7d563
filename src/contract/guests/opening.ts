import * as v from 'valibot'
import { nameField } from '../primitives.ts'
import { Pause, pauseReasons } from '../requests/requests.ts'
import { localText } from '../texts/local-text.ts'

const timeMessage = 'Please enter the times as 11:30'
const TimeOfDay = v.pipe(v.string(timeMessage), v.regex(/^([01]\d|2[0-3]):[0-5]\d$/u, timeMessage))

/** On the restaurant's clock. One that ends no later than it begins goes on after midnight: 18:00 to 01:00. */
export const OpeningSpan = v.object({ from: TimeOfDay, to: TimeOfDay })
export type OpeningSpan = v.InferOutput<typeof OpeningSpan>

export const maxSpansPerDay = 4

/** The hours of seven days, Monday first. */
export const OpeningHours = v.pipe(
  v.array(
    v.pipe(
      v.array(OpeningSpan, timeMessage),
      v.maxLength(maxSpansPerDay, `A day has at most ${maxSpansPerDay} times`),
    ),
    timeMessage,
  ),
  v.length(7, timeMessage),
  v.check((days) => days.some((spans) => spans.length > 0), 'Please enter the hours of at least one day'),
)
export type OpeningHours = v.InferOutput<typeof OpeningHours>

/**
 * Null: always open. With `was`, what the caller saw, only the days that differ are changed. A day that somebody else has
 * changed meanwhile in another way is refused as a conflict.
 */
export const OpeningHoursChange = v.object({
  hours: v.nullable(OpeningHours),
  was: v.optional(v.nullable(OpeningHours)),
})
export type OpeningHoursChange = v.InferOutput<typeof OpeningHoursChange>

/** In characters. */
export const maxReasonLength = 80
const reasonMessage = 'Please enter a reason'

const minutesMessage = 'A pause lasts 1 minute to 12 hours'
export const NewPause = v.pipe(
  v.object({
    serviceType: Pause.entries.serviceType,
    minutes: v.pipe(
      v.number(minutesMessage),
      v.safeInteger(minutesMessage),
      v.minValue(1, minutesMessage),
      v.maxValue(720, minutesMessage),
    ),
    reason: v.picklist(pauseReasons, 'Please choose a reason'),
    /** In a language that is not said; with `texts` it does not count. */
    text: v.optional(nameField(reasonMessage, maxReasonLength)),
    texts: v.optional(localText(reasonMessage, maxReasonLength)),
  }),
  v.forward(
    v.check(({ reason, text, texts }) => reason !== 'own' || (texts ?? text) !== undefined, reasonMessage),
    ['text'],
  ),
)
export type NewPause = v.InferOutput<typeof NewPause>

export const PausedNeed = v.object({ serviceType: Pause.entries.serviceType })

/** As stored; absent until an owner or manager uses it. */
export const Opening = v.object({ hours: v.nullable(OpeningHours), pauses: v.array(Pause) })
export type Opening = v.InferOutput<typeof Opening>

/** With the restaurant's clock, by which both are read. */
export type RestaurantOpening = Opening & { timeZone: string }
