import type { JSX } from 'react'
import type { DurationSummary, Figures } from '#contract/analytics.ts'
import { t } from '../../../lib/texts/translate.ts'
import { axisHour, formatHour } from '../week-text.ts'
import { ChartFrame } from './chart-frame.tsx'
import { ColumnChart, ResponseChart } from './charts.tsx'
import { dayLabelFormatter, formatLongDay } from './comparison-text.ts'
import { countCell, useDurationColumns } from './percentiles.tsx'

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
    label: axisHour(hour),
    name: formatHour(hour),
    requests,
    response,
  }))
  const asked = hours.map(({ requests }) => requests > 0)
  // The table begins with the first hour in which anybody asked, and ends with the last.
  const listed = hours.slice(Math.max(0, asked.indexOf(true)), asked.lastIndexOf(true) + 1)
  return <ByTime unit="hour" moments={hours} listed={listed} />
}

type Moment = {
  /** On the axis. */
  label: string
  /** In the table. */
  name: string
  requests: number
  response: DurationSummary
}

const texts = {
  day: { column: 'Day', requests: 'Requests by day', response: 'Waiting time by day' },
  hour: { column: 'Hour', requests: 'Requests by hour', response: 'Waiting time by hour' },
} as const

type ByTimeProps = {
  unit: keyof typeof texts
  moments: readonly Moment[]
  /** The moments in the tables, if not all. */
  listed?: readonly Moment[]
}

function ByTime({ unit, moments, listed = moments }: ByTimeProps): JSX.Element {
  const { column, requests, response } = texts[unit]
  const durations = useDurationColumns()
  return (
    <>
      <ChartFrame
        title={t(requests)}
        empty={moments.every(({ requests }) => requests === 0)}
        table={{
          columns: [t(column), t('Requests')],
          rows: listed.map(({ name, requests }, at) => [{ text: name, value: at }, countCell(requests)]),
          sortable: true,
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
        title={t(response)}
        empty={moments.every(({ response }) => response === null)}
        legend={durations.legend.slice(0, 2)}
        table={{
          columns: [t(column), t('Answered'), ...durations.columns],
          sortable: true,
          rows: listed.map(({ name, response }, at) => [
            { text: name, value: at },
            ...durations.cells(response),
          ]),
        }}
      >
        {(width) => <ResponseChart width={width} moments={moments} />}
      </ChartFrame>
    </>
  )
}
