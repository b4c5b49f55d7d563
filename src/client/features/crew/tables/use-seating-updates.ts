import { useEffect } from 'react'
import { api } from '#contract/api.ts'
import { useLive } from '../../../api/live/use-live.ts'
import { useApiCache } from '../../../api/queries.ts'

/** For what shows who sits where: it is read again when that has changed, or may have before the list came. */
export function useSeatingUpdates(): void {
  const live = useLive()
  const { invalidate } = useApiCache()
  useEffect(
    () =>
      live.onMessage(({ type }) => {
        if (type === 'seating-changed' || type === 'pending-requests')
          void invalidate(api.seating.list, api.tables.party)
      }),
    [live, invalidate],
  )
}
