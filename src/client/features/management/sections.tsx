import type { JSX } from 'react'
import { type Figures, minRequestsForAdjusted } from '#contract/analytics.ts'
import { formatDuration, pluralize } from '../../lib/format.ts'
import { DataTable } from './data-table.tsx'

export function Sections({ figures: { sections, unassigned } }: { figures: Figures }): JSX.Element {
  return (
    <section aria-labelledby="sections" className="flex flex-col gap-2">
      <h3 id="sections" className="text-lg">
        Sections
      </h3>
      <p className="text-text-mute">
        The tables that somebody was assigned to, in the order of names: nobody is ranked. “Compared with
        equal load” says how much longer or shorter guests waited here than guests of all sections with as
        many open requests; it takes at least {minRequestsForAdjusted} answered requests.
      </p>
      {sections.length === 0 ? (
        <p className="font-semibold">No Table Data Found</p>
      ) : (
        <DataTable
          caption="Sections"
          columns={['Crew member', 'Tables × days', 'Requests', 'Most at once', 'Compared with equal load']}
          rows={sections.map(({ crewMember, tableDays, requests, busiest, adjustedMs }) => [
            crewMember.name,
            String(tableDays),
            String(requests),
            String(busiest),
            formatAdjusted(adjustedMs),
          ])}
        />
      )}
      {unassigned > 0 && (
        <p className="text-text-mute">
          {pluralize(unassigned, 'request')} came from tables that nobody was assigned to.
        </p>
      )}
    </section>
  )
}

function formatAdjusted(ms: number | null): string {
  if (ms === null) return '–'
  if (Math.abs(ms) < 500) return 'the same'
  return `${formatDuration(Math.abs(ms))} ${ms > 0 ? 'longer' : 'shorter'}`
}
