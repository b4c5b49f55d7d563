import * as v from 'valibot'
import { CalendarDate } from '../primitives.ts'
import { DayChange, type TableAssignment } from './floor.ts'

/** Monday first, as in `Weekday`. */
export const weekdayNames = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const

const weekdayMessage = 'Please choose a weekday'

/** Monday is 0. */
const Weekday = v.pipe(
  v.number(weekdayMessage),
  v.integer(weekdayMessage),
  v.minValue(0, weekdayMessage),
  v.maxValue(weekdayNames.length - 1, weekdayMessage),
)

/**
 * Makes the assignments of a day the pattern of these weekdays. `was` is what the caller saw on that day: if that is out
 * of date, the call is refused as a conflict.
 */
export const NewPattern = v.object({
  sourceDate: CalendarDate,
  weekdays: v.pipe(
    v.array(Weekday, weekdayMessage),
    v.minLength(1, weekdayMessage),
    v.maxLength(weekdayNames.length, weekdayMessage),
  ),
  was: DayChange.entries.was,
})
export type NewPattern = v.InferOutput<typeof NewPattern>

export const PatternEnd = v.object({ weekday: Weekday })
export type PatternEnd = v.InferOutput<typeof PatternEnd>

export type PatternState = {
  /** The weekdays that have a pattern. */
  weekdays: number[]
  /** Where the assignments of the asked day come from; null when its weekday has no pattern, or had none yet. */
  day: 'pattern' | 'hand' | null
}

/** A day as it was `before`, where that came from, and its assignments now. */
export type ChangedDay = {
  before: TableAssignment[]
  origin: PatternState['day']
  assignments: TableAssignment[]
}
