import type { JSX } from 'react'
import type { Figures } from '#contract/analytics.ts'
import { serviceTypeLabels } from '#contract/requests.ts'
import { formatDuration, formatDurationOr, formatShare } from '../../lib/format.ts'
import { ChartFrame } from './chart-frame.tsx'
import { BarsChart, SharesChart, PercentilesChart } from './charts.tsx'
import { ByDay, ByHour } from './figures-by-time.tsx'
import { KeyFigures } from './key-figures.tsx'
import { Sections } from './sections.tsx'
import { percentileCells, percentileColumns, percentileLegend } from './percentile-columns.ts'
import { formatClockTime, formatLongDay, incompleteText } from './comparison-text.ts'

type FiguresViewProps = {
  figures: Figures
  today: string
}

export function FiguresView({ figures, today }: FiguresViewProps): JSX.Element {
  const { range, asOf, timeZone, totals, byDay } = figures
  const { from, to } = range
  return (
    <div className="flex flex-col gap-6">
      <p className="text-text-mute">
        {from === to ? formatLongDay(from) : `${formatLongDay(from)} to ${formatLongDay(to)}`}, as of{' '}
        {formatClockTime(asOf, timeZone)} ({timeZone}). {incompleteText(range, today)}
      </p>
      <KeyFigures figures={figures} />
      {totals.requests === 0 ? (
        <p className="rounded-control border border-dashed border-rule-strong px-4 py-8 text-center font-display text-lg font-bold">
          No Requests Found
        </p>
      ) : (
        <div className="grid gap-4 lg:grid-cols-2">
          {byDay.length > 1 && <ByDay figures={figures} />}
          <ByHour figures={figures} />
          <Steps figures={figures} />
          <ByType figures={figures} />
          <ByLoad figures={figures} />
          <ByTable figures={figures} />
        </div>
      )}
      <Sections figures={figures} />
    </div>
  )
}

function Steps({ figures: { totals, previous } }: { figures: Figures }): JSX.Element {
  const steps = [
    ['Until the crew’s screen showed it', 'unseen'],
    ['Until somebody accepted it', 'accepted'],
    ['Response: accepted, or completed right away', 'response'],
    ['Until it was completed', 'completed'],
  ] as const
  return (
    <ChartFrame
      title="How long each step took"
      empty={steps.every(([, step]) => totals.times[step] === null)}
      note="All counted from the guest’s tap"
      legend={percentileLegend}
      table={{
        columns: ['Step', ...percentileColumns, 'Median before'],
        rows: steps.map(([label, step]) => [
          label,
          ...percentileCells(totals.times[step]),
          formatDurationOr(previous.times[step]?.medianMs),
        ]),
      }}
    >
      {(width) => (
        <PercentilesChart
          width={width}
          rows={steps.map(([label, step]) => ({ label, spread: totals.times[step] }))}
        />
      )}
    </ChartFrame>
  )
}

function ByType({ figures: { byType } }: { figures: Figures }): JSX.Element {
  const types = byType.map((one) => ({ ...one, label: serviceTypeLabels[one.serviceType] }))
  return (
    <>
      <ChartFrame
        title="Answered within target"
        empty={types.every(({ withinTarget: { of } }) => of === 0)}
        legend={[
          { label: 'Within target', className: 'fill-done' },
          { label: 'Later', className: 'fill-rule-strong' },
        ]}
        table={{
          columns: ['Type', 'Target', 'Within target', 'Of', 'Share'],
          rows: types.map(({ label, targetMs, withinTarget: { within, of } }) => [
            label,
            formatDuration(targetMs),
            String(within),
            String(of),
            formatShare(within, of),
          ]),
        }}
      >
        {(width) => (
          <SharesChart
            width={width}
            rows={types.map(({ label, targetMs, withinTarget: { within, of } }) => ({
              label: `${label}, target ${formatDuration(targetMs)}`,
              within,
              of,
              text: of === 0 ? '–' : `${formatShare(within, of)} of ${of}`,
            }))}
          />
        )}
      </ChartFrame>
      <ChartFrame
        title="Requests by type"
        table={{
          columns: [
            'Type',
            'All',
            ...percentileColumns.map((column) => (column === 'Requests' ? 'Answered' : column)),
          ],
          rows: types.map(({ label, requests, response }) => [
            label,
            String(requests),
            ...percentileCells(response),
          ]),
        }}
      >
        {(width) => (
          <BarsChart
            width={width}
            rows={types.map(({ label, requests, response }) => ({
              label: response ? `${label}, median response ${formatDuration(response.medianMs)}` : label,
              value: requests,
              text: String(requests),
            }))}
          />
        )}
      </ChartFrame>
    </>
  )
}

/** More bars would be unreadable; the table lists them all. */
const maxTablesDrawn = 20

function ByTable({ figures: { byTable } }: { figures: Figures }): JSX.Element {
  const drawn = byTable.slice(0, maxTablesDrawn)
  return (
    <ChartFrame
      wide
      title="Requests by table"
      note={
        byTable.length > drawn.length &&
        `The first ${drawn.length} of ${byTable.length} tables; the table view has them all.`
      }
      table={{
        columns: ['Table', 'Requests', 'Repeated asks', 'Median response', '90% within', 'Within target'],
        rows: byTable.map(({ tableNumber, requests, repeatedAsks, response, withinTarget }) => [
          tableNumber,
          String(requests),
          String(repeatedAsks),
          formatDurationOr(response?.medianMs),
          formatDurationOr(response?.p90Ms),
          formatShare(withinTarget.within, withinTarget.of),
        ]),
      }}
    >
      {(width) => (
        <BarsChart
          width={width}
          rows={drawn.map(({ tableNumber, requests }) => ({
            label: tableNumber,
            value: requests,
            text: String(requests),
          }))}
        />
      )}
    </ChartFrame>
  )
}

const loadLabels = { 1: 'The only one', 2: 'The second', 3: 'The third', 4: 'The fourth or later' } as const

function ByLoad({ figures: { byLoad } }: { figures: Figures }): JSX.Element | null {
  if (byLoad.length === 0) return null
  const rows = byLoad.map(({ load, response, requests }) => ({
    label: loadLabels[load],
    spread: response,
    requests,
  }))
  return (
    <ChartFrame
      title="Response time under load"
      empty={rows.every(({ spread }) => spread === null)}
      note="By how many requests were open in the same section when it came"
      legend={percentileLegend}
      table={{
        columns: ['Open request', 'All', 'Answered', ...percentileColumns.slice(1)],
        rows: rows.map(({ label, requests, spread }) => [
          label,
          String(requests),
          ...percentileCells(spread),
        ]),
      }}
    >
      {(width) => <PercentilesChart width={width} rows={rows} />}
    </ChartFrame>
  )
}
