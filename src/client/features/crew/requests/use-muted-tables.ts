import { useCallback, useMemo } from 'react'
import type { ClientMessageInput, ServerMessage } from '#contract/live.ts'
import { type MutedTable, hourMuteMs } from '#contract/mutes.ts'
import { LiveError } from '../../../api/live-channel.ts'
import { useLive, useLiveState } from '../../../api/use-live.ts'
import { useToast } from '../../../ui/toast.tsx'

export type TableMutes = {
  all: readonly MutedTable[]
  muteForAnHour: (tableNumber: string) => void
  mute: (tableNumber: string) => void
  unmute: (tableNumber: string) => void
}

const noMutedTables: readonly MutedTable[] = []

function mutedTablesReducer(muted: readonly MutedTable[], message: ServerMessage): readonly MutedTable[] {
  if (message.type === 'muted-tables') return message.tables
  return message.type === 'pending-requests' ? (message.muted ?? noMutedTables) : muted
}

/** The tables whose guests cannot ask. */
export function useMutedTables(): TableMutes {
  const live = useLive()
  const { toast } = useToast()
  const all = useLiveState(mutedTablesReducer, noMutedTables)
  const tell = useCallback(
    (wish: ClientMessageInput) => {
      live.request(wish).catch((problem: unknown) => {
        if (!(problem instanceof LiveError)) throw problem
        toast({ title: 'Error', description: problem.message, destructive: true })
      })
    },
    [live, toast],
  )
  return useMemo(
    () => ({
      all,
      muteForAnHour: (tableNumber) =>
        tell({ type: 'mute-table', tableNumber, until: Date.now() + hourMuteMs }),
      mute: (tableNumber) => tell({ type: 'mute-table', tableNumber }),
      unmute: (tableNumber) => tell({ type: 'unmute-table', tableNumber }),
    }),
    [all, tell],
  )
}
