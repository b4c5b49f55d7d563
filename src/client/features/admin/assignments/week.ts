import { addDays, formatDate } from '../../../lib/time/dates.ts'

const dayMs = 86_400_000

/** The seven days around `day`, counted in steps of a week from today: the first strip is what Copy to Week fills. */
export function weekContaining(today: string, day: string): string[] {
  const days = Math.round((Date.parse(day) - Date.parse(today)) / dayMs)
  const start = addDays(today, Math.floor(days / 7) * 7)
  return Array.from({ length: 7 }, (_, index) => addDays(start, index))
}

const formatDay = (day: string, options: Intl.DateTimeFormatOptions): string =>
  formatDate(new Date(`${day}T00:00:00Z`), { ...options, timeZone: 'UTC' })

export const formatWeekday = (day: string): string => formatDay(day, { weekday: 'short' })
export const formatDayOfMonth = (day: string): string => formatDay(day, { day: 'numeric' })
export const formatMonthAndYear = (day: string): string => formatDay(day, { month: 'long', year: 'numeric' })
export const formatLongDate = (day: string): string =>
  formatDay(day, { weekday: 'long', month: 'long', day: 'numeric' })
