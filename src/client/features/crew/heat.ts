import { useEffect, useState } from 'react'
import { type ServiceRequest, targetMsOf } from '#contract/requests/requests.ts'
import { onServerClock, serverNow } from '../../lib/server-clock.ts'
import { callAfter } from '../../lib/time/call-after.ts'

/** How long guests have been waiting, measured by the target of what they asked for. */
export type Heat = 'fresh' | 'warm' | 'late'

/** When the first of some waiting guests becomes warm, and late; Infinity while nobody waits. */
export type HeatTimes = { warmAt: number; lateAt: number }

/** As a share of the target time. */
const warmThreshold = 0.6

/** Whoever is told that somebody is on the way no longer heats anything. */
export function heatTimes(requests: Iterable<ServiceRequest>): HeatTimes {
  let warmAt = Infinity
  let lateAt = Infinity
  for (const request of requests) {
    const { state, timestamp } = request
    if (state !== 'waiting') continue
    const target = targetMsOf(request)
    warmAt = Math.min(warmAt, timestamp + target * warmThreshold)
    lateAt = Math.min(lateAt, timestamp + target)
  }
  return { warmAt, lateAt }
}

/** Re-renders at most twice, when the heat changes. */
export function useHeat({ warmAt, lateAt }: HeatTimes): Heat {
  const isFresh = useIsBefore(warmAt)
  const isInTime = useIsBefore(lateAt)
  return isInTime ? (isFresh ? 'fresh' : 'warm') : 'late'
}

/** By the server's clock, unless another is given. Null counts as past. */
export function useIsBefore(moment: number | null, clock = serverNow): boolean {
  const [now, setNow] = useState(clock)
  useEffect(() => onServerClock(() => setNow(clock())), [clock])
  const past = moment === null || now >= moment
  // Again with each `now`: the server's clock may turn out to be behind.
  useEffect(() => {
    if (past || moment === Infinity) return undefined
    return callAfter(moment - clock(), () => setNow(Math.max(moment, clock())))
  }, [moment, past, clock, now])
  return !past
}
