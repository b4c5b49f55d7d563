import type { figuresFromCsv } from './figures-from-csv.ts'

/** What the Management Portal says about figures, in English. Like the figures, it shares no code with it. */
type Figures = ReturnType<typeof figuresFromCsv>
type Totals = Figures['totals']

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

function time(ms: number | undefined): string {
  if (ms === undefined) return '–'
  const seconds = Math.round(ms / 1000)
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60]
  if (minutes === 0) return `${rest}s`
  return rest === 0 ? `${minutes}m` : `${minutes}m ${rest}s`
}

const number = (hour: number): number => ((hour + 11) % 12) + 1
const half = (hour: number): string => (hour % 24 >= 12 ? 'PM' : 'AM')

export function slowestSentence({ pace }: Figures): string {
  if (!pace?.slowest) throw new Error('no time of the week stands out')
  const { weekday, fromHour: from, medianMs } = pace.slowest
  const to = from + 2
  const start = half(from) === half(to) ? number(from) : `${number(from)} ${half(from)}`
  return `${weekdays[weekday]}s ${start} to ${number(to)} ${half(to)} are slowest: half wait ${time(medianMs)} or longer`
}

/** The rows of the table of hours, with their head. */
export function heatTexts({ byWeekHour }: Figures): string[][] {
  const asked = byWeekHour.map(({ hour }) => hour)
  const first = Math.min(...asked)
  const hours = Array.from({ length: Math.max(...asked) - first + 1 }, (_, index) => first + index)
  const cell = (weekday: number, hour: number): string => {
    const found = byWeekHour.find((each) => each.weekday === weekday && each.hour === hour)
    if (!found) return 'none'
    const requests = `${found.requests} ${found.requests === 1 ? 'request' : 'requests'}`
    return found.response ? `${time(found.response.medianMs)}, ${requests}` : `${requests}, none answered`
  }
  return [
    ['Day', ...hours.map((hour) => `${number(hour)} ${half(hour)}`)],
    ...weekdays.map((name, weekday) => [name, ...hours.map((hour) => cell(weekday, hour))]),
  ]
}

function difference(now: number | undefined, before: number | undefined): string {
  if (now === undefined || before === undefined || before === 0) return '–'
  const percent = Math.round((now / before - 1) * 100)
  return percent > 0 ? `+${percent}%` : `${percent + 0}%`
}

/** The rows of two ranges compared, without their head. `days`: how many they have, if that differs. */
export function comparisonTexts(now: Totals, other: Totals, days?: [number, number]): string[][] {
  const count = (label: string, of: (totals: Totals) => number): string[] => {
    if (!days) return [label, String(of(now)), String(of(other)), difference(of(now), of(other))]
    const [first, second] = [of(now) / days[0], of(other) / days[1]]
    const rounded = (value: number): string => String(Math.round(value * 10) / 10)
    return [`${label} per day`, rounded(first), rounded(second), difference(first, second)]
  }
  const wait = (label: string, of: (totals: Totals) => number | undefined): string[] => [
    label,
    time(of(now)),
    time(of(other)),
    difference(of(now), of(other)),
  ]
  const share = ({ withinTarget: { within, of } }: Totals): string =>
    of === 0 ? '–' : `${Math.round((within / of) * 100)}%`
  return [
    count('Requests', ({ requests }) => requests),
    wait('Half waited at most', ({ times }) => times.response?.medianMs),
    wait('9 of 10 waited at most', ({ times }) => times.response?.p90Ms),
    ['Answered within target', share(now), share(other), '–'],
    count('Repeated asks', ({ repeatedAsks }) => repeatedAsks),
    count('“Still waiting”', ({ stillWaiting }) => stillWaiting),
    count('Called more people', ({ escalated }) => escalated),
    count('Cancelled', ({ cancelled }) => cancelled),
  ]
}
