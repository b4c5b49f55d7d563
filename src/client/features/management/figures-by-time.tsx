import type { JSX } from 'react'
import type { Figures } from '#contract/analytics.ts'
import { ChartFrame } from './chart-frame.tsx'
import { ColumnChart, ResponseChart } from './charts.tsx'
import { responseLegend, percentileCells, percentileColumns } from './percentile-columns.ts'
import { dayLabelFormatter, formatLongDay } from './comparison-text.ts'

export function ByDay({ figures: { byDay, range } }: { figures: Figures }): JSX.Element {
  const labelOf = dayLabelFormatter(range)
  const days = byDay.map(({ day, requests, response }) => ({ label: labelOf(day), day, requests, response }))
  return (
    <>
      <ChartFrame
        title="Requests by day"
        empty={days.every(({ requests }) => requests === 0)}
        table={{
          columns: ['Day', 'Requests'],
          rows: days.map(({ day, requests }) => [formatLongDay(day), String(requests)]),
        }}
      >
        {(width) => (
          <ColumnChart
            width={width}
            columns={days.map(({ label, requests }) => ({ label, value: requests }))}
          />
        )}
      </ChartFrame>
      <ChartFrame
        title="Response time by day"
        empty={days.every(({ response }) => response === null)}
        legend={responseLegend}
        table={{
          columns: ['Day', ...percentileColumns],
          rows: days.map(({ day, response }) => [formatLongDay(day), ...percentileCells(response)]),
        }}
      >
        {(width) => <ResponseChart width={width} moments={days} />}
      </ChartFrame>
    </>
  )
}

const formatHour = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

export function ByHour({ figures: { byHour } }: { figures: Figures }): JSX.Element {
  const hours = byHour.map(({ hour, requests, response }) => ({
    label: String(hour),
    hour,
    requests,
    response,
  }))
  return (
    <>
      <ChartFrame
        title="Requests by hour"
        empty={hours.every(({ requests }) => requests === 0)}
        table={{
          columns: ['Hour', 'Requests'],
          rows: hours.map(({ hour, requests }) => [formatHour(hour), String(requests)]),
        }}
      >
        {(width) => (
          <ColumnChart
            width={width}
            columns={hours.map(({ label, requests }) => ({ label, value: requests }))}
          />
        )}
      </ChartFrame>
      <ChartFrame
        title="Response time by hour"
        empty={hours.every(({ response }) => response === null)}
        legend={responseLegend}
        table={{
          columns: ['Hour', ...percentileColumns],
          rows: hours.map(({ hour, response }) => [formatHour(hour), ...percentileCells(response)]),
        }}
      >
        {(width) => <ResponseChart width={width} moments={hours} />}
      </ChartFrame>
    </>
  )
}
