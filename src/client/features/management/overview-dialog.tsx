import ArrowLeft from 'lucide-react/icons/arrow-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { type JSX, type ReactNode, useState } from 'react'
import type { Overview } from '#contract/analytics.ts'
import { targetMsOf } from '#contract/requests/requests.ts'
import { askedText } from '../../lib/texts/asked-text.ts'
import { formatDuration, formatDurationOr, formatNumber, formatShare } from '../../lib/texts/format.ts'
import { plural, t } from '../../lib/texts/translate.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import type { DialogState } from '../../ui/dialogs/use-dialog.ts'
import { RequestIcon } from '../../ui/requests/request-icon.tsx'
import { formatClockTime, comparison } from './figures/comparison-text.ts'
import { overviewTitles, type Subject } from './overview-titles.ts'

const details: Record<Subject, { name: string; View: (props: { overview: Overview }) => JSX.Element }> = {
  requests: { name: "Today's requests", View: AllRequests },
  response: { name: 'Response times one by one', View: ResponseTimes },
  tables: { name: 'Requests by table', View: TablesDetails },
}
const summaries: Record<Subject, (props: { overview: Overview }) => JSX.Element> = {
  requests: RequestsSummary,
  response: ResponseSummary,
  tables: TablesSummary,
}

type OverviewDialogProps = { dialog: DialogState<Subject>; overview: Overview }

export function OverviewDialog({ dialog, overview }: OverviewDialogProps): JSX.Element {
  const { subject, isOpen, close } = dialog
  return (
    <Dialog title={subject && t(overviewTitles[subject])} open={isOpen} onOpenChange={close}>
      {subject && <DialogViews key={subject} subject={subject} overview={overview} />}
    </Dialog>
  )
}

/** The summary and its details. Mounted only while the dialog is open, so it starts with the summary each time. */
function DialogViews({ subject, overview }: { subject: Subject; overview: Overview }): JSX.Element {
  const [view, setView] = useState<'summary' | 'details' | 'back'>('summary')
  const { name, View } = details[subject]
  const Summary = summaries[subject]
  if (view === 'details') {
    return (
      <>
        <div className="-ms-edge">
          <Button
            autoFocus
            variant="quiet"
            icon={<ArrowLeft aria-hidden size={20} className="rtl:rotate-180" />}
            onClick={() => setView('back')}
          >
            {t('Back')}
          </Button>
        </div>
        <h3 className="text-lg">{t(name)}</h3>
        <View overview={overview} />
      </>
    )
  }
  return (
    <>
      <Summary overview={overview} />
      <div>
        <Button autoFocus={view === 'back'} onClick={() => setView('details')}>
          {t(name)}
          <ChevronRight aria-hidden size={20} className="rtl:rotate-180" />
        </Button>
      </div>
    </>
  )
}

function EmptyState({ title, children }: { title: string; children?: ReactNode }): JSX.Element {
  return (
    <div className="rounded-control border border-dashed border-rule-strong px-4 py-8 text-center">
      <p className="font-display text-lg font-bold">{title}</p>
      {children && <p className="text-text-mute">{children}</p>}
    </div>
  )
}

function ChangeText({ text }: { text: string | null }): JSX.Element | null {
  return text === null ? null : <p className="text-text-mute">{text}</p>
}

