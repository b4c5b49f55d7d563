import { useEffect } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { ServerMessage } from '#contract/live.ts'
import { useLive } from '../../../api/live/use-live.ts'
import type { Tune } from '../../../lib/tunes.ts'
import type { Chime } from './chime.ts'

/** Null for the crew member's own messages. A call to their role sounds at each alert. */
export function messageTune(message: ServerMessage, me: CrewMember): Tune | null {
  if (message.type === 'team-message' && message.message.targetCrewId === me.id) return 'message'
  if (message.type !== 'role-message') return null
  const { role, from } = message.call
  return role === me.role && from.id !== me.id ? 'call' : null
}

/** Plays a sound for messages to `me`, whichever section is open; none for calls that `me` leaves to others. */
export function useMessageSound(chime: Chime, me: CrewMember | null, declined: ReadonlySet<string>): void {
  const live = useLive()
  useEffect(() => {
    if (!me) return undefined
    return live.onMessage((message) => {
      const tune = messageTune(message, me)
      const isDeclined = message.type === 'role-message' && declined.has(message.call.id)
      if (tune && !isDeclined) chime.play(tune)
    })
  }, [live, chime, me, declined])
}
