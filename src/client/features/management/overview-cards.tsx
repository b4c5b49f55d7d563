import Armchair from 'lucide-react/icons/armchair'
import Inbox from 'lucide-react/icons/inbox'
import Timer from 'lucide-react/icons/timer'
import { type JSX, type ReactNode, useId } from 'react'
import type { Overview } from '#contract/analytics.ts'
import { formatDuration, pluralize } from '../../lib/format.ts'
import { classNames } from '../../ui/class-names.ts'
import { useDialog } from '../../ui/confirm-dialog.tsx'
import { OverviewDialog, type Subject, overviewTitles } from './overview-dialog.tsx'
import { comparison } from './comparison-text.ts'

type OverviewCardsProps = {
  /** Null while loading: the cards are there already, so nothing shifts under a finger. */
  overview: Overview | null
}

/** The three cards at the top; each opens its details. */
export function OverviewCards({ overview }: OverviewCardsProps): JSX.Element {
  const dialog = useDialog<Subject>()
  const texts = overview && statTexts(overview)
  return (
    <section aria-label="Overview" className="grid gap-4 sm:grid-cols-3">
      {subjects.map((subject) => (
        <StatCard
          key={subject}
          title={overviewTitles[subject]}
          value={texts?.[subject].value ?? '…'}
          detail={texts?.[subject].detail ?? null}
          icon={icons[subject]}
          disabled={overview === null}
          onOpen={() => dialog.open(subject)}
        />
      ))}
      {overview && <OverviewDialog dialog={dialog} overview={overview} />}
    </section>
  )
}

const subjects = ['requests', 'response', 'tables'] as const
const icons: Record<Subject, ReactNode> = {
  requests: <Inbox aria-hidden />,
  response: <Timer aria-hidden />,
  tables: <Armchair aria-hidden />,
}

type StatText = { value: string; detail: string | null }

function statTexts(overview: Overview): Record<Subject, StatText> {
  const { requestsToday, requestsChange, averageResponseMs, responseChange, activeTables } = overview
  return {
    requests: {
      value: `${requestsToday} today`,
      detail:
        requestsToday === 0 ? null : comparison('count', requestsChange, 'a usual day of the week before'),
    },
    response:
      averageResponseMs === null
        ? { value: 'No data yet', detail: null }
        : {
            value: formatDuration(averageResponseMs),
            detail: comparison('time', responseChange, 'the week before'),
          },
    tables: {
      value: pluralize(activeTables, 'table'),
      detail: activeTables === 0 ? null : 'with a server today',
    },
  }
}

type StatCardProps = StatText & {
  title: string
  icon: ReactNode
  disabled: boolean
  onOpen: () => void
}

function StatCard({ title, value, detail, icon, disabled, onOpen }: StatCardProps): JSX.Element {
  const id = useId()
  return (
    <div
      className={classNames(
        'relative flex flex-col gap-1 rounded-ticket border border-rule bg-plate px-4 pt-2 pb-4 sm:px-5',
        'transition-[scale,border-color] duration-100 hover:border-rule-strong has-[:active:not(:disabled)]:scale-99',
      )}
    >
      <div className="flex items-center justify-between gap-2 text-action">
        <h2 className="min-w-0">
          <button
            type="button"
            aria-haspopup="dialog"
            aria-describedby={id}
            disabled={disabled}
            onClick={onOpen}
            className={classNames(
              'flex min-h-11 items-center text-start font-sans text-base font-semibold text-text',
              'after:absolute after:inset-0 after:rounded-ticket focus-visible:outline-none',
              'focus-visible:after:outline-3 focus-visible:after:outline-offset-2 focus-visible:after:outline-(--focus)',
            )}
          >
            {title}
          </button>
        </h2>
        {icon}
      </div>
      <p id={id} className="flex flex-col gap-1">
        <span className="font-display text-2xl font-bold">{value}</span>{' '}
        {detail !== null && <span className="text-text-mute">{detail}</span>}
      </p>
    </div>
  )
}