/** A fact of which nothing is known is left out. */
function FactList({ facts }: { facts: [label: string, value: string | null][] }): JSX.Element {
  return (
    <dl className="flex flex-wrap gap-3 *:flex-[1_1_7rem]">
      {facts.map(
        ([label, value]) =>
          value !== null && (
            <div key={label} className="rounded-control bg-plate-2 px-4 py-3">
              <dt>{label}</dt>
              <dd className="font-display text-2xl font-bold">{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

function RequestsSummary({ overview }: { overview: Overview }) {
  const { requestsToday, openToday, askedAgainToday, requestsChange } = overview
  if (requestsToday === 0)
    return (
      <EmptyState title={t('No request data')}>
        {t('Requests of today appear here as soon as guests send them.')}
      </EmptyState>
    )
  return (
    <>
      <FactList
        facts={[
          [t('Today'), formatNumber(requestsToday)],
          [t('Still open'), openToday === undefined ? null : formatNumber(openToday)],
          [t('Asked again'), askedAgainToday === undefined ? null : formatNumber(askedAgainToday)],
        ]}
      />
      <ChangeText text={comparison('countOnUsualDay', requestsChange)} />
    </>
  )
}

function ResponseSummary({ overview }: { overview: Overview }) {
  const { averageResponseMs, medianResponseMs, responseChange, withinTarget } = overview
  if (averageResponseMs === null || medianResponseMs === null)
    return (
      <EmptyState title={t('No response-time data')}>
        {t('Times appear here once requests are answered.')}
      </EmptyState>
    )
  return (
    <>
      <FactList
        facts={[
          [t('Average'), formatDuration(averageResponseMs)],
          [t('Median'), formatDuration(medianResponseMs)],
          [t('Within target'), withinTarget ? formatShare(withinTarget.within, withinTarget.of) : null],
        ]}
      />
      <ChangeText text={comparison('timeInWeek', responseChange)} />
      <p className="text-text-mute">
        {t('From a guest’s tap until somebody accepts the request, or completes it right away.')}
      </p>
    </>
  )
}

function TablesSummary({ overview: { activeTables, tables } }: { overview: Overview }) {
  if (activeTables === 0)
    return (
      <EmptyState title={t('No active tables')}>
        {t('Tables appear when servers assign themselves.')}
      </EmptyState>
    )
  const people = Map.groupBy(tables, ({ crewMember }) => crewMember.id)
  return (
    <>
      <p>
        {t('{tables} with a server today, {servers}.', {
          tables: plural(activeTables, '{count} table', '{count} tables'),
          servers: plural(people.size, '{count} server', '{count} servers'),
        })}
      </p>
      <ul className="flex flex-col divide-y divide-rule">
        {[...people].map(([id, own]) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
            <span className="min-w-0 font-semibold wrap-anywhere">{own[0]?.crewMember.name}</span>
            <span className="flex max-w-full flex-wrap gap-1">
              {own.map(({ tableNumber }) => (
                <Badge key={tableNumber}>{tableNumber}</Badge>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

const stateLabels = {
  waiting: 'Waiting',
  accepted: 'On the way',
  completed: 'Done',
  cancelled: 'Cancelled',
} as const

function AllRequests({ overview: { latest, requestsToday, timeZone } }: { overview: Overview }) {
  if (latest.length === 0) return <EmptyState title={t('No Requests Found')} />
  return (
    <>
      {requestsToday > latest.length && (
        <p className="text-text-mute">{t('The latest {count}', { count: latest.length })}</p>
      )}
      <ul className="flex flex-col divide-y divide-rule">
        {latest.map((request) => (
          <li key={request.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
            <RequestIcon request={request} size={20} />
            <span className="min-w-0 flex-1 wrap-anywhere">
              <strong>{t('Table {table}', { table: request.tableNumber })}</strong> {askedText(request)}
              {request.asks > 1 && (
                <span className="text-text-mute"> · {t('asked {count}×', { count: request.asks })}</span>
              )}
            </span>
            <span className="text-text-mute">{t(stateLabels[request.state])}</span>
            <span className="min-w-18 text-end">{formatClockTime(request.timestamp, timeZone)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function ResponseTimes({ overview: { latest, timeZone } }: { overview: Overview }) {
  const answered = latest.filter(({ responseMs }) => responseMs !== null)
  if (answered.length === 0) return <EmptyState title={t('No Requests Found')} />
  return (
    <ul className="flex flex-col divide-y divide-rule">
      {answered.map((request) => {
        const { responseMs } = request
        const targetMs = targetMsOf(request)
        const late = responseMs !== null && responseMs > targetMs
        return (
          <li key={request.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
            <span className="min-w-18 text-text-mute">{formatClockTime(request.timestamp, timeZone)}</span>
            <span className="min-w-0 flex-1 wrap-anywhere">
              <strong>{t('Table {table}', { table: request.tableNumber })}</strong> {askedText(request)}
            </span>
            <span className={classNames('text-end font-semibold', late && 'text-late')}>
              {formatDurationOr(responseMs)}
              {late && (
                <span className="block text-sm font-normal">
                  {t('target {time}', { time: formatDuration(targetMs) })}
                </span>
              )}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

function TablesDetails({ overview: { tables } }: { overview: Overview }) {
  if (tables.length === 0) return <EmptyState title={t('No Table Data Found')} />
  return (
    <table className="w-full text-start">
      <thead>
        <tr className="text-text-mute *:py-2 *:text-start *:font-normal">
          <th scope="col">{t('Table')}</th>
          <th scope="col">{t('Server')}</th>
          <th scope="col" className="text-end!">
            {t('Requests today')}
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-rule">
        {tables.map(({ tableNumber, crewMember, requests }) => (
          <tr key={tableNumber} className="*:py-2">
            <th scope="row" className="text-start wrap-anywhere">
              {tableNumber}
            </th>
            <td className="wrap-anywhere">{crewMember.name}</td>
            <td className="text-end">{requests}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
