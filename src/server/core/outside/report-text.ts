import { changeInPercent, type DayRange, type Figures, type Pace, slowTimeRule } from '#contract/analytics.ts'
import { secondMs } from '#contract/durations.ts'

/** More would be a list to read, not what to do. */
const maxTables = 5

const formatDay = (day: string): string =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(day))

export const reportTitle = (restaurantName: string, { from, to }: DayRange): string =>
  `${restaurantName}: ${formatDay(from)} to ${formatDay(to)}`

/** '45s', '2m 30s', '1h 5m', as the Management Portal says it. */
function formatTime(ms: number): string {
  const seconds = Math.round(ms / secondMs)
  const parts: [number, string][] =
    seconds < 3600
      ? [
          [Math.floor(seconds / 60), 'm'],
          [seconds % 60, 's'],
        ]
      : [
          [Math.floor(seconds / 3600), 'h'],
          [Math.floor((seconds % 3600) / 60), 'm'],
        ]
  const shown = parts.filter(([count]) => count > 0)
  return shown.map(([count, unit]) => `${count}${unit}`).join(' ') || '0s'
}

const hourText = (hour: number): { number: number; unit: string } => ({
  number: hour % 12 === 0 ? 12 : hour % 12,
  unit: hour % 24 < 12 ? 'AM' : 'PM',
})

/** '12 to 2 PM' */
function hoursText(from: number, to: number): string {
  const [start, end] = [hourText(from), hourText(to)]
  return `${start.number}${start.unit === end.unit ? '' : ` ${start.unit}`} to ${end.number} ${end.unit}`
}

/** 1 January 2024 was a Monday. */
const weekdayName = (weekday: number): string =>
  new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + weekday))

/** When guests waited longest in four weeks, if that can be said. */
function paceLines(pace: Pace): string[] {
  if (!pace) return []
  if (!pace.slowest)
    return [`No time of the week stands out: half wait ${formatTime(pace.medianMs)} or longer.`]
  const { weekday, fromHour, medianMs } = pace.slowest
  const hours = hoursText(fromHour, fromHour + slowTimeRule.hours)
  return [`${weekdayName(weekday)}s ${hours} are slowest: half wait ${formatTime(medianMs)} or longer.`]
}

type Words = { more: string; less: string; same: string }

function change(now: number | null, before: number | null, { more, less, same }: Words): string {
  const percent = changeInPercent(now, before)
  if (percent === null) return ''
  if (percent === 0) return ` (${same} the week before)`
  return ` (${Math.abs(percent)}% ${percent > 0 ? more : less} the week before)`
}

const counted: Words = { more: 'more than', less: 'fewer than', same: 'as many as' }
const timed: Words = { more: 'slower than', less: 'faster than', same: 'as fast as' }

/** Nothing about guests or people: what was asked for, and how long it took. */
export function reportLines(restaurantName: string, figures: Figures, pace: Pace): string[] {
  const { range, timeZone, totals, previous, unheard } = figures
  const { response } = totals.times
  return [
    `${restaurantName}, ${formatDay(range.from)} to ${formatDay(range.to)} (${timeZone})`,
    ...withGap(paceLines(pace)),
    '',
    `Requests: ${totals.requests}${change(totals.requests, previous?.requests ?? null, counted)}`,
    ...(response
      ? [
          `Half waited at most: ${formatTime(response.medianMs)}${change(response.medianMs, previous?.times.response?.medianMs ?? null, timed)}`,
          `9 of 10 waited at most: ${formatTime(response.p90Ms)}`,
        ]
      : []),
    ...(totals.withinTarget.of > 0
      ? [`Answered within target: ${totals.withinTarget.within} of ${totals.withinTarget.of}`]
      : []),
    `Repeated asks: ${totals.repeatedAsks}`,
    `“Still waiting”: ${totals.stillWaiting}`,
    `Called more people: ${totals.escalated}`,
    `Cancelled: ${totals.cancelled}`,
    ...(unheard && unheard.measuredMs > 0
      ? [
          `Time with no listening screen: ${formatTime(unheard.ms)}, ${formatTime(unheard.whileWaitingMs)} of it while a guest waited`,
        ]
      : []),
    ...tableLines(figures),
  ]
}

const withGap = (lines: string[]): string[] => (lines.length === 0 ? [] : ['', ...lines])

function tableLines({ byTable }: Figures): string[] {
  const slowest = byTable
    .flatMap(({ tableNumber, requests, response }) =>
      response ? [{ tableNumber, requests, medianMs: response.medianMs }] : [],
    )
    .toSorted((a, b) => b.medianMs - a.medianMs)
    .slice(0, maxTables)
  if (slowest.length === 0) return []
  return [
    '',
    'Where half of the guests waited longest:',
    ...slowest.map(
      ({ tableNumber, requests, medianMs }) =>
        `Table ${tableNumber}: ${formatTime(medianMs)} (${requests} ${requests === 1 ? 'request' : 'requests'})`,
    ),
  ]
}
