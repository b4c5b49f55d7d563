import { formatDate } from './dates.ts'

/** `time`: as opening hours are stored, `19:30`; empty while it is being typed. '7:30 PM', or '19:30'. */
export function formatTimeOfDay(time: string): string {
  if (time === '') return ''
  return formatDate(Date.parse(`2024-01-01T${time}Z`), { timeStyle: 'short', timeZone: 'UTC' })
}
