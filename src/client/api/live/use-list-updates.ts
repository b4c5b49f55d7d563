import { useEffect } from 'react'
import type { Route } from '#contract/api.ts'
import type { ServerMessage } from '#contract/live.ts'
import { useApiCache } from '../queries.ts'
import { useLive } from './use-live.ts'

/**
 * Reads these routes again when a message of these types says that they have changed. What was read before the list of
 * the requests came, or before a gap, may be older than it: then they are read again without one. What could not be read
 * while the network was away is read once it is back.
 */
export function useListUpdates(types: readonly ServerMessage['type'][], routes: readonly Route[]): void {
  const live = useLive()
  const { invalidate, retry } = useApiCache()
  useEffect(() => {
    const stopListening = live.onMessage(({ type }, isKnown) => {
      const mayBeOlder = type === 'pending-requests' && !isKnown
      if (mayBeOlder || types.includes(type)) void invalidate(...routes)
    })
    const stopFollowing = live.onConnectionChange(() => {
      if (live.connection.state === 'live') void retry(...routes)
    })
    return () => {
      stopListening()
      stopFollowing()
    }
  }, [live, invalidate, retry, types, routes])
}
