import RefreshCw from 'lucide-react/icons/refresh-cw'
import type { JSX } from 'react'
import { api } from '#contract/api.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { t } from '../../lib/texts/translate.ts'
import { IconButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { VisuallyHidden } from '../../ui/visually-hidden.tsx'
import { formatShortDuration, formatSignedPercent } from './overview-format.ts'

/** Today's figures against the seven days before. */
export function Overview(): JSX.Element {
  const { data, isError, isFetching, refetch } = useFreshApiQuery(api.analytics.overview, {})
  return (
    <Card
      title={t('Dashboard Overview')}
      description={t('Today against the last 7 days')}
      action={
        <IconButton
          label={t('Refresh figures')}
          // Not disabled: that would lose the focus.
          aria-disabled={isFetching || undefined}
          onClick={() => {
            if (!isFetching) void refetch()
          }}
        >
          <RefreshCw aria-hidden size={20} />
        </IconButton>
      }
    >
      {isError && <p className="font-semibold text-late">{t('The figures could not be loaded.')}</p>}
      {/* In their place before they are known: what stands below would move from under a tap. */}
      {(data || !isError) && (
        <dl aria-busy={!data || undefined} className="flex flex-wrap gap-3 sm:gap-6">
          <Figure
            name={t('Requests today')}
            value={data && String(data.requestsToday)}
            change={data?.requestsChange}
            better="none"
          />
          <Figure
            name={t('Average response')}
            value={
              data && (data.averageResponseMs === null ? null : formatShortDuration(data.averageResponseMs))
            }
            change={data?.responseChange}
            better="less"
          />
          <Figure name={t('Active tables')} value={data && String(data.activeTables)} better="none" />
        </dl>
      )}
      {!data && !isError && <VisuallyHidden role="status">{t('Loading')}</VisuallyHidden>}
    </Card>
  )
}

type FigureProps = {
  name: string
  /** Null: nothing to say yet; undefined until it is loaded. */
  value: string | null | undefined
  /** In percent. */
  change?: number | null | undefined
  better: 'less' | 'none'
}

function Figure({ name, value, change = null, better }: FigureProps): JSX.Element {
  const tone =
    better === 'none' || change === null || change === 0
      ? 'text-text-mute'
      : change < 0
        ? 'text-done'
        : 'text-late'
  return (
    // As wide as its value at least, or else the next one stands below.
    <div className="max-w-full flex-1 basis-18 border-s-2 border-rule ps-3 sm:ps-4">
      <dt className="leading-tight text-text-mute">{name}</dt>
      <dd className="flex min-h-10 flex-wrap items-baseline gap-x-3">
        {value === null ? (
          <span className="leading-tight font-semibold">{t('No data yet')}</span>
        ) : (
          <span className="font-display text-2xl font-bold sm:text-3xl">{value ?? '–'}</span>
        )}
        {change !== null && (
          <span className={classNames('font-semibold', tone)}>{formatSignedPercent(change)}</span>
        )}
      </dd>
    </div>
  )
}
