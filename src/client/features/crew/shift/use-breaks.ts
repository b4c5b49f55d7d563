import { useCallback, useMemo, useState } from 'react'
import type { MessageOf, ClientMessageInput, ServerMessage } from '#contract/live.ts'
import type { Break } from '#contract/shift.ts'
import { LiveError } from '../../../api/live-channel.ts'
import { useLive, useLiveState } from '../../../api/use-live.ts'
import { useToast } from '../../../ui/toast.tsx'

type BreakMessage = MessageOf<ClientMessageInput, 'start-break' | 'end-break'>

export type Breaks = {
  all: readonly Break[]
  /** What was tapped last, while the server has not answered it. */
  pending: BreakMessage['type'] | null
  /** Null: everybody looks after the tables meanwhile. */
  start: (coverId: string | null) => void
  end: () => void
}

const noBreaks: readonly Break[] = []

function breaksReducer(breaks: readonly Break[], message: ServerMessage): readonly Break[] {
  if (message.type === 'breaks') return message.breaks
  return message.type === 'pending-requests' ? (message.breaks ?? noBreaks) : breaks
}

/** Who is on a break, and one's own. */
export function useBreaks(): Breaks {
  const live = useLive()
  const { toast } = useToast()
  const all = useLiveState(breaksReducer, noBreaks)
  const [asked, setAsked] = useState<BreakMessage | null>(null)
  const tell = useCallback(
    (wish: BreakMessage) => {
      setAsked(wish)
      live
        .request(wish)
        .catch((problem: unknown) => {
          if (!(problem instanceof LiveError)) throw problem
          toast({ title: 'Error', description: problem.message, destructive: true })
        })
        .finally(() => setAsked((last) => (last === wish ? null : last)))
    },
    [live, toast],
  )
  return useMemo<Breaks>(
    () => ({
      all,
      pending: asked?.type ?? null,
      start: (coverId) => tell({ type: 'start-break', coverId }),
      end: () => tell({ type: 'end-break' }),
    }),
    [all, asked, tell],
  )
}
