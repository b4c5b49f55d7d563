import { type JSX, useEffect, useMemo, useState } from 'react'
import { api } from '#contract/api.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { useListUpdates } from '../../../api/live/use-list-updates.ts'
import { useConnection } from '../../../api/live/use-live.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { getStored, removeStored, setStored } from '../../../lib/browser/browser-storage.ts'
import { useMarked } from '../../../lib/hooks/use-marked.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import type { SetRequestFilter } from '../requests/use-request-filter.ts'
import { isElsewhere } from './elsewhere.ts'
import { keepSectionTables } from './section-tables.ts'

type SectionFilterProps = {
  /** The crew member at this screen. */
  me: string | null
  /** How many open requests the filter leaves out. */
  hidden: number
  onFilter: SetRequestFilter
}

const planChanges = ['floor-changed'] as const
const planList = [api.tables.plan]

/** Which section this device shows. Nothing where the restaurant has none. */
export function SectionFilter({ me, hidden, onFilter }: SectionFilterProps): JSX.Element | null {
  const isLive = useConnection().state === 'live'
  const [wasLive, setWasLive] = useState(isLive)
  if (isLive && !wasLive) setWasLive(true)
  // A page that was opened without a network shows everything.
  const { data: plan, isPending } = useFreshApiQuery(api.tables.plan, wasLive ? {} : null)
  useListUpdates(planChanges, planList)
  const [wanted, setWanted] = useState(() => getStored('section-filter') ?? '')
  const [marked, mark] = useMarked(wanted, setWanted)
  // A section that was deleted since, or of another restaurant, filters nothing.
  const chosen = plan?.sections.find(({ id }) => id === wanted)?.id
  const tables = useMemo(
    () =>
      plan && chosen !== undefined
        ? new Set(
            plan.tables.flatMap(({ tableNumber, sectionId }) => (sectionId === chosen ? tableNumber : [])),
          )
        : null,
    [plan, chosen],
  )
  const isUnknown = wanted !== '' && isPending
  useEffect(() => {
    if (isUnknown) return undefined
    onFilter(() => tables && ((request: ServiceRequest) => !isElsewhere(request, tables, me)))
    return () => onFilter(null)
  }, [isUnknown, tables, me, onFilter])
  useEffect(() => {
    if (plan) keepSectionTables(tables)
  }, [plan, tables])

  function choose(id: string): void {
    mark(id)
    if (id === '') removeStored('section-filter')
    else setStored('section-filter', id)
  }

  if (!plan || plan.sections.length === 0) return null
  return (
    <div className="section-filter flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
      <div className="max-w-56 min-w-0 flex-1 basis-32">
        <SelectField
          label={t('Section')}
          labelHidden
          value={marked}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="">{t('All sections')}</option>
          {plan.sections.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      </div>
      {/* Keeps its place: the list must not move under a finger. */}
      {chosen !== undefined && (
        <Button
          variant="quiet"
          size={44}
          style={{ visibility: hidden === 0 ? 'hidden' : undefined }}
          aria-label={t('{count} elsewhere. Show all sections', { count: hidden })}
          onClick={() => choose('')}
        >
          {t('{count} elsewhere', { count: hidden })}
        </Button>
      )}
    </div>
  )
}
