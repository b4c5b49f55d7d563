import type { JSX } from 'react'
import { type Figures, minRequestsForAdjusted } from '#contract/analytics.ts'
import { formatDuration, formatNumber } from '../../../lib/texts/format.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { DataTable } from './data-table.tsx'

type SectionsProps = { figures: Pick<Figures, 'sections' | 'unassigned'> }

export function Sections({ figures: { sections, unassigned } }: SectionsProps): JSX.Element {
  return (
    <section aria-labelledby="sections" className="flex flex-col gap-2">
      <h3 id="sections" className="text-lg">
        {t('Sections')}
      </h3>
      <p className="text-text-mute">
        {t(
          'The tables that somebody was assigned to, in the order of names: nobody is ranked. “Compared with equal load” says how much longer or shorter guests waited here than guests of all sections with as many open requests; it takes at least {count} answered requests.',
          { count: minRequestsForAdjusted },
        )}
      </p>
      {sections.length === 0 ? (
        <p className="font-semibold">{t('No Table Data Found')}</p>
      ) : (
        <DataTable
          caption={t('Sections')}
          columns={[
            t('Crew member'),
            t('Tables × days'),
            t('Requests'),
            t('Most at once'),
            t('Compared with equal load'),
          ]}
          rows={sections.map(({ crewMember, tableDays, requests, busiest, adjustedMs }) => [
            crewMember.name,
            formatNumber(tableDays),
            formatNumber(requests),
            formatNumber(busiest),
            formatAdjusted(adjustedMs),
          ])}
        />
      )}
      {unassigned > 0 && (
        <p className="text-text-mute">
          {plural(
            unassigned,
            '{count} request came from tables that nobody was assigned to, or that were deleted since.',
            '{count} requests came from tables that nobody was assigned to, or that were deleted since.',
          )}
        </p>
      )}
    </section>
  )
}

function formatAdjusted(ms: number | null): string {
  if (ms === null) return '–'
  if (Math.abs(ms) < 500) return t('the same')
  return t(ms > 0 ? '{time} longer' : '{time} shorter', { time: formatDuration(Math.abs(ms)) })
}
