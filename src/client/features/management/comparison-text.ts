import { changeInPercent, countDays, type DayRange } from '#contract/analytics.ts'

const comparisonWords = {
  count: { more: 'more', less: 'fewer', same: 'as many' },
  time: { more: 'slower', less: 'faster', same: 'as fast' },
} as const

/** '12% more than …', in words that suit what is measured. Null if there is nothing to compare with. */
export function comparison(
  kind: keyof typeof comparisonWords,
  percent: number | null,
  before: string,
): string | null {
  if (percent === null) return null
  const words = comparisonWords[kind]
  if (percent === 0) return `${words.same} as ${before}`
  return `${Math.abs(percent)}% ${percent > 0 ? words.more : words.less} than ${before}`
}

export const compareValues = (
  kind: keyof typeof comparisonWords,
  now: number | null,
  previous: number | null,
  before: string,
): string | null => comparison(kind, changeInPercent(now, previous), before)

/** 'on the day before', 'in the 7 days before'. */
export function previousPeriodText(range: DayRange): string {
  const days = countDays(range)
  return days === 1 ? 'on the day before' : `in the ${days} days before`
}

/** Why the figures of these days are not complete yet. */
export function incompleteText({ from, to }: DayRange, today: string): string | null {
  if (from > today) return 'These days are still to come.'
  return to >= today ? 'Today is not over yet.' : null
}

const dayFormat = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', month: 'short', day: 'numeric' })
const longDayFormat = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', dateStyle: 'medium' })

export const formatLongDay = (day: string): string => longDayFormat.format(Date.parse(day))

/** For an axis: with the year if the range crosses one. */
export const dayLabelFormatter = ({ from, to }: DayRange): ((day: string) => string) =>
  from.slice(0, 4) === to.slice(0, 4) ? (day) => dayFormat.format(Date.parse(day)) : formatLongDay

export const formatClockTime = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat(undefined, { timeZone, hour: 'numeric', minute: '2-digit' }).format(at)
