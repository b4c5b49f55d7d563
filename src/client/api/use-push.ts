import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import type { PushAudience } from '#contract/push.ts'
import { onWake } from '../lib/browser/on-wake.ts'
import { useLive } from './live/use-live.ts'
import { clearNotifications, type PushState, PushDevice } from './push.ts'

/**
 * Whether this device gets alerts while nobody looks at it. Used once per page. While `crewMemberId` is undefined it
 * is not known yet whose device it is, and the server is not told anything.
 */
export function usePush(
  crewMemberId: string | null | undefined,
  audience: PushAudience,
): { push: PushState; switchOn: () => Promise<PushState>; switchOff: () => Promise<void> } {
  const [device] = useState(() => new PushDevice(audience))
  const subscribe = useCallback((changed: () => void) => device.onChange(changed), [device])
  const push = useSyncExternalStore(subscribe, () => device.push)
  useEffect(() => {
    if (crewMemberId !== undefined) void device.sync(crewMemberId)
  }, [device, crewMemberId])
  useEffect(() => {
    const sync = (): void => void device.syncIfDue()
    return onWake(sync)
  }, [device])
  const switchOn = useCallback(
    async () => await device.switchOnInTime(crewMemberId ?? null),
    [device, crewMemberId],
  )
  const switchOff = useCallback(async () => await device.switchOff(), [device])
  return { push, switchOn, switchOff }
}

/** Clears the alerts on this device when somebody looks at the page, once the page shows what they say. */
export function useClearedNotifications(audience: PushAudience): void {
  const live = useLive()
  useEffect(() => {
    let isDue = true
    const clearIfShown = (): void => {
      if (!isDue || document.hidden || live.connection.state !== 'live') return
      isDue = false
      void clearNotifications(audience)
    }
    clearIfShown()
    const stopListening = live.onConnectionChange(clearIfShown)
    // The channel has handled the same event before: it is no longer live if it has to ask for what is new.
    const stopWaking = onWake(() => {
      isDue = true
      clearIfShown()
    })
    return () => {
      stopListening()
      stopWaking()
    }
  }, [live, audience])
}
