import type { JSX } from 'react'
import * as v from 'valibot'
import { useSearch } from 'wouter'
import { CalendarDate } from '#contract/primitives.ts'
import { AdminFrame } from '../frame.tsx'
import { TableManagement } from '../table-management.tsx'

/** Tables, sections, and who works where on which day. The address may name a day, and what to find. */
export function FloorPage(): JSX.Element {
  const search = useSearch()
  const query = new URLSearchParams(search)
  const date = v.safeParse(CalendarDate, query.get('date'))
  return (
    <AdminFrame section="floor">
      {() => (
        <TableManagement
          key={search}
          whole
          date={date.success ? date.output : null}
          find={query.get('find') ?? ''}
        />
      )}
    </AdminFrame>
  )
}
