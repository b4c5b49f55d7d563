import { useEffect } from 'react'
import type { CrewMember } from '#contract/crew.ts'
import type { ServerMessage } from '#contract/live.ts'
import { useLive } from '../../../api/use-live.ts'
import type { Chime, Tune } from './chime.ts'

/** None for the crew member's own messages; a call to their role sounds at each alert. */
export function messageTune(message: ServerMessage, me: CrewMember): Tune | null {
  if (message.type === 'team-message' && message.message.targetCrewId === me.id) return 'message'
  if (message.type !== 'role-message') return null
  const { role, from } = message.call
  return role === me.role && from.id !== me.id ? 'call' : null
}

/** Plays a sound for messages to `me`, whichever section is open. */
export function useMessageSound(chime: Chime, me: CrewMember | null): void {
  const live = useLive()
  useEffect(() => {
    if (!me) return undefined
    return live.onMessage((message) => {
      const tune = messageTune(message, me)
      if (tune) chime.play(tune)
    })
  }, [live, chime, me])
}
