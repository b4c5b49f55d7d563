import * as v from 'valibot'
import { DayChange } from '../floor/floor.ts'
import { type ChangedDay, NewPattern, PatternEnd, type PatternState } from '../floor/weekly-pattern.ts'
import { CalendarDate } from '../primitives.ts'
import { type Routes, unchecked } from './route.ts'

const dateInput = v.object({ date: CalendarDate })
const changedDay = unchecked<ChangedDay>()

export const weeklyPattern = {
  state: { method: 'GET', path: '/api/weekly-pattern', query: dateInput, reply: unchecked<PatternState>() },
  save: { method: 'POST', path: '/api/weekly-pattern', body: NewPattern },
  end: { method: 'POST', path: '/api/weekly-pattern/end', body: PatternEnd },
  /** Gives a day that was set by hand back to the pattern. */
  resume: { method: 'POST', path: '/api/weekly-pattern/resume', body: DayChange, reply: changedDay },
  /** Assigns nobody on a day, which counts as set by hand. */
  clearDay: { method: 'POST', path: '/api/table-assignments/clear', body: DayChange, reply: changedDay },
} satisfies Routes
