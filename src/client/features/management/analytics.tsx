import RefreshCw from 'lucide-react/icons/refresh-cw'
import { type JSX, useState } from 'react'
import { DayRange } from '#contract/analytics.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { errorMessage, buildUrl } from '../../api/http.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { ensureRecentSignIn } from '../../api/session.ts'
import { lazyPart } from '../../lib/lazy.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { DownloadLink } from '../../ui/download-link.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useErrorToast } from '../../ui/toast.tsx'
import { type RangeChoice, rangeForChoice, rangeLabels } from './date-ranges.ts'
import { LoadError } from '../../ui/load-error.tsx'
import { QueryError } from './query-error.tsx'

/** Loaded separately from the portal. */
const FiguresView = lazyPart(async () => (await import('./figures-view.tsx')).FiguresView, {
  fallback: (failed, retry) =>
    failed ? <LoadError message="The charts could not be loaded." onRetry={retry} /> : <Spinner />,
  retry: 'manual',
})

const tabs = (['today', 'week', 'month', 'quarter', 'custom'] as const).map((value) => ({
  value,
  label: rangeLabels[value],
}))

export function Analytics({ today }: { today: string }): JSX.Element {
  const [choice, setChoice] = useState<RangeChoice>('week')
  const [custom, setCustom] = useState<DayRange>(() => rangeForChoice('week', today))
  const range = choice === 'custom' ? custom : rangeForChoice(choice, today)
  return (
    <Card title="Analytics" description="Computed from every stored event, nothing estimated">
      <Tabs label="Days" tabs={tabs} value={choice} onChange={setChoice}>
        <div className="flex flex-col gap-6 pt-2">
          {choice === 'custom' && <CustomRangeForm {...{ today, range, onChange: setCustom }} />}
          <RangeFigures key={`${range.from} ${range.to}`} range={range} today={today} />
        </div>
      </Tabs>
    </Card>
  )
}

type CustomRangeFormProps = { today: string; range: DayRange; onChange: (range: DayRange) => void }

function CustomRangeForm({ today, range, onChange }: CustomRangeFormProps): JSX.Element {
  const form = useForm({
    initial: range,
    parse: (values) => parse(DayRange, values),
    submit: (chosen) => onChange(chosen),
    inline: true,
  })
  return (
    <form {...form.props} className="flex flex-wrap items-start gap-4">
      <div className="min-w-[min(10rem,100%)] flex-1 sm:max-w-56">
        <Field label="First day" type="date" max={today} required {...form.field('from')} />
      </div>
      <div className="min-w-[min(10rem,100%)] flex-1 sm:max-w-56">
        <Field label="Last day" type="date" max={today} required {...form.field('to')} />
      </div>
      {/* Aligned with the inputs, not with an error below them. */}
      <div className="mt-7">
        <Button type="submit">Show</Button>
      </div>
    </form>
  )
}

function RangeFigures({ range, today }: { range: DayRange; today: string }): JSX.Element {
  const { data, error, isFetching, refetch } = useFreshApiQuery(api.analytics.figures, { query: range })
  const showError = useErrorToast()

  return (
    <>
      {error && <QueryError error={error} fallback="The figures could not be computed." onRetry={refetch} />}
      {!data && !error && <Spinner />}
      {data && (
        <>
          <FiguresView figures={data} today={today} />
          <div className="flex flex-wrap gap-3 border-t border-rule pt-4">
            <DownloadLink
              href={buildUrl(api.analytics.events, { query: range })}
              mayDownload={ensureRecentSignIn}
              onError={(error) => showError(errorMessage(error, 'The events could not be downloaded.'))}
            >
              Download events (CSV)
            </DownloadLink>
            <Button
              variant="quiet"
              icon={<RefreshCw aria-hidden size={20} />}
              pending={isFetching}
              onClick={() => void refetch()}
            >
              Compute again
            </Button>
          </div>
        </>
      )}
    </>
  )
}
