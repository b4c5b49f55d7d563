import { useCallback, useEffect } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { RoleCall } from '#contract/crew/shift.ts'
import type { ServerMessage } from '#contract/live.ts'
import { useLive } from '../../../api/live/use-live.ts'
import { useRoleCallAlerts } from '../../../api/live/use-role-call-alerts.ts'
import type { Chime } from './chime.ts'

/** Whether a message brings news for somebody: also a list, of what came while the screen was away. The first has none. */
function createMessageNews(me: string): (message: ServerMessage) => boolean {
  const known = new Set<string>()
  let hasList = false
  return (message) => {
    if (message.type !== 'team-message' && message.type !== 'team-messages-history') return false
    const isList = message.type === 'team-messages-history'
    const messages = isList ? message.messages : [message.message]
    const news = messages.filter(({ id, targetCrewId }) => targetCrewId === me && !known.has(id))
    for (const { id } of news) known.add(id)
    const isFirst = isList && !hasList
    hasList ||= isList
    return news.length > 0 && !isFirst
  }
}

/**
 * Plays a sound for messages of others to `me`, whichever section is open, and at each alert of a call to their role; none
 * for calls that `me` leaves to others.
 */
export function useMessageSound(chime: Chime, me: CrewMember | null, declined: ReadonlySet<string>): void {
  const live = useLive()
  const id = me?.id ?? null
  useEffect(() => {
    if (id === null) return undefined
    const isNews = createMessageNews(id)
    return live.onMessage((message) => {
      if (isNews(message)) chime.play('message')
    })
  }, [live, chime, id])
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
