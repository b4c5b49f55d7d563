import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import Printer from 'lucide-react/icons/printer'
import { type JSX, useState } from 'react'
import type { DayRange, Figures } from '#contract/analytics.ts'
import { api } from '#contract/api.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { sendsMail } from '../../lib/browser/page-settings.ts'
import { formatDuration } from '../../lib/texts/format.ts'
import { t } from '../../lib/texts/translate.ts'
import { addDays } from '../../lib/time/dates.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'
import { compareTotals } from './figures/compare.tsx'
import { formatLongDay, missingBeforeText } from './figures/comparison-text.ts'
import { DataTable } from './figures/data-table.tsx'
import { ByDay } from './figures/figures-by-time.tsx'
import { ByTable, ByType } from './figures/figures-view.tsx'
import { QueryError } from './query-error.tsx'
import { WeekCard } from './week-card.tsx'
import './weekly-report.css'

/** The slowest; Analytics has them all. */
const maxTables = 5

type WeeklyReportProps = { restaurantName: string; today: string }

/** One week, Monday to Sunday, on one or two sheets of paper, as wide as they are; the browser makes a PDF of it. */
export function WeeklyReport({ restaurantName, today }: WeeklyReportProps): JSX.Element {
  const [weeksAgo, setWeeksAgo] = useState(1)
  const range = weekOf(addDays(today, -7 * weeksAgo))
  const { data, error, refetch } = useFreshApiQuery(api.analytics.figures, { query: range })
  return (
    <article id="weekly-report" className="mx-auto flex w-full max-w-184 flex-col gap-4">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          {/* One word in other languages, which large text would make wider than a phone. */}
          <h2 className="text-[min(1.75rem,13vw)] leading-tight">{t('Weekly report')}</h2>
          <p className="wrap-anywhere">
            {t('{name}, {from} to {to}', {
              name: restaurantName,
              from: formatLongDay(range.from),
              to: formatLongDay(range.to),
            })}
          </p>
          {sendsMail() && (
            <p className="text-text-mute print:hidden">
              {t('The owner can have it mailed every Monday: in the Admin Portal under Alerts.')}
            </p>
          )}
        </div>
        <div className="flex flex-wrap items-center gap-2 print:hidden">
          <IconButton label={t('Previous week')} onClick={() => setWeeksAgo(weeksAgo + 1)}>
            <ChevronLeft aria-hidden className="rtl:rotate-180" />
          </IconButton>
          <IconButton
            label={t('Next week')}
            disabled={weeksAgo === 1}
            onClick={() => setWeeksAgo(weeksAgo - 1)}
          >
            <ChevronRight aria-hidden className="rtl:rotate-180" />
          </IconButton>
          <Button variant="primary" icon={<Printer aria-hidden size={20} />} onClick={() => window.print()}>
            {t('Print or save as PDF')}
          </Button>
        </div>
      </header>
      {error && <QueryError error={error} fallback="The figures could not be computed." onRetry={refetch} />}
      {!data && !error && <Spinner />}
      {data && <Week figures={data} />}
      <WeekCard key={range.to} until={range.to} />
    </article>
  )
}

function Week({ figures }: { figures: Figures }): JSX.Element {
  return (
    <>
      <p className="text-text-mute empty:hidden">{missingBeforeText(figures)}</p>
      <Totals figures={figures} />
      {figures.totals.requests > 0 && (
        <div className="grid gap-4 lg:grid-cols-2 print:grid-cols-2">
          <ByDay figures={figures} />
          <ByType figures={figures} />
          <ByTable figures={figures} most={maxTables} wide={false} />
        </div>
      )}
    </>
  )
}

/** Beside those of the week before. */
function Totals({ figures: { totals, previous, unheard } }: { figures: Figures }): JSX.Element {
  const listening =
    unheard && unheard.measuredMs > 0
      ? [[t('Time with no listening screen'), formatDuration(unheard.ms), '–', '–']]
      : []
  return (
    <DataTable
      caption={t('Compared with the week before')}
      columns={[t('Figure'), t('Week'), t('Week before'), t('Difference')]}
      rows={[...compareTotals(totals, previous), ...listening]}
    />
  )
}

/** Monday to Sunday. */
function weekOf(day: string): DayRange {
  const sinceMonday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
  const from = addDays(day, -sinceMonday)
  return { from, to: addDays(from, 6) }
}
