import { scaleBand, scaleLinear } from '@visx/scale'
import { Bar as ColumnBar, Line, LinePath } from '@visx/shape'
import type { JSX } from 'react'
import type { DurationSummary } from '#contract/analytics.ts'
import { formatDuration, formatNumber } from '../../../lib/texts/format.ts'
import {
  countTicks,
  labelInterval,
  measureIn,
  placeLabels,
  textScale,
  timeTicks,
  wrapLabel,
} from './chart-labels.ts'

const right = 8

/** As high as the labels need beside what is drawn. */
function frameFor(scale: number) {
  const top = 12 * scale
  const bottom = top + 160
  return { top, bottom, height: bottom + 28 * scale }
}

type AxesProps = {
  width: number
  height: number
  scale: number
  left: number
  ticks: readonly number[]
  format: (tick: number) => string
  yOf: (tick: number) => number
  labels: readonly string[]
  xOf: (index: number) => number
}

function Axes(props: AxesProps): JSX.Element {
  const { width, height, scale, left, ticks, format, yOf, labels, xOf } = props
  const measure = measureIn(14 * scale)
  const longest = Math.max(0, ...labels.map(measure))
  const nth = labelInterval(labels.length, width - left - right, longest + 8)
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <Line
            from={{ x: left, y: yOf(tick) }}
            to={{ x: width - right, y: yOf(tick) }}
            className="stroke-rule"
          />
          <text x={left - 6} y={yOf(tick)} dy="0.35em" textAnchor="end" className="fill-text-mute text-sm">
            {format(tick)}
          </text>
        </g>
      ))}
      {placeLabels(labels, { xOf, width, nth, measure }).map(({ label, x }) => (
        <text key={label} x={x} y={height - 4 * scale} textAnchor="middle" className="fill-text-mute text-sm">
          {label}
        </text>
      ))}
    </>
  )
}

const axisWidth = (ticks: readonly number[], format: (tick: number) => string, scale: number): number =>
  Math.max(...ticks.map(format).map(measureIn(14 * scale))) + 8

export type Column = { label: string; value: number }

/** How many of something, by hour or by day. */
export function ColumnChart({ width, columns }: { width: number; columns: readonly Column[] }): JSX.Element {
  const ticks = countTicks(Math.max(0, ...columns.map(({ value }) => value)))
  const scale = textScale()
  const { top, bottom, height } = frameFor(scale)
  const left = axisWidth(ticks, formatNumber, scale)
  const x = scaleBand({
    domain: columns.map(({ label }) => label),
    range: [left, width - right],
    padding: 0.25,
  })
  // Stays visible even with more days than pixels.
  const columnWidth = Math.max(1, x.bandwidth())
  const y = scaleLinear({ domain: [0, ticks.at(-1) ?? 1], range: [bottom, top] })
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      <Axes
        {...{ width, height, scale, left, ticks }}
        format={formatNumber}
        yOf={y}
        labels={columns.map(({ label }) => label)}
        xOf={(index) => (x(columns[index]?.label ?? '') ?? 0) + x.bandwidth() / 2}
      />
      {columns.map(({ label, value }) => (
        <ColumnBar
          key={label}
          x={x(label) ?? 0}
          y={y(value)}
          width={columnWidth}
          height={bottom - y(value)}
          rx={Math.min(4, columnWidth / 3)}
          className="fill-action"
        />
      ))}
    </svg>
  )
}

export type ResponsePoint = { label: string; response: DurationSummary }

/** The usual wait and the long one, by hour or by day; hours without an answer leave a gap. */
export function ResponseChart({
  width,
  moments,
}: {
  width: number
  moments: readonly ResponsePoint[]
}): JSX.Element {
  const ticks = timeTicks(Math.max(0, ...moments.map(({ response }) => response?.p90Ms ?? 0)))
  const scale = textScale()
  const { top, bottom, height } = frameFor(scale)
  const left = axisWidth(ticks, formatDuration, scale)
  const x = scaleLinear({
    domain: [0, Math.max(1, moments.length - 1)],
    range: [left + 20, width - right - 20],
  })
  const y = scaleLinear({ domain: [0, ticks.at(-1) ?? 1], range: [bottom, top] })
  const points = moments.map(({ response }, index) => ({ at: x(index), response }))
  const series = [
    ['p90Ms', 'stroke-rule-strong', 'fill-rule-strong'],
    ['medianMs', 'stroke-action', 'fill-action'],
  ] as const
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      <Axes
        {...{ width, height, scale, left, ticks }}
        format={formatDuration}
        yOf={y}
        labels={moments.map(({ label }) => label)}
        xOf={x}
      />
      {series.map(([figure, stroke, fill]) => (
        <g key={figure}>
          <LinePath
            data={points}
            defined={({ response }) => response !== null}
            x={({ at }) => at}
            y={({ response }) => y(response?.[figure] ?? 0)}
            strokeWidth={3}
            className={stroke}
          />
          {points.map(
            ({ at, response }) =>
              response && (
                <circle
                  key={at}
                  cx={at}
                  cy={y(response[figure])}
                  r={moments.length > 40 ? 2 : 4}
                  className={fill}
                />
              ),
          )}
        </g>
      ))}
    </svg>
  )
}

