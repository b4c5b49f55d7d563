import { type JSX, useId, useState } from 'react'
import { changeInPercent, countDays, type DayRange, type Figures, type Totals } from '#contract/analytics.ts'
import { api } from '#contract/api.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { formatDurationOr, formatNumber, formatPercent, formatShare } from '../../../lib/texts/format.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Spinner } from '../../../ui/page/spinner.tsx'
import { QueryError } from '../query-error.tsx'
import { formatRange, missingBeforeText, removedText } from './comparison-text.ts'
import { CustomRangeForm } from './custom-range-form.tsx'
import { DataTable } from './data-table.tsx'

type CompareProps = { figures: Figures; today: string }

/** The chosen days beside any others; at first the same number of days before. */
export function Compare({ figures, today }: CompareProps): JSX.Element {
  const id = useId()
  const [other, setOther] = useState<DayRange>(figures.before)
  return (
    <section aria-labelledby={id} className="flex flex-col gap-4 border-t border-rule pt-4">
      <h3 id={id} className="text-lg wrap-anywhere">
        {t('Compared with other days')}
      </h3>
      <CustomRangeForm
        {...{ today, range: other, onChange: setOther }}
        labels={[t('Compare from'), t('Compare to')]}
      />
      <Comparison {...{ figures, today, other }} />
    </section>
  )
}

function Comparison({ figures, today, other }: CompareProps & { other: DayRange }): JSX.Element {
  const isBefore = other.from === figures.before.from && other.to === figures.before.to
  const { data, error, refetch } = useFreshApiQuery(api.analytics.figures, isBefore ? null : { query: other })
  const totals = isBefore ? figures.previous : data?.totals
  if (error)
    return <QueryError error={error} fallback="The figures could not be computed." onRetry={refetch} />
  if (totals === undefined) return <Spinner />
  const days = [daysUntil(today, figures.range), daysUntil(today, other)] as const
  const isPerDay = days[0] !== days[1]
  return (
    <>
      <p className="text-text-mute empty:hidden">
        {isBefore ? missingBeforeText(figures) : removedText(other, figures.keptFrom)}
      </p>
      {isPerDay && (
        <p className="text-text-mute">{t('The ranges differ in length, so counts are per day.')}</p>
      )}
      <DataTable
        caption={t('Compared with other days')}
        columns={[t('Figure'), formatRange(figures.range), formatRange(other), t('Difference')]}
        rows={compareTotals(figures.totals, totals, isPerDay ? days : undefined)}
      />
    </>
  )
}

/** Days to come count for nothing. */
const daysUntil = (today: string, { from, to }: DayRange): number =>
  Math.max(1, countDays({ from, to: to < today ? to : today }))

/** `other`: null where they are no longer known. `days`: how many they have, if that differs. */
export function compareTotals(
  now: Totals,
  other: Totals | null,
  days?: readonly [number, number],
): string[][] {
  const counts = [
    ['Requests', (totals: Totals) => totals.requests],
    ['Repeated asks', (totals: Totals) => totals.repeatedAsks],
    ['“Still waiting”', (totals: Totals) => totals.stillWaiting],
    ['Called more people', (totals: Totals) => totals.escalated],
    ['Cancelled', (totals: Totals) => totals.cancelled],
  ] as const
  const times = [
    ['Half waited at most', (totals: Totals) => totals.times.response?.medianMs ?? null],
    ['9 of 10 waited at most', (totals: Totals) => totals.times.response?.p90Ms ?? null],
  ] as const
  const [all, ...rest] = counts.map(([label, of]) => {
    const first = of(now) / (days?.[0] ?? 1)
    const second = other && of(other) / (days?.[1] ?? 1)
    return [
      days ? t('{what} per day', { what: t(label) }) : t(label),
      formatNumber(first, { maximumFractionDigits: 1 }),
      second === null ? '–' : formatNumber(second, { maximumFractionDigits: 1 }),
      changeText(first, second),
    ]
  })
  return [
    ...(all ? [all] : []),
    ...times.map(([label, of]) => [
      t(label),
      formatDurationOr(of(now)),
      formatDurationOr(other && of(other)),
      changeText(of(now), other && of(other)),
    ]),
    [
      t('Answered within target'),
      ...[now, other].map((totals) =>
        totals ? formatShare(totals.withinTarget.within, totals.withinTarget.of) : '–',
      ),
      '–',
    ],
    ...rest,
  ]
}

function changeText(now: number | null, before: number | null): string {
  const percent = changeInPercent(now, before)
  return percent === null ? '–' : `${percent > 0 ? '+' : ''}${formatPercent(percent)}`
}
