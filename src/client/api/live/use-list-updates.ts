import { useEffect } from 'react'
import type { Route } from '#contract/api.ts'
import type { ServerMessage } from '#contract/live.ts'
import { useApiCache } from '../queries.ts'
import { useLive } from './use-live.ts'

/**
 * Reads these routes again when a message of these types says that they have changed. What was read before the list of
 * the requests came, or before a gap, may be older than it: then they are read again without one.
 */
export function useListUpdates(types: readonly ServerMessage['type'][], routes: readonly Route[]): void {
  const live = useLive()
  const { invalidate } = useApiCache()
  useEffect(
    () =>
      live.onMessage(({ type }, isKnown) => {
        const mayBeOlder = type === 'pending-requests' && !isKnown
        if (mayBeOlder || types.includes(type)) void invalidate(...routes)
      }),
    [live, invalidate, types, routes],
  )
}
