import { useCallback, useMemo } from 'react'
import type { OutgoingMessage, ServerMessage } from '#contract/live.ts'
import type { Break } from '#contract/shift.ts'
import { LiveError } from '../../api/live.ts'
import { useLive, useLiveState } from '../../api/use-live.ts'
import { useToast } from '../../ui/toast.tsx'

export type Breaks = {
  all: readonly Break[]
  /** Null: everybody looks after the tables meanwhile. */
  start: (coverId: string | null) => void
  end: () => void
}

const none: readonly Break[] = []

function fold(breaks: readonly Break[], message: ServerMessage): readonly Break[] {
  if (message.type === 'breaks') return message.breaks
  return message.type === 'pending-requests' ? (message.breaks ?? none) : breaks
}

/** Who is on a break, and one's own. */
export function useBreaks(): Breaks {
  const live = useLive()
  const { toast } = useToast()
  const all = useLiveState(fold, none)
  const tell = useCallback(
    (message: OutgoingMessage) => {
      live.request(message).catch((problem: unknown) => {
        if (!(problem instanceof LiveError)) throw problem
        toast({ title: 'Error', description: problem.message, destructive: true })
      })
    },
    [live, toast],
  )
  return useMemo(
    () => ({
      all,
      start: (coverId) => tell({ type: 'start-break', coverId }),
      end: () => tell({ type: 'end-break' }),
    }),
    [all, tell],
  )
}
