import type { JSX } from 'react'
import type { DurationSummary, Figures } from '#contract/analytics.ts'
import { ChartFrame } from './chart-frame.tsx'
import { ColumnChart, ResponseChart } from './charts.tsx'
import { responseLegend, percentileCells, percentileColumns } from './percentile-columns.ts'
import { dayLabelFormatter, formatLongDay } from './comparison-text.ts'

export function ByDay({ figures: { byDay, range } }: { figures: Figures }): JSX.Element {
  const labelOf = dayLabelFormatter(range)
  const days = byDay.map(({ day, requests, response }) => ({
    label: labelOf(day),
    name: formatLongDay(day),
    requests,
    response,
  }))
  return <ByTime unit="day" moments={days} />
}

export function ByHour({ figures: { byHour } }: { figures: Figures }): JSX.Element {
  const hours = byHour.map(({ hour, requests, response }) => ({
    label: String(hour),
    name: `${String(hour).padStart(2, '0')}:00`,
    requests,
    response,
  }))
  return <ByTime unit="hour" moments={hours} />
}

type Moment = {
  /** On the axis. */
  label: string
  /** In the table. */
  name: string
  requests: number
  response: DurationSummary
}

const columnNames = { day: 'Day', hour: 'Hour' } as const

type ByTimeProps = { unit: keyof typeof columnNames; moments: readonly Moment[] }

function ByTime({ unit, moments }: ByTimeProps): JSX.Element {
  return (
    <>
      <ChartFrame
        title={`Requests by ${unit}`}
        empty={moments.every(({ requests }) => requests === 0)}
        table={{
          columns: [columnNames[unit], 'Requests'],
          rows: moments.map(({ name, requests }) => [name, String(requests)]),
        }}
      >
        {(width) => (
          <ColumnChart
            width={width}
            columns={moments.map(({ label, requests }) => ({ label, value: requests }))}
          />
        )}
      </ChartFrame>
      <ChartFrame
        title={`Response time by ${unit}`}
        empty={moments.every(({ response }) => response === null)}
        legend={responseLegend}
        table={{
          columns: [columnNames[unit], ...percentileColumns],
          rows: moments.map(({ name, response }) => [name, ...percentileCells(response)]),
        }}
      >
        {(width) => <ResponseChart width={width} moments={moments} />}
      </ChartFrame>
    </>
  )
}
