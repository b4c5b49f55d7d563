import type { JSX } from 'react'
import type { Figures } from '#contract/analytics.ts'
import { serviceTypeLabels } from '#contract/requests/requests.ts'
import { ownWords } from '../../../lib/texts/asked-text.ts'
import { formatDuration, formatDurationOr, formatNumber, formatShare } from '../../../lib/texts/format.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { zoneName } from '../../../lib/time/zone-name.ts'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { ChartFrame } from './chart-frame.tsx'
import { BarsChart, SharesChart, PercentilesChart } from './charts.tsx'
import { Compare } from './compare.tsx'
import { formatClockTime, formatLongDay, incompleteText, removedText } from './comparison-text.ts'
import { ByDay, ByHour } from './figures-by-time.tsx'
import { WeekHeat } from './heat-chart.tsx'
import { KeyFigures } from './key-figures.tsx'
import { countCell, durationCell, PercentilesContext, shareCell, useDurationColumns } from './percentiles.tsx'
import { Sections } from './sections.tsx'

export type FiguresViewProps = {
  figures: Figures
  today: string
  view: FiguresViewName
  onView: (view: FiguresViewName) => void
  withPercentiles: boolean
  onPercentiles: (shown: boolean) => void
}

const views = ['summary', 'times', 'needs', 'tables', 'crew'] as const
export type FiguresViewName = (typeof views)[number]
const viewLabels: Record<FiguresViewName, string> = {
  summary: 'Summary',
  times: 'Times',
  needs: 'Needs',
  tables: 'Tables',
  crew: 'Crew',
}

export function FiguresView(props: FiguresViewProps): JSX.Element {
  const { figures, today, view, onView, withPercentiles, onPercentiles } = props
  const { range, asOf, keptFrom, timeZone } = figures
  const { from, to } = range
  return (
    <PercentilesContext value={withPercentiles}>
      <div className="flex flex-col gap-4">
        <p className="text-text-mute">
          {withBreaks(
            t('{days}, as of {time} ({zone}).', {
              days:
                from === to
                  ? formatLongDay(from)
                  : t('{from} to {to}', { from: formatLongDay(from), to: formatLongDay(to) }),
              time: formatClockTime(asOf, timeZone),
              zone: zoneName(timeZone),
            }),
          )}{' '}
          {incompleteText(range, today)} {removedText(range, keptFrom)}
        </p>
        <Tabs
          label={t('Figures')}
          tabs={views.map((value) => ({ value, label: t(viewLabels[value]) }))}
          value={view}
          onChange={onView}
        >
          <div className="flex flex-col gap-4 pt-2">
            <ChosenView {...{ view, figures, today }} />
          </div>
        </Tabs>
        <Checkbox
          label={t('Show all percentiles')}
          checked={withPercentiles}
          onChange={({ target }) => onPercentiles(target.checked)}
        />
      </div>
    </PercentilesContext>
  )
}

/** The name of a time zone, in one piece, is wider than a phone with large text. */
const withBreaks = (text: string): JSX.Element[] =>
  text.split(/(?<=\/)/u).map((part, index) => (
    <span key={index}>
      {part}
      <wbr />
    </span>
  ))

type ChosenViewProps = Pick<FiguresViewProps, 'view' | 'figures' | 'today'>

function ChosenView({ view, figures, today }: ChosenViewProps): JSX.Element {
  if (view === 'summary')
    return (
      <>
        <KeyFigures figures={figures} />
        <Compare figures={figures} today={today} />
      </>
    )
  if (figures.totals.requests === 0 && view !== 'crew') return <NoRequests />
  switch (view) {
    case 'times':
      return (
        <div className="grid gap-4 lg:grid-cols-2">
          <WeekHeat byWeekHour={figures.byWeekHour} />
          {figures.byDay.length > 1 && <ByDay figures={figures} />}
          <ByHour figures={figures} />
        </div>
      )
    case 'needs':
      return (
        <div className="grid gap-4 lg:grid-cols-2">
          <WithinTarget figures={figures} />
          <ByType figures={figures} />
          <Steps figures={figures} />
        </div>
      )
    case 'tables':
      return <ByTable figures={figures} />
    case 'crew':
      return (
        <>
          <Sections figures={figures} />
          <ByLoad figures={figures} />
        </>
      )
  }
}

const NoRequests = (): JSX.Element => (
  <p className="rounded-control border border-dashed border-rule-strong px-4 py-8 text-center font-display text-lg font-bold">
    {t('No Requests Found')}
  </p>
)

function Steps({ figures: { totals, previous } }: { figures: Figures }): JSX.Element {
  const durations = useDurationColumns()
  const steps = [
    [t('Until the crew’s screen showed it'), 'unseen'],
    [t('Until somebody accepted it'), 'accepted'],
    [t('Response: accepted, or completed right away'), 'response'],
    [t('Until it was completed'), 'completed'],
  ] as const
  return (
    <ChartFrame
      title={t('How long each step took')}
      empty={steps.every(([, step]) => totals.times[step] === null)}
      note={t('All counted from the guest’s tap')}
      legend={durations.legend}
      table={{
        columns: [t('Step'), t('Requests'), ...durations.columns, t('Half before')],
        rows: steps.map(([label, step]) => [
          label,
          ...durations.cells(totals.times[step]),
          durationCell(previous?.times[step]?.medianMs),
        ]),
      }}
    >
      {(width) => (
        <PercentilesChart
          width={width}
          withLongest={durations.withLongest}
          rows={steps.map(([label, step]) => ({ label, spread: totals.times[step] }))}
        />
      )}
    </ChartFrame>
  )
}