const barHeight = 14

type Bar = { x?: number; width: number; className: string }
type Row = { label: string; text: string; bars: readonly Bar[] }

/** Bars, each with its name above it and its figure beside the name, drawn in this order. */
function BarRows({ width, rows }: { width: number; rows: readonly Row[] }): JSX.Element {
  const scale = textScale()
  const lineHeight = 24 * scale
  const place = linesIn(width, scale)
  let height = 0
  const placed = rows.map(({ label, text, bars }) => {
    const lines = place(label, text)
    const top = height
    height += lines.count * lineHeight + barHeight + 10
    return { bars, lines, top }
  })
  const baseline = (line: number): number => line * lineHeight + 17 * scale
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      {placed.map(({ bars, lines: { names, figures, count }, top }) => (
        <g key={top} transform={`translate(0 ${top})`}>
          {names.map((line, index) => (
            <text key={`${index} ${line}`} y={baseline(index)} className="fill-text text-base">
              {line}
            </text>
          ))}
          {figures.map((line, index) => (
            <text
              key={`${index} ${line}`}
              x={width}
              y={baseline(count - figures.length + index)}
              textAnchor="end"
              className="fill-text text-base font-semibold"
            >
              {line}
            </text>
          ))}
          {bars.map((bar) => (
            <rect
              key={bar.className}
              y={count * lineHeight}
              height={barHeight}
              rx={bar.x === undefined ? 4 : 0}
              {...bar}
              width={Math.max(0, bar.width)}
            />
          ))}
        </g>
      ))}
    </svg>
  )
}

/** The figure stands beside the last line of the name, or below it where there is no room. */
function linesIn(width: number, scale: number) {
  const [measureName, measureFigure] = [measureIn(16 * scale), measureIn(16 * scale, 600)]
  return (label: string, text: string) => {
    const names = wrapLabel(label, width, measureName)
    const figures = wrapLabel(text, width, measureFigure)
    const widths = measureName(names.at(-1) ?? '') + measureFigure(text)
    const overlap = widths + 16 * scale <= width ? 1 : 0
    return { names, figures, count: names.length + figures.length - overlap }
  }
}

export type BarRow = { label: string; value: number; text: string }

/** One bar per row. */
export function BarsChart({ width, rows }: { width: number; rows: readonly BarRow[] }): JSX.Element {
  const x = scaleLinear({ domain: [0, Math.max(1, ...rows.map(({ value }) => value))], range: [0, width] })
  return (
    <BarRows
      width={width}
      rows={rows.map(({ label, value, text }) => ({
        label,
        text,
        bars: [
          { width, className: 'fill-plate-2' },
          { width: x(value), className: 'fill-action' },
        ],
      }))}
    />
  )
}

export type ShareRow = { label: string; within: number; of: number; text: string }

/** The part of each whole that was within its target. */
export function SharesChart({ width, rows }: { width: number; rows: readonly ShareRow[] }): JSX.Element {
  return (
    <BarRows
      width={width}
      rows={rows.map(({ label, within, of, text }) => ({
        label,
        text,
        bars: [
          { width, className: of === 0 ? 'fill-plate-2' : 'fill-rule-strong' },
          ...(of > 0 ? [{ width: (width * within) / of, className: 'fill-done' }] : []),
        ],
      }))}
    />
  )
}

export type PercentileRow = { label: string; spread: DurationSummary }

/** A bar to the median, extended to the 90th percentile; on demand with a mark at the 99th. */
export function PercentilesChart({
  width,
  rows,
  withLongest,
}: {
  width: number
  rows: readonly PercentileRow[]
  withLongest: boolean
}): JSX.Element {
  const end = (spread: DurationSummary): number => (withLongest ? spread?.p99Ms : spread?.p90Ms) ?? 0
  const x = scaleLinear({
    domain: [0, Math.max(1, ...rows.map(({ spread }) => end(spread)))],
    range: [0, width - 3],
  })
  return (
    <BarRows
      width={width}
      rows={rows.map(({ label, spread }) => ({
        label,
        text: spread ? formatDuration(spread.medianMs) : '–',
        bars: [
          { width, className: 'fill-plate-2' },
          ...(spread
            ? [
                { width: x(spread.p90Ms), className: 'fill-rule-strong' },
                { width: x(spread.medianMs), className: 'fill-action' },
                ...(withLongest ? [{ x: x(spread.p99Ms), width: 3, className: 'fill-text' }] : []),
              ]
            : []),
        ],
      }))}
    />
  )
}
