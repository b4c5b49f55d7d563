import { type Dispatch, type SetStateAction, useMemo, useState } from 'react'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { useConnection } from '../../../api/live/use-live.ts'
import { getStored } from '../../../lib/browser/browser-storage.ts'
import { isElsewhere } from '../sections/elsewhere.ts'
import { loadSectionTables } from '../sections/section-tables.ts'

type RequestFilter = (request: ServiceRequest) => boolean
export type SetRequestFilter = Dispatch<SetStateAction<RequestFilter | 'pending' | null>>

type FilteredRequests = {
  here: readonly ServiceRequest[]
  /** False while the tables of the chosen section are being loaded. */
  isFilterKnown: boolean
  setFilter: SetRequestFilter
}

/**
 * The requests that a filter shows, all without one. Alerts do not ask it. Until the tables of the chosen section are
 * loaded it goes by those that they were last, so that nothing appears and leaves again.
 */
export function useRequestFilter(open: readonly ServiceRequest[], me: string | null): FilteredRequests {
  const isLive = useConnection().state === 'live'
  const [filter, setFilter] = useState<RequestFilter | 'pending' | null>(() =>
    getStored('section-filter') === null ? null : 'pending',
  )
  const [lastTables] = useState(loadSectionTables)
  const here = useMemo(() => {
    if (typeof filter === 'function') return open.filter(filter)
    // A page that is opened without a network shows everything.
    if (filter === null || !lastTables || !isLive) return open
    return open.filter((request) => !isElsewhere(request, lastTables, me))
  }, [open, filter, lastTables, isLive, me])
  return { here, isFilterKnown: filter !== 'pending', setFilter }
}
