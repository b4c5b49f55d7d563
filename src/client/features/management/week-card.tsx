import type { JSX } from 'react'
import { slowTimeRule } from '#contract/analytics.ts'
import { api } from '#contract/api.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { lazyPart } from '../../lib/hooks/lazy.tsx'
import { t } from '../../lib/texts/translate.ts'
import { addDays } from '../../lib/time/dates.ts'
import { Card } from '../../ui/card.tsx'
import { LoadError } from '../../ui/page/load-error.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'
import { formatLongDay } from './figures/comparison-text.ts'
import { QueryError } from './query-error.tsx'
import { weekSentence } from './week-text.ts'

const WeekHeat = lazyPart(async () => (await import('./figures/heat-chart.tsx')).WeekHeat, {
  fallback: (failed, retry) =>
    failed ? <LoadError message="The charts could not be loaded." onRetry={retry} /> : <Spinner />,
  retry: 'manual',
})

/** Four of each weekday, all of them over. */
const weekDays = 28

/** When guests wait longest, by the four weeks up to a day. */
export function WeekCard({ until }: { until: string }): JSX.Element {
  const range = { from: addDays(until, 1 - weekDays), to: until }
  const { data, error, refetch } = useFreshApiQuery(api.analytics.figures, { query: range })
  return (
    <Card
      title={data ? weekSentence(data) : t('When guests wait longest')}
      description={
        // The sentence above it may be longer than what stands there until then.
        <span className={data || error ? undefined : 'invisible'}>
          {t('Four weeks, {from} to {to}', {
            from: formatLongDay(range.from),
            to: formatLongDay(range.to),
          })}
        </span>
      }
    >
      {error && <QueryError error={error} fallback="The figures could not be computed." onRetry={refetch} />}
      {!data && !error && <Spinner />}
      {data && data.totals.requests > 0 && <WeekHeat bare byWeekHour={data.byWeekHour} />}
      {data && !data.pace && (
        <p className="text-text-mute">
          {t(
            'Times of the week are compared once {count} requests were answered in {hours} hours of a weekday, on {days} days at least.',
            { count: slowTimeRule.answered, hours: slowTimeRule.hours, days: slowTimeRule.days },
          )}
        </p>
      )}
    </Card>
  )
}
