import { formatDate } from './dates.ts'

/** `day`: its place in `OpeningHours`, Monday first. 1 January 2024 was a Monday. */
export const weekdayName = (day: number): string =>
  formatDate(Date.UTC(2024, 0, 1 + day), { weekday: 'long', timeZone: 'UTC' })

/** `day`: as yyyy-MM-dd. Monday is 0. */
export const weekdayOf = (day: string): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
