import type { JSX } from 'react'
import type { Figures } from '#contract/analytics.ts'
import { minuteMs } from '#contract/durations.ts'
import { formatDuration, formatNumber } from '../../../lib/texts/format.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { weekdayName } from '../../../lib/time/weekdays.ts'
import { axisHour, formatHour, formatHours, shortWeekday } from '../week-text.ts'
import { ChartFrame } from './chart-frame.tsx'
import { labelInterval, type Measure, measureIn, placeLabels, textScale } from './chart-labels.ts'

type WeekHours = Figures['byWeekHour']

/** Colours by the median wait; the last has no upper limit. */
const heats = [
  { upToMs: 60_000, fill: 'oklch(94.5% 0.012 82)' },
  { upToMs: 90_000, fill: 'oklch(91% 0.055 85)' },
  { upToMs: 120_000, fill: 'oklch(85% 0.11 80)' },
  { upToMs: 180_000, fill: 'oklch(77% 0.15 66)' },
  { upToMs: Number.POSITIVE_INFINITY, fill: 'oklch(66% 0.18 40)' },
]

const weekdays = [0, 1, 2, 3, 4, 5, 6]

/** How long guests wait at each hour of the week: in colour, in minutes, and in words. */
export function WeekHeat({ byWeekHour, bare }: { byWeekHour: WeekHours; bare?: boolean }): JSX.Element {
  const hours = hoursOf(byWeekHour)
  return (
    <ChartFrame
      wide
      bare={bare ?? false}
      title={t('Waiting by weekday and hour')}
      note={t('In minutes: half waited no longer.')}
      empty={byWeekHour.length === 0}
      legend={heats.map(({ fill }, index) => ({ fill, label: heatLabel(index) }))}
      table={{
        columns: [t('Day'), ...hours.map(formatHour)],
        rows: weekdays.map((weekday) => [
          weekdayName(weekday),
          ...hours.map((hour) => cellText(byWeekHour, weekday, hour)),
        ]),
      }}
    >
      {(width) => <HeatChart {...{ width, byWeekHour, hours }} />}
    </ChartFrame>
  )
}

function heatLabel(index: number): string {
  const { upToMs } = heats[index] ?? { upToMs: 0 }
  return Number.isFinite(upToMs) ? t('up to {time}', { time: formatDuration(upToMs) }) : t('longer')
}

/** From the first hour with a request to the last. */
function hoursOf(byWeekHour: WeekHours): number[] {
  const asked = byWeekHour.map(({ hour }) => hour)
  const [first, last] = [Math.min(...asked), Math.max(...asked)]
  return asked.length === 0 ? [] : Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

const findCell = (byWeekHour: WeekHours, weekday: number, hour: number) =>
  byWeekHour.find((cell) => cell.weekday === weekday && cell.hour === hour)

function cellText(byWeekHour: WeekHours, weekday: number, hour: number): string {
  const cell = findCell(byWeekHour, weekday, hour)
  if (!cell) return t('none')
  const requests = plural(cell.requests, '{count} request', '{count} requests')
  return cell.response
    ? t('{time}, {requests}', { time: formatDuration(cell.response.medianMs), requests })
    : t('{requests}, none answered', { requests })
}

const gap = 3

/** The room that the labels take, in pixels. */
const layoutFor = (scale: number) => ({
  left: 38 * scale,
  top: 24 * scale,
  rowHeight: Math.max(30, 22 * scale),
})

function HeatChart({
  width,
  byWeekHour,
  hours,
}: {
  width: number
  byWeekHour: WeekHours
  hours: readonly number[]
}): JSX.Element {
  const scale = textScale()
  const measure = measureIn(14 * scale, 600)
  const { left, top, rowHeight } = layoutFor(scale)
  const step = (width - left) / hours.length
  const labels = hours.map(axisHour)
  const measureLabel = measureIn(14 * scale)
  const nth = labelInterval(labels.length, width - left, Math.max(...labels.map(measureLabel)) + 8)
  const xOf = (column: number): number => left + column * step + (step - gap) / 2
  const height = top + weekdays.length * rowHeight
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      {placeLabels(labels, { xOf, width, nth, measure: measureLabel }).map(({ label, x }) => (
        <text key={label} x={x} y={top - 9 * scale} textAnchor="middle" className="fill-text-mute text-sm">
          {label}
        </text>
      ))}
      {weekdays.map((weekday, row) => (
        <g key={weekday} transform={`translate(0 ${top + row * rowHeight})`}>
          <text y={rowHeight / 2} dy="0.25em" className="fill-text-mute text-sm">
            {shortWeekday(weekday)}
          </text>
          {hours.map((hour, column) => (
            <HeatCell
              key={hour}
              x={left + column * step}
              width={step - gap}
              height={rowHeight - gap}
              measure={measure}
              words={`${weekdayName(weekday)}, ${formatHours(hour, hour + 1)}: ${cellText(byWeekHour, weekday, hour)}`}
              medianMs={findCell(byWeekHour, weekday, hour)?.response?.medianMs ?? null}
            />
          ))}
        </g>
      ))}
    </svg>
  )
}

type HeatCellProps = {
  x: number
  width: number
  height: number
  measure: Measure
  words: string
  medianMs: number | null
}

function HeatCell({ x, width, height, measure, words, medianMs }: HeatCellProps): JSX.Element {
  const heat = medianMs === null ? null : heats.find(({ upToMs }) => medianMs <= upToMs)
  const box = { x, width, height, rx: Math.min(6, width / 4) }
  const minutes = medianMs === null ? '' : minutesText(medianMs)
  return (
    <g>
      <title>{words}</title>
      {heat ? <rect {...box} fill={heat.fill} /> : <rect {...box} fill="none" className="stroke-rule" />}
      {minutes !== '' && width >= measure(minutes) && (
        <text
          x={x + width / 2}
          y={height / 2}
          dy="0.35em"
          textAnchor="middle"
          className="fill-text text-sm font-semibold"
        >
          {minutes}
        </text>
      )}
    </g>
  )
}

/** So many at most, as the colours have it. */
const minutesText = (ms: number): string => formatNumber(Math.ceil(ms / minuteMs))
