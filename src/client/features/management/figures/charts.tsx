import { scaleBand, scaleLinear } from '@visx/scale'
import { Bar as ColumnBar, Line, LinePath } from '@visx/shape'
import type { JSX } from 'react'
import type { DurationSummary } from '#contract/analytics.ts'
import { formatDuration, formatNumber } from '../../../lib/texts/format.ts'
import { countTicks, labelInterval, timeTicks } from './axis-ticks.ts'

const height = 200
const margin = { top: 12, right: 8, bottom: 24 }
const bottom = height - margin.bottom
/** Approximate width of a character at 14 px. */
const characterWidth = 8

type AxesProps = {
  width: number
  left: number
  ticks: readonly number[]
  format: (tick: number) => string
  yOf: (tick: number) => number
  labels: readonly string[]
  xOf: (index: number) => number
}

function Axes({ width, left, ticks, format, yOf, labels, xOf }: AxesProps): JSX.Element {
  const longest = Math.max(0, ...labels.map(({ length }) => length))
  const nth = labelInterval(labels.length, width - left - margin.right, longest * characterWidth + 8)
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <Line
            from={{ x: left, y: yOf(tick) }}
            to={{ x: width - margin.right, y: yOf(tick) }}
            className="stroke-rule"
          />
          <text x={left - 6} y={yOf(tick)} dy="0.35em" textAnchor="end" className="fill-text-mute text-sm">
            {format(tick)}
          </text>
        </g>
      ))}
      {labels.map(
        (label, index) =>
          index % nth === 0 && (
            <text
              key={label}
              // The label of the first day is wider than the space beside the axis.
              x={Math.max(xOf(index), (label.length * characterWidth) / 2)}
              y={height - 4}
              textAnchor="middle"
              className="fill-text-mute text-sm"
            >
              {label}
            </text>
          ),
      )}
    </>
  )
}

const axisWidth = (ticks: readonly number[], format: (tick: number) => string): number =>
  Math.max(...ticks.map((tick) => format(tick).length)) * 10 + 10

export type Column = { label: string; value: number }

/** How many of something, by hour or by day. */
export function ColumnChart({ width, columns }: { width: number; columns: readonly Column[] }): JSX.Element {
  const ticks = countTicks(Math.max(0, ...columns.map(({ value }) => value)))
  const left = axisWidth(ticks, formatNumber)
  const x = scaleBand({
    domain: columns.map(({ label }) => label),
    range: [left, width - margin.right],
    padding: 0.25,
  })
  // Stays visible even with more days than pixels.
  const columnWidth = Math.max(1, x.bandwidth())
  const y = scaleLinear({ domain: [0, ticks.at(-1) ?? 1], range: [bottom, margin.top] })
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      <Axes
        {...{ width, left, ticks }}
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
  const left = axisWidth(ticks, formatDuration)
  const x = scaleLinear({
    domain: [0, Math.max(1, moments.length - 1)],
    range: [left + 20, width - margin.right - 20],
  })
  const y = scaleLinear({ domain: [0, ticks.at(-1) ?? 1], range: [bottom, margin.top] })
  const points = moments.map(({ response }, index) => ({ at: x(index), response }))
  const series = [
    ['p90Ms', 'stroke-rule-strong', 'fill-rule-strong'],
    ['medianMs', 'stroke-action', 'fill-action'],
  ] as const
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      <Axes
        {...{ width, left, ticks }}
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

/** How much larger than usual the reader has set text. */
const textScale = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16

type Bar = { x?: number; width: number; className: string }
type Row = { label: string; text: string; bars: readonly Bar[] }

/** Bars with their name above them, drawn in this order. */
function BarRows({ width, rows }: { width: number; rows: readonly Row[] }): JSX.Element {
  const scale = textScale()
  const rowHeight = 24 * scale + barHeight + 10
  return (
    <svg width={width} height={rows.length * rowHeight} viewBox={`0 0 ${width} ${rows.length * rowHeight}`}>
      {rows.map(({ label, text, bars }, index) => (
        <g key={label} transform={`translate(0 ${index * rowHeight})`}>
          <text y={17 * scale} className="fill-text text-base">
            {shorten(label, width / scale - text.length * 10 - 16)}
          </text>
          <text x={width} y={17 * scale} textAnchor="end" className="fill-text text-base font-semibold">
            {text}
          </text>
          {bars.map((bar) => (
            <rect
              key={bar.className}
              y={24 * scale}
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

/** The table has the whole name. */
function shorten(label: string, width: number): string {
  const most = Math.max(4, Math.floor(width / characterWidth))
  const characters = Array.from(new Intl.Segmenter().segment(label), ({ segment }) => segment)
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : label
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
