import { useEffect, useState } from 'react'
import type { Overview } from '#contract/analytics.ts'
import { api } from '#contract/api.ts'
import { useApiCache } from '../../../api/queries.ts'
import { serverNow, toServerTime } from '../../../lib/server-clock.ts'
import { clockAt } from './restaurant-clock.ts'

/**
 * Reads the overview again when the restaurant's day is over, and once a minute until the server says so too. What is
 * shown of a day follows it.
 */
export function useMidnight(overview: Overview | undefined, now: number): void {
  const { invalidate } = useApiCache()
  const [openedAt] = useState(serverNow)
  const dayOf = (at: number): string => (overview ? clockAt(at, overview.timeZone).day : '')
  const today = dayOf(toServerTime(now))
  const isOver = overview !== undefined && overview.day < today && dayOf(openedAt) !== today
  useEffect(() => {
    if (isOver) void invalidate(api.analytics.overview, api.opening.state)
  }, [isOver, now, invalidate])
}
