import { changeInPercent, countDays, type DayRange, type Figures } from '#contract/analytics.ts'
import { formatPercent } from '../../../lib/texts/format.ts'
import { t } from '../../../lib/texts/translate.ts'
import { formatDate, pageLocale } from '../../../lib/time/dates.ts'

const comparisonTexts = {
  countBeforeDay: {
    more: '{percent} more than on the day before',
    less: '{percent} fewer than on the day before',
    same: 'as many as on the day before',
  },
  countBeforeDays: {
    more: '{percent} more than in the {count} days before',
    less: '{percent} fewer than in the {count} days before',
    same: 'as many as in the {count} days before',
  },
  countUsualDay: {
    more: '{percent} more than a usual day of the week before',
    less: '{percent} fewer than a usual day of the week before',
    same: 'as many as a usual day of the week before',
  },
  countOnUsualDay: {
    more: '{percent} more than on a usual day of the week before.',
    less: '{percent} fewer than on a usual day of the week before.',
    same: 'As many as on a usual day of the week before.',
  },
  timeBeforeDay: {
    more: '{percent} slower than on the day before',
    less: '{percent} faster than on the day before',
    same: 'as fast as on the day before',
  },
  timeBeforeDays: {
    more: '{percent} slower than in the {count} days before',
    less: '{percent} faster than in the {count} days before',
    same: 'as fast as in the {count} days before',
  },
  timeWeek: {
    more: '{percent} slower than the week before',
    less: '{percent} faster than the week before',
    same: 'as fast as the week before',
  },
  timeInWeek: {
    more: '{percent} slower than in the week before.',
    less: '{percent} faster than in the week before.',
    same: 'As fast as in the week before.',
  },
} as const

/** '12% more than …', in words that suit what is measured. Null if there is nothing to compare with. */
export function comparison(
  kind: keyof typeof comparisonTexts,
  percent: number | null,
  days?: number,
): string | null {
  if (percent === null) return null
  const { more, less, same } = comparisonTexts[kind]
  const text = percent === 0 ? same : percent > 0 ? more : less
  return t(text, { percent: formatPercent(Math.abs(percent)), ...(days !== undefined && { count: days }) })
}

const sinceDay = { count: 'countBeforeDay', time: 'timeBeforeDay' } as const
const sinceDays = { count: 'countBeforeDays', time: 'timeBeforeDays' } as const

/** With the same number of days before the range. */
export function compareValues(
  kind: 'count' | 'time',
  now: number | null,
  previous: number | null,
  range: DayRange,
): string | null {
  const days = countDays(range)
  const percent = changeInPercent(now, previous)
  return days === 1 ? comparison(sinceDay[kind], percent) : comparison(sinceDays[kind], percent, days)
}

/** '7 on the day before', '7 in the 7 days before'. */
export function previousValueText(value: string, range: DayRange): string {
  const days = countDays(range)
  return days === 1
    ? t('{value} on the day before', { value })
    : t('{value} in the {count} days before', { value, count: days })
}

/** Why the figures of these days are not complete yet. */
export function incompleteText({ from, to }: DayRange, today: string): string | null {
  if (from > today) return t('These days are still to come.')
  return to >= today ? t('Today is not over yet.') : null
}

/** Says that days are missing for good, because the owner does not have them kept. */
export const removedText = ({ from }: DayRange, keptFrom: string | null): string | null =>
  keptFrom !== null && from < keptFrom
    ? t('Requests from before {day} were removed, as set under Settings.', { day: formatLongDay(keptFrom) })
    : null

/** Why these figures have none of the days before beside them, or not all of those. */
export function missingBeforeText({
  before,
  keptFrom,
  firstDay,
}: Pick<Figures, 'before' | 'keptFrom' | 'firstDay'>): string | null {
  if (firstDay === null || before.from >= firstDay) return removedText(before, keptFrom)
  return t('Not compared: the first request was on {day}.', { day: formatLongDay(firstDay) })
}

const formatDay = (day: string, options: Intl.DateTimeFormatOptions): string =>
  formatDate(Date.parse(day), { timeZone: 'UTC', ...options })

export const formatLongDay = (day: string): string => formatDay(day, { dateStyle: 'medium' })

/** 'Nov 17 – 23, 2026' */
export const formatRange = ({ from, to }: DayRange): string =>
  new Intl.DateTimeFormat(pageLocale(), {
    dateStyle: 'medium',
    timeZone: 'UTC',
    numberingSystem: 'latn',
  }).formatRange(Date.parse(from), Date.parse(to))

/** For an axis: with the year if the range crosses one. */
export const dayLabelFormatter = ({ from, to }: DayRange): ((day: string) => string) =>
  from.slice(0, 4) === to.slice(0, 4)
    ? (day) => formatDay(day, { month: 'short', day: 'numeric' })
    : formatLongDay

export const formatClockTime = (at: number, timeZone: string): string =>
  formatDate(at, { timeZone, timeStyle: 'short' })
