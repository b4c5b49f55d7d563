import type { CrewMember } from '#contract/crew.ts'
import type { ServerMessage } from '#contract/live.ts'
import type { Tune } from './chime.ts'

/** One's own words are silent; a call to one's role sounds whenever it alerts. */
export function messageTune(message: ServerMessage, me: CrewMember): Tune | null {
  if (message.type === 'team-message' && message.message.targetCrewId === me.id) return 'message'
  if (message.type !== 'role-message') return null
  const { role, from } = message.call
  return role === me.role && from.id !== me.id ? 'call' : null
}
