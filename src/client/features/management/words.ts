import { changeInPercent, daysOf, type DayRange } from '#contract/analytics.ts'

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

const kinds = {
  count: { more: 'more', less: 'fewer', same: 'as many' },
  time: { more: 'slower', less: 'faster', same: 'as fast' },
} as const

/** '12% more than …', with the words for what is measured. Null where there is nothing to compare with. */
export function comparison(kind: keyof typeof kinds, percent: number | null, before: string): string | null {
  if (percent === null) return null
  const words = kinds[kind]
  if (percent === 0) return `${words.same} as ${before}`
  return `${Math.abs(percent)}% ${percent > 0 ? words.more : words.less} than ${before}`
}

export const compared = (
  kind: keyof typeof kinds,
  now: number | null,
  was: number | null,
  before: string,
): string | null => comparison(kind, changeInPercent(now, was), before)

/** 'the day before', 'the 7 days before'. */
export function daysBefore(range: DayRange): string {
  const days = daysOf(range)
  return days === 1 ? 'the day before' : `the ${days} days before`
}

const dayFormat = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', month: 'short', day: 'numeric' })
const longDayFormat = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', dateStyle: 'medium' })

export const shortDay = (day: string): string => dayFormat.format(Date.parse(day))
export const longDay = (day: string): string => longDayFormat.format(Date.parse(day))

export const clockTime = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat(undefined, { timeZone, hour: 'numeric', minute: '2-digit' }).format(at)
