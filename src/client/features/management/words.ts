import { changeInPercent, daysOf, type DayRange } from '#contract/analytics.ts'

/** '45s', '2m 30s', '1h 5m': the two largest units, without what is zero. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const parts: [number, string, number, string] =
    seconds < 3600
      ? [Math.floor(seconds / 60), 'm', seconds % 60, 's']
      : [Math.floor(seconds / 3600), 'h', Math.floor((seconds % 3600) / 60), 'm']
  const [large, largeUnit, small, smallUnit] = parts
  if (large === 0) return `${small}${smallUnit}`
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit} ${small}${smallUnit}`
}

export const durationOr = (ms: number | null | undefined, otherwise = '–'): string =>
  ms === null || ms === undefined ? otherwise : duration(ms)

/** Whole percent; 0 % and 100 % are kept for none and all. */
export function share(part: number, of: number): string {
  if (of === 0) return '–'
  const percent = Math.round((part / of) * 100)
  if (percent === 0 && part > 0) return '<1%'
  if (percent === 100 && part < of) return '>99%'
  return `${percent}%`
}

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
