import { useEffect, useState } from 'react'
import { type ServiceRequest, targetResponseMs } from '#contract/requests.ts'
import { useNow } from '../../lib/use-now.ts'
import { formatTimeAgo } from '../../lib/dates.ts'

type Age = 'fresh' | 'warm' | 'late'

/** As a share of the target time. */
const warmThreshold = 0.6

/** Re-renders a ticket twice in its life instead of every second. */
export function useAge({ timestamp, serviceType }: ServiceRequest): Age {
  const target = targetResponseMs[serviceType]
  const isFresh = useIsBefore(timestamp + target * warmThreshold)
  const isInTime = useIsBefore(timestamp + target)
  if (isFresh) return 'fresh'
  return isInTime ? 'warm' : 'late'
}

/**
 * The time since then, updated every second while it is short and in view, and rarely otherwise: hundreds of tickets
 * must not slow down the screen.
 */
export function useElapsedMs(
  at: number,
  { youngMs, inView = true }: { youngMs: number; inView?: boolean },
): number {
  const [young, setYoung] = useState(() => Date.now() - at < youngMs)
  const elapsed = useNow(!inView ? 60_000 : young ? 1000 : 10_000) - at
  if (young && elapsed >= youngMs) setYoung(false)
  return elapsed
}

/** '3s ago', updated every second for the first minute. */
export function useTimeAgo(at: number, inView = true): string {
  return formatTimeAgo(useElapsedMs(at, { youngMs: 60_000, inView }))
}

/** Null counts as past. */
export function useIsBefore(moment: number | null): boolean {
  const [now, setNow] = useState(Date.now)
  const past = moment === null || now >= moment
  useEffect(() => {
    if (past) return undefined
    // A timer may fire slightly too early.
    const timer = setTimeout(() => setNow(Math.max(moment, Date.now())), moment - Date.now())
    return () => clearTimeout(timer)
  }, [moment, past])
  return !past
}
