import { type Figures, slowTimeRule } from '#contract/analytics.ts'
import { formatDuration } from '../../lib/texts/format.ts'
import { t } from '../../lib/texts/translate.ts'
import { formatDate } from '../../lib/time/dates.ts'

/** Monday first. */
const onWeekdays = [
  'Mondays',
  'Tuesdays',
  'Wednesdays',
  'Thursdays',
  'Fridays',
  'Saturdays',
  'Sundays',
] as const

/** 1 January 2024 was a Monday. */
const dateOf = (weekday: number, hour = 0): number => Date.UTC(2024, 0, 1 + weekday, hour)

export const shortWeekday = (weekday: number): string =>
  formatDate(dateOf(weekday), { weekday: 'short', timeZone: 'UTC' })

/** '7 PM', '19:00', or '19 Uhr'. */
export function formatHour(hour: number): string {
  const format = (options: Intl.DateTimeFormatOptions): string =>
    formatDate(dateOf(0, hour), { ...options, timeZone: 'UTC' })
  const text = format({ hour: 'numeric' })
  return /^\d+$/u.test(text) ? format({ timeStyle: 'short' }) : text
}

/** For an axis, where a number alone will do: '19'. On a 12-hour clock it would stand there twice. */
export const axisHour = (hour: number): string =>
  formatHour(13).includes('13') ? String(hour) : formatHour(hour)

/** '12 to 2 PM' */
export const formatHours = (from: number, to: number): string =>
  t('{from} to {to}', { from: hourWithoutUnit(from, to), to: formatHour(to) })

/** What both ends have in common is said once. */
function hourWithoutUnit(from: number, to: number): string {
  const [start, end] = [from, to].map((hour) => partsOf(hour))
  if (!start || !end || start.unit !== end.unit || start.unit.startsWith(':')) return formatHour(from)
  return start.number
}

function partsOf(hour: number): { number: string; unit: string } {
  const text = formatHour(hour)
  const number = /\d+/u.exec(text)?.[0] ?? text
  return { number, unit: text.replace(number, '') }
}

/** When guests wait longest, in one sentence, or why that cannot be said. */
export function weekSentence({ pace, totals }: Pick<Figures, 'pace' | 'totals'>): string {
  if (totals.requests === 0) return t('No requests in these four weeks')
  if (!pace) return t('Not enough is known yet to say when guests wait longest')
  if (!pace.slowest)
    return t('No time of the week stands out: half wait {time} or longer', {
      time: formatDuration(pace.medianMs),
    })
  const { weekday, fromHour, medianMs } = pace.slowest
  return t('{days} {hours} are slowest: half wait {time} or longer', {
    days: t(onWeekdays[weekday] ?? ''),
    hours: formatHours(fromHour, fromHour + slowTimeRule.hours),
    time: formatDuration(medianMs),
  })
}
