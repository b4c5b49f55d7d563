/** The same day of a later month, or the last day of a month that is too short. */
export function addBillingPeriods(start: number, interval: 'month' | 'year', count: number): number {
  const date = new Date(start)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + count * (interval === 'year' ? 12 : 1))
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
  return date.getTime()
}
