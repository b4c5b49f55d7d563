import { useEffect, useRef } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { RoleCall } from '#contract/crew/shift.ts'
import type { ServerMessage } from '#contract/live.ts'
import { useLive } from './use-live.ts'

type RoleCallAlert = { calls: readonly RoleCall[]; isRepeat: boolean }

const none: RoleCallAlert = { calls: [], isRepeat: false }

/**
 * Which calls a message alerts to: one as often as the server repeats it, and those of a list that came while the screen
 * was away. The first list has no news, unless the screen had `kept` an earlier one.
 */
export function createRoleCallAlerts(kept?: readonly RoleCall[]): (message: ServerMessage) => RoleCallAlert {
  const known = new Set(kept?.map(({ id }) => id))
  let hasList = kept !== undefined
  const isNew = ({ id }: RoleCall): boolean => known.size < known.add(id).size
  return (message) => {
    if (message.type === 'role-message') return { calls: [message.call], isRepeat: !isNew(message.call) }
    if (message.type !== 'pending-requests') return none
    const calls = (message.calls ?? []).filter(isNew)
    if (hasList) return { calls, isRepeat: false }
    hasList = true
    return none
  }
}

/** Alerts to the calls of others to the role of `me`. */
export function useRoleCallAlerts(
  me: CrewMember | null,
  onAlert: (calls: readonly RoleCall[], isRepeat: boolean) => void,
): void {
  const live = useLive()
  const alerts = useRef<ReturnType<typeof createRoleCallAlerts>>(null)
  useEffect(() => {
    const alertsOf = (alerts.current ??= createRoleCallAlerts(live.kept?.message.calls))
    return live.onMessage((message) => {
      const { calls, isRepeat } = alertsOf(message)
      const others = calls.filter(({ role, from }) => role === me?.role && from.id !== me.id)
      if (others.length > 0) onAlert(others, isRepeat)
    })
  }, [live, me, onAlert])
}
