import { type JSX, useId } from 'react'
import type { Overview } from '#contract/analytics.ts'
import { lazyPart } from '../../lib/hooks/lazy.tsx'
import { formatDuration } from '../../lib/texts/format.ts'
import { plural, t } from '../../lib/texts/translate.ts'
import { classNames } from '../../ui/class-names.ts'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { comparison } from './figures/comparison-text.ts'
import { overviewTitles, type Subject } from './overview-titles.ts'

const OverviewDialog = lazyPart(async () => (await import('./overview-dialog.tsx')).OverviewDialog)

type OverviewCardsProps = {
  /** Null while loading: the cards are there already, so nothing shifts under a finger. */
  overview: Overview | null
}

/** The three cards at the top; each opens its details. */
export function OverviewCards({ overview }: OverviewCardsProps): JSX.Element {
  const dialog = useDialog<Subject>()
  const texts = overview && statTexts(overview)
  return (
    <section
      aria-label={t('Overview')}
      className="grid grid-cols-[repeat(auto-fit,minmax(min(6.5rem,100%),1fr))] gap-2 sm:gap-4"
    >
      {subjects.map((subject) => (
        <StatCard
          key={subject}
          title={t(overviewTitles[subject])}
          value={texts?.[subject].value ?? '…'}
          detail={texts?.[subject].detail ?? null}
          disabled={overview === null}
          onOpen={() => dialog.open(subject)}
        />
      ))}
      {overview && dialog.subject && <OverviewDialog dialog={dialog} overview={overview} />}
    </section>
  )
}

const subjects = ['requests', 'response', 'tables'] as const

type StatText = { value: string; detail: string | null }

function statTexts(overview: Overview): Record<Subject, StatText> {
  const { requestsToday, requestsChange, averageResponseMs, responseChange, activeTables } = overview
  return {
    requests: {
      value: t('{count} today', { count: requestsToday }),
      detail: requestsToday === 0 ? null : comparison('countUsualDay', requestsChange),
    },
    response:
      averageResponseMs === null
        ? { value: t('No data yet'), detail: null }
        : {
            value: formatDuration(averageResponseMs),
            detail: comparison('timeWeek', responseChange),
          },
    tables: {
      value: plural(activeTables, '{count} table', '{count} tables'),
      detail: activeTables === 0 ? null : t('with a server today'),
    },
  }
}

type StatCardProps = StatText & {
  title: string
  disabled: boolean
  onOpen: () => void
}

function StatCard({ title, value, detail, disabled, onOpen }: StatCardProps): JSX.Element {
  const id = useId()
  return (
    <div
      className={classNames(
        'relative flex flex-col gap-1 rounded-ticket border border-rule bg-plate px-2.5 pt-2 pb-4 sm:px-4',
        'transition-[opacity,background-color,filter] duration-100 hover:border-rule-strong has-[:active:not(:disabled)]:opacity-80',
      )}
    >
      <h2 className="min-w-0">
        <button
          type="button"
          aria-haspopup="dialog"
          aria-describedby={id}
          disabled={disabled}
          onClick={onOpen}
          className={classNames(
            'flex min-h-11 items-center text-start font-sans text-sm font-semibold text-text wrap-anywhere sm:text-base',
            'after:absolute after:inset-0 after:rounded-ticket focus-visible:outline-none',
            'focus-visible:after:outline-3 focus-visible:after:outline-offset-2 focus-visible:after:outline-(--focus)',
          )}
        >
          {title}
        </button>
      </h2>
      <p id={id} className="flex flex-col gap-1">
        <span className="font-display text-lg font-bold sm:text-xl">{value}</span>{' '}
        {detail !== null && <span className="text-sm text-text-mute max-sm:sr-only">{detail}</span>}
      </p>
    </div>
  )
}
