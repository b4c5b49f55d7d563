import { useCallback, useEffect } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { RoleCall } from '#contract/crew/shift.ts'
import { useLive } from '../../../api/live/use-live.ts'
import { useRoleCallAlerts } from '../../../api/live/use-role-call-alerts.ts'
import type { Chime } from './chime.ts'

/**
 * Plays a sound for messages of others to `me`, whichever section is open, and at each alert of a call to their role; none
 * for calls that `me` leaves to others.
 */
export function useMessageSound(chime: Chime, me: CrewMember | null, declined: ReadonlySet<string>): void {
  const live = useLive()
  useEffect(() => {
    if (!me) return undefined
    return live.onMessage((message) => {
      if (message.type === 'team-message' && message.message.targetCrewId === me.id) chime.play('message')
    })
  }, [live, chime, me])
  useRoleCallAlerts(
    me,
    useCallback(
      (calls: readonly RoleCall[]) => {
        if (calls.some(({ id }) => !declined.has(id))) chime.play('call')
      },
      [chime, declined],
    ),
  )
}
