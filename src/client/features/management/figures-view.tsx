import type { JSX, ReactNode } from 'react'
import { type Figures, leastForAdjusted, type Spread } from '#contract/analytics.ts'
import { serviceTypeLabels } from '#contract/requests.ts'
import { ChartFrame } from './chart-frame.tsx'
import { ColumnChart, ResponseChart, RowsChart, SharesChart, SpreadsChart } from './charts.tsx'
import { DataTable } from './data-table.tsx'
import {
  clockTime,
  compared,
  counted,
  daysBefore,
  duration,
  durationOr,
  longDay,
  share,
  shortDay,
} from './words.ts'

type FiguresViewProps = {
  figures: Figures
  /** The last day is not over yet. */
  running: boolean
}

export function FiguresView({ figures, running }: FiguresViewProps): JSX.Element {
  const { range, asOf, timeZone, totals, byDay } = figures
  const { from, to } = range
  return (
    <div className="flex flex-col gap-6">
      <p className="text-text-mute">
        {from === to ? longDay(from) : `${longDay(from)} to ${longDay(to)}`}, as of{' '}
        {clockTime(asOf, timeZone)} ({timeZone}).
        {running && ' Today is not over yet.'}
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

function KeyFigures({ figures }: { figures: Figures }): JSX.Element {
  const { totals, previous, range, unheard } = figures
  const before = daysBefore(range)
  const { response } = totals.times
  const was = (text: string): string => `${text} in ${before}`
  return (
    <dl className="grid min-[22rem]:grid-cols-2 lg:grid-cols-4 gap-3">
      <Tile label="Requests" value={String(totals.requests)}>
        {compared('count', totals.requests, previous.requests, `in ${before}`)}
      </Tile>
      <Tile label="Median response" value={durationOr(response?.medianMs)}>
        {response && `90% within ${duration(response.p90Ms)}`}
        {response && `99% within ${duration(response.p99Ms)}`}
        {response && `mean ${duration(response.meanMs)}`}
        {response &&
          compared('time', response.medianMs, previous.times.response?.medianMs ?? null, `in ${before}`)}
      </Tile>
      <Tile label="Answered within target" value={share(totals.withinTarget.within, totals.withinTarget.of)}>
        {`${totals.withinTarget.within} of ${totals.withinTarget.of}`}
        {previous.withinTarget.of > 0 && was(share(previous.withinTarget.within, previous.withinTarget.of))}
      </Tile>
      <Tile label="Repeated asks" value={String(totals.repeatedAsks)}>
        {`for ${counted(totals.askedAgain, 'request')}`}
        {was(String(previous.repeatedAsks))}
      </Tile>
      <Tile label="“Still waiting”" value={String(totals.stillWaiting)}>
        {was(String(previous.stillWaiting))}
      </Tile>
      <Tile label="Escalated" value={String(totals.escalated)}>
        {`${share(totals.escalated, totals.requests)} of all`}
        {was(String(previous.escalated))}
      </Tile>
      <Tile label="Cancelled" value={String(totals.cancelled)}>
        {`${share(totals.cancelled, totals.requests)} of all`}
        {was(String(previous.cancelled))}
      </Tile>
      {unheard && (
        <Tile label="Time with no listening screen" value={duration(unheard.ms)}>
          {`${share(unheard.ms, unheard.measuredMs)} of ${duration(unheard.measuredMs)}`}
          {`${duration(unheard.whileWaitingMs)} of it while a guest waited`}
          {`${counted(unheard.requests, 'request')} made in it`}
        </Tile>
      )}
    </dl>
  )
}

/** Each child is a line of its own. */
function Tile({
  label,
  value,
  children,
}: {
  label: string
  value: string
  children: ReactNode
}): JSX.Element {
  const lines = (Array.isArray(children) ? children : [children]).filter(
    (line): line is string => typeof line === 'string' && line !== '',
  )
  return (
    <div className="rounded-control bg-plate-2 px-4 py-3">
      <dt>{label}</dt>
      <dd>
        <span className="font-display text-2xl font-bold">{value}</span>
        {lines.map((line) => (
          <span key={line} className="block">
            {line}
          </span>
        ))}
      </dd>
    </div>
  )
}

const responseLegend = [
  { label: 'Median', className: 'fill-action' },
  { label: '90% are answered within', className: 'fill-rule-strong' },
]
const spreadLegend = [
  ...responseLegend.slice(0, 1),
  { label: '90% within', className: 'fill-rule-strong' },
  { label: '99% within', className: 'fill-text' },
]

const spreadColumns = ['Requests', 'Median', '90% within', '99% within', 'Mean']
const spreadCells = (spread: Spread): string[] => [
  String(spread?.count ?? 0),
  durationOr(spread?.medianMs),
  durationOr(spread?.p90Ms),
  durationOr(spread?.p99Ms),
  durationOr(spread?.meanMs),
]

function ByDay({ figures: { byDay } }: { figures: Figures }): JSX.Element {
  const days = byDay.map(({ day, requests, response }) => ({ label: shortDay(day), day, requests, response }))
  return (
    <>
      <ChartFrame
        title="Requests by day"
        table={{
          columns: ['Day', 'Requests'],
          rows: days.map(({ day, requests }) => [longDay(day), String(requests)]),
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
        legend={responseLegend}
        table={{
          columns: ['Day', ...spreadColumns],
          rows: days.map(({ day, response }) => [longDay(day), ...spreadCells(response)]),
        }}
      >
        {(width) => <ResponseChart width={width} moments={days} />}
      </ChartFrame>
    </>
  )
}

const hourWords = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

function ByHour({ figures: { byHour } }: { figures: Figures }): JSX.Element {
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
        table={{
          columns: ['Hour', 'Requests'],
          rows: hours.map(({ hour, requests }) => [hourWords(hour), String(requests)]),
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
        legend={responseLegend}
        table={{
          columns: ['Hour', ...spreadColumns],
          rows: hours.map(({ hour, response }) => [hourWords(hour), ...spreadCells(response)]),
        }}
      >
        {(width) => <ResponseChart width={width} moments={hours} />}
      </ChartFrame>
    </>
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
      note="All counted from the guest’s tap"
      legend={spreadLegend}
      table={{
        columns: ['Step', ...spreadColumns, 'Median before'],
        rows: steps.map(([label, step]) => [
          label,
          ...spreadCells(totals.times[step]),
          durationOr(previous.times[step]?.medianMs),
        ]),
      }}
    >
      {(width) => (
        <SpreadsChart
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
        legend={[
          { label: 'Within target', className: 'fill-done' },
          { label: 'Later', className: 'fill-rule-strong' },
        ]}
        table={{
          columns: ['Type', 'Target', 'Within target', 'Of', 'Share'],
          rows: types.map(({ label, targetMs, withinTarget: { within, of } }) => [
            label,
            duration(targetMs),
            String(within),
            String(of),
            share(within, of),
          ]),
        }}
      >
        {(width) => (
          <SharesChart
            width={width}
            rows={types.map(({ label, targetMs, withinTarget: { within, of } }) => ({
              label: `${label}, target ${duration(targetMs)}`,
              within,
              of,
              text: of === 0 ? '–' : `${share(within, of)} of ${of}`,
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
            ...spreadColumns.map((column) => (column === 'Requests' ? 'Answered' : column)),
          ],
          rows: types.map(({ label, requests, response }) => [
            label,
            String(requests),
            ...spreadCells(response),
          ]),
        }}
      >
        {(width) => (
          <RowsChart
            width={width}
            rows={types.map(({ label, requests, response }) => ({
              label: response ? `${label}, median response ${duration(response.medianMs)}` : label,
              value: requests,
              text: String(requests),
            }))}
          />
        )}
      </ChartFrame>
    </>
  )
}

/** More would be a wall of bars; the table has them all. */
const tablesDrawn = 20

function ByTable({ figures: { byTable } }: { figures: Figures }): JSX.Element {
  const drawn = byTable.slice(0, tablesDrawn)
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
          durationOr(response?.medianMs),
          durationOr(response?.p90Ms),
          share(withinTarget.within, withinTarget.of),
        ]),
      }}
    >
      {(width) => (
        <RowsChart
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

const loadWords = { 1: 'The only one', 2: 'The second', 3: 'The third', 4: 'The fourth or later' } as const

function ByLoad({ figures: { byLoad } }: { figures: Figures }): JSX.Element | null {
  if (byLoad.length === 0) return null
  const rows = byLoad.map(({ load, response, requests }) => ({
    label: loadWords[load],
    spread: response,
    requests,
  }))
  return (
    <ChartFrame
      title="Response time under load"
      note="By how many requests were open in the same section when it came"
      legend={spreadLegend}
      table={{
        columns: ['Open request', 'All', 'Answered', ...spreadColumns.slice(1)],
        rows: rows.map(({ label, requests, spread }) => [label, String(requests), ...spreadCells(spread)]),
      }}
    >
      {(width) => <SpreadsChart width={width} rows={rows} />}
    </ChartFrame>
  )
}

function Sections({ figures: { sections, unassigned } }: { figures: Figures }): JSX.Element {
  return (
    <section aria-labelledby="sections" className="flex flex-col gap-2">
      <h3 id="sections" className="text-lg">
        Sections
      </h3>
      <p className="text-text-mute">
        The tables that somebody was assigned to, in the order of names: nobody is ranked. “Compared with
        equal load” says how much longer or shorter guests waited here than guests of all sections with as
        many open requests; it takes at least {leastForAdjusted} answered requests.
      </p>
      {sections.length === 0 ? (
        <p className="font-semibold">No Table Data Found</p>
      ) : (
        <DataTable
          caption="Sections"
          columns={['Crew member', 'Tables × days', 'Requests', 'Most at once', 'Compared with equal load']}
          rows={sections.map(({ crewMember, tableDays, requests, busiest, adjustedMs }) => [
            crewMember.name,
            String(tableDays),
            String(requests),
            String(busiest),
            adjusted(adjustedMs),
          ])}
        />
      )}
      {unassigned > 0 && (
        <p className="text-text-mute">
          {counted(unassigned, 'request')} came from tables that nobody was assigned to.
        </p>
      )}
    </section>
  )
}

function adjusted(ms: number | null): string {
  if (ms === null) return '–'
  if (Math.abs(ms) < 500) return 'the same'
  return `${duration(Math.abs(ms))} ${ms > 0 ? 'longer' : 'shorter'}`
}
