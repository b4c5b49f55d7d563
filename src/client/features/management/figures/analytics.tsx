import RefreshCw from 'lucide-react/icons/refresh-cw'
import { type JSX, useState } from 'react'
import { DayRange } from '#contract/analytics.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { errorMessage, buildUrl } from '../../../api/http.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { ensureRecentSignIn } from '../../../api/session.ts'
import { lazyPart } from '../../../lib/hooks/lazy.tsx'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { DownloadLink } from '../../../ui/download-link.tsx'
import { LoadError } from '../../../ui/page/load-error.tsx'
import { Spinner } from '../../../ui/page/spinner.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { useErrorToast } from '../../../ui/toast/toast.tsx'
import { QueryError } from '../query-error.tsx'
import { CustomRangeForm } from './custom-range-form.tsx'
import { type RangeChoice, rangeForChoice, rangeLabels } from './date-ranges.ts'
import type { FiguresViewName, FiguresViewProps } from './figures-view.tsx'

/** Loaded separately from the portal. */
const FiguresView = lazyPart(async () => (await import('./figures-view.tsx')).FiguresView, {
  fallback: (failed, retry) =>
    failed ? <LoadError message="The charts could not be loaded." onRetry={retry} /> : <Spinner />,
  retry: 'manual',
})

const choices = ['today', 'week', 'month', 'quarter', 'custom'] as const

/** `asked`: the day that the page's address names. */
export function Analytics({ today, asked }: { today: string; asked: string | null }): JSX.Element {
  const [day] = useState(() => readDay(asked, today))
  const [choice, setChoice] = useState<RangeChoice>(day ? 'custom' : 'week')
  const [view, setView] = useState<FiguresViewName>('summary')
  const [withPercentiles, setWithPercentiles] = useState(false)
  const [custom, setCustom] = useState<DayRange>(() => day ?? rangeForChoice('week', today))
  const range = choice === 'custom' ? custom : rangeForChoice(choice, today)
  const tabs = choices.map((value) => ({ value, label: t(rangeLabels[value]) }))
  return (
    <Card title={t('Analytics')} description={t('Computed from every stored event, nothing estimated')}>
      <Tabs label={t('Days')} tabs={tabs} value={choice} onChange={setChoice}>
        <div className="flex flex-col gap-6 pt-2">
          {choice === 'custom' && <CustomRangeForm {...{ today, range, onChange: setCustom }} />}
          <RangeFigures
            key={`${range.from} ${range.to}`}
            {...{ range, today, view, withPercentiles }}
            onView={setView}
            onPercentiles={setWithPercentiles}
          />
        </div>
      </Tabs>
    </Card>
  )
}

function readDay(asked: string | null, today: string): DayRange | null {
  const day = parse(DayRange, { from: asked, to: asked })
  return day.ok && day.value.to <= today ? day.value : null
}

type RangeFiguresProps = Omit<FiguresViewProps, 'figures'> & { range: DayRange }

function RangeFigures({ range, ...view }: RangeFiguresProps): JSX.Element {
  const { data, error, isFetching, refetch } = useFreshApiQuery(api.analytics.figures, { query: range })
  const showError = useErrorToast()

  return (
    <>
      {error && <QueryError error={error} fallback="The figures could not be computed." onRetry={refetch} />}
      {!data && !error && <Spinner />}
      {data && (
        <>
          <FiguresView figures={data} {...view} />
          <div className="flex flex-wrap gap-3 border-t border-rule pt-4">
            <DownloadLink
              href={buildUrl(api.analytics.events, { query: range })}
              mayDownload={ensureRecentSignIn}
              onError={(error) => showError(errorMessage(error, 'The events could not be downloaded.'))}
            >
              {t('Download events (CSV)')}
            </DownloadLink>
            <Button
              variant="quiet"
              icon={<RefreshCw aria-hidden size={20} />}
              pending={isFetching}
              onClick={() => void refetch()}
            >
              {t('Compute again')}
            </Button>
          </div>
        </>
      )}
    </>
  )
}
