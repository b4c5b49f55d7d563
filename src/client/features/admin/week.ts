import { addDays } from '../../lib/dates.ts'

const dayMs = 86_400_000

/** The seven days around `day`, counted in steps of a week from today: the first strip is what Copy to Week fills. */
export function weekOf(today: string, day: string): string[] {
  const days = Math.round((Date.parse(day) - Date.parse(today)) / dayMs)
  const start = addDays(today, Math.floor(days / 7) * 7)
  return Array.from({ length: 7 }, (_, index) => addDays(start, index))
}

const formatted = (day: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`))

export const weekday = (day: string): string => formatted(day, { weekday: 'short' })
export const dayOfMonth = (day: string): string => formatted(day, { day: 'numeric' })
export const monthAndYear = (day: string): string => formatted(day, { month: 'long', year: 'numeric' })
export const longDate = (day: string): string =>
  formatted(day, { weekday: 'long', month: 'long', day: 'numeric' })