/** The six, and what the restaurant added. */
type Needs = Pick<Figures, 'byType' | 'byNeed'>

const typesOf = ({ byType, byNeed = [] }: Needs) => [
  ...byType.map((type) => ({ ...type, label: t(serviceTypeLabels[type.serviceType]) })),
  ...byNeed.map((own) => ({ ...own, label: ownWords(own.need.name) })),
]

function WithinTarget({ figures }: { figures: Needs }): JSX.Element {
  const types = typesOf(figures)
  return (
    <ChartFrame
      title={t('Answered within target')}
      empty={types.every(({ withinTarget: { of } }) => of === 0)}
      legend={[
        { label: t('Within target'), className: 'fill-done' },
        { label: t('Later'), className: 'fill-rule-strong' },
      ]}
      table={{
        columns: [t('Type'), t('Target'), t('Within target'), t('Of'), t('Share')],
        rows: types.map(({ label, targetMs, withinTarget: { within, of } }) => [
          label,
          durationCell(targetMs),
          countCell(within),
          countCell(of),
          shareCell(within, of),
        ]),
        sortable: true,
      }}
    >
      {(width) => (
        <SharesChart
          width={width}
          rows={types.map(({ label, targetMs, withinTarget: { within, of } }) => ({
            label: t('{what}, target {time}', { what: label, time: formatDuration(targetMs) }),
            within,
            of,
            text:
              of === 0
                ? '–'
                : t('{share} of {total}', { share: formatShare(within, of), total: formatNumber(of) }),
          }))}
        />
      )}
    </ChartFrame>
  )
}

export function ByType({ figures }: { figures: Needs }): JSX.Element {
  const durations = useDurationColumns()
  const types = typesOf(figures)
  return (
    <ChartFrame
      title={t('Requests by type')}
      table={{
        columns: [t('Type'), t('All'), t('Answered'), ...durations.columns],
        rows: types.map(({ label, requests, response }) => [
          label,
          countCell(requests),
          ...durations.cells(response),
        ]),
        sortable: true,
      }}
    >
      {(width) => (
        <BarsChart
          width={width}
          rows={types.map(({ label, requests, response }) => ({
            label: response
              ? t('{what}, half within {time}', {
                  what: label,
                  time: formatDuration(response.medianMs),
                })
              : label,
            value: requests,
            text: formatNumber(requests),
          }))}
        />
      )}
    </ChartFrame>
  )
}

/** More bars would be unreadable; the table lists them all. */
const maxTablesDrawn = 20

type ByTableProps = {
  figures: Figures
  /** Draws so many. */
  most?: number
  /** Takes the whole row. */
  wide?: boolean
}

/** The tables where guests wait longest come first. */
export function ByTable(props: ByTableProps): JSX.Element {
  const { most = maxTablesDrawn, wide = true } = props
  const { byTable } = props.figures
  const slowest = byTable.toSorted((a, b) => (b.response?.medianMs ?? -1) - (a.response?.medianMs ?? -1))
  const drawn = slowest.slice(0, most)
  return (
    <ChartFrame
      wide={wide}
      title={t('Waiting by table')}
      note={
        byTable.length > drawn.length
          ? t('The {shown} slowest of {count} tables; the table view has them all.', {
              shown: drawn.length,
              count: byTable.length,
            })
          : t('Half of a table’s guests waited no longer than this.')
      }
      table={{
        columns: [
          t('Table'),
          t('Requests'),
          t('Repeated asks'),
          t('Half waited at most'),
          t('9 of 10 waited at most'),
          t('Within target'),
        ],
        rows: slowest.map(({ tableNumber, requests, repeatedAsks, response, withinTarget }) => [
          tableNumber,
          countCell(requests),
          countCell(repeatedAsks),
          durationCell(response?.medianMs),
          durationCell(response?.p90Ms),
          shareCell(withinTarget.within, withinTarget.of),
        ]),
        sortable: true,
      }}
    >
      {(width) => (
        <BarsChart
          width={width}
          rows={drawn.map(({ tableNumber, requests, response }) => ({
            label: t('Table {table}', { table: tableNumber }),
            value: response?.medianMs ?? 0,
            text: t('{time}, {requests}', {
              time: formatDurationOr(response?.medianMs),
              requests: plural(requests, '{count} request', '{count} requests'),
            }),
          }))}
        />
      )}
    </ChartFrame>
  )
}

const loadLabels = { 1: 'The only one', 2: 'The second', 3: 'The third', 4: 'The fourth or later' } as const

function ByLoad({ figures: { byLoad } }: { figures: Figures }): JSX.Element | null {
  const durations = useDurationColumns()
  if (byLoad.length === 0) return null
  const rows = byLoad.map(({ load, response, requests }) => ({
    label: t(loadLabels[load]),
    spread: response,
    requests,
  }))
  return (
    <ChartFrame
      title={t('Waiting time when it is busy')}
      empty={rows.every(({ spread }) => spread === null)}
      note={t('By how many requests were open in the same section when it came')}
      legend={durations.legend}
      table={{
        columns: [t('Open request'), t('All'), t('Answered'), ...durations.columns],
        rows: rows.map(({ label, requests, spread }) => [
          label,
          countCell(requests),
          ...durations.cells(spread),
        ]),
      }}
    >
      {(width) => <PercentilesChart width={width} rows={rows} withLongest={durations.withLongest} />}
    </ChartFrame>
  )
}
