import { useCallback, useMemo, useState } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { Break } from '#contract/crew/shift.ts'
import type { MessageOf, ClientMessageInput, ServerMessage } from '#contract/live.ts'
import { useLiveState } from '../../../api/live/use-live.ts'
import { useOptimisticRequest } from '../../../api/live/use-optimistic-request.ts'
import { useErrorToast } from '../../../ui/toast/toast.tsx'

type BreakMessage = MessageOf<ClientMessageInput, 'start-break' | 'end-break'>

export type Breaks = {
  all: readonly Break[]
  /** The last tap that the server has not answered yet. */
  pending: BreakMessage['type'] | null
  /** Null: everybody covers. */
  start: (coverId: string | null) => void
  end: () => void
}

const noBreaks: readonly Break[] = []

function breaksReducer(breaks: readonly Break[], message: ServerMessage): readonly Break[] {
  if (message.type === 'breaks') return message.breaks
  return message.type === 'pending-requests' ? (message.breaks ?? noBreaks) : breaks
}

/** Who is on a break, and how to take one. */
export function useBreaks(): Breaks {
  const request = useOptimisticRequest(useErrorToast())
  const all = useLiveState(breaksReducer, noBreaks)
  const [pending, setPending] = useState<BreakMessage | null>(null)
  const send = useCallback(
    (message: BreakMessage) => {
      const settle = (): void => setPending((latest) => (latest === message ? null : latest))
      request({ message, apply: () => setPending(message), confirm: settle, rollBack: settle })
    },
    [request],
  )
  return useMemo<Breaks>(
    () => ({
      all,
      pending: pending?.type ?? null,
      start: (coverId) => send({ type: 'start-break', coverId }),
      end: () => send({ type: 'end-break' }),
    }),
    [all, pending, send],
  )
}

export function colleaguesOnDuty(
  me: CrewMember,
  crew: readonly CrewMember[],
  { all }: Breaks,
): readonly CrewMember[] {
  const away = new Set(all.map(({ crewMemberId }) => crewMemberId))
  return crew.filter(({ id }) => id !== me.id && !away.has(id))
}
