import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import type { PushAudience } from '#contract/push.ts'
import { type PushState, PushDevice } from './push.ts'

/**
 * Whether this device is alerted while nobody looks at it. To be used once on a page. Undefined: it is not known yet
 * whose device it is, and until then nothing is told.
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
    const again = () => {
      if (document.visibilityState === 'visible') void device.syncIfDue()
    }
    document.addEventListener('visibilitychange', again)
    window.addEventListener('online', again)
    return () => {
      document.removeEventListener('visibilitychange', again)
      window.removeEventListener('online', again)
    }
  }, [device])
  const switchOn = useCallback(
    async () => await device.switchOn(crewMemberId ?? null),
    [device, crewMemberId],
  )
  const switchOff = useCallback(async () => await device.switchOff(), [device])
  return { push, switchOn, switchOff }
}
